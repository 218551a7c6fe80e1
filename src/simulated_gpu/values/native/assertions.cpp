// Turns the CPU's checks of values into failed assertions of a kernel.
#include "assertions.h"

#include "runtime.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <array>
#include <cstdlib>
#include <iostream>

namespace simulated_gpu {
namespace {

constexpr int ASSERTED = 710; // cudaErrorAssert

} // namespace

bool is_an_assertion_of_a_kernel(const std::string& message) {
  constexpr std::array<const char*, 5> signs = {
      "out of bounds", "out of range", "between 0 and 1", "Expected p_in >= 0", "element < 0"};
  for (const char* sign : signs)
    if (message.find(sign) != std::string::npos)
      return true;
  return false;
}

void fail_in_the_kernel(const std::string& op, const std::string& message) {
  auto line = message.substr(0, message.find('\n'));
  std::cerr << "Simulated GPU: an assertion of the kernel of " << op << " failed: " << line << std::endl;
  runtime::fail(ASSERTED);
  const char* blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (blocking && *blocking == '1')
    raise_failure();
}

void raise_failure() {
  c10::impl::VirtualGuardImpl gpu(at::kCUDA);
  gpu.synchronizeDevice(gpu.getDevice().index());
}

} // namespace simulated_gpu
