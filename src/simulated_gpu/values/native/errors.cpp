// Holds the Python class of NotSimulated.
#include "errors.h"

#include "runtime.h"

namespace simulated_gpu {
namespace {
PyObject* not_simulated = nullptr;
}

NotSimulated::NotSimulated(const std::string& message) : torch::PyTorchError(message) {
  runtime::unsure(message.substr(0, message.find(": ")).c_str());
}

PyObject* NotSimulated::python_type() {
  return not_simulated;
}

void set_not_simulated(PyObject* type) {
  Py_INCREF(type);
  not_simulated = type;
}

} // namespace simulated_gpu
