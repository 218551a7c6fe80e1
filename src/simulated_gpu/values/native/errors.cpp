// Holds the Python class of NotSimulated.
#include "errors.h"

namespace simulated_gpu {
namespace {
PyObject* not_simulated = nullptr;
}

PyObject* NotSimulated::python_type() {
  return not_simulated;
}

void set_not_simulated(PyObject* type) {
  Py_INCREF(type);
  not_simulated = type;
}

} // namespace simulated_gpu
