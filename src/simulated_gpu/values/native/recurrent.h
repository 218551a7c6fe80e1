// The values of recurrent layers, which are made of PyTorch's fused cells.
#pragma once

#include "operator.h"

namespace simulated_gpu::recurrent {

// cuDNN's layers are left out: PyTorch computes layers with its own cells where cuDNN does not suit.
Arguments cudnn_does_not_suit(const Call& call);
// Makes one buffer of all weights, of which each weight becomes a part, as cuDNN wants them.
Arguments flatten(const Call& call);

void lstm_cell(const Call& call);
void lstm_cell_backward(const Call& call);
void gru_cell(const Call& call);
void gru_cell_backward(const Call& call);

} // namespace simulated_gpu::recurrent
