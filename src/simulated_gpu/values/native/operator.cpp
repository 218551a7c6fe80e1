// Runs PyTorch's own code of an operator, and has the values computed if it launched anything.
#include "operator.h"

#include "assertions.h"
#include "below.h"
#include "devices.h"
#include "errors.h"
#include "graphs.h"
#include "host.h"
#include "overloads.h"
#include "pauses.h"
#include "runtime.h"


namespace simulated_gpu {
namespace {

// Launches of this thread whose values are computed already. An operator that calls others counts only its own.
thread_local uint64_t computed_launches = 0;
thread_local int depth = 0;

struct Claim {
  Claim() {
    runtime::enter();
    if (depth++ == 0)
      computed_launches = runtime::launched();
    before = open();
  }
  ~Claim() {
    --depth;
    runtime::leave();
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  bool launched() const {
    return open() != before;
  }
  void settle() const {
    computed_launches = runtime::launched() - before;
  }

 private:
  static uint64_t open() {
    return runtime::launched() - computed_launches;
  }
  uint64_t before;
};

// Whether an outer operator computes all results itself.
thread_local bool idle = false;

struct Idle {
  explicit Idle(bool now) : before(idle) {
    idle = now;
  }
  ~Idle() {
    idle = before;
  }
  Idle(const Idle&) = delete;
  Idle& operator=(const Idle&) = delete;

 private:
  bool before;
};

struct Promise {
  Promise(Foresee foresee, const Arguments& arguments) : made(foresee != nullptr) {
    if (made)
      foresee(arguments);
  }
  ~Promise() {
    if (made)
      runtime::forget_reads();
  }
  Promise(const Promise&) = delete;
  Promise& operator=(const Promise&) = delete;

 private:
  bool made;
};

// An error that names a kernel of the CPU's is not what a GPU says.
void refuse_the_cpus_error(const Operator& op, const c10::Error& error) {
  std::string message = error.what_without_backtrace();
  if (message.find("_cpu\"") != std::string::npos)
    throw NotSimulated(op.name() + ": the simulated GPU cannot compute its values (" + message + ").");
}

std::vector<size_t> written_arguments(const c10::FunctionSchema& schema) {
  std::vector<size_t> written;
  for (size_t i = 0; i < schema.arguments().size(); ++i) {
    const auto* alias = schema.arguments()[i].alias_info();
    if (alias && alias->isWrite())
      written.push_back(i);
  }
  return written;
}

bool returns_a_number(const c10::FunctionSchema& schema) {
  for (const auto& result : schema.returns()) {
    auto kind = result.type()->kind();
    if (kind == c10::TypeKind::BoolType || kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType ||
        kind == c10::TypeKind::NumberType)
      return true;
  }
  return false;
}

} // namespace

Operator::Operator(c10::OperatorHandle handle, c10::DispatchKey key, Special special)
    : handle_(handle),
      original_(handle.getComputedKernelForDispatchKey(key)),
      special_(special),
      written_(written_arguments(handle.schema())),
      reads_what_it_writes_(!written_.empty() && !leaves_its_inputs(handle.schema())),
      answers_(!special_.compute && returns_a_number(handle.schema())),
      into_(written_.empty() ? overload_into(handle) : std::nullopt) {}

const c10::IValue& Call::argument(std::string_view name) const {
  const auto& schema = op.schema().arguments();
  for (size_t i = 0; i < schema.size(); ++i)
    if (schema[i].name() == name)
      return arguments[i];
  TORCH_INTERNAL_ASSERT(false, op.name(), " has no argument ", std::string(name));
}

at::Tensor Call::host(std::string_view name) const {
  const auto& value = argument(name);
  return value.isNone() ? at::Tensor() : host_view(value.toTensor());
}

at::Tensor Call::result(size_t index) const {
  return host_view(results[index].toTensor());
}

std::string Operator::name() const {
  return c10::toString(handle_.operator_name());
}

void Operator::original(c10::DispatchKeySet keys, Stack* stack) const {
  original_.callBoxed(handle_, keys, stack);
}

bool Operator::draws(const Arguments& arguments) const {
  if (!special_.random)
    return false;
  auto chance = schema().argumentIndexWithName("dropout_p");
  return !chance || arguments[*chance].toDouble() > 0;
}

// What PyTorch's own code may overwrite before the values are computed: the arguments that the operator both reads and
// writes.
Arguments Operator::save(const Arguments& arguments) const {
  Arguments saved;
  if (!reads_what_it_writes_)
    return saved;
  for (size_t i : written_)
    saved.push_back(map_tensors(arguments[i], [](const at::Tensor& tensor) {
      bool plain = tensor.defined() && tensor.is_cuda() && tensor.layout() == at::kStrided;
      return plain ? host_view(tensor).clone() : at::Tensor();
    }));
  return saved;
}

void Operator::restore(const Arguments& arguments, const Arguments& saved) const {
  for (size_t k = 0; k < saved.size(); ++k) {
    std::vector<at::Tensor> now;
    map_tensors(arguments[written_[k]], [&](const at::Tensor& tensor) {
      now.push_back(tensor);
      return tensor;
    });
    size_t next = 0;
    map_tensors(saved[k], [&](const at::Tensor& before) {
      const auto& tensor = now[next++];
      if (before.defined() && before.sizes() == tensor.sizes() && before.dtype() == tensor.dtype())
        host_view(tensor).copy_(before);
      return before;
    });
  }
}

// Leaves results on the GPU where the arguments are.
void Operator::replace(Stack* stack, const Philox& random) const {
  Below below;
  auto arguments = torch::jit::pop(*stack, schema().arguments().size());
  auto results = results_of(arguments, special_.replace(Call{*this, arguments, {}, random}));
  if (graphs::capturing(arguments))
    graphs::record(Call{*this, arguments, results, {}}, [](const Call& call) { call.op.replay(call); });
  for (auto& result : results)
    stack->push_back(std::move(result));
}

void Operator::replay(const Call& call) const {
  Below below;
  auto made = special_.replace(call);
  for (size_t i = 0; i < made.size(); ++i) {
    std::vector<at::Tensor> targets;
    map_tensors(call.results[i], [&](const at::Tensor& target) { return targets.emplace_back(target); });
    size_t next = 0;
    map_tensors(made[i], [&](const at::Tensor& value) {
      if (const auto& target = targets[next++]; target.defined())
        host_view(target).copy_(value);
      return value;
    });
  }
}

// An argument that was written is its own result; other results get memory on the GPU.
Arguments Operator::results_of(const Arguments& arguments, const Arguments& made) const {
  auto device = gpu_of(arguments);
  Arguments results;
  for (size_t i = 0, next = 0; i < schema().returns().size(); ++i) {
    const auto* alias = schema().returns()[i].alias_info();
    if (alias && alias->isWrite())
      results.push_back(arguments[written_[next++]]);
    else
      results.push_back(map_tensors(made[i], [&](const at::Tensor& host) { return on_gpu(host, device); }));
  }
  return results;
}

void Operator::call(c10::DispatchKeySet keys, Stack* stack) const {
  if (idle || runtime::probing()) {
    original(keys, stack);
    return;
  }
  if (runtime::failed() && (special_.replace || special_.foresee))
    raise_failure(); // others launch, and are told so
  if (runtime::shapes_only()) {
    call_without_values(keys, stack);
    return;
  }
  auto count = schema().arguments().size();
  Arguments arguments(stack->end() - count, stack->end());
  if (special_.replace)
    devices::check(*this, keys, arguments);
  Claim claim;
  auto busy = pauses::busy_stream(arguments);
  if (busy && (answers_ || !pauses::can_wait(special_, reads_what_it_writes_, arguments))) {
    // PyTorch's own code waits where it reads a result; else a real GPU would go on.
    special_.foresee || answers_ ? runtime::finish(*busy) : runtime::hurry(name().c_str());
    busy.reset();
  }
  bool random = draws(arguments);
  bool captured = graphs::capturing(arguments);
  if (random && captured && special_.replace)
    throw NotSimulated(
        name() + " in a CUDA graph: the simulated GPU does not know the random numbers that a replay draws. Draw them "
        "before the capture, or run this on a real GPU.");
  auto state = random && !captured ? Philox::next(arguments, schema()) : Philox{};
  auto state_of_replay = random && captured ? CapturedPhilox::next(arguments, schema()) : CapturedPhilox{};
  if (special_.replace) {
    runtime::bind_context();
    if (special_.foresee)
      special_.foresee(arguments);
    try {
      replace(stack, state);
    } catch (const c10::Error& error) {
      devices::raise_own_error(*this, keys, arguments);
      refuse_the_cpus_error(*this, error);
      throw;
    }
    claim.settle();
    return;
  }
  auto saved = save(arguments);
  devices::Strangers strangers(arguments);
  Promise promise(special_.foresee, arguments);
  {
    Idle within(special_.alone);
    original(keys, stack);
  }
  if (!claim.launched())
    return;
  strangers.refuse(*this, arguments);
  auto results = torch::jit::last(*stack, schema().returns().size());
  Call call{*this, arguments, results, state};
  auto compute = special_.compute ? special_.compute : compute_on_cpu;
  if (captured) {
    graphs::record(call, compute, state_of_replay);
  } else if (busy) {
    pauses::put_off(*busy, call, compute);
  } else {
    restore(arguments, saved);
    compute(call);
  }
  claim.settle();
}

} // namespace simulated_gpu
