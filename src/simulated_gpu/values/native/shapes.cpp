// Runs an operator where nothing is computed: PyTorch's own code allocates and launches, and that is all.
#include "below.h"
#include "devices.h"
#include "errors.h"
#include "host.h"
#include "operator.h"
#include "runtime.h"

namespace simulated_gpu {
namespace {

struct Claimed {
  Claimed() {
    runtime::enter();
    runtime::take_refusal(); // an older one, that the program caught
  }
  ~Claimed() {
    runtime::leave();
  }
  Claimed(const Claimed&) = delete;
  Claimed& operator=(const Claimed&) = delete;
};

[[noreturn]] void refuse(const std::string& op) {
  throw NotSimulated(
      op + " in " + users_line() + ": this reads a value from the GPU, and with --shapes-only nothing is computed. "
      "Leave it out of what you check (.item(), float(), print, if on a tensor, tensor.cpu(), an operator whose result's "
      "size depends on values), or run without --shapes-only.");
}

} // namespace

// An operator that is replaced runs on meta tensors, which have a shape and no memory: see host_view.
void Operator::call_without_values(c10::DispatchKeySet keys, Stack* stack) const {
  Claimed claimed;
  try {
    if (!special_.replace) {
      original(keys, stack);
      return;
    }
    runtime::bind_context();
    devices::check(*this, keys, Arguments(stack->end() - schema().arguments().size(), stack->end()));
    Below below;
    auto arguments = torch::jit::pop(*stack, schema().arguments().size());
    for (auto& result : results_of(arguments, special_.replace(Call{*this, arguments, {}, {}})))
      stack->push_back(std::move(result));
  } catch (const c10::NotImplementedError&) {
    if (special_.replace)
      refuse(name());
    throw;
  } catch (const c10::Error&) {
    if (runtime::take_refusal())
      refuse(name());
    throw;
  }
}

} // namespace simulated_gpu
