// What a real GPU's kernel asserts, and the CPU's kernel checks.
#pragma once

#include <string>

namespace simulated_gpu {

// Whether the CPU's message is about a value (an index, a probability), which CUDA's kernels assert on the device.
bool is_an_assertion_of_a_kernel(const std::string& message);

// Puts the device into the state after a failed assertion: all that follows raises "device-side assert triggered". The
// operator itself returns, unless CUDA_LAUNCH_BLOCKING=1, as on a real GPU.
void fail_in_the_kernel(const std::string& op, const std::string& message);

// Raises the error that every call gives since a kernel failed or was lost.
void raise_failure();

} // namespace simulated_gpu
