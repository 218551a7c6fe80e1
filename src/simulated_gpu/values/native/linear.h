// The values of decompositions that the CPU's kernel computes in another way, or not at all.
#pragma once

#include "operator.h"

namespace simulated_gpu::linear {

// LU with and without pivots; the CPU knows only the first.
void lu_factor(const Call& call);
// Least squares by QR ("gels"), which is CUDA's only driver and not the CPU's default.
void least_squares(const Call& call);

} // namespace simulated_gpu::linear
