// Draws random numbers in the order of CUDA's kernels.
#include "draws.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <numeric>

namespace simulated_gpu {
namespace {

template <class Number, class Convert>
at::Tensor drawn(int64_t count, at::ScalarType dtype, int lanes, const Philox& random, uint64_t threads, Convert convert) {
  auto numbers = at::empty({count}, at::dtype(dtype));
  auto* data = numbers.mutable_data_ptr<Number>();
  uint64_t total = count;
  for (uint64_t start = 0, block = 0; start < total; start += threads * lanes, ++block)
    for (uint64_t thread = 0; thread < threads && start + thread < total; ++thread) {
      auto made = convert(random.block(thread, block));
      for (int lane = 0; lane < lanes; ++lane)
        if (uint64_t element = start + lane * threads + thread; element < total)
          data[element] = made[lane];
    }
  return numbers;
}

std::array<float, 4> uniforms(const Block& b) {
  return {uniform(b[0]), uniform(b[1]), uniform(b[2]), uniform(b[3])};
}

std::array<double, 2> wide_uniforms(const Block& b) {
  return {uniform(b[0], b[1]), uniform(b[2], b[3])};
}

std::array<float, 4> normals(const Block& b) {
  auto one = normal(b[0], b[1]);
  auto other = normal(b[2], b[3]);
  return {one[0], one[1], other[0], other[1]};
}

std::array<double, 2> wide_normals(const Block& b) {
  return normal(b);
}

std::array<int64_t, 4> words(const Block& b) {
  return {b[0], b[1], b[2], b[3]};
}

std::array<int64_t, 2> long_words(const Block& b) {
  return {int64_t(uint64_t(b[0]) << 32 | b[1]), int64_t(uint64_t(b[2]) << 32 | b[3])};
}

} // namespace

Place grid_stride(uint64_t element, uint64_t threads, int lanes) {
  uint64_t within = element % (threads * lanes);
  return {within % threads, element / (threads * lanes), int(within / threads)};
}

Place neighbors(uint64_t element, uint64_t threads, int width) {
  uint64_t blocks = (width + 3) / 4;
  uint64_t within = element % (threads * width);
  int lane = int(within % width);
  return {within / width, element / (threads * width) * blocks + lane / 4, lane % 4};
}

at::Tensor draw(Draw what, int64_t count, bool wide, const Philox& random, uint64_t threads) {
  switch (what) {
    case Draw::uniform:
      return wide ? drawn<double>(count, at::kDouble, 2, random, threads, wide_uniforms)
                  : drawn<float>(count, at::kFloat, 4, random, threads, uniforms);
    case Draw::normal:
      return wide ? drawn<double>(count, at::kDouble, 2, random, threads, wide_normals)
                  : drawn<float>(count, at::kFloat, 4, random, threads, normals);
    case Draw::bits32:
      return drawn<int64_t>(count, at::kLong, 4, random, threads, words);
    case Draw::bits64:
      return drawn<int64_t>(count, at::kLong, 2, random, threads, long_words);
  }
  TORCH_INTERNAL_ASSERT(false);
}

void fill_in_memory_order(const at::Tensor& target, const at::Tensor& numbers) {
  std::vector<int64_t> order(target.dim());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return target.stride(a) > target.stride(b); });
  auto ordered = target.permute(order);
  ordered.copy_(numbers.view(ordered.sizes()));
}

} // namespace simulated_gpu
