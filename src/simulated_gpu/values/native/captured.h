// Random numbers in a CUDA graph: PyTorch writes the generator's state to the GPU's memory before each replay.
#pragma once

#include "philox.h"

namespace simulated_gpu {

struct CapturedPhilox {
  const int64_t* seed = nullptr; // on the GPU
  const int64_t* offset = nullptr;
  uint64_t within = 0; // what the graph drew before

  // Where an operator that is captured now will draw from.
  static CapturedPhilox next(const std::vector<c10::IValue>& arguments, const c10::FunctionSchema& schema);

  // The state of the replay that runs.
  Philox now() const;
};

} // namespace simulated_gpu
