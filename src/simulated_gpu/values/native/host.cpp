// Makes host views of dense, sparse and compressed tensors.
#include "host.h"

#include "runtime.h"

#include <ATen/EmptyTensor.h>
#include <ATen/NestedTensorImpl.h>
#include <ATen/ops/_sparse_compressed_tensor_unsafe.h>
#include <ATen/ops/_sparse_coo_tensor_unsafe.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/quantized/QTensorImpl.h>
#include <ATen/quantized/Quantizer.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <functional>

namespace simulated_gpu {
namespace {

// Where the views are: on the CPU, or nowhere if there are no values.
at::Device host() {
  return runtime::shapes_only() ? at::kMeta : at::kCPU;
}

c10::Storage memory_of(const at::Tensor& tensor) {
  const auto& storage = tensor.storage();
  return {
      c10::Storage::use_byte_size_t(),
      storage.nbytes(),
      at::DataPtr(const_cast<void*>(storage.data()), at::Device(at::kCPU)),
      /*allocator=*/nullptr,
      /*resizable=*/false};
}

// How numbers become integers. By channel, that is in tensors, too.
at::QuantizerPtr host_quantizer(const at::Tensor& tensor) {
  auto quantizer = at::get_qtensorimpl(tensor)->quantizer();
  if (quantizer->qscheme() == at::kPerTensorAffine)
    return quantizer;
  TORCH_CHECK(quantizer->qscheme() == at::kPerChannelAffine, "NotSimulated: the simulated GPU does not know this quantizer.");
  const auto& channels = static_cast<const at::PerChannelAffineQuantizer&>(*quantizer);
  return at::make_per_channel_affine_quantizer(
      host_view(channels.scales()), host_view(channels.zero_points()), channels.axis(), quantizer->scalar_type());
}

at::Tensor quantized_view(const at::Tensor& tensor) {
  auto view = at::detail::make_tensor<at::QTensorImpl>(
      memory_of(tensor), c10::DispatchKeySet(c10::DispatchKey::QuantizedCPU), tensor.dtype(), host_quantizer(tensor));
  view.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  return view;
}

at::Tensor dense_view(const at::Tensor& tensor) {
  if (runtime::shapes_only())
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(host()));
  if (tensor.is_quantized())
    return quantized_view(tensor);
  auto view = at::detail::make_tensor<c10::TensorImpl>(
      memory_of(tensor), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  auto* impl = view.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  impl->_set_conj(tensor.is_conj());
  impl->_set_neg(tensor.is_neg());
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number())
    impl->set_wrapped_number(true);
  return view;
}

std::pair<at::Tensor, at::Tensor> compressed_indices(const at::Tensor& tensor) {
  if (tensor.layout() == at::kSparseCsr || tensor.layout() == at::kSparseBsr)
    return {tensor.crow_indices(), tensor.col_indices()};
  return {tensor.ccol_indices(), tensor.row_indices()};
}

at::Tensor compressed_view(const at::Tensor& tensor) {
  auto [compressed, plain] = compressed_indices(tensor);
  auto options = tensor.options().device(host());
  return at::_sparse_compressed_tensor_unsafe(
      dense_view(compressed), dense_view(plain), dense_view(tensor.values()), tensor.sizes(), options);
}

} // namespace

namespace {

using at::native::NestedTensorImpl;

// The same nested tensor, whose sizes are on the CPU anyway, over another buffer.
at::Tensor nested_over(const at::Tensor& nested, const std::function<at::Tensor(const at::Tensor&)>& another) {
  auto* impl = static_cast<NestedTensorImpl*>(nested.unsafeGetTensorImpl());
  return at::detail::make_tensor<NestedTensorImpl>(
      another(impl->get_unsafe_storage_as_tensor()),
      impl->get_nested_sizes(),
      impl->get_nested_strides(),
      impl->get_storage_offsets());
}

bool is_nested(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->key_set().has_any(c10::DispatchKeySet(c10::DispatchKey::NestedTensor));
}

} // namespace

at::Tensor host_view(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda())
    return tensor;
  if (is_nested(tensor))
    return nested_over(tensor, dense_view);
  if (tensor.layout() == at::kStrided)
    return dense_view(tensor);
  if (tensor.layout() == at::kSparse)
    return at::_sparse_coo_tensor_unsafe(
        dense_view(tensor._indices()),
        dense_view(tensor._values()),
        tensor.sizes(),
        tensor.options().device(host()),
        tensor.is_coalesced());
  return compressed_view(tensor);
}

at::Device gpu_of(const std::vector<c10::IValue>& arguments) {
  std::optional<at::Device> gpu;
  for (const auto& argument : arguments) {
    if (argument.isDevice() && argument.toDevice().is_cuda() && argument.toDevice().has_index())
      return argument.toDevice();
    map_tensors(argument, [&](const at::Tensor& tensor) {
      if (!gpu && tensor.defined() && tensor.is_cuda())
        gpu = tensor.device();
      return tensor;
    });
  }
  return gpu.value_or(c10::impl::VirtualGuardImpl(at::kCUDA).getDevice());
}

namespace {

at::Tensor dense_on_gpu(const at::Tensor& host, at::Device gpu) {
  auto tensor = at::empty_strided(host.sizes(), host.strides(), host.options().device(gpu));
  host_view(tensor).copy_(host);
  return tensor;
}

} // namespace

at::Tensor on_gpu(const at::Tensor& host, at::Device gpu) {
  if (!host.defined())
    return host;
  if (is_nested(host))
    return nested_over(host, [&](const at::Tensor& buffer) { return dense_on_gpu(buffer, gpu); });
  if (host.layout() == at::kStrided)
    return dense_on_gpu(host, gpu);
  auto options = host.options().device(gpu);
  auto values = dense_on_gpu(host.layout() == at::kSparse ? host._values() : host.values(), gpu);
  if (host.layout() == at::kSparse)
    return at::_sparse_coo_tensor_unsafe(
        dense_on_gpu(host._indices(), gpu), values, host.sizes(), options, host.is_coalesced());
  auto [compressed, plain] = compressed_indices(host);
  return at::_sparse_compressed_tensor_unsafe(
      dense_on_gpu(compressed, gpu), dense_on_gpu(plain, gpu), values, host.sizes(), options);
}

at::Tensor wide(const at::Tensor& tensor) {
  bool narrow = tensor.defined() && (tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16);
  return narrow ? tensor.to(at::kFloat) : tensor;
}

c10::IValue host_argument(const c10::IValue& argument) {
  if (argument.isDevice() && argument.toDevice().is_cuda())
    return host();
  return map_tensors(argument, host_view);
}

namespace {

c10::IValue taken_along(const c10::IValue& argument) {
  auto taken = map_tensors(argument, [](const at::Tensor& tensor) {
    bool may_change = tensor.defined() && tensor.is_cpu() && !tensor.unsafeGetTensorImpl()->is_wrapped_number();
    return may_change ? tensor.clone() : tensor;
  });
  return host_argument(taken);
}

} // namespace

std::vector<c10::IValue> all_taken_along(c10::ArrayRef<c10::IValue> arguments) {
  std::vector<c10::IValue> taken;
  for (const auto& argument : arguments)
    taken.push_back(taken_along(argument));
  return taken;
}

} // namespace simulated_gpu
