// Runs PyTorch's own code of an operator, and raises what was refused within.
#include "guarded.h"

#include "errors.h"
#include "runtime.h"

namespace simulated_gpu {
namespace {

struct Guard {
  Guard() {
    runtime::guard();
  }
  ~Guard() {
    if (!ended)
      runtime::unguard(); // an error is on its way already
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

  const char* end() {
    ended = true;
    return runtime::unguard();
  }

 private:
  bool ended = false;
};

struct Guarded : c10::OperatorKernel {
  explicit Guarded(c10::SafeKernelFunction original) : original(std::move(original)) {}

  void operator()(const c10::OperatorHandle& handle, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    Guard guard;
    original.callBoxed(handle, keys, stack);
    if (const char* kernel = guard.end())
      throw NotSimulated(
          c10::toString(handle.operator_name()) + " on " + c10::toString(keys.highestPriorityTypeId()) +
          ": the simulated GPU does not compute it (" + kernel + "). Compute it on the CPU (tensor.cpu()), or run this "
          "on a real GPU.");
  }

  c10::SafeKernelFunction original;
};

} // namespace

c10::KernelFunction guarded(const c10::OperatorHandle& handle, c10::DispatchKey key) {
  return c10::KernelFunction::makeFromBoxedFunctor(
      std::make_unique<Guarded>(handle.getComputedKernelForDispatchKey(key)));
}

} // namespace simulated_gpu
