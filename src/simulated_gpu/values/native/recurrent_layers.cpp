// Looks at the arguments of recurrent layers before PyTorch takes the layers apart. A real GPU gives them to cuDNN.
#include "recurrent_layers.h"

#include "below.h"
#include "operator.h"
#include "unsure.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <memory>
#include <vector>

// PyTorch's own answer, whose place under the CUDA key ours has.
namespace at::native {
bool cudnn_is_acceptable(const at::Tensor& self);
}

namespace simulated_gpu {
namespace {

class Layers : public c10::OperatorKernel {
 public:
  Layers(c10::OperatorHandle handle, c10::DispatchKey key)
      : handle_(handle), original_(handle.getComputedKernelForDispatchKey(key)) {}

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet keys, Stack* stack) {
    if (cudnn_draws(*stack))
      note_unsure(c10::toString(handle_.operator_name()));
    if (cudnn_suits(*stack))
      check_states(argument(*stack, "hx"));
    bool forward_only = cudnn_evaluates(*stack);
    original_.callBoxed(handle_, keys, stack);
    if (forward_only)
      refuse_backward(*stack);
  }

 private:
  const c10::IValue& argument(const Stack& stack, const char* name) const {
    const auto& schema = handle_.schema();
    return stack[stack.size() - schema.arguments().size() + *schema.argumentIndexWithName(name)];
  }

  bool cudnn_draws(const Stack& stack) const {
    auto chance = argument(stack, "dropout").toDouble();
    return at::globalContext().userEnabledCuDNN() && argument(stack, "train").toBool() && chance > 0 && chance < 1 &&
        argument(stack, "num_layers").toInt() > 1;
  }

  bool cudnn_suits(const Stack& stack) const {
    return at::native::cudnn_is_acceptable(stack[stack.size() - handle_.schema().arguments().size()].toTensor());
  }

  // cuDNN reads the state of an RNN or GRU, and both of an LSTM, as they lie.
  static void check_states(const c10::IValue& given) {
    auto states = given.isTensor() ? std::vector<at::Tensor>{given.toTensor()} : given.toTensorVector();
    for (size_t i = 0; i < states.size(); ++i) // PyTorch's own text
      TORCH_CHECK(
          !states[i].is_cuda() || states[i].is_contiguous(), "rnn: ", i == 0 ? "hx" : "cx", " is not contiguous");
  }

  // In evaluation cuDNN keeps nothing for a backward pass.
  bool cudnn_evaluates(const Stack& stack) const {
    return c10::GradMode::is_enabled() && !argument(stack, "train").toBool() && cudnn_suits(stack);
  }

  void refuse_backward(const Stack& stack) const {
    for (const auto& result : torch::jit::last(stack, handle_.schema().returns().size()))
      if (result.toTensor().requires_grad())
        result.toTensor().register_hook([](const at::Tensor&) {
          TORCH_CHECK(false, "cudnn RNN backward can only be called in training mode"); // PyTorch's own text
        });
  }

  c10::OperatorHandle handle_;
  c10::SafeKernelFunction original_;
};

void look_at(const c10::OperatorHandle& handle, c10::DispatchKey key) {
  auto kernel = c10::KernelFunction::makeFromBoxedFunctor(std::make_unique<Layers>(handle, key));
  auto registration = c10::Dispatcher::singleton().registerImpl(
      handle.operator_name(), key, std::move(kernel), std::nullopt, nullptr, "simulated_gpu");
  new c10::RegistrationHandleRAII(std::move(registration)); // kept for the life of the process
}

} // namespace

void note_dropout_between_layers() {
  Silence silence; // PyTorch warns that kernels are replaced
  c10::WarningUtils::WarningHandlerGuard guard(&silence);
  for (const char* name : {"aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu"})
    for (const char* overload : {"input", "data"}) {
      auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
      for (auto key : {c10::DispatchKey::AutogradCUDA, c10::DispatchKey::CUDA})
        look_at(handle, key);
    }
}

} // namespace simulated_gpu
