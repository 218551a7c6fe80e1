// Holds the Python class of NotSimulated, and the function that knows the user's line.
#include "errors.h"

#include "runtime.h"

#include <pybind11/pybind11.h>

namespace simulated_gpu {
namespace {
PyObject* not_simulated = nullptr;
PyObject* line_function = nullptr;
} // namespace

NotSimulated::NotSimulated(const std::string& message) : torch::PyTorchError(message) {
  runtime::unsure(message.substr(0, message.find(": ")).c_str());
}

PyObject* NotSimulated::python_type() {
  return not_simulated;
}

std::string users_line() {
  pybind11::gil_scoped_acquire python;
  return pybind11::str(pybind11::handle(line_function)());
}

void set_python(PyObject* type, PyObject* users_line) {
  Py_INCREF(type);
  Py_INCREF(users_line);
  not_simulated = type;
  line_function = users_line;
}

} // namespace simulated_gpu
