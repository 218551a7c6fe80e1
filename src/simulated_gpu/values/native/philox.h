// Philox4x32-10, the generator of random numbers of CUDA's cuRAND, and the state of a CUDA generator.
//
// J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011. A thread's subsequence is the upper half of
// the counter, its offset (in numbers of 32 bits, four a block) the lower half.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <array>
#include <cstdint>
#include <vector>

namespace simulated_gpu {

using Block = std::array<uint32_t, 4>;

struct Philox {
  uint64_t seed = 0;
  uint64_t offset = 0; // a multiple of four, as PyTorch keeps it

  // The block that a thread draws, counted from the offset.
  Block block(uint64_t thread, uint64_t number) const;

  // The state from which an operator will draw: that of its generator, or of its device's default one.
  static Philox next(const std::vector<c10::IValue>& arguments, const c10::FunctionSchema& schema);
};

// The generator of an operator, or its device's default one.
at::Generator generator_of(const std::vector<c10::IValue>& arguments, const c10::FunctionSchema& schema);

// cuRAND's uniform numbers in (0, 1].
float uniform(uint32_t bits);
double uniform(uint32_t low, uint32_t high);

// cuRAND's pairs of normal numbers, by Box and Muller.
std::array<float, 2> normal(uint32_t one, uint32_t other);
std::array<double, 2> normal(const Block& block);

} // namespace simulated_gpu
