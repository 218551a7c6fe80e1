// Host views: CPU tensors over the memory of simulated CUDA tensors, which is main memory.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

namespace simulated_gpu {

// A CPU tensor of the same memory, sizes, strides and flags; a sparse one over the same indices and values. Tensors of
// other devices are returned as they are.
at::Tensor host_view(const at::Tensor& tensor);

// Whether the argument is a CUDA tensor, or a list that holds one.
bool on_gpu(const c10::IValue& argument);

// The argument with host views for CUDA tensors and the CPU for CUDA devices.
c10::IValue host_argument(const c10::IValue& argument);

// Applies a function to each tensor of an argument and rebuilds the argument.
template <class Function>
c10::IValue map_tensors(const c10::IValue& value, const Function& function);

} // namespace simulated_gpu

#include "host_map.h"
