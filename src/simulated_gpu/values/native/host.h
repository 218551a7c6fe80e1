// Host views: CPU tensors over the memory of simulated CUDA tensors, which is main memory. With shapes only they are meta
// tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

namespace simulated_gpu {

// A CPU tensor of the same memory, sizes, strides and flags; a sparse one over the same indices and values. Tensors of
// other devices are returned as they are.
at::Tensor host_view(const at::Tensor& tensor);

// The GPU of the first CUDA tensor or device among the arguments.
at::Device gpu_of(const std::vector<c10::IValue>& arguments);

// A CUDA tensor with the sizes, strides and values of a host tensor.
at::Tensor on_gpu(const at::Tensor& host, at::Device gpu);

// The tensor in float32 if it is float16 or bfloat16.
at::Tensor wide(const at::Tensor& tensor);

// The argument with host views for CUDA tensors and the CPU for CUDA devices.
c10::IValue host_argument(const c10::IValue& argument);

// The arguments without a hold on the GPU's memory, which PyTorch's allocator may give to later work on the same stream. What
// is on the CPU is read now, as a launch takes its arguments along.
std::vector<c10::IValue> all_taken_along(c10::ArrayRef<c10::IValue> arguments);

// Applies a function to each tensor of an argument and rebuilds the argument.
template <class Function>
c10::IValue map_tensors(const c10::IValue& value, const Function& function);

// Calls a function with each defined tensor of an argument.
template <class Function>
void each_tensor(const c10::IValue& value, const Function& function);

} // namespace simulated_gpu

#include "host_map.h"
