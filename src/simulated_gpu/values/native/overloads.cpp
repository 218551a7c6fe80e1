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

// Operators whose CPU kernel writes each element of given results and nothing else. Others use the results as a
// workspace of another size.
const std::unordered_set<std::string>& writes_only_results() {
  static const std::unordered_set<std::string> names = {
      "aten::add", "aten::sub", "aten::mul", "aten::div", "aten::pow", "aten::neg", "aten::exp", "aten::log", "aten::sqrt",
      "aten::rsqrt", "aten::reciprocal", "aten::sigmoid", "aten::tanh", "aten::silu", "aten::gelu", "aten::clamp",
      "aten::clamp_min", "aten::threshold_backward", "aten::sigmoid_backward", "aten::tanh_backward",
      "aten::silu_backward", "aten::gelu_backward", "aten::leaky_relu", "aten::leaky_relu_backward", "aten::addcmul",
      "aten::addcdiv", "aten::eq", "aten::ne", "aten::lt", "aten::le", "aten::gt", "aten::ge", "aten::where",
      "aten::maximum", "aten::minimum", "aten::sum", "aten::mean", "aten::_softmax", "aten::_log_softmax",
      "aten::_softmax_backward_data", "aten::_log_softmax_backward_data", "aten::mm", "aten::bmm", "aten::addmm",
      "aten::baddbmm", "aten::cat", "aten::index_select", "aten::gather"};
  return names;
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
  if (writes_only_results().count(op.operator_name().name) == 0)
    return std::nullopt;
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
