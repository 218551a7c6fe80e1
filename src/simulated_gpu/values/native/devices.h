// Where the tensors of a call are. What PyTorch's own code does not see, because an operator is computed in one piece, is
// checked here, by that code.
#pragma once

#include "operator.h"

namespace simulated_gpu::devices {

// Whether the tensors of a call are not all on one device.
bool differ(const Arguments& arguments);

// Raises what PyTorch's own code raises of these arguments before it first uses the device. It does nothing else.
void check(const Operator& op, c10::DispatchKeySet keys, const Arguments& arguments);

// Raises the error that PyTorch's own code has for these arguments, if it has one.
void raise_own_error(const Operator& op, c10::DispatchKeySet keys, const Arguments& arguments);

// Notes the copies of this thread between devices from here on, and raises NotSimulated of a tensor on another device that
// nobody copied: a real kernel would read what is not there.
class Strangers {
 public:
  explicit Strangers(const Arguments& arguments);
  ~Strangers();
  Strangers(const Strangers&) = delete;
  Strangers& operator=(const Strangers&) = delete;

  void refuse(const Operator& op, const Arguments& arguments) const;

 private:
  bool differ_;
};

} // namespace simulated_gpu::devices
