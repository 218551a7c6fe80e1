// PyTorch's fused LSTM and GRU cells. What forward keeps for backward is laid out as backward here reads it.
#include "below.h"
#include "host.h"
#include "recurrent.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace simulated_gpu::recurrent {
namespace {

at::Tensor gates(const Call& call, const char* name, const char* bias) {
  auto made = wide(call.host(name));
  return call.given(bias) ? made + wide(call.host(bias)) : made;
}

at::Tensor or_zeros(const Call& call, const char* name, const at::Tensor& like) {
  return call.given(name) ? wide(call.host(name)) : at::zeros_like(like);
}

void write(const Call& call, size_t index, const at::Tensor& value) {
  if (call.results[index].toTensor().defined())
    call.result(index).copy_(value);
}

} // namespace

Arguments cudnn_does_not_suit(const Call&) {
  return {false};
}

Arguments flatten(const Call& call) {
  auto weights = call.argument("weight_arr").toTensorVector();
  int64_t total = 0;
  for (const auto& weight : weights)
    total += weight.numel();
  auto buffer = at::zeros({total}, weights[0].options());
  int64_t start = 0;
  for (auto& weight : weights) {
    auto part = buffer.narrow(0, start, weight.numel()).view(weight.sizes());
    host_view(part).copy_(host_view(weight));
    weight.set_(part);
    start += weight.numel();
  }
  return {buffer};
}

void lstm_cell(const Call& call) {
  Below below;
  auto sum = gates(call, "input_gates", "input_bias") + gates(call, "hidden_gates", "hidden_bias");
  auto parts = sum.chunk(4, 1);
  auto input = parts[0].sigmoid(), forget = parts[1].sigmoid(), cell = parts[2].tanh(), output = parts[3].sigmoid();
  auto state = forget * wide(call.host("cx")) + input * cell;
  write(call, 0, output * state.tanh());
  write(call, 1, state);
  write(call, 2, at::cat({input, forget, cell, output}, 1));
}

void lstm_cell_backward(const Call& call) {
  Below below;
  auto parts = wide(call.host("workspace")).chunk(4, 1);
  const auto &input = parts[0], &forget = parts[1], &cell = parts[2], &output = parts[3];
  auto before = wide(call.host("cx"));
  auto tanh = wide(call.host("cy")).tanh();
  auto grad_hidden = or_zeros(call, "grad_hy", before);
  auto grad_state = or_zeros(call, "grad_cy", before) + grad_hidden * output * (1 - tanh * tanh);
  auto grad_gates = at::cat(
      {grad_state * cell * input * (1 - input),
       grad_state * before * forget * (1 - forget),
       grad_state * input * (1 - cell * cell),
       grad_hidden * tanh * output * (1 - output)},
      1);
  write(call, 0, grad_gates);
  write(call, 1, grad_state * forget);
  write(call, 2, grad_gates.sum(0));
}

void gru_cell(const Call& call) {
  Below below;
  auto input = gates(call, "input_gates", "input_bias").chunk(3, 1);
  auto hidden = gates(call, "hidden_gates", "hidden_bias").chunk(3, 1);
  auto before = wide(call.host("hx"));
  auto reset = (input[0] + hidden[0]).sigmoid();
  auto update = (input[1] + hidden[1]).sigmoid();
  auto fresh = (input[2] + reset * hidden[2]).tanh();
  write(call, 0, fresh + update * (before - fresh));
  write(call, 1, at::cat({reset, update, fresh, before, hidden[2]}, 1));
}

void gru_cell_backward(const Call& call) {
  Below below;
  auto parts = wide(call.host("workspace")).chunk(5, 1);
  const auto &reset = parts[0], &update = parts[1], &fresh = parts[2], &before = parts[3], &hidden = parts[4];
  auto grad = wide(call.host("grad_hy"));
  auto grad_fresh = grad * (1 - update) * (1 - fresh * fresh);
  auto grad_update = grad * (before - fresh) * update * (1 - update);
  auto grad_reset = grad_fresh * hidden * reset * (1 - reset);
  auto grad_input = at::cat({grad_reset, grad_update, grad_fresh}, 1);
  auto grad_hidden = at::cat({grad_reset, grad_update, grad_fresh * reset}, 1);
  write(call, 0, grad_input);
  write(call, 1, grad_hidden);
  write(call, 2, grad * update);
  write(call, 3, grad_input.sum(0));
  write(call, 4, grad_hidden.sum(0));
}

} // namespace simulated_gpu::recurrent
