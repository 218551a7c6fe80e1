// Computes an operator's values with the CPU's kernel, on the same memory.
#include "below.h"
#include "assertions.h"
#include "errors.h"
#include "host.h"
#include "operator.h"
#include "wider.h"

#include <array>

namespace simulated_gpu {
namespace {

bool writes_into_results(const Call& call) {
  if (!call.op.into())
    return false;
  for (const auto& result : call.results)
    if (!result.toTensor().defined())
      return false;
  return true;
}

std::string dtypes(const Arguments& arguments) {
  std::string text;
  for (const auto& argument : arguments)
    map_tensors(argument, [&](const at::Tensor& tensor) {
      if (tensor.defined()) {
        std::string name = c10::toString(tensor.scalar_type());
        if (text.find(name) == std::string::npos)
          text += (text.empty() ? "" : ", ") + name;
      }
      return tensor;
    });
  return text.empty() ? "no tensors" : text;
}

[[noreturn]] void refuse(const Call& call, const std::string& why) {
  throw NotSimulated(
      call.op.name() + " on " + dtypes(call.arguments) + ": the simulated GPU cannot compute its values (" + why +
      "). Compute it on the CPU (tensor.cpu()), or run this on a real GPU.");
}

void write(const Call& call, const c10::IValue& target, const c10::IValue& value);

void write_tensor(const Call& call, const at::Tensor& target, const at::Tensor& value) {
  if (!target.defined())
    return;
  if (!value.defined())
    refuse(call, "the CPU has no such result");
  if (target.numel() == 0) // a workspace that only the CPU uses
    return;
  if (target.sizes() != value.sizes())
    refuse(call, "the CPU's result has another shape");
  host_view(target).copy_(value);
}

void write_list(const Call& call, c10::ArrayRef<c10::IValue> targets, c10::ArrayRef<c10::IValue> values) {
  if (targets.size() != values.size())
    refuse(call, "the CPU has another number of results");
  for (size_t i = 0; i < targets.size(); ++i)
    write(call, targets[i], values[i]);
}

void write(const Call& call, const c10::IValue& target, const c10::IValue& value) {
  if (target.isTensor())
    write_tensor(call, target.toTensor(), value.toTensor());
  else if (target.isTensorList())
    write_list(call, c10::IValue(target.toTensorVector()).toList().vec(), c10::IValue(value.toTensorVector()).toList().vec());
  else if (target.isList())
    write_list(call, target.toListRef(), value.toListRef());
  else if (!target.isNone())
    const_cast<c10::IValue&>(target) = value;
}

void run(const Call& call, const Arguments& arguments) {
  Stack stack(arguments.begin(), arguments.end());
  call.op.handle().callBoxed(&stack);
  const auto& returns = call.op.schema().returns();
  for (size_t i = 0; i < returns.size(); ++i)
    if (!returns[i].alias_info())
      write(call, call.results[i], stack[i]);
}

void run_into_results(const Call& call, const Arguments& arguments) {
  Stack stack(arguments.begin(), arguments.end());
  for (const auto& result : call.results)
    stack.push_back(host_argument(result));
  call.op.into()->callBoxed(&stack);
}

Arguments host_arguments(const Arguments& arguments) {
  Arguments host;
  host.reserve(arguments.size());
  for (const auto& argument : arguments)
    host.push_back(host_argument(argument));
  return host;
}

bool lacks_dtype(const std::string& message) {
  constexpr std::array<const char*, 4> signs = {
      "not implemented for", "not support", "doesn't support", "expected scalar type"};
  for (const char* sign : signs)
    if (message.find(sign) != std::string::npos)
      return true;
  return false;
}

} // namespace

void compute_on_cpu(const Call& call) {
  Below below;
  auto arguments = host_arguments(call.arguments);
  const auto& handle = call.op.handle();
  if (!handle.hasComputedKernelForDispatchKey(c10::DispatchKey::CPU) &&
      !handle.hasKernelForDispatchKey(c10::DispatchKey::QuantizedCPU))
    refuse(call, "the CPU has no such operator");
  try {
    if (writes_into_results(call))
      run_into_results(call, arguments);
    else
      run(call, arguments);
  } catch (const c10::LinAlgError&) {
    throw;
  } catch (const c10::Error& error) {
    std::string message = error.what_without_backtrace();
    if (is_an_assertion_of_a_kernel(message)) {
      fail_in_the_kernel(call.op.name(), message);
      return;
    }
    Wider wider(arguments);
    if (!lacks_dtype(message) || !wider.changed())
      refuse(call, message);
    try {
      run(call, wider.arguments());
    } catch (const c10::Error& again) {
      refuse(call, again.what_without_backtrace());
    }
    wider.write_back();
  }
}

} // namespace simulated_gpu
