// PyTorch's fused LSTM and GRU cells. What forward keeps for backward is laid out as backward here reads it. A layer
// calls them for each step, so they compute in the memory of the results, with few operators.
#include "below.h"
#include "host.h"
#include "recurrent.h"
#include "wider.h"

#include <ATen/Dispatch.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/tanh.h>
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

// The results in the dtype that is computed in: their own memory, or copies that write_back rounds into them.
Wider wide_results(const Call& call) {
  Arguments host;
  for (size_t i = 0; i < call.results.size(); ++i)
    host.push_back(call.result(i));
  return Wider(host);
}

at::Tensor part(const at::Tensor& rows, int64_t index, int64_t width, int64_t count = 1) {
  return rows.narrow(1, index * width, count * width);
}

// Sums over the rows, where the layer has biases.
void sum_rows(at::Tensor result, const at::Tensor& rows) {
  if (result.defined())
    at::sum_out(result, rows, 0);
}

// [row, part, column] of a tensor whose parts are side by side.
at::Tensor parts(const at::Tensor& rows, int64_t count) {
  return rows.view({rows.size(0), count, rows.size(1) / count});
}

// The derivatives of sigmoid and tanh, from what they returned.
template <class T>
T of_sigmoid(T value) {
  return value * (1 - value);
}
template <class T>
T of_tanh(T value) {
  return 1 - value * value;
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
  auto results = wide_results(call);
  auto hidden = results.tensor(0), state = results.tensor(1), kept = results.tensor(2);
  auto width = state.size(1);
  at::add_out(kept, gates(call, "input_gates", "input_bias"), gates(call, "hidden_gates", "hidden_bias"));
  part(kept, 0, width, 2).sigmoid_();
  auto input = part(kept, 0, width), forget = part(kept, 1, width);
  auto cell = part(kept, 2, width).tanh_(), output = part(kept, 3, width).sigmoid_();
  at::mul_out(state, forget, wide(call.host("cx"))).addcmul_(input, cell);
  at::tanh_out(hidden, state).mul_(output);
  results.write_back();
}

void lstm_cell_backward(const Call& call) {
  Below below;
  auto before = wide(call.host("cx")), tanh = wide(call.host("cy")).tanh(), gates = parts(wide(call.host("workspace")), 4);
  auto grad_hidden = or_zeros(call, "grad_hy", before), grad_state = or_zeros(call, "grad_cy", before);
  auto results = wide_results(call);
  auto grad_gates = parts(results.tensor(0), 4), grad_before = results.tensor(1);
  AT_DISPATCH_FLOATING_TYPES(before.scalar_type(), "lstm_cell_backward", [&] {
    auto gate = gates.accessor<scalar_t, 3>(), grad_gate = grad_gates.accessor<scalar_t, 3>();
    auto old = before.accessor<scalar_t, 2>(), now = tanh.accessor<scalar_t, 2>();
    auto grad_out = grad_hidden.accessor<scalar_t, 2>(), grad_now = grad_state.accessor<scalar_t, 2>();
    auto grad_old = grad_before.accessor<scalar_t, 2>();
    for (int64_t n = 0; n < old.size(0); ++n)
      for (int64_t i = 0; i < old.size(1); ++i) {
        auto input = gate[n][0][i], forget = gate[n][1][i], cell = gate[n][2][i], output = gate[n][3][i];
        auto grad = grad_now[n][i] + grad_out[n][i] * output * of_tanh(now[n][i]);
        grad_gate[n][0][i] = grad * cell * of_sigmoid(input);
        grad_gate[n][1][i] = grad * old[n][i] * of_sigmoid(forget);
        grad_gate[n][2][i] = grad * input * of_tanh(cell);
        grad_gate[n][3][i] = grad_out[n][i] * now[n][i] * of_sigmoid(output);
        grad_old[n][i] = grad * forget;
      }
  });
  sum_rows(results.tensor(2), results.tensor(0));
  results.write_back();
}

void gru_cell(const Call& call) {
  Below below;
  auto input = gates(call, "input_gates", "input_bias"), hidden = gates(call, "hidden_gates", "hidden_bias");
  auto before = wide(call.host("hx"));
  auto width = before.size(1);
  auto results = wide_results(call);
  auto after = results.tensor(0), kept = results.tensor(1);
  auto both = part(kept, 0, width, 2), reset = part(kept, 0, width), update = part(kept, 1, width);
  auto fresh = part(kept, 2, width), new_hidden = part(hidden, 2, width);
  at::add_out(both, part(input, 0, width, 2), part(hidden, 0, width, 2)).sigmoid_();
  at::addcmul_out(fresh, part(input, 2, width), reset, new_hidden).tanh_();
  part(kept, 3, width).copy_(before);
  part(kept, 4, width).copy_(new_hidden);
  at::sub_out(after, before, fresh).mul_(update).add_(fresh);
  results.write_back();
}

void gru_cell_backward(const Call& call) {
  Below below;
  auto gates = parts(wide(call.host("workspace")), 5), grad_hidden = wide(call.host("grad_hy"));
  auto results = wide_results(call);
  auto grad_inputs = parts(results.tensor(0), 3), grad_gates = parts(results.tensor(1), 3);
  auto grad_before = results.tensor(2);
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "gru_cell_backward", [&] {
    auto gate = gates.accessor<scalar_t, 3>();
    auto grad_input = grad_inputs.accessor<scalar_t, 3>(), grad_gate = grad_gates.accessor<scalar_t, 3>();
    auto grad_out = grad_hidden.accessor<scalar_t, 2>(), grad_old = grad_before.accessor<scalar_t, 2>();
    for (int64_t n = 0; n < grad_old.size(0); ++n)
      for (int64_t i = 0; i < grad_old.size(1); ++i) {
        auto reset = gate[n][0][i], update = gate[n][1][i], fresh = gate[n][2][i], grad = grad_out[n][i];
        auto grad_fresh = grad * (1 - update) * of_tanh(fresh);
        grad_input[n][0][i] = grad_gate[n][0][i] = grad_fresh * gate[n][4][i] * of_sigmoid(reset);
        grad_input[n][1][i] = grad_gate[n][1][i] = grad * (gate[n][3][i] - fresh) * of_sigmoid(update);
        grad_input[n][2][i] = grad_fresh;
        grad_gate[n][2][i] = grad_fresh * reset;
        grad_old[n][i] = grad * update;
      }
  });
  sum_rows(results.tensor(3), results.tensor(0));
  sum_rows(results.tensor(4), results.tensor(1));
  results.write_back();
}

} // namespace simulated_gpu::recurrent
