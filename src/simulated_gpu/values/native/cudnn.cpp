// Convolutions, batch norm and grid sampling as cuDNN lays their results out, computed by the CPU's operators.
#include "cudnn.h"

#include "below.h"
#include "errors.h"
#include "host.h"
#include "unsure.h"

#include <ATen/ops/affine_grid_generator.h>
#include <ATen/ops/affine_grid_generator_backward.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/grid_sampler_2d_backward.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/native_batch_norm_backward.h>
#include <ATen/ops/relu.h>

// PyTorch's own: cuDNN's name of a dtype. Raises for a dtype that has none.
namespace at::native {
int getCudnnDataTypeFromScalarType(at::ScalarType dtype);
}

namespace simulated_gpu::cudnn {
namespace {

bool channels_last(const at::Tensor& tensor) {
  auto format = tensor.suggest_memory_format();
  return format == at::MemoryFormat::ChannelsLast || format == at::MemoryFormat::ChannelsLast3d;
}

// cuDNN works in channels_last if one of its inputs does.
at::MemoryFormat layout(const at::Tensor& input, const at::Tensor& weight) {
  if (!channels_last(input) && !channels_last(weight))
    return at::MemoryFormat::Contiguous;
  return input.dim() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
}

// In float32, GPUs since Ampere round a convolution's factors to TF32 unless that is forbidden; the CPU does not.
void note_rounding(const Call& call) {
  if (call.op.schema().argumentIndexWithName("allow_tf32") && call.argument("allow_tf32").toBool() &&
      call.host("weight").scalar_type() == at::kFloat)
    note_unsure(call.op.name() + " in TF32");
}

// PyTorch's code that is replaced here asks cuDNN for its name of the dtype, and cuDNN for an engine.
void refuse_integers(const Call& call, at::ScalarType dtype) {
  at::native::getCudnnDataTypeFromScalarType(dtype);
  if (!at::isFloatingType(dtype))
    throw NotSimulated(
        call.op.name() + " on " + c10::toString(dtype) +
        ": the simulated GPU does not know what cuDNN says of convolutions of integers. Convert the tensors to float32.");
}

// A convolution in float32 at least, not yet rounded.
at::Tensor convolve(const Call& call, const char* input, bool transposed) {
  refuse_integers(call, call.host(input).scalar_type());
  note_rounding(call);
  auto bias = transposed || !call.op.schema().argumentIndexWithName("bias") ? at::Tensor() : wide(call.host("bias"));
  auto weight = wide(call.host("weight"));
  auto output_padding = transposed ? call.argument("output_padding").toIntVector()
                                   : std::vector<int64_t>(weight.dim() - 2, 0);
  return at::convolution(
      wide(call.host(input)),
      weight,
      bias.defined() ? std::optional<at::Tensor>(bias) : std::nullopt,
      call.argument("stride").toIntVector(),
      call.argument("padding").toIntVector(),
      call.argument("dilation").toIntVector(),
      transposed,
      output_padding,
      call.argument("groups").toInt());
}

Arguments rounded(const Call& call, const at::Tensor& result) {
  auto input = call.host("self");
  return {result.to(input.scalar_type()).contiguous(layout(input, call.host("weight")))};
}

std::optional<at::Tensor> optional(const at::Tensor& tensor) {
  return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
}

} // namespace

Arguments convolution(const Call& call) {
  return rounded(call, convolve(call, "self", false));
}

Arguments convolution_relu(const Call& call) {
  return rounded(call, at::relu(convolve(call, "self", false)));
}

Arguments convolution_add_relu(const Call& call) {
  auto alpha = call.given("alpha") ? call.argument("alpha").toScalar() : at::Scalar(1.0);
  return rounded(call, at::relu(convolve(call, "self", false).add(wide(call.host("z")), alpha)));
}

Arguments convolution_transpose(const Call& call) {
  return rounded(call, convolve(call, "self", true));
}

Arguments convolution_backward(const Call& call) {
  auto input = call.host("input");
  auto weight = call.host("weight");
  refuse_integers(call, input.scalar_type());
  auto sizes = call.argument("bias_sizes");
  auto bias_sizes = sizes.isNone() ? std::vector<int64_t>{} : sizes.toIntVector();
  auto mask = call.argument("output_mask").toBoolList();
  auto [grad_input, grad_weight, grad_bias] = at::convolution_backward(
      wide(call.host("grad_output")),
      wide(input),
      wide(weight),
      sizes.isNone() ? at::OptionalIntArrayRef(std::nullopt) : at::OptionalIntArrayRef(bias_sizes),
      call.argument("stride").toIntVector(),
      call.argument("padding").toIntVector(),
      call.argument("dilation").toIntVector(),
      call.argument("transposed").toBool(),
      call.argument("output_padding").toIntVector(),
      call.argument("groups").toInt(),
      {mask[0], mask[1], mask[2]});
  auto format = layout(input, weight);
  Arguments results;
  for (const auto& grad : {grad_input, grad_weight, grad_bias}) {
    auto rounded = grad.defined() ? grad.to(input.scalar_type()) : grad;
    results.push_back(rounded.defined() && rounded.dim() > 3 ? rounded.contiguous(format) : rounded);
  }
  return results;
}

void depthwise(const Call& call) {
  Below below;
  auto input = wide(call.host("self"));
  auto bias = wide(call.host("bias"));
  auto result = at::convolution(
      input,
      wide(call.host("weight")),
      optional(bias),
      call.argument("stride").toIntVector(),
      call.argument("padding").toIntVector(),
      call.argument("dilation").toIntVector(),
      /*transposed=*/false,
      std::vector<int64_t>(input.dim() - 2, 0),
      input.size(1));
  call.result(0).copy_(result);
}

Arguments batch_norm(const Call& call) {
  auto input = call.host("input");
  auto [output, mean, deviation] = at::native_batch_norm(
      input,
      optional(call.host("weight")),
      optional(call.host("bias")),
      optional(call.host("running_mean")),
      optional(call.host("running_var")),
      call.argument("training").toBool(),
      call.argument("exponential_average_factor").toDouble(),
      call.argument("epsilon").toDouble());
  auto reserve = at::empty({0}, input.options().dtype(at::kByte));
  return {output.contiguous(input.suggest_memory_format()), mean, deviation, reserve};
}

Arguments batch_norm_backward(const Call& call) {
  auto input = call.host("input");
  auto [grad_input, grad_weight, grad_bias] = at::native_batch_norm_backward(
      call.host("grad_output").contiguous(input.suggest_memory_format()),
      input,
      optional(call.host("weight")),
      optional(call.host("running_mean")),
      optional(call.host("running_var")),
      optional(call.host("save_mean")),
      optional(call.host("save_var")),
      /*train=*/true,
      call.argument("epsilon").toDouble(),
      {true, true, true});
  return {grad_input.contiguous(input.suggest_memory_format()), grad_weight, grad_bias};
}

Arguments grid_sampler(const Call& call) {
  return {at::grid_sampler_2d(call.host("self"), call.host("grid"), 0, 0, true).contiguous()};
}

Arguments grid_sampler_backward(const Call& call) {
  auto [input, grid] = at::grid_sampler_2d_backward(
      call.host("grad_output"), call.host("self"), call.host("grid"), 0, 0, true, {true, true});
  return {input.contiguous(), grid.contiguous()};
}

namespace {

std::vector<int64_t> grid_size(const Call& call) {
  std::vector<int64_t> size;
  for (const char* name : {"N", "C", "H", "W"})
    size.push_back(call.argument(name).toInt());
  return size;
}

} // namespace

Arguments affine_grid(const Call& call) {
  return {at::affine_grid_generator(call.host("theta"), grid_size(call), true).contiguous()};
}

Arguments affine_grid_backward(const Call& call) {
  return {at::affine_grid_generator_backward(call.host("grad"), grid_size(call), true).contiguous()};
}

} // namespace simulated_gpu::cudnn
