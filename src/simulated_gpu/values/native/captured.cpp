// Asks PyTorch's CUDA generator where a graph's state is.
#include "captured.h"

#include "host.h"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/cuda/detail/PhiloxCudaStateRaw.cuh>

#include <mutex>

// PyTorch's class, whose header needs CUDA's own.
namespace at {
struct CUDAGeneratorImpl : c10::GeneratorImpl {
  PhiloxCudaState philox_cuda_state(uint64_t increment);
};
} // namespace at

namespace simulated_gpu {

CapturedPhilox CapturedPhilox::next(const std::vector<c10::IValue>& arguments, const c10::FunctionSchema& schema) {
  auto generator = generator_of(arguments, schema);
  std::lock_guard<std::mutex> lock(generator.mutex());
  if (!generator.device().is_cuda())
    return {};
  auto state = static_cast<at::CUDAGeneratorImpl*>(generator.unsafeGetGeneratorImpl())->philox_cuda_state(0);
  return {state.seed_.ptr, state.offset_.ptr, state.offset_intragraph_};
}

Philox CapturedPhilox::now() const {
  return seed ? Philox{uint64_t(*seed), uint64_t(*offset) + within} : Philox{};
}

} // namespace simulated_gpu
