// The preloaded runtime's functions, found by name: this library is built without linking against it.
#pragma once

#include <cstdint>

namespace simulated_gpu::runtime {

// Between these two the calling thread promises to compute what is launched.
void enter();
void leave();

// Kernels and library calls that this thread has launched so far.
uint64_t launched();

// Blocks and threads a block of this thread's newest kernel.
struct Launch {
  uint32_t grid[3];
  uint32_t block[3];
};
Launch last_launch();

// The next device-to-host copies of up to eight bytes on this thread read these numbers.
void expect_reads(int64_t value, int times);
void forget_reads();

// Finds the functions. Returns the name of the first that is missing, or null.
const char* connect();

} // namespace simulated_gpu::runtime
