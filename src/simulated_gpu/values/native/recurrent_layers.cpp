// Looks at the arguments of recurrent layers before PyTorch takes the layers apart.
#include "recurrent_layers.h"

#include "below.h"
#include "operator.h"
#include "unsure.h"

#include <ATen/Context.h>

#include <memory>

namespace simulated_gpu {
namespace {

class Layers : public c10::OperatorKernel {
 public:
  Layers(c10::OperatorHandle handle, c10::DispatchKey key)
      : handle_(handle), original_(handle.getComputedKernelForDispatchKey(key)) {}

  void operator()(const c10::OperatorHandle&, c10::DispatchKeySet keys, Stack* stack) {
    if (cudnn_draws(*stack))
      note_unsure(c10::toString(handle_.operator_name()));
    original_.callBoxed(handle_, keys, stack);
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
