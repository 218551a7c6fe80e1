// cuDNN's recurrent layers, computed by the CPU's operators; backward computes forward again and differentiates it.
#include "errors.h"
#include "host.h"
#include "recurrent.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gru.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/rnn_relu.h>
#include <ATen/ops/rnn_tanh.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/autograd.h>

namespace simulated_gpu::recurrent {
namespace {

enum Mode { relu, tanh, lstm, gru };

struct Layers {
  at::Tensor input, hidden, cell;
  std::vector<at::Tensor> weights;
};

struct Outputs {
  at::Tensor output, hidden, cell;
};

Layers layers(const Call& call) {
  Layers made{wide(call.host("input")), wide(call.host("hx")), wide(call.host("cx")), {}};
  for (const at::Tensor& weight : call.argument("weight").toTensorList())
    made.weights.push_back(wide(host_view(weight)));
  return made;
}

void refuse_dropout(const Call& call) {
  bool drops = call.argument("train").toBool() && call.argument("dropout").toDouble() > 0;
  if (drops && call.argument("num_layers").toInt() > 1)
    throw NotSimulated(
        call.op.name() + " with dropout between layers: the simulated GPU does not know which elements cuDNN drops. Set "
        "dropout=0, or torch.backends.cudnn.enabled = False, or run this on a real GPU.");
}

Outputs run(const Call& call, const Layers& layers) {
  bool biases = call.argument("weight_stride0").toInt() >= 4;
  auto number = call.argument("num_layers").toInt();
  bool train = call.argument("train").toBool();
  bool both = call.argument("bidirectional").toBool();
  bool batch_first = call.argument("batch_first").toBool();
  auto sizes = call.argument("batch_sizes").toIntVector();
  auto packed = at::tensor(sizes, at::dtype(at::kLong));
  auto mode = call.argument("mode").toInt();
  if (mode == lstm) {
    std::vector<at::Tensor> state = {layers.hidden, layers.cell};
    auto [output, hidden, cell] = sizes.empty()
        ? at::lstm(layers.input, state, layers.weights, biases, number, 0.0, train, both, batch_first)
        : at::lstm(layers.input, packed, state, layers.weights, biases, number, 0.0, train, both);
    return {output, hidden, cell};
  }
  auto compute = [&](auto dense, auto ragged) {
    auto [output, hidden] = sizes.empty()
        ? dense(layers.input, layers.hidden, layers.weights, biases, number, 0.0, train, both, batch_first)
        : ragged(layers.input, packed, layers.hidden, layers.weights, biases, number, 0.0, train, both);
    return Outputs{output, hidden, at::Tensor()};
  };
  if (mode == gru)
    return compute([](auto&&... a) { return at::gru(a...); }, [](auto&&... a) { return at::gru(a...); });
  if (mode == tanh)
    return compute([](auto&&... a) { return at::rnn_tanh(a...); }, [](auto&&... a) { return at::rnn_tanh(a...); });
  return compute([](auto&&... a) { return at::rnn_relu(a...); }, [](auto&&... a) { return at::rnn_relu(a...); });
}

at::Tensor leaf(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.detach().set_requires_grad(true) : tensor;
}

// Collects the results that backward starts from, with their gradients.
struct Roots {
  torch::autograd::variable_list results, gradients;

  void add(const at::Tensor& result, const at::Tensor& gradient) {
    if (!result.defined() || !gradient.defined())
      return;
    results.push_back(result);
    gradients.push_back(wide(gradient));
  }
};

} // namespace

Arguments cudnn(const Call& call) {
  refuse_dropout(call);
  auto input = call.host("input");
  auto [output, hidden, cell] = run(call, layers(call));
  auto dtype = input.scalar_type();
  auto reserve = at::empty({0}, input.options().dtype(at::kByte));
  auto buffer = call.given("weight_buf") ? call.host("weight_buf") : at::empty({0}, input.options());
  auto last = cell.defined() ? cell.to(dtype) : at::empty({0}, input.options());
  return {output.to(dtype), hidden.to(dtype), last, reserve, buffer};
}

Arguments cudnn_backward(const Call& call) {
  refuse_dropout(call);
  auto given = layers(call);
  // Autograd is off below an operator's kernel; it is wanted here.
  c10::impl::ForceDispatchKeyGuard guard({}, c10::default_excluded_set);
  at::AutoGradMode on(true);
  Layers leaves{leaf(given.input), leaf(given.hidden), leaf(given.cell), {}};
  torch::autograd::variable_list inputs = {leaves.input, leaves.hidden};
  if (leaves.cell.defined())
    inputs.push_back(leaves.cell);
  for (const auto& weight : given.weights)
    inputs.push_back(leaves.weights.emplace_back(leaf(weight)));
  auto [output, hidden, cell] = run(call, leaves);
  Roots roots;
  roots.add(output, call.host("grad_output"));
  roots.add(hidden, call.host("grad_hy"));
  roots.add(cell, call.host("grad_cy"));
  auto grads = torch::autograd::grad(roots.results, inputs, roots.gradients, std::nullopt, false, /*allow_unused=*/true);
  auto dtype = call.host("input").scalar_type();
  for (size_t i = 0; i < grads.size(); ++i)
    grads[i] = (grads[i].defined() ? grads[i] : at::zeros_like(inputs[i])).detach().to(dtype);
  size_t first_weight = leaves.cell.defined() ? 3 : 2;
  c10::List<at::Tensor> weight_grads;
  for (size_t i = first_weight; i < grads.size(); ++i)
    weight_grads.push_back(grads[i]);
  return {grads[0], grads[1], leaves.cell.defined() ? grads[2] : at::Tensor(), weight_grads};
}

// Makes one buffer of all weights, of which each weight becomes a part.
Arguments cudnn_flatten(const Call& call) {
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

Arguments cudnn_dropout_state(const Call&) {
  return {at::zeros({8}, at::dtype(at::kByte))};
}

} // namespace simulated_gpu::recurrent
