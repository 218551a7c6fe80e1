// The values of operators of which the CPU has no equal, by their definitions.
#pragma once

#include "operator.h"

namespace simulated_gpu::elementwise {

// CUDA keeps no buffer from forward, which the CPU's operator needs.
void log_sigmoid_backward(const Call& call);
// Multiplies by a mask and a scale: the backward of fused dropout.
void masked_scale(const Call& call);
// Products in float32 of matrices in float16 and bfloat16: mm, bmm, addmm and baddbmm with an out_dtype.
void product_in_dtype(const Call& call);
// Counts of integers in bins; the CPU counts floating-point numbers only.
void histogram(const Call& call);
// Sums that skip NaN, of complex numbers too; one of them is NaN if its real or its imaginary part is.
void sum_without_nan(const Call& call);
// Softmax and its logarithm from float16 to float32, in which autocast and dtype=torch.float32 have it; the CPU converts
// first.
void softmax(const Call& call);
void softmax_backward(const Call& call);

// Fails as the kernel's assertion does, where the value is zero.
void assert_value(const Call& call);

} // namespace simulated_gpu::elementwise
