// One operator under the CUDA key: PyTorch's own kernel, and how the values are computed.
#pragma once

#include "philox.h"

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <optional>
#include <string_view>
#include <vector>

namespace simulated_gpu {

class Operator;
using Stack = torch::jit::Stack;
using Arguments = std::vector<c10::IValue>;

// One call: the arguments as they were, and the results of PyTorch's own code, whose values are to be written.
struct Call {
  const Operator& op;
  const Arguments& arguments;
  c10::ArrayRef<c10::IValue> results;
  Philox random; // the generator as it was before

  // An argument by its name in the schema, whose order changes between versions of PyTorch.
  const c10::IValue& argument(std::string_view name) const;
  // A host view of a tensor argument; undefined for None.
  at::Tensor host(std::string_view name) const;
  // Whether an optional argument was given.
  bool given(std::string_view name) const {
    const auto& value = argument(name);
    return !value.isNone() && !(value.isTensor() && !value.toTensor().defined());
  }
  // A host view of a result.
  at::Tensor result(size_t index) const;
};

// Computes the values after PyTorch's own code ran.
using Compute = void (*)(const Call&);
// Takes the place of PyTorch's own code: returns the results as host tensors, which are then copied to the GPU.
using Replace = Arguments (*)(const Call&);
// Runs before PyTorch's own code, whose host side reads a result: says what it reads.
using Foresee = void (*)(const Arguments&);

// What is special about an operator; most have none of it.
struct Special {
  Compute compute = nullptr;
  Replace replace = nullptr;
  Foresee foresee = nullptr;
  bool random = false; // it draws from a generator, unless its dropout_p is 0
  bool alone = false; // `compute` writes all results, and operators that PyTorch's own code calls compute nothing
};

class Operator {
 public:
  Operator(c10::OperatorHandle handle, c10::DispatchKey key, Special special);

  // The kernel that the dispatcher calls.
  void call(c10::DispatchKeySet keys, Stack* stack) const;
  // PyTorch's own code alone.
  void original(c10::DispatchKeySet keys, Stack* stack) const;

  // Computes a replaced operator again into the results that it returned.
  void replay(const Call& call) const;

  const c10::OperatorHandle& handle() const {
    return handle_;
  }
  const c10::FunctionSchema& schema() const {
    return handle_.schema();
  }
  std::string name() const;
  // The arguments that it writes.
  const std::vector<size_t>& written() const {
    return written_;
  }
  // The CPU's kernel that writes into given results, where there is one.
  const std::optional<c10::OperatorHandle>& into() const {
    return into_;
  }

 private:
  void call_without_values(c10::DispatchKeySet keys, Stack* stack) const;
  void replace(Stack* stack, const Philox& random) const;
  Arguments results_of(const Arguments& arguments, const Arguments& made) const;
  bool draws(const Arguments& arguments) const;
  Arguments save(const Arguments& arguments) const;
  void restore(const Arguments& arguments, const Arguments& saved) const;

  c10::OperatorHandle handle_;
  c10::SafeKernelFunction original_;
  Special special_;
  std::vector<size_t> written_;
  bool reads_what_it_writes_;
  bool answers_; // the CPU's kernel makes a number for the host, which waits for it
  std::optional<c10::OperatorHandle> into_;
};

// Computes a call with the CPU's kernel of the same operator.
void compute_on_cpu(const Call& call);

} // namespace simulated_gpu
