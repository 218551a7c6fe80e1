// Computes Philox4x32-10 and cuRAND's distributions on the CPU.
#include "philox.h"

#include "host.h"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>

#include <cmath>
#include <mutex>

namespace simulated_gpu {
namespace {

constexpr float TWO_TO_MINUS_32 = 2.3283064365386963e-10f;
constexpr double TWO_TO_MINUS_53 = 1.1102230246251565e-16;
constexpr float TWO_PI = 6.28318530717958648f;

} // namespace

Block Philox::block(uint64_t thread, uint64_t number) const {
  uint64_t position = offset / 4 + number;
  Block counter = {uint32_t(position), uint32_t(position >> 32), uint32_t(thread), uint32_t(thread >> 32)};
  uint32_t key[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t even = uint64_t(0xD2511F53) * counter[0];
    uint64_t odd = uint64_t(0xCD9E8D57) * counter[2];
    counter = {
        uint32_t(odd >> 32) ^ counter[1] ^ key[0], uint32_t(odd), uint32_t(even >> 32) ^ counter[3] ^ key[1], uint32_t(even)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

at::Generator generator_of(const std::vector<c10::IValue>& arguments, const c10::FunctionSchema& schema) {
  auto argument = schema.argumentIndexWithName("generator");
  bool given = argument && !arguments[*argument].isNone();
  return given ? arguments[*argument].toGenerator() : at::globalContext().defaultGenerator(gpu_of(arguments));
}

Philox Philox::next(const std::vector<c10::IValue>& arguments, const c10::FunctionSchema& schema) {
  auto generator = generator_of(arguments, schema);
  std::lock_guard<std::mutex> lock(generator.mutex());
  if (!generator.device().is_cuda())
    return {};
  return {generator.current_seed(), generator.get_offset()};
}

float uniform(uint32_t bits) {
  return float(bits) * TWO_TO_MINUS_32 + TWO_TO_MINUS_32 / 2;
}

double uniform(uint32_t low, uint32_t high) {
  uint64_t bits = uint64_t(low) ^ (uint64_t(high) << 21);
  return double(bits) * TWO_TO_MINUS_53 + TWO_TO_MINUS_53 / 2;
}

std::array<float, 2> normal(uint32_t one, uint32_t other) {
  float radius = std::sqrt(-2.0f * std::log(uniform(one)));
  float angle = float(other) * (TWO_TO_MINUS_32 * TWO_PI) + TWO_TO_MINUS_32 * TWO_PI / 2;
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

std::array<double, 2> normal(const Block& block) {
  double radius = std::sqrt(-2.0 * std::log(uniform(block[0], block[1])));
  double angle = 2.0 * M_PI * uniform(block[2], block[3]);
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

} // namespace simulated_gpu
