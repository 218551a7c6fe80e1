// Random integers, permutations and categories.
#include "below.h"
#include "draws.h"
#include "errors.h"
#include "host.h"
#include "random.h"
#include "unsure.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace simulated_gpu::random {
namespace {

// PyTorch's kernel draws 64 bits a number where 32 would favor some: the name of the kernel says which.
at::Tensor bits(int64_t count, const Philox& random, const runtime::Launch& launch) {
  bool longs = std::strstr(launch.kernel, "ImLi2E") != nullptr;
  return draw(longs ? Draw::bits64 : Draw::bits32, count, false, random, launch.threads());
}

// The greatest integer that random_() draws: all smaller ones can be represented.
uint64_t greatest(at::ScalarType dtype) {
  switch (dtype) {
    case at::kBool:
      return 1;
    case at::kByte:
      return 255;
    case at::kChar:
      return 127;
    case at::kShort:
      return 32767;
    case at::kInt:
      return 2147483647;
    case at::kHalf:
      return 1 << 11;
    case at::kBFloat16:
      return 1 << 8;
    case at::kFloat:
      return 1 << 24;
    case at::kDouble:
      return uint64_t(1) << 53;
    case at::kUInt16:
      return 65535;
    case at::kUInt32:
      return 4294967295;
    default:
      return std::numeric_limits<int64_t>::max();
  }
}

struct Interval {
  uint64_t count; // 0: all 64 bits
  int64_t first;
};

Interval interval(const Call& call, at::ScalarType dtype) {
  const auto& schema = call.op.schema();
  if (!schema.argumentIndexWithName("to"))
    return {greatest(dtype) + 1, 0};
  int64_t from = schema.argumentIndexWithName("from") ? call.argument("from").toInt() : 0;
  if (call.given("to"))
    return {uint64_t(call.argument("to").toInt()) - uint64_t(from), from};
  if (from == std::numeric_limits<int64_t>::min())
    return {0, 0};
  return {greatest(dtype) - uint64_t(from) + 1, from};
}

void into_interval(const at::Tensor& drawn, Interval interval) {
  auto* data = drawn.mutable_data_ptr<int64_t>();
  if (interval.count != 0)
    for (int64_t i = 0; i < drawn.numel(); ++i)
      data[i] = int64_t(uint64_t(data[i]) % interval.count + uint64_t(interval.first));
}

// PyTorch sorts random keys of this many bits: few enough to be fast, and enough that most differ.
int key_bits(double n) {
  return std::min(64, int(std::ceil(std::log2(n - (6 * n * n + 1) / (12 * std::log(0.9))))));
}

// Shuffles neighbors with equal keys as the kernel does, one thread for each group.
void shuffle_equal(std::vector<int64_t>& order, const std::vector<uint64_t>& keys, const Philox& random) {
  for (size_t start = 0, end; start < order.size(); start = end) {
    end = start + 1;
    while (end < order.size() && keys[order[end]] == keys[order[start]])
      ++end;
    for (size_t left = end - start - 1, drawn = 0; left > 0; --left, ++drawn) {
      auto number = random.block(start, drawn / 4)[drawn % 4] % (left + 1);
      std::swap(order[start + left], order[start + number]);
    }
  }
}

} // namespace

void integers(const Call& call) {
  Below below;
  auto target = call.host("self");
  auto drawn = bits(target.numel(), call.random, runtime::last_random_launch());
  into_interval(drawn, interval(call, target.scalar_type()));
  fill_in_memory_order(target, drawn);
}

void permutation(const Call& call) {
  Below below;
  auto n = call.argument("n").toInt();
  auto launch = runtime::last_random_launch();
  auto drawn = bits(n, call.random, launch);
  int width = key_bits(double(n));
  auto minimum = width <= 32 ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  auto maximum = width <= 32 ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  into_interval(drawn, {uint64_t(maximum) - uint64_t(minimum), minimum});
  std::vector<uint64_t> keys(n);
  uint64_t sign = uint64_t(1) << (width <= 32 ? 31 : 63); // a signed key sorts by its bits after this flip
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  for (int64_t i = 0; i < n; ++i)
    keys[i] = (uint64_t(drawn.const_data_ptr<int64_t>()[i]) ^ sign) & mask;
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
  auto rest = call.random;
  rest.offset += 4 * ((n - 1) / (launch.threads() * 2) + 1);
  shuffle_equal(order, keys, rest);
  auto result = at::empty({n}, at::dtype(at::kLong));
  std::copy(order.begin(), order.end(), result.mutable_data_ptr<int64_t>());
  call.result(0).copy_(result);
}

void multinomial(const Call& call) {
  Below below;
  auto weights = wide(call.host("self"));
  auto rows = weights.dim() == 1 ? weights.unsqueeze(0) : weights;
  auto chances = (rows / rows.sum(1, true)).to(at::kDouble).contiguous();
  auto sums = (rows / rows.sum(1, true)).cumsum(1).to(at::kDouble).contiguous();
  auto launch = runtime::last_launch();
  auto samples = call.argument("num_samples").toInt();
  auto result = at::empty({rows.size(0), samples}, at::dtype(at::kLong));
  int64_t categories = rows.size(1);
  for (int64_t row = 0; row < rows.size(0); ++row)
    for (int64_t sample = 0; sample < samples; ++sample) {
      uint64_t thread = row % launch.grid[1] * launch.threads() + sample;
      double drawn = simulated_gpu::uniform(call.random.block(thread, row / launch.grid[1])[0]);
      const auto* sum = sums.const_data_ptr<double>() + row * categories;
      const auto* chance = chances.const_data_ptr<double>() + row * categories;
      auto found = std::min<int64_t>(std::lower_bound(sum, sum + categories, drawn) - sum, categories - 1);
      while (found > 0 && chance[found] == 0)
        --found;
      result.mutable_data_ptr<int64_t>()[row * samples + sample] = found;
    }
  call.result(0).copy_(result.view(call.result(0).sizes()));
}

void by_another_algorithm(const Call& call) {
  note_unsure(call.op.name());
  auto arguments = call.arguments;
  auto own = at::detail::createCPUGenerator(call.random.seed + call.random.offset * 0x9E3779B97F4A7C15u);
  if (auto index = call.op.schema().argumentIndexWithName("generator"))
    arguments[*index] = own;
  else
    throw NotSimulated(
        call.op.name() + ": the simulated GPU does not know its random numbers. Draw on the CPU, or run this on a real GPU.");
  compute_on_cpu(Call{call.op, arguments, call.results, call.random});
}

} // namespace simulated_gpu::random
