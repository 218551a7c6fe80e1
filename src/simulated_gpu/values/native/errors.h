// NotSimulated, as C++ throws it.
#pragma once

#include <torch/csrc/Exceptions.h>

#include <string>

namespace simulated_gpu {

// Becomes Python's simulated_gpu.NotSimulated.
struct NotSimulated : torch::PyTorchError {
  explicit NotSimulated(const std::string& message);
  PyObject* python_type() override;
};

// The line of the user's code that runs now, as "train.py:41".
std::string users_line();

// Says which Python class NotSimulated becomes, and which function returns the line.
void set_python(PyObject* not_simulated, PyObject* users_line);

} // namespace simulated_gpu
