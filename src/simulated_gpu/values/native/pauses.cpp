// Keeps calls until the stream has come to them.
#include "pauses.h"

#include "graphs.h"
#include "host.h"
#include "runtime.h"

#include <c10/core/impl/LocalDispatchKeySet.h>

#include <algorithm>

namespace simulated_gpu::pauses {
namespace {

struct Later {
  const Operator& op;
  Arguments arguments, results;
  Compute compute;
};

void run(void* data) {
  const auto& later = *static_cast<const Later*>(data);
  // The thread that waits may be within a mode of PyTorch's that changes what operators do.
  c10::impl::ForceDispatchKeyGuard plain(c10::default_included_set, c10::default_excluded_set);
  later.compute(Call{later.op, later.arguments, later.results, {}});
}

void drop(void* data) {
  delete static_cast<Later*>(data);
}

bool is_plain(const c10::IValue& argument) {
  bool plain = true;
  map_tensors(argument, [&](const at::Tensor& tensor) {
    plain = plain && (!tensor.defined() || tensor.layout() == at::kStrided);
    return tensor;
  });
  return plain;
}

// Whether several GPUs take part.
bool is_between_gpus(const Arguments& arguments) {
  std::optional<at::Device> one;
  bool found = false;
  for (const auto& argument : arguments)
    each_tensor(argument, [&](const at::Tensor& tensor) {
      if (!tensor.is_cuda())
        return;
      found = found || (one && *one != tensor.device());
      one = tensor.device();
    });
  return found;
}

} // namespace

std::optional<const void*> busy_stream(const Arguments& arguments) {
  if (!runtime::anything_pending())
    return std::nullopt;
  if (is_between_gpus(arguments)) {
    runtime::hurry("work between two GPUs");
    return std::nullopt;
  }
  const auto* stream = graphs::current_stream(gpu_of(arguments));
  if (!runtime::pending(stream) || runtime::capturing(stream))
    return std::nullopt;
  return stream;
}

bool can_wait(const Special& special, bool reads_what_it_writes, const Arguments& arguments) {
  if (special.replace || special.foresee || special.random || reads_what_it_writes)
    return false;
  return std::all_of(arguments.begin(), arguments.end(), is_plain);
}

void put_off(const void* stream, const Call& call, Compute compute) {
  runtime::put_off(stream, run, drop, new Later{call.op, all_taken_along(call.arguments), all_taken_along(call.results), compute});
}

} // namespace simulated_gpu::pauses
