// Has PyTorch's own code check devices where it does not run, and finds tensors that its kernels could not reach.
#include "devices.h"

#include "errors.h"
#include "host.h"
#include "runtime.h"

#include <unordered_map>
#include <unordered_set>

namespace simulated_gpu::devices {
namespace {

// A number in a tensor, which PyTorch hands to a kernel by its value.
bool is_number(const at::Tensor& tensor) {
  return tensor.is_cpu() && tensor.dim() == 0;
}

// Operators that move memory between devices themselves.
bool moves(const Operator& op) {
  static const std::unordered_set<std::string> names = {
      "aten::copy_", "aten::_to_copy", "aten::_foreach_copy_", "aten::copy_sparse_to_sparse_", "aten::_copy_from"};
  return names.count(op.schema().operator_name().name) > 0;
}

// Arguments that PyTorch's own code reads on the host, as its CUDA code does: lengths, and a mask, of which it makes indices.
bool read_by_the_host(const Operator& op, const std::string& argument) {
  static const std::unordered_map<std::string, std::unordered_set<std::string>> names = {
      {"aten::_ctc_loss", {"input_lengths", "target_lengths", "targets"}},
      {"aten::_ctc_loss_backward", {"input_lengths", "target_lengths", "targets"}},
      {"aten::_pack_padded_sequence", {"lengths"}},
      {"aten::index", {"indices"}},
      {"aten::index_put_", {"indices"}},
      {"aten::_index_put_impl_", {"indices"}},
  };
  auto found = names.find(op.schema().operator_name().name);
  return found != names.end() && found->second.count(argument) > 0;
}

struct Probe {
  Probe() {
    runtime::probe();
  }
  ~Probe() {
    if (!ended)
      runtime::end_probe();
  }
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  // Whether the code got as far as the device.
  bool end() {
    ended = true;
    return runtime::end_probe();
  }

 private:
  bool ended = false;
};

// Whether PyTorch's own code gets as far as the device. Raises its own errors.
bool reaches_the_device(const Operator& op, c10::DispatchKeySet keys, const Arguments& arguments) {
  Stack stack(arguments.begin(), arguments.end());
  Probe probe;
  try {
    op.original(keys, &stack);
  } catch (...) {
    if (probe.end())
      return true;
    throw;
  }
  return probe.end();
}

[[noreturn]] void refuse_stranger(const Operator& op, const std::string& argument, at::Device where, at::Device gpu) {
  throw NotSimulated(
      op.name() + ": " + argument + " is on " + where.str() + " and the others are on " + gpu.str() +
      ". PyTorch's own code does not check that here, and a kernel of a real GPU would read memory that it cannot reach. "
      "Move the tensor: ." + (gpu.is_cuda() ? "to(\"" + gpu.str() + "\")" : "cpu()") + ".");
}

void refuse_strangers(const Operator& op, const Arguments& arguments, bool copies_count) {
  auto gpu = gpu_of(arguments);
  const auto& schema = op.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i)
    each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      if (tensor.device() == gpu || tensor.is_meta() || is_number(tensor) || tensor.numel() == 0)
        return;
      if (read_by_the_host(op, schema[i].name()))
        return;
      bool plain = tensor.has_storage();
      if (copies_count && plain && runtime::was_copied(tensor.storage().data(), tensor.storage().nbytes()))
        return;
      refuse_stranger(op, schema[i].name(), tensor.device(), gpu);
    });
}

} // namespace

bool differ(const Arguments& arguments) {
  std::optional<at::Device> common;
  bool found = false;
  for (const auto& argument : arguments)
    each_tensor(argument, [&](const at::Tensor& tensor) {
      found = found || (common && *common != tensor.device());
      common = tensor.device();
    });
  return found;
}

void check(const Operator& op, c10::DispatchKeySet keys, const Arguments& arguments) {
  if (!differ(arguments) || moves(op))
    return;
  if (reaches_the_device(op, keys, arguments))
    refuse_strangers(op, arguments, false);
}

void raise_own_error(const Operator& op, c10::DispatchKeySet keys, const Arguments& arguments) {
  reaches_the_device(op, keys, arguments);
}

Strangers::Strangers(const Arguments& arguments) : differ_(devices::differ(arguments)) {
  if (differ_)
    runtime::note_copies();
}

Strangers::~Strangers() {
  if (differ_)
    runtime::forget_copies();
}

void Strangers::refuse(const Operator& op, const Arguments& arguments) const {
  if (differ_ && !moves(op))
    refuse_strangers(op, arguments, true);
}

} // namespace simulated_gpu::devices
