// Operators whose host code on CUDA is so entangled with what it computes that the CPU's operator takes its place as a
// whole. All have one tensor or tensors that the CPU checks alike.
#pragma once

#include "operator.h"

namespace simulated_gpu::whole {

Arguments on_the_cpu(const Call& call);

// The most frequent element of each row, in given results, which may have another size yet.
Arguments mode_into(const Call& call);

} // namespace simulated_gpu::whole
