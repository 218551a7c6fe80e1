// The table of operators that need more than the CPU's kernel of the same name.
#include "special.h"

#include "attention.h"
#include "cudnn.h"
#include "foresee.h"

#include <unordered_map>

namespace simulated_gpu {
namespace {

Special computed(Compute compute) {
  return {compute, nullptr, nullptr};
}

Special replaced(Replace replace) {
  return {nullptr, replace, nullptr};
}

Special foreseen(Foresee foresee) {
  return {nullptr, nullptr, foresee};
}

} // namespace

Special special(const c10::OperatorName& name) {
  static const std::unordered_map<std::string, Special> table = {
      {"aten::nonzero", foreseen(foresee_nonzero)},
      {"aten::nonzero.out", foreseen(foresee_nonzero)},

      {"aten::cudnn_convolution", replaced(cudnn::convolution)},
      {"aten::cudnn_convolution_relu", replaced(cudnn::convolution_relu)},
      {"aten::cudnn_convolution_add_relu", replaced(cudnn::convolution_add_relu)},
      {"aten::cudnn_convolution_transpose", replaced(cudnn::convolution_transpose)},
      {"aten::convolution_backward", replaced(cudnn::convolution_backward)},
      {"aten::cudnn_batch_norm", replaced(cudnn::batch_norm)},
      {"aten::cudnn_batch_norm_backward", replaced(cudnn::batch_norm_backward)},
      {"aten::cudnn_grid_sampler", replaced(cudnn::grid_sampler)},
      {"aten::cudnn_grid_sampler_backward", replaced(cudnn::grid_sampler_backward)},
      {"aten::cudnn_affine_grid_generator", replaced(cudnn::affine_grid)},
      {"aten::cudnn_affine_grid_generator_backward", replaced(cudnn::affine_grid_backward)},

      {"aten::_efficient_attention_forward", computed(attention::efficient_forward)},
      {"aten::_efficient_attention_backward", computed(attention::efficient_backward)},
      {"aten::_flash_attention_forward", computed(attention::flash_forward)},
      {"aten::_flash_attention_backward", computed(attention::flash_backward)},
  };
  auto found = table.find(c10::toString(name));
  return found == table.end() ? Special{} : found->second;
}

} // namespace simulated_gpu
