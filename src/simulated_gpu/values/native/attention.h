// The values of fused attention.
#pragma once

#include "operator.h"

namespace simulated_gpu::attention {

void efficient_forward(const Call& call);
void efficient_backward(const Call& call);
void flash_forward(const Call& call);
void flash_backward(const Call& call);
Arguments cudnn_forward(const Call& call);
Arguments cudnn_backward(const Call& call);

} // namespace simulated_gpu::attention
