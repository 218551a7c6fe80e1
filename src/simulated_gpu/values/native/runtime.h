// The preloaded runtime's functions, found by name: this library is built without linking against it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simulated_gpu::runtime {

// Between these two the calling thread promises to compute what is launched.
void enter();
void leave();

// Whether nothing is to be computed, as the GPU's memory holds no values.
bool shapes_only();
// Whether the runtime has refused something on this thread since the last question.
bool take_refusal();

// The error that every call gives since a kernel failed or was lost, or 0.
int failed();

// Between the two, what would be lost of refused launches is kept; unguard returns its name, or null.
void guard();
const char* unguard();

// Between the two, whatever would use the device fails. end_probe returns whether anything did.
void probe();
bool end_probe();
bool probing();

// Between the two, the sources of this thread's copies are noted, and whether one was in these bytes.
void note_copies();
void forget_copies();
bool was_copied(const void* start, size_t bytes);

// Kernels and library calls that this thread has launched so far.
uint64_t launched();

// This thread's newest kernel: blocks, threads a block, and its mangled name.
struct Launch {
  uint32_t grid[3];
  uint32_t block[3];
  const char* kernel;

  uint64_t threads() const {
    return uint64_t(grid[0]) * block[0];
  }
};
Launch last_launch();
// The newest one that filled a tensor with random numbers.
Launch last_random_launch();
// Both, for those who compute later.
struct Launches {
  Launch newest, newest_random;
};
Launches last_launches();
void set_last_launches(const Launches& launches);

// The next device-to-host copies on this thread read this number (of more than eight bytes: only zeros).
void expect_reads(int64_t value, int times);
void forget_reads();

// Whether a stream is being captured into a graph, and what each replay of that graph is to call.
bool capturing(const void* stream);
// Whether any stream ever was, quickly.
bool ever_captured();
// A device's default stream, whose handle is null on each device.
const void* default_stream(int device);
void append(const void* stream, void (*run)(void*), void (*drop)(void*), void* data);

// Whether a stream is busy with a pause, quickly of any stream, and of one.
bool anything_pending();
bool pending(const void* stream);
// Calls `run` when the stream has done what is before it.
void put_off(const void* stream, void (*run)(void*), void (*drop)(void*), void* data);
// Does what the stream was given, as a wait does; or, noted as unsure, what any stream was given.
void finish(const void* stream);
void hurry(const char* what);

// Makes the device's context current in this thread, as the CUDA code would that is replaced.
void bind_context();

// From now on every call of CUDA fails with this error.
void fail(int status);

// Writes a line to the file that SIMULATED_GPU_UNSURE names.
void unsure(const char* what);

// Finds the functions. Returns the name of the first that is missing, or null.
const char* connect();

} // namespace simulated_gpu::runtime
