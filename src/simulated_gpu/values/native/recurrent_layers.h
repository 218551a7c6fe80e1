// Layers of LSTM, GRU and RNN, whose dropout between layers cuDNN draws with a generator of its own.
#pragma once

namespace simulated_gpu {

// From now on a call that on a real GPU draws with cuDNN's generator is noted as unsure.
void note_dropout_between_layers();

} // namespace simulated_gpu
