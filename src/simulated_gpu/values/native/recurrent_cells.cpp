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

// Row after row, in the dtype that is computed in.
at::Tensor rows(const Call& call, const char* name) {
  return wide(call.host(name)).contiguous();
}

at::Tensor rows_or_zeros(const Call& call, const char* name, const at::Tensor& like) {
  return call.given(name) ? rows(call, name) : at::zeros_like(like);
}

// The results in the dtype that is computed in: their own memory, or copies that write_back rounds into them.
Wider wide_results(const Call& call) {
  Arguments host;
  for (size_t i = 0; i < call.results.size(); ++i)
    host.push_back(call.result(i));
  return Wider(host);
}

// Parts of each row. In one step: narrow() takes three.
at::Tensor part(const at::Tensor& rows, int64_t index, int64_t width, int64_t count = 1) {
  auto start = rows.storage_offset() + index * width * rows.stride(1);
  return rows.as_strided({rows.size(0), count * width}, rows.strides(), start);
}

// Sums over the rows, where the layer has biases.
void sum_rows(at::Tensor result, const at::Tensor& rows) {
  if (result.defined())
    at::sum_out(result, rows, 0);
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
  at::add_out(kept, wide(call.host("input_gates")), wide(call.host("hidden_gates")));
  for (const char* bias : {"input_bias", "hidden_bias"})
    if (call.given(bias))
      kept.add_(wide(call.host(bias)));
  part(kept, 0, width, 2).sigmoid_();
  auto input = part(kept, 0, width), forget = part(kept, 1, width);
  auto cell = part(kept, 2, width).tanh_(), output = part(kept, 3, width).sigmoid_();
  at::mul_out(state, forget, wide(call.host("cx"))).addcmul_(input, cell);
  at::tanh_out(hidden, state).mul_(output);
  results.write_back();
}

void lstm_cell_backward(const Call& call) {
  Below below;
  auto gates = rows(call, "workspace"), before = rows(call, "cx"), tanh = rows(call, "cy").tanh();
  auto grad_hidden = rows_or_zeros(call, "grad_hy", before), grad_state = rows_or_zeros(call, "grad_cy", before);
  auto results = wide_results(call);
  AT_DISPATCH_FLOATING_TYPES(before.scalar_type(), "lstm_cell_backward", [&] {
    const auto *gate = gates.data_ptr<scalar_t>(), *old = before.data_ptr<scalar_t>(), *now = tanh.data_ptr<scalar_t>();
    const auto *grad_out = grad_hidden.data_ptr<scalar_t>(), *grad_now = grad_state.data_ptr<scalar_t>();
    auto *grad_gate = results.tensor(0).data_ptr<scalar_t>(), *grad_old = results.tensor(1).data_ptr<scalar_t>();
    const auto width = before.size(1);
    for (int64_t row = 0; row < before.size(0); ++row)
      for (int64_t column = 0; column < width; ++column) {
        auto k = row * width + column, i = 4 * row * width + column, f = i + width, c = f + width, o = c + width;
        auto grad = grad_now[k] + grad_out[k] * gate[o] * of_tanh(now[k]);
        grad_gate[i] = grad * gate[c] * of_sigmoid(gate[i]);
        grad_gate[f] = grad * old[k] * of_sigmoid(gate[f]);
        grad_gate[c] = grad * gate[i] * of_tanh(gate[c]);
        grad_gate[o] = grad_out[k] * now[k] * of_sigmoid(gate[o]);
        grad_old[k] = grad * gate[f];
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
  auto gates = rows(call, "workspace"), grad_hidden = rows(call, "grad_hy");
  auto results = wide_results(call);
  AT_DISPATCH_FLOATING_TYPES(gates.scalar_type(), "gru_cell_backward", [&] {
    const auto *gate = gates.data_ptr<scalar_t>(), *grad_out = grad_hidden.data_ptr<scalar_t>();
    auto *grad_input = results.tensor(0).data_ptr<scalar_t>(), *grad_gate = results.tensor(1).data_ptr<scalar_t>();
    auto* grad_old = results.tensor(2).data_ptr<scalar_t>();
    const auto width = grad_hidden.size(1);
    for (int64_t row = 0; row < grad_hidden.size(0); ++row)
      for (int64_t column = 0; column < width; ++column) {
        const auto* kept = gate + 5 * row * width + column;
        auto reset = kept[0], update = kept[width], fresh = kept[2 * width], old = kept[3 * width];
        auto k = row * width + column, r = 3 * row * width + column, u = r + width, n = u + width;
        auto grad = grad_out[k], grad_fresh = grad * (1 - update) * of_tanh(fresh);
        grad_input[r] = grad_gate[r] = grad_fresh * kept[4 * width] * of_sigmoid(reset);
        grad_input[u] = grad_gate[u] = grad * (old - fresh) * of_sigmoid(update);
        grad_input[n] = grad_fresh;
        grad_gate[n] = grad_fresh * reset;
        grad_old[k] = grad * update;
      }
  });
  sum_rows(results.tensor(3), results.tensor(0));
  sum_rows(results.tensor(4), results.tensor(1));
  results.write_back();
}

} // namespace simulated_gpu::recurrent
