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

// Says which Python class it becomes.
void set_not_simulated(PyObject* type);

} // namespace simulated_gpu
