// Looks at new operators when Python runs on: while a library registers them, the dispatcher is locked.
#include "libraries.h"

#include <Python.h>

#include <mutex>
#include <vector>

namespace simulated_gpu {
namespace {

std::mutex lock;
std::vector<c10::OperatorName> fresh;
bool started = false;
std::function<void(const c10::OperatorHandle&)> found;

// An operator of Python's calls others, which are computed. The dispatcher knows in which file a kernel was registered.
bool is_of_python(const c10::OperatorHandle& handle) {
  auto state = handle.dumpState();
  auto start = state.find("\nCUDA");
  auto line = start == std::string::npos ? "" : state.substr(start + 1, state.find('\n', start + 1) - start - 1);
  return line.find(".py:") != std::string::npos;
}

int look(void*) {
  std::vector<c10::OperatorName> names;
  {
    std::lock_guard<std::mutex> guard(lock);
    names.swap(fresh);
  }
  for (const auto& name : names) {
    auto handle = c10::Dispatcher::singleton().findSchema(name);
    if (handle && handle->hasKernelForDispatchKey(c10::DispatchKey::CUDA) && !is_of_python(*handle))
      found(*handle);
  }
  return 0;
}

struct Listener : c10::OpRegistrationListener {
  void onOperatorRegistered(const c10::OperatorHandle& handle) override {
    std::lock_guard<std::mutex> guard(lock);
    if (!started)
      return;
    if (fresh.empty())
      Py_AddPendingCall(look, nullptr);
    fresh.push_back(handle.operator_name());
  }
  void onOperatorDeregistered(const c10::OperatorHandle&) override {}
};

} // namespace

void watch_libraries(std::function<void(const c10::OperatorHandle&)> call) {
  found = std::move(call);
  // It is told of what there is already, too.
  auto registration = c10::Dispatcher::singleton().addRegistrationListener(std::make_unique<Listener>());
  new c10::RegistrationHandleRAII(std::move(registration)); // kept for the life of the process
  std::lock_guard<std::mutex> guard(lock);
  started = true;
}

} // namespace simulated_gpu
