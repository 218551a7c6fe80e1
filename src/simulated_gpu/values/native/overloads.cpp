// Finds overloads that write into given results, and operators that work in place element by element.
#include "overloads.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace simulated_gpu {
namespace {

using Overloads = std::unordered_map<std::string, std::vector<c10::OperatorHandle>>;

Overloads overloads_by_name() {
  Overloads overloads;
  auto& dispatcher = c10::Dispatcher::singleton();
  for (const auto& name : dispatcher.getAllOpNames())
    if (auto handle = dispatcher.findSchema(name))
      overloads[name.name].push_back(*handle);
  return overloads;
}

bool takes_the_same(const c10::FunctionSchema& plain, const c10::FunctionSchema& into) {
  auto count = plain.arguments().size();
  if (into.arguments().size() != count + plain.returns().size())
    return false;
  for (size_t i = 0; i < count; ++i) {
    const auto& one = plain.arguments()[i];
    const auto& other = into.arguments()[i];
    if (one.name() != other.name() || *one.type() != *other.type())
      return false;
  }
  for (size_t i = count; i < into.arguments().size(); ++i)
    if (!into.arguments()[i].is_out())
      return false;
  return true;
}

bool all_tensors(const std::vector<c10::Argument>& arguments) {
  for (const auto& argument : arguments)
    if (*argument.type() != *c10::TensorType::get())
      return false;
  return true;
}

} // namespace

std::optional<c10::OperatorHandle> overload_into(const c10::OperatorHandle& op) {
  static const Overloads overloads = overloads_by_name();
  if (!all_tensors(op.schema().returns()))
    return std::nullopt;
  auto found = overloads.find(op.operator_name().name);
  if (found == overloads.end())
    return std::nullopt;
  for (const auto& other : found->second)
    if (takes_the_same(op.schema(), other.schema()) && other.hasKernelForDispatchKey(c10::DispatchKey::CPU))
      return other;
  return std::nullopt;
}

bool leaves_its_inputs(const c10::FunctionSchema& schema) {
  static const std::unordered_set<std::string> elementwise = {
      "add_", "sub_", "mul_", "div_", "addcmul_", "addcdiv_", "lerp_", "sqrt_", "rsqrt_", "neg_", "exp_", "log_", "pow_",
      "copy_", "fill_", "zero_", "clamp_", "clamp_min_", "clamp_max_", "relu_", "sigmoid_", "tanh_", "abs_",
      "reciprocal_", "threshold_", "leaky_relu_", "masked_fill_", "uniform_", "normal_", "bernoulli_", "random_",
      "exponential_", "cauchy_", "log_normal_", "geometric_", "eq_", "ne_", "lt_", "gt_", "le_", "ge_"};
  const auto& name = schema.operator_name().name;
  return elementwise.count(name.substr(name.find("::") + 2)) > 0 || name.rfind("aten::_foreach_", 0) == 0;
}

} // namespace simulated_gpu
