// Random numbers that fill a tensor: PyTorch's grid-stride kernel draws them and transforms each.
#include "random.h"

#include "below.h"
#include "draws.h"
#include "errors.h"
#include "host.h"

#include <ATen/ops/empty.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <limits>

namespace simulated_gpu::random {
namespace {

bool is_wide(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble;
}

// PyTorch fills a complex tensor as the real tensor of its parts.
at::Tensor parts(const at::Tensor& tensor) {
  return tensor.is_complex() ? at::view_as_real(tensor) : tensor;
}

// The variance of a complex number is that of both parts together.
double share_of_a_part(const at::Tensor& tensor) {
  return tensor.is_complex() ? 1 / std::sqrt(2.0) : 1;
}

at::Tensor numbers(const Call& call, const at::Tensor& target, Draw what) {
  auto threads = runtime::last_random_launch().threads();
  return draw(what, target.numel(), is_wide(target), call.random, threads);
}

template <class Function>
void transform(const at::Tensor& numbers, const Function& function) {
  auto apply = [&](auto* data) {
    using Number = std::remove_reference_t<decltype(*data)>;
    for (int64_t i = 0; i < numbers.numel(); ++i)
      data[i] = static_cast<Number>(function(data[i]));
  };
  if (is_wide(numbers))
    apply(numbers.mutable_data_ptr<double>());
  else
    apply(numbers.mutable_data_ptr<float>());
}

// Fills the operator's first argument with transformed numbers.
template <class Function>
void fill(const Call& call, Draw what, const Function& function) {
  Below below;
  auto target = parts(call.host("self"));
  auto drawn = numbers(call, target, what);
  transform(drawn, function);
  fill_in_memory_order(target, drawn);
}

template <class Number>
Number number(const Call& call, const char* name) {
  return static_cast<Number>(call.argument(name).toDouble());
}

} // namespace

void uniform(const Call& call) {
  Below below;
  auto target = parts(call.host("self"));
  auto drawn = numbers(call, target, Draw::uniform);
  auto bounds = at::empty({2}, target.options());
  bounds[0].fill_(call.argument("from").toScalar());
  bounds[1].fill_(call.argument("to").toScalar());
  double from = bounds[0].item<double>();
  double range = (bounds[1] - bounds[0]).item<double>();
  transform(drawn, [=](auto u) { return std::fma(u, static_cast<decltype(u)>(range), static_cast<decltype(u)>(from)); });
  auto rounded = drawn.to(target.scalar_type());
  fill_in_memory_order(target, at::where(rounded == bounds[1], bounds[0], rounded));
}

void normal(const Call& call) {
  auto mean = number<double>(call, "mean");
  auto deviation = number<double>(call, "std") * share_of_a_part(call.host("self"));
  fill(call, Draw::normal, [=](auto z) {
    return std::fma(z, static_cast<decltype(z)>(deviation), static_cast<decltype(z)>(mean));
  });
}

void normal_around(const Call& call) {
  Below below;
  auto target = call.result(0);
  auto drawn = numbers(call, parts(target), Draw::normal).mul_(share_of_a_part(target));
  auto standard = at::empty_like(target);
  fill_in_memory_order(parts(standard), drawn);
  auto of = [&](const char* name) {
    const auto& value = call.argument(name);
    return value.isTensor() ? call.host(name) : at::scalar_tensor(value.toScalar(), target.options());
  };
  target.copy_(standard.mul_(of("std")).add_(of("mean")));
}

void log_normal(const Call& call) {
  auto mean = number<double>(call, "mean");
  auto deviation = number<double>(call, "std");
  fill(call, Draw::normal, [=](auto z) {
    return std::exp(std::fma(z, static_cast<decltype(z)>(deviation), static_cast<decltype(z)>(mean)));
  });
}

void exponential(const Call& call) {
  auto rate = number<double>(call, "lambd");
  fill(call, Draw::uniform, [=](auto u) {
    using Number = decltype(u);
    Number half = std::numeric_limits<Number>::epsilon() / 2;
    Number logarithm = u >= 1 - half ? -half : std::log(u);
    return Number(-1) / static_cast<Number>(rate) * logarithm;
  });
}

void cauchy(const Call& call) {
  auto median = number<double>(call, "median");
  auto sigma = number<double>(call, "sigma");
  fill(call, Draw::uniform, [=](auto u) {
    using Number = decltype(u);
    Number epsilon = std::numeric_limits<Number>::epsilon();
    Number inner = std::min(std::max(u, epsilon), 1 - epsilon);
    return Number(median) + Number(sigma) * std::tan(Number(M_PI) * (inner - Number(0.5)));
  });
}

void geometric(const Call& call) {
  auto p = number<double>(call, "p");
  fill(call, Draw::uniform, [=](auto u) {
    using Number = decltype(u);
    return std::ceil(std::log(u) / std::log(Number(1) - Number(p)));
  });
}

void bernoulli(const Call& call) {
  auto p = number<double>(call, "p");
  fill(call, Draw::uniform, [=](auto u) { return u < p ? 1 : 0; });
}

void bernoulli_tensor(const Call& call) {
  Below below;
  auto target = call.host("self");
  auto threads = runtime::last_launch().threads();
  auto drawn = at::empty({target.numel()}, at::dtype(at::kFloat));
  auto* data = drawn.mutable_data_ptr<float>();
  for (int64_t i = 0; i < target.numel(); ++i)
    data[i] = simulated_gpu::uniform(call.random.block(i / 4 % threads, 0)[i % 4]);
  auto laid_out = at::empty_like(target, target.options().dtype(at::kFloat));
  fill_in_memory_order(laid_out, drawn);
  target.copy_(laid_out <= call.host("p").to(is_wide(target) ? at::kDouble : at::kFloat));
}

void rrelu(const Call& call) {
  Below below;
  auto input = call.host("self");
  auto drawn = draw(Draw::uniform, input.numel(), is_wide(input), call.random, runtime::last_launch().threads());
  double lower = number<double>(call, "lower");
  double range = number<double>(call, "upper") - lower;
  transform(drawn, [=](auto u) { return std::fma(u, static_cast<decltype(u)>(range), static_cast<decltype(u)>(lower)); });
  auto negative = input <= 0;
  auto noise = at::where(negative, drawn.view(input.sizes()), at::ones({}, drawn.options())).to(input.scalar_type());
  call.host("noise").copy_(noise);
  call.result(0).copy_(input * noise);
}

} // namespace simulated_gpu::random
