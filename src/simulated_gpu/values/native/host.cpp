// Makes host views of dense, sparse and compressed tensors.
#include "host.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/_sparse_compressed_tensor_unsafe.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe.h>

namespace simulated_gpu {
namespace {

at::Tensor dense_view(const at::Tensor& tensor) {
  const auto& storage = tensor.storage();
  c10::Storage memory(
      c10::Storage::use_byte_size_t(),
      storage.nbytes(),
      at::DataPtr(const_cast<void*>(storage.data()), at::Device(at::kCPU)),
      /*allocator=*/nullptr,
      /*resizable=*/false);
  auto view = at::detail::make_tensor<c10::TensorImpl>(
      std::move(memory), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  auto* impl = view.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  impl->_set_conj(tensor.is_conj());
  impl->_set_neg(tensor.is_neg());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number())
    impl->set_wrapped_number(true);
  return view;
}

at::Tensor compressed_view(const at::Tensor& tensor) {
  bool by_row = tensor.layout() == at::kSparseCsr || tensor.layout() == at::kSparseBsr;
  auto compressed = by_row ? tensor.crow_indices() : tensor.ccol_indices();
  auto plain = by_row ? tensor.col_indices() : tensor.row_indices();
  auto options = tensor.options().device(at::kCPU);
  return at::_sparse_compressed_tensor_unsafe(
      dense_view(compressed), dense_view(plain), dense_view(tensor.values()), tensor.sizes(), options);
}

} // namespace

at::Tensor host_view(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda())
    return tensor;
  if (tensor.layout() == at::kStrided)
    return dense_view(tensor);
  if (tensor.layout() == at::kSparse)
    return at::_sparse_coo_tensor_unsafe(
        dense_view(tensor._indices()),
        dense_view(tensor._values()),
        tensor.sizes(),
        tensor.options().device(at::kCPU),
        tensor.is_coalesced());
  return compressed_view(tensor);
}

bool on_gpu(const c10::IValue& argument) {
  if (argument.isTensor())
    return argument.toTensor().defined() && argument.toTensor().is_cuda();
  if (argument.isTensorList()) {
    for (const at::Tensor& tensor : argument.toTensorList())
      if (tensor.defined() && tensor.is_cuda())
        return true;
    return false;
  }
  if (argument.isList())
    for (const auto& element : argument.toListRef())
      if (element.isTensor() && on_gpu(element))
        return true;
  return false;
}

c10::IValue host_argument(const c10::IValue& argument) {
  if (argument.isDevice() && argument.toDevice().is_cuda())
    return at::Device(at::kCPU);
  return map_tensors(argument, host_view);
}

} // namespace simulated_gpu
