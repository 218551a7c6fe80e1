// Runs an operator on host views of its arguments and returns its results.
#include "whole.h"

#include "host.h"

#include <ATen/native/Resize.h>
#include <ATen/ops/copy_sparse_to_sparse.h>
#include <ATen/ops/mode.h>

namespace simulated_gpu::whole {
namespace {

// A dense tensor shares its memory with its host view; a sparse one may have got other indices.
void write_back(const c10::IValue& given, const c10::IValue& host) {
  if (!given.isTensor() || !given.toTensor().defined() || given.toTensor().layout() != at::kSparse)
    return;
  auto tensor = given.toTensor();
  at::copy_sparse_to_sparse_(tensor, on_gpu(host.toTensor(), tensor.device()));
}

Arguments run(const Call& call, const Arguments& arguments) {
  Stack stack;
  for (const auto& argument : arguments)
    stack.push_back(host_argument(argument));
  Arguments host(stack.begin(), stack.end());
  call.op.handle().callBoxed(&stack);
  for (size_t i : call.op.written())
    write_back(arguments[i], host[i]);
  return {stack.begin(), stack.end()};
}

} // namespace

Arguments on_the_cpu(const Call& call) {
  return run(call, call.arguments);
}

Arguments mode_into(const Call& call) {
  auto [values, indices] = at::mode(call.host("self"), call.argument("dim").toInt(), call.argument("keepdim").toBool());
  for (const auto& [name, made] : {std::pair{"values", values}, std::pair{"indices", indices}}) {
    auto given = call.argument(name).toTensor();
    at::native::resize_output(given, made.sizes());
    host_view(given).copy_(made);
  }
  return {values, indices};
}

} // namespace simulated_gpu::whole
