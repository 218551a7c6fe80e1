// Operators whose values nothing here computes.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace simulated_gpu {

// PyTorch's own code of an operator. NotSimulated is raised where it launched something: what it left unwritten never
// reaches the program, even if that code does not look whether a launch succeeded.
c10::KernelFunction guarded(const c10::OperatorHandle& handle, c10::DispatchKey key);

} // namespace simulated_gpu
