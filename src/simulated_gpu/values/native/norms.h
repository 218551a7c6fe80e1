// The values of normalizations whose results differ between the CPU and CUDA.
#pragma once

#include "operator.h"

namespace simulated_gpu::norms {

// Batch norm, which returns the running statistics in evaluation where the CPU returns nothing.
void batch(const Call& call);

// The parts of synchronized batch norm.
void batch_stats(const Call& call);
void batch_elements(const Call& call);
void batch_gather(const Call& call);
void batch_backward_reduce(const Call& call);
void batch_backward_elements(const Call& call);

void rms_backward(const Call& call);

} // namespace simulated_gpu::norms
