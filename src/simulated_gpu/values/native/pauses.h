// Operators behind a pause: PyTorch's own code runs when they are called, and their values are computed when the pause is
// over.
#pragma once

#include "operator.h"

namespace simulated_gpu::pauses {

// The stream that an operator with these arguments goes to, if it is busy. The default stream is a null pointer.
std::optional<const void*> busy_stream(const Arguments& arguments);

// Whether the values of an operator can be computed later: it has plain tensors alone, and PyTorch's own code neither
// reads them nor overwrites what it reads.
bool can_wait(const Special& special, bool reads_what_it_writes, const Arguments& arguments);

// Puts the call off. It holds no memory of the GPU, which PyTorch's allocator may give to later work on the same stream.
void put_off(const void* stream, const Call& call, Compute compute);

} // namespace simulated_gpu::pauses
