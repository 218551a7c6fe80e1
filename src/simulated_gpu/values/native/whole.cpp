// Runs an operator on host views of its arguments and returns its results.
#include "whole.h"

#include "host.h"

namespace simulated_gpu::whole {
namespace {

Arguments run(const Call& call, const Arguments& arguments) {
  Stack stack;
  for (const auto& argument : arguments)
    stack.push_back(host_argument(argument));
  call.op.handle().callBoxed(&stack);
  return {stack.begin(), stack.end()};
}

} // namespace

Arguments on_the_cpu(const Call& call) {
  return run(call, call.arguments);
}

Arguments least_squares(const Call& call) {
  auto arguments = call.arguments;
  auto driver = *call.op.schema().argumentIndexWithName("driver");
  TORCH_CHECK(
      arguments[driver].isNone() || arguments[driver].toStringView() == "gels",
      "torch.linalg.lstsq: `driver` other than `gels` is not supported on CUDA");
  arguments[driver] = "gels";
  return run(call, arguments);
}

} // namespace simulated_gpu::whole
