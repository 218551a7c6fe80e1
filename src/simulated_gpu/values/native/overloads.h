// What an operator's schema says about how its values can be computed.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>

namespace simulated_gpu {

// The overload of the same operator that writes into given results and has a CPU kernel of its own, so that the
// results need no copy.
std::optional<c10::OperatorHandle> overload_into(const c10::OperatorHandle& op);

// Whether PyTorch's own code leaves the memory of the arguments that it writes as it was, as a kernel over elements does.
bool leaves_its_inputs(const c10::FunctionSchema& schema);

} // namespace simulated_gpu
