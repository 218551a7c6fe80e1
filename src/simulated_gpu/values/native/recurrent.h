// The values of recurrent layers: cuDNN's, and PyTorch's fused cells.
#pragma once

#include "operator.h"

namespace simulated_gpu::recurrent {

Arguments cudnn(const Call& call);
Arguments cudnn_backward(const Call& call);
Arguments cudnn_flatten(const Call& call);
Arguments cudnn_dropout_state(const Call& call);

void lstm_cell(const Call& call);
void lstm_cell_backward(const Call& call);
void gru_cell(const Call& call);
void gru_cell_backward(const Call& call);

} // namespace simulated_gpu::recurrent
