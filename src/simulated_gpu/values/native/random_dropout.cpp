// Dropout, whose kernel draws for several neighbors in each thread where it can.
#include "below.h"
#include "draws.h"
#include "host.h"
#include "random.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <cstdlib>
#include <cstring>

namespace simulated_gpu::random {
namespace {

// How many neighbors a thread of the kernel handles: the fifth of its template's arguments; 0 where it is not of that kind.
int width(const char* kernel) {
  const char* name = std::strstr(kernel, "fused_dropout_kernel_vecI");
  if (!name)
    return 0;
  const char* dimensions = std::strstr(name, "Li");
  const char* width = dimensions ? std::strstr(dimensions + 2, "Li") : nullptr;
  return width ? std::atoi(width + 2) : 0;
}

// Which elements stay, as float32, in the order of the kernel's elements.
at::Tensor kept(const Call& call, int64_t count, double chance) {
  auto launch = runtime::last_launch();
  int neighbors_of_a_thread = width(launch.kernel);
  auto kept = at::empty({count}, at::dtype(at::kFloat));
  auto* data = kept.mutable_data_ptr<float>();
  for (int64_t i = 0; i < count; ++i) {
    auto place = neighbors_of_a_thread ? neighbors(i, launch.threads(), neighbors_of_a_thread)
                                       : grid_stride(i, launch.threads(), 4);
    data[i] = simulated_gpu::uniform(call.random.block(place.thread, place.block)[place.lane]) < float(chance);
  }
  return kept;
}

void drop(const Call& call, const char* name, double chance) {
  Below below;
  auto input = call.host(name);
  auto order = kept(call, input.numel(), chance);
  auto mask = at::empty_like(input, input.options().dtype(at::kFloat));
  if (input.is_non_overlapping_and_dense() && width(runtime::last_launch().kernel))
    fill_in_memory_order(mask, order);
  else
    mask.copy_(order.view(input.sizes()));
  auto values = wide(input);
  call.result(0).copy_(values * mask.to(values.scalar_type()) * (1.0 / chance));
  call.result(1).copy_(mask);
}

} // namespace

void dropout(const Call& call) {
  drop(call, "input", 1 - call.argument("p").toDouble());
}

void fused_dropout(const Call& call) {
  drop(call, "self", call.argument("p").toDouble());
}

} // namespace simulated_gpu::random
