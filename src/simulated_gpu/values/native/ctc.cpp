// cuDNN normalizes its input by softmax, and gives the loss with its gradient; PyTorch's own code takes two operators.
#include "ctc.h"

#include "below.h"
#include "errors.h"
#include "host.h"

#include <ATen/ops/_ctc_loss.h>
#include <ATen/ops/_ctc_loss_backward.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/ones_like.h>

namespace simulated_gpu::ctc {
namespace {

std::vector<int64_t> lengths(const c10::IValue& given) {
  if (given.isIntList())
    return given.toIntVector();
  auto plain = host_view(given.toTensor()).to(at::kLong).contiguous();
  return {plain.data_ptr<int64_t>(), plain.data_ptr<int64_t>() + plain.numel()};
}

} // namespace

void cudnn(const Call& call) {
  Below below;
  auto logarithms = at::log_softmax(call.host("log_probs"), -1);
  auto targets = call.host("targets").to(at::kLong);
  auto of_inputs = lengths(call.argument("input_lengths")), of_targets = lengths(call.argument("target_lengths"));
  auto blank = call.argument("blank").toInt();
  auto [loss, alpha] = at::_ctc_loss(logarithms, targets, of_inputs, of_targets, blank, false);
  if (!at::isfinite(loss).all().item<bool>())
    throw NotSimulated(
        call.op.name() + " of labels that need more frames than there are: the simulated GPU does not know what cuDNN says of it. "
        "Give the targets as int64, which PyTorch's own code takes, or run this on a real GPU.");
  call.result(0).copy_(loss);
  call.result(1).copy_(at::_ctc_loss_backward(
      at::ones_like(loss), logarithms, targets, of_inputs, of_targets, loss, alpha, blank, false));
}

} // namespace simulated_gpu::ctc
