// The table of operators that need more than the CPU's kernel of the same name.
#include "special.h"

#include "attention.h"
#include "bags.h"
#include "ctc.h"
#include "cudnn.h"
#include "elementwise.h"
#include "foresee.h"
#include "linear.h"
#include "norms.h"
#include "random.h"
#include "recurrent.h"
#include "whole.h"

#include <ATen/core/enum_tag.h>

#include <unordered_map>

namespace simulated_gpu {
namespace {

Special computed(Compute compute) {
  return {compute, nullptr, nullptr};
}

Special computed_alone(Compute compute) {
  return {compute, nullptr, nullptr, false, true};
}

Special replaced(Replace replace) {
  return {nullptr, replace, nullptr};
}

Special foreseen(Foresee foresee) {
  return {nullptr, nullptr, foresee};
}

Special drawn(Compute compute) {
  return {compute, nullptr, nullptr, true};
}

using Table = std::unordered_map<std::string, Special>;

const Table& table() {
  static const Table made = {
      {"aten::nonzero", foreseen(foresee_nonzero)},
      {"aten::nonzero.out", foreseen(foresee_nonzero)},
      {"aten::cholesky", foreseen(foresee_success)},

      {"aten::_assert_async", computed(elementwise::assert_value)},
      {"aten::_assert_async.msg", computed(elementwise::assert_value)},

      {"aten::_nested_tensor_from_mask", replaced(whole::on_the_cpu)},
      {"aten::_nested_from_padded", replaced(whole::on_the_cpu)},

      {"aten::mode", replaced(whole::on_the_cpu)},
      {"aten::mode.values", replaced(whole::mode_into)},
      {"aten::_unique", {nullptr, whole::on_the_cpu, wait_for_a_length}},
      {"aten::_unique2", {nullptr, whole::on_the_cpu, wait_for_a_length}},
      {"aten::unique_dim", replaced(whole::on_the_cpu)},
      {"aten::unique_consecutive", {nullptr, whole::on_the_cpu, wait_for_a_length}},
      {"aten::unique_dim_consecutive", replaced(whole::on_the_cpu)},
      {"aten::geqrf", replaced(whole::on_the_cpu)},
      {"aten::linalg_qr", replaced(whole::on_the_cpu)},
      {"aten::linalg_lstsq.out", computed(linear::least_squares)},
      {"aten::linalg_lu_factor_ex", computed(linear::lu_factor)},
      {"aten::linalg_lu_factor_ex.out", computed(linear::lu_factor)},

      {"aten::cudnn_convolution", replaced(cudnn::convolution)},
      {"aten::cudnn_convolution_relu", replaced(cudnn::convolution_relu)},
      {"aten::cudnn_convolution_add_relu", replaced(cudnn::convolution_add_relu)},
      {"aten::cudnn_convolution_transpose", replaced(cudnn::convolution_transpose)},
      {"aten::convolution_backward", replaced(cudnn::convolution_backward)},
      {"aten::_conv_depthwise2d", computed(cudnn::depthwise)},
      {"aten::conv_depthwise3d", computed(cudnn::depthwise)},
      {"aten::cudnn_batch_norm", replaced(cudnn::batch_norm)},
      {"aten::cudnn_batch_norm_backward", replaced(cudnn::batch_norm_backward)},
      {"aten::cudnn_grid_sampler", replaced(cudnn::grid_sampler)},
      {"aten::cudnn_grid_sampler_backward", replaced(cudnn::grid_sampler_backward)},
      {"aten::cudnn_affine_grid_generator", replaced(cudnn::affine_grid)},
      {"aten::cudnn_affine_grid_generator_backward", replaced(cudnn::affine_grid_backward)},

      {"aten::_cudnn_ctc_loss", computed(ctc::cudnn)},
      {"aten::_cudnn_ctc_loss.Tensor", computed(ctc::cudnn)},

      {"aten::native_batch_norm", computed(norms::batch)},
      {"aten::_native_batch_norm_legit", computed(norms::batch)},
      {"aten::_native_batch_norm_legit.no_stats", computed(norms::batch)},
      {"aten::_batch_norm_with_update", computed(norms::batch)},
      {"aten::batch_norm_stats", computed(norms::batch_stats)},
      {"aten::batch_norm_elemt", computed(norms::batch_elements)},
      {"aten::batch_norm_gather_stats", computed(norms::batch_gather)},
      {"aten::batch_norm_gather_stats_with_counts", computed(norms::batch_gather)},
      {"aten::batch_norm_backward_reduce", computed(norms::batch_backward_reduce)},
      {"aten::batch_norm_backward_elemt", computed(norms::batch_backward_elements)},
      {"aten::_fused_rms_norm_backward", computed(norms::rms_backward)},

      {"aten::log_sigmoid_backward", computed(elementwise::log_sigmoid_backward)},
      {"aten::histc", computed(elementwise::histogram)},
      {"aten::histc.out", computed(elementwise::histogram)},
      {"aten::nansum", computed(elementwise::sum_without_nan)},
      {"aten::nansum.out", computed(elementwise::sum_without_nan)},
      {"aten::_softmax", computed(elementwise::softmax)},
      {"aten::_softmax.out", computed(elementwise::softmax)},
      {"aten::_softmax_backward_data", computed(elementwise::softmax_backward)},
      {"aten::_softmax_backward_data.out", computed(elementwise::softmax_backward)},
      {"aten::_log_softmax", computed(elementwise::softmax)},
      {"aten::_log_softmax.out", computed(elementwise::softmax)},
      {"aten::_log_softmax_backward_data", computed(elementwise::softmax_backward)},
      {"aten::_log_softmax_backward_data.out", computed(elementwise::softmax_backward)},
      {"aten::_masked_scale", computed(elementwise::masked_scale)},
      {"aten::mm.dtype", computed(elementwise::product_in_dtype)},
      {"aten::mm.dtype_out", computed(elementwise::product_in_dtype)},
      {"aten::bmm.dtype", computed(elementwise::product_in_dtype)},
      {"aten::bmm.dtype_out", computed(elementwise::product_in_dtype)},
      {"aten::addmm.dtype", computed(elementwise::product_in_dtype)},
      {"aten::addmm.dtype_out", computed(elementwise::product_in_dtype)},
      {"aten::baddbmm.dtype", computed(elementwise::product_in_dtype)},
      {"aten::baddbmm.dtype_out", computed(elementwise::product_in_dtype)},

      {"aten::_embedding_bag", computed(bags::forward)},
      {"aten::_embedding_bag_forward_only", computed(bags::forward)},

      {"aten::_efficient_attention_forward", drawn(attention::efficient_forward)},
      {"aten::_efficient_attention_backward", computed(attention::efficient_backward)},
      {"aten::_flash_attention_forward", drawn(attention::flash_forward)},
      {"aten::_flash_attention_backward", computed(attention::flash_backward)},
      {"aten::_cudnn_attention_forward", {nullptr, attention::cudnn_forward, nullptr, true}},
      {"aten::_cudnn_attention_backward", replaced(attention::cudnn_backward)},

      {"aten::cudnn_is_acceptable", replaced(recurrent::cudnn_does_not_suit)},
      {"aten::_cudnn_rnn_flatten_weight", replaced(recurrent::flatten)},
      {"aten::_thnn_fused_lstm_cell", computed(recurrent::lstm_cell)},
      {"aten::_thnn_fused_lstm_cell_backward_impl", computed_alone(recurrent::lstm_cell_backward)},
      {"aten::_thnn_fused_gru_cell", computed(recurrent::gru_cell)},
      {"aten::_thnn_fused_gru_cell_backward", computed_alone(recurrent::gru_cell_backward)},

      {"aten::uniform_", drawn(random::uniform)},
      {"aten::normal_", drawn(random::normal)},
      {"aten::normal.Tensor_float", drawn(random::normal_around)},
      {"aten::normal.float_Tensor", drawn(random::normal_around)},
      {"aten::normal.Tensor_Tensor", drawn(random::normal_around)},
      {"aten::normal.Tensor_float_out", drawn(random::normal_around)},
      {"aten::normal.float_Tensor_out", drawn(random::normal_around)},
      {"aten::normal.Tensor_Tensor_out", drawn(random::normal_around)},
      {"aten::log_normal_", drawn(random::log_normal)},
      {"aten::exponential_", drawn(random::exponential)},
      {"aten::cauchy_", drawn(random::cauchy)},
      {"aten::geometric_", drawn(random::geometric)},
      {"aten::bernoulli_.float", drawn(random::bernoulli)},
      {"aten::bernoulli_.Tensor", drawn(random::bernoulli_tensor)},
      {"aten::random_", drawn(random::integers)},
      {"aten::random_.from", drawn(random::integers)},
      {"aten::random_.to", drawn(random::integers)},
      {"aten::randperm.generator_out", drawn(random::permutation)},
      {"aten::multinomial", drawn(random::multinomial)},
      {"aten::multinomial.out", drawn(random::multinomial)},
      {"aten::native_dropout", drawn(random::dropout)},
      {"aten::_fused_dropout", drawn(random::fused_dropout)},
      {"aten::rrelu_with_noise", drawn(random::rrelu)},
      {"aten::rrelu_with_noise_", drawn(random::rrelu)},
  };
  return made;
}

} // namespace

Special special(const c10::OperatorHandle& op) {
  auto found = table().find(c10::toString(op.operator_name()));
  if (found != table().end())
    return found->second;
  bool random = op.hasTag(at::Tag::nondeterministic_seeded);
  return random ? drawn(random::by_another_algorithm) : Special{};
}

} // namespace simulated_gpu
