// Widens float16 and bfloat16 to float32, complex32 to complex64, small unsigned integers to int64, and bool to uint8.
#include "wider.h"

#include "host.h"

namespace simulated_gpu {
namespace {

at::ScalarType wider(at::ScalarType dtype) {
  switch (dtype) {
    case at::kHalf:
    case at::kBFloat16:
      return at::kFloat;
    case at::kComplexHalf:
      return at::kComplexFloat;
    case at::kUInt16:
    case at::kUInt32:
      return at::kLong;
    case at::kBool:
      return at::kByte;
    default:
      return dtype;
  }
}

} // namespace

Wider::Wider(const Arguments& host) {
  for (const auto& argument : host)
    arguments_.push_back(map_tensors(argument, [&](const at::Tensor& tensor) {
      if (!tensor.defined() || wider(tensor.scalar_type()) == tensor.scalar_type())
        return tensor;
      auto copy = tensor.to(wider(tensor.scalar_type()));
      copies_.emplace_back(tensor, copy);
      return copy;
    }));
}

void Wider::write_back() const {
  for (const auto& [given, copy] : copies_)
    given.copy_(copy);
}

} // namespace simulated_gpu
