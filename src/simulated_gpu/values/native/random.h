// The values of operators that draw random numbers, as CUDA's kernels draw them.
#pragma once

#include "operator.h"

namespace simulated_gpu::random {

void uniform(const Call& call);
void normal(const Call& call);
void normal_around(const Call& call);
void log_normal(const Call& call);
void exponential(const Call& call);
void cauchy(const Call& call);
void geometric(const Call& call);
void bernoulli(const Call& call);
void bernoulli_tensor(const Call& call);
void integers(const Call& call);
void permutation(const Call& call);
void multinomial(const Call& call);
void dropout(const Call& call);
void fused_dropout(const Call& call);
void rrelu(const Call& call);

// Draws with the CPU's algorithm from a generator with a seed of its own, and notes that a real GPU draws others.
void by_another_algorithm(const Call& call);

} // namespace simulated_gpu::random
