// The values of operators that are calls of cuDNN.
#pragma once

#include "operator.h"

namespace simulated_gpu::cudnn {

Arguments convolution(const Call& call);
Arguments convolution_relu(const Call& call);
Arguments convolution_add_relu(const Call& call);
Arguments convolution_transpose(const Call& call);
Arguments convolution_backward(const Call& call);

// PyTorch's own kernels of depthwise convolution.
void depthwise(const Call& call);

Arguments batch_norm(const Call& call);
Arguments batch_norm_backward(const Call& call);

Arguments grid_sampler(const Call& call);
Arguments grid_sampler_backward(const Call& call);
Arguments affine_grid(const Call& call);
Arguments affine_grid_backward(const Call& call);

} // namespace simulated_gpu::cudnn
