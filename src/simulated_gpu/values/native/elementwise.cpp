// Computes the operators that only CUDA has in this form, by their definitions.
#include "elementwise.h"

#include "assertions.h"
#include "below.h"
#include "host.h"

#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/_log_softmax_backward_data.h>
#include <ATen/ops/_softmax.h>
#include <ATen/ops/_softmax_backward_data.h>
#include <ATen/ops/histc.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/sum.h>

namespace simulated_gpu::elementwise {
namespace {

bool is_log(const Call& call) {
  return call.op.name().rfind("aten::_log_softmax", 0) == 0;
}

} // namespace

void log_sigmoid_backward(const Call& call) {
  Below below;
  call.result(0).copy_(wide(call.host("grad_output")) * wide(call.host("self")).neg().sigmoid());
}

void masked_scale(const Call& call) {
  Below below;
  auto self = wide(call.host("self"));
  call.result(0).copy_(self * call.host("mask").to(self.scalar_type()) * call.argument("scale").toDouble());
}

void product_in_dtype(const Call& call) {
  Below below;
  bool added = call.op.schema().argumentIndexWithName("beta").has_value();
  bool batched = call.op.schema().argumentIndexWithName("batch1").has_value();
  auto one = wide(call.host(!added ? "self" : batched ? "batch1" : "mat1"));
  auto other = wide(call.host(added && batched ? "batch2" : "mat2"));
  auto product = at::matmul(one, other);
  if (added)
    product = product * call.argument("alpha").toScalar() + wide(call.host("self")) * call.argument("beta").toScalar();
  call.result(0).copy_(product);
}

void histogram(const Call& call) {
  Below below;
  auto self = call.host("self");
  auto numbers = self.is_floating_point() ? wide(self) : self.to(at::kDouble);
  auto counts = at::histc(
      numbers, call.argument("bins").toInt(), call.argument("min").toScalar(), call.argument("max").toScalar());
  call.result(0).copy_(counts);
}

void sum_without_nan(const Call& call) {
  auto dtype = call.result(0).scalar_type();
  if (!at::isComplexType(dtype)) {
    compute_on_cpu(call);
    return;
  }
  Below below;
  auto self = call.host("self").to(dtype == at::kComplexHalf ? at::kComplexFloat : dtype);
  auto numbers = self.masked_fill(at::isnan(self), 0);
  auto dims = call.given("dim") ? call.argument("dim").toIntVector() : std::vector<int64_t>{};
  call.result(0).copy_(at::sum(numbers, dims, call.argument("keepdim").toBool()));
}

void softmax(const Call& call) {
  auto self = call.host("self");
  auto dtype = call.result(0).scalar_type();
  if (dtype == self.scalar_type()) {
    compute_on_cpu(call);
    return;
  }
  Below below;
  auto made = (is_log(call) ? at::_log_softmax : at::_softmax)(self.to(dtype), call.argument("dim").toInt(), false);
  call.result(0).copy_(made);
}

void assert_value(const Call& call) {
  Below below;
  if (call.host("self").item().toBool())
    return;
  bool named = call.op.schema().argumentIndexWithName("assert_msg").has_value();
  fail_in_the_kernel(
      call.op.name(),
      named ? call.argument("assert_msg").toStringRef() : "Expected Tensor with single nonzero value, but got zero");
}

void softmax_backward(const Call& call) {
  auto gradient = call.host("grad_output");
  if (call.result(0).scalar_type() == gradient.scalar_type()) {
    compute_on_cpu(call);
    return;
  }
  Below below;
  auto backward = is_log(call) ? at::_log_softmax_backward_data : at::_softmax_backward_data;
  call.result(0).copy_(
      backward(gradient, call.host("output"), call.argument("dim").toInt(), gradient.scalar_type()));
}

} // namespace simulated_gpu::elementwise
