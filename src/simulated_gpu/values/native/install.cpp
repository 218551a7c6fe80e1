// Puts the layer's kernels in the place of PyTorch's own under the CUDA key.
#include "below.h"
#include "errors.h"
#include "guarded.h"
#include "libraries.h"
#include "operator.h"
#include "recurrent_layers.h"
#include "runtime.h"
#include "special.h"
#include "whole.h"

#include <memory>
#include <unordered_set>

namespace simulated_gpu {
namespace {

struct Kernel : c10::OperatorKernel {
  explicit Kernel(std::shared_ptr<const Operator> op) : op(std::move(op)) {}
  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet keys, Stack* stack) {
    op->call(keys, stack);
  }
  std::shared_ptr<const Operator> op;
};

bool returns_a_view(const c10::FunctionSchema& schema) {
  for (const auto& result : schema.returns())
    if (result.alias_info() && !result.alias_info()->isWrite())
      return true;
  return false;
}

// Operators that allocate or describe memory. They launch nothing, and are called so often that a detour would cost.
bool computes_nothing(const c10::FunctionSchema& schema) {
  static const std::unordered_set<std::string> names = {
      "aten::empty", "aten::empty_strided", "aten::resize_", "aten::set_", "aten::record_stream", "aten::is_set_to",
      "aten::_has_same_storage_numel", "aten::_fused_sdp_choice", "aten::sym_size"};
  const auto& name = schema.operator_name().name;
  bool reads = name == "aten::_local_scalar_dense" && !runtime::shapes_only();
  return reads || names.count(name) > 0 || returns_a_view(schema);
}

// Operators of sparse tensors that read and set their parts.
bool describes_sparse(const c10::FunctionSchema& schema) {
  static const std::unordered_set<std::string> names = {
      "aten::_nnz", "aten::_dimI", "aten::_dimV", "aten::sparse_dim", "aten::dense_dim", "aten::is_coalesced",
      "aten::_coalesced_", "aten::copy_sparse_to_sparse_", "aten::sparse_resize_", "aten::sparse_resize_and_clear_",
      "aten::_sparse_coo_tensor_with_dims", "aten::_sparse_coo_tensor_with_dims_and_tensors", "aten::copy_",
      "aten::_to_copy", "aten::empty", "aten::empty_like", "aten::_pin_memory", "aten::is_pinned",
      "aten::_sparse_compressed_tensor_with_dims", "aten::resize_as_sparse_"};
  return names.count(schema.operator_name().name) > 0;
}

Special special_for(const c10::OperatorHandle& handle, c10::DispatchKey key) {
  if (key == c10::DispatchKey::QuantizedCUDA)
    return {};
  return key == c10::DispatchKey::CUDA ? special(handle) : Special{nullptr, whole::on_the_cpu};
}

bool stays(const c10::OperatorHandle& handle, c10::DispatchKey key) {
  const auto& schema = handle.schema();
  return computes_nothing(schema) || (key != c10::DispatchKey::CUDA && describes_sparse(schema));
}

c10::KernelFunction computed(const c10::OperatorHandle& handle, c10::DispatchKey key) {
  auto op = std::make_shared<const Operator>(handle, key, special_for(handle, key));
  return c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Kernel>(std::move(op)));
}

void put_in_place(const c10::OperatorHandle& handle, c10::DispatchKey key, c10::KernelFunction kernel) {
  auto registration = c10::Dispatcher::singleton().registerImpl(
      handle.operator_name(), key, std::move(kernel), std::nullopt, nullptr, "simulated_gpu");
  new c10::RegistrationHandleRAII(std::move(registration)); // kept for the life of the process
}

// Operators of nested tensors that read their parts, or make a view of them.
bool stays_nested(const c10::FunctionSchema& schema) {
  static const std::unordered_set<std::string> names = {
      "aten::_nested_tensor_size", "aten::_nested_tensor_strides", "aten::_nested_tensor_storage_offsets",
      "aten::_fused_sdp_choice", "aten::is_same_size", "aten::copy_", "aten::_to_copy", "aten::_pin_memory"};
  return returns_a_view(schema) || names.count(schema.operator_name().name) > 0;
}

c10::KernelFunction nested(const c10::OperatorHandle& handle) {
  constexpr auto key = c10::DispatchKey::NestedTensorCUDA;
  bool on_the_cpu = handle.hasComputedKernelForDispatchKey(c10::DispatchKey::NestedTensorCPU);
  return on_the_cpu && !runtime::shapes_only() ? computed(handle, key) : guarded(handle, key);
}

// PyTorch's own operators of quantized tensors have a kernel for the CPU; those of its library "quantized" call cuDNN.
c10::KernelFunction quantized(const c10::OperatorHandle& handle) {
  constexpr auto key = c10::DispatchKey::QuantizedCUDA;
  bool on_the_cpu = handle.schema().name().rfind("aten::", 0) == 0 &&
      handle.hasKernelForDispatchKey(c10::DispatchKey::QuantizedCPU);
  return on_the_cpu && !runtime::shapes_only() ? computed(handle, key) : guarded(handle, key);
}

// An operator of another library, whose kernel nothing here runs.
void replace_foreign(const c10::OperatorHandle& handle) {
  Silence silence;
  c10::WarningUtils::WarningHandlerGuard guard(&silence);
  constexpr auto key = c10::DispatchKey::CUDA;
  bool on_the_cpu = handle.hasKernelForDispatchKey(c10::DispatchKey::CPU);
  if (!on_the_cpu) {
    put_in_place(handle, key, guarded(handle, key));
    return;
  }
  auto op = std::make_shared<const Operator>(handle, key, Special{nullptr, whole::on_the_cpu});
  put_in_place(handle, key, c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Kernel>(std::move(op))));
}

// Some operators have one piece of code for all devices, and that launches kernels.
bool has_own_kernel(const c10::OperatorHandle& handle, c10::DispatchKey key) {
  static const std::unordered_set<std::string> launch_themselves = {
      "aten::copy_", "aten::cudnn_is_acceptable", "aten::mode.values", "aten::conj_physical_"};
  return handle.hasKernelForDispatchKey(key) ||
      (key == c10::DispatchKey::CUDA && launch_themselves.count(c10::toString(handle.operator_name())) > 0);
}

// An operator that calls others on each device. One that launches a kernel of its own besides is refused: it is in the list
// above, or nobody knew.
bool calls_others(const c10::OperatorHandle& handle) {
  const auto& schema = handle.schema();
  return schema.name().rfind("aten::", 0) == 0 &&
      handle.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) &&
      !handle.hasKernelForDispatchKey(c10::DispatchKey::CUDA) && !stays(handle, c10::DispatchKey::CUDA);
}

void replace_all() {
  Silence silence; // PyTorch warns that kernels are replaced
  c10::WarningUtils::WarningHandlerGuard guard(&silence);
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames()) {
    auto handle = dispatcher.findSchema(name);
    if (!handle)
      continue;
    for (auto key : {c10::DispatchKey::CUDA, c10::DispatchKey::SparseCUDA, c10::DispatchKey::SparseCsrCUDA})
      if (has_own_kernel(*handle, key) && !stays(*handle, key))
        put_in_place(*handle, key, computed(*handle, key));
    if (calls_others(*handle))
      put_in_place(*handle, c10::DispatchKey::CUDA, guarded(*handle, c10::DispatchKey::CUDA));
    if (handle->hasKernelForDispatchKey(c10::DispatchKey::NestedTensorCUDA) && !stays_nested(handle->schema()))
      put_in_place(*handle, c10::DispatchKey::NestedTensorCUDA, nested(*handle));
    if (handle->hasKernelForDispatchKey(c10::DispatchKey::QuantizedCUDA) && !returns_a_view(handle->schema()))
      put_in_place(*handle, c10::DispatchKey::QuantizedCUDA, quantized(*handle));
  }
}

} // namespace
} // namespace simulated_gpu

// Returns null, or what hinders it.
extern "C" const char* simulated_gpu_values_install(PyObject* not_simulated, PyObject* users_line) {
  if (const char* missing = simulated_gpu::runtime::connect())
    return missing;
  simulated_gpu::set_python(not_simulated, users_line);
  simulated_gpu::replace_all();
  simulated_gpu::watch_libraries(simulated_gpu::replace_foreign);
  simulated_gpu::note_dropout_between_layers();
  return nullptr;
}
