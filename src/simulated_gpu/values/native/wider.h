// The arguments of a call in a wider dtype, where the CPU has no kernel for the dtype itself.
#pragma once

#include "operator.h"

#include <utility>

namespace simulated_gpu {

class Wider {
 public:
  explicit Wider(const Arguments& host);

  // Whether any argument got a wider dtype.
  bool changed() const {
    return !copies_.empty();
  }
  const Arguments& arguments() const {
    return arguments_;
  }
  at::Tensor tensor(size_t index) const {
    return arguments_[index].toTensor();
  }
  // Rounds what was computed in place into the tensors that were given.
  void write_back() const;

 private:
  Arguments arguments_;
  std::vector<std::pair<at::Tensor, at::Tensor>> copies_; // given, wider
};

} // namespace simulated_gpu
