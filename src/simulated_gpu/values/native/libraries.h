// Operators that other libraries register for CUDA, such as torchvision's.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>

namespace simulated_gpu {

// Calls a function with each operator that is registered from now on and has a CUDA kernel in C++: soon after the library is
// loaded, before Python runs on.
void watch_libraries(std::function<void(const c10::OperatorHandle&)> found);

} // namespace simulated_gpu
