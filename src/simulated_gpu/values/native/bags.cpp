// Embedding bags, whose operator on CUDA returns for each index its bag, and each bag's size, in every mode.
#include "bags.h"

#include "below.h"
#include "host.h"

#include <ATen/ops/_embedding_bag.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/searchsorted.h>
#include <ATen/ops/zeros.h>

namespace simulated_gpu::bags {

void forward(const Call& call) {
  Below below;
  auto indices = call.host("indices");
  auto offsets = call.host("offsets");
  auto padding = call.argument("padding_idx").toInt();
  bool includes_last = call.argument("include_last_offset").toBool();
  auto sample_weights = wide(call.host("per_sample_weights"));
  auto [output, bag_of, sizes, maxima] = at::_embedding_bag(
      wide(call.host("weight")),
      indices,
      offsets,
      call.argument("scale_grad_by_freq").toBool(),
      call.argument("mode").toInt(),
      call.argument("sparse").toBool(),
      sample_weights.defined() ? std::optional<at::Tensor>(sample_weights) : std::nullopt,
      includes_last,
      padding);
  call.result(0).copy_(output);
  auto starts = includes_last ? offsets.narrow(0, 0, offsets.size(0) - 1) : offsets;
  auto positions = at::arange(indices.numel(), offsets.options());
  auto bags = at::searchsorted(starts.contiguous(), positions, false, /*right=*/true).sub(1);
  if (call.result(1).numel() == bags.numel())
    call.result(1).copy_(bags);
  if (call.result(2).numel() > 0) {
    auto counts = at::zeros({call.result(2).numel()}, at::dtype(at::kLong));
    counts.index_add_(0, bags, indices.ne(padding).to(at::kLong));
    call.result(2).copy_(counts);
  }
  if (call.result(3).numel() == maxima.numel())
    call.result(3).copy_(maxima.view(call.result(3).sizes()));
}

} // namespace simulated_gpu::bags
