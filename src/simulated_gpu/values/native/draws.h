// Random numbers for the elements of a tensor, in the order in which CUDA's kernels draw them.
#pragma once

#include "operator.h"
#include "runtime.h"

namespace simulated_gpu {

// Which thread draws an element's number, and where in its sequence.
struct Place {
  uint64_t thread;
  uint64_t block;
  int lane;
};

// Kernels in which each thread draws four numbers of 32 bits, or two of 64, for elements that are a grid apart.
Place grid_stride(uint64_t element, uint64_t threads, int lanes);
// Kernels in which each thread draws for neighbors.
Place neighbors(uint64_t element, uint64_t threads, int width);

// What to draw. Bits come as int64.
enum class Draw { uniform, normal, bits32, bits64 };

// As many numbers as the tensor has elements, in its memory's order, in float64 if `wide`, as PyTorch's grid-stride kernel
// with so many threads draws them.
at::Tensor draw(Draw what, int64_t count, bool wide, const Philox& random, uint64_t threads);

// Writes numbers into a tensor in its memory's order.
void fill_in_memory_order(const at::Tensor& target, const at::Tensor& numbers);

} // namespace simulated_gpu
