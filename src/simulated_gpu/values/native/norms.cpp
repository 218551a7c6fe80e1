// Normalizations by their definitions, in float32 at least.
#include "norms.h"

#include "below.h"
#include "host.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/zeros_like.h>

namespace simulated_gpu::norms {
namespace {

// All dimensions but the channels.
std::vector<int64_t> reduced(const at::Tensor& input) {
  std::vector<int64_t> dimensions = {0};
  for (int64_t d = 2; d < input.dim(); ++d)
    dimensions.push_back(d);
  return dimensions;
}

// A vector of one value a channel, to be broadcast over an input.
at::Tensor per_channel(const at::Tensor& values, const at::Tensor& input) {
  std::vector<int64_t> shape(input.dim(), 1);
  shape[1] = values.numel();
  return wide(values).view(shape);
}

void write(const Call& call, size_t index, const at::Tensor& value) {
  if (call.results[index].toTensor().defined())
    call.result(index).copy_(value);
}

void move_towards(const at::Tensor& running, const at::Tensor& value, double momentum) {
  if (running.defined())
    running.copy_(wide(running) * (1 - momentum) + value * momentum);
}

std::optional<at::Tensor> optional(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

bool trains(const Call& call) {
  auto index = call.op.schema().argumentIndexWithName("training");
  return !index || call.arguments[*index].toBool();
}

at::Tensor argument_or_nothing(const Call& call, const char* name) {
  return call.op.schema().argumentIndexWithName(name) ? call.host(name) : at::Tensor();
}

} // namespace

void batch(const Call& call) {
  Below below;
  auto input = call.host("input");
  auto mean = argument_or_nothing(call, "running_mean");
  auto variance = argument_or_nothing(call, "running_var");
  auto weight = wide(call.host("weight"));
  auto bias = wide(call.host("bias"));
  auto wide_mean = wide(mean);
  auto wide_variance = wide(variance);
  auto epsilon = call.argument("eps").toDouble();
  auto [output, saved_mean, saved_deviation] = at::native_batch_norm(
      wide(input),
      optional(weight),
      optional(bias),
      optional(wide_mean),
      optional(wide_variance),
      trains(call),
      call.argument("momentum").toDouble(),
      epsilon);
  if (trains(call) && mean.defined() && !wide_mean.is_same(mean)) {
    mean.copy_(wide_mean);
    variance.copy_(wide_variance);
  }
  write(call, 0, output);
  if (call.result(1).numel() == 0)
    return;
  write(call, 1, trains(call) ? saved_mean : wide_mean);
  write(call, 2, trains(call) ? saved_deviation : at::rsqrt(wide_variance + epsilon));
}

void batch_stats(const Call& call) {
  Below below;
  auto input = wide(call.host("input"));
  auto dimensions = reduced(input);
  write(call, 0, input.mean(dimensions));
  write(call, 1, at::rsqrt(input.var(dimensions, /*unbiased=*/false) + call.argument("eps").toDouble()));
}

void batch_elements(const Call& call) {
  Below below;
  auto input = wide(call.host("input"));
  auto output = (input - per_channel(call.host("mean"), input)) * per_channel(call.host("invstd"), input);
  if (call.given("weight"))
    output = output * per_channel(call.host("weight"), input);
  if (call.given("bias"))
    output = output + per_channel(call.host("bias"), input);
  write(call, 0, output);
}

void batch_gather(const Call& call) {
  Below below;
  auto epsilon = call.argument("eps").toDouble();
  auto momentum = call.argument("momentum").toDouble();
  auto means = wide(call.host("mean"));
  auto counts = call.op.schema().argumentIndexWithName("counts")
      ? wide(call.host("counts")).view({-1, 1})
      : at::zeros_like(means).select(1, 0).unsqueeze(1) + call.argument("count").toDouble();
  auto total = counts.sum();
  auto mean = (means * counts).sum(0) / total;
  auto variances = wide(call.host("invstd")).pow(-2) - epsilon;
  auto variance = ((variances + (means - mean).pow(2)) * counts).sum(0) / total;
  move_towards(call.host("running_mean"), mean, momentum);
  move_towards(call.host("running_var"), variance * total / (total - 1), momentum);
  write(call, 0, mean);
  write(call, 1, at::rsqrt(variance + epsilon));
}

void batch_backward_reduce(const Call& call) {
  Below below;
  auto grad = wide(call.host("grad_out"));
  auto centered = wide(call.host("input")) - per_channel(call.host("mean"), grad);
  auto dimensions = reduced(grad);
  auto sum = grad.sum(dimensions);
  auto product = (grad * centered).sum(dimensions);
  write(call, 0, sum);
  write(call, 1, product);
  write(call, 2, product * wide(call.host("invstd")));
  write(call, 3, sum);
}

void batch_backward_elements(const Call& call) {
  Below below;
  auto grad = wide(call.host("grad_out"));
  auto centered = wide(call.host("input")) - per_channel(call.host("mean"), grad);
  auto deviation = per_channel(call.host("invstd"), grad);
  auto total = call.host("count").sum().item<double>();
  auto mean_grad = per_channel(call.host("sum_dy") / total, grad);
  auto slope = per_channel(call.host("sum_dy_xmu") / total, grad) * deviation.pow(2);
  auto result = (grad - mean_grad - centered * slope) * deviation;
  write(call, 0, call.given("weight") ? result * per_channel(call.host("weight"), grad) : result);
}

void rms_backward(const Call& call) {
  Below below;
  auto input = wide(call.host("input"));
  auto grad = wide(call.host("grad_out"));
  auto deviation = wide(call.host("rstd"));
  auto normalized = input * deviation;
  int64_t width = call.argument("normalized_shape").toIntVector().size();
  std::vector<int64_t> inner, outer;
  for (int64_t d = 0; d < input.dim(); ++d)
    (d < input.dim() - width ? outer : inner).push_back(d);
  auto weighted = call.given("weight") ? grad * wide(call.host("weight")) : grad;
  write(call, 0, (weighted - normalized * (weighted * normalized).mean(inner, true)) * deviation);
  auto weight_grad = grad * normalized;
  write(call, 1, outer.empty() ? weight_grad : weight_grad.sum(outer));
}

} // namespace simulated_gpu::norms
