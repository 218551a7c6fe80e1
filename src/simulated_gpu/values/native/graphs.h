// Operators in a CUDA graph: while a stream is captured nothing is computed, and each replay computes all again.
#pragma once

#include "captured.h"
#include "operator.h"

namespace simulated_gpu::graphs {

// The stream that is current on a device, for the functions of simgpu.h.
const void* current_stream(at::Device gpu);

// Whether the current stream of the arguments' GPU is being captured.
bool capturing(const Arguments& arguments);

// Has the function called with the call at each replay of the graph that the stream is captured into. It holds no
// memory: what the call frees, later nodes of the graph may use.
void record(const Call& call, void (*compute)(const Call&), const CapturedPhilox& random = {});

} // namespace simulated_gpu::graphs
