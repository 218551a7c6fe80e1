// Computes LU without pivots by Gaussian elimination, and least squares by QR.
#include "linear.h"

#include "below.h"
#include "errors.h"
#include "host.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/linalg_lstsq.h>

#include <algorithm>

namespace simulated_gpu::linear {
namespace {

// In place, on the last two dimensions.
void eliminate(const Call& call, const at::Tensor& matrix, int64_t pivots) {
  auto rows = matrix.size(-2), columns = matrix.size(-1);
  for (int64_t k = 0; k < pivots; ++k) {
    auto pivot = matrix.select(-2, k).select(-1, k);
    if (pivot.eq(0).any().item<bool>())
      throw NotSimulated(
          call.op.name() + " without pivots, with a zero on the diagonal: the simulated GPU does not know what cuSOLVER "
          "leaves there. Use pivot=True, or run this on a real GPU.");
    auto factors = matrix.narrow(-2, k + 1, rows - k - 1).select(-1, k);
    factors.div_(pivot.unsqueeze(-1));
    auto row = matrix.select(-2, k).narrow(-1, k + 1, columns - k - 1);
    auto rest = matrix.narrow(-2, k + 1, rows - k - 1).narrow(-1, k + 1, columns - k - 1);
    rest.sub_(factors.unsqueeze(-1) * row.unsqueeze(-2));
  }
}

} // namespace

void lu_factor(const Call& call) {
  if (call.argument("pivot").toBool()) {
    compute_on_cpu(call);
    return;
  }
  Below below;
  auto matrix = call.host("A").clone(at::MemoryFormat::Contiguous);
  auto pivots = std::min(matrix.size(-2), matrix.size(-1));
  if (matrix.numel() > 0)
    eliminate(call, matrix, pivots);
  call.result(0).copy_(matrix);
  call.result(1).copy_(at::arange(1, pivots + 1));
  call.result(2).zero_();
}

void least_squares(const Call& call) {
  Below below;
  auto rcond = call.given("rcond") ? std::optional<double>(call.argument("rcond").toDouble()) : std::nullopt;
  auto [solution, residuals, rank, singular] = at::linalg_lstsq(call.host("self"), call.host("b"), rcond, "gels");
  call.result(0).copy_(solution);
  if (call.result(1).numel() > 0)
    call.result(1).copy_(residuals);
}

} // namespace simulated_gpu::linear
