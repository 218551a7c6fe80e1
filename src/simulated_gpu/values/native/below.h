// The state under which values are computed: below autograd and autocast, unseen by profilers and by Python's modes, without
// a second warning. What a graph replays, or a wait does, is not what the program calls then.
#pragma once

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <optional>

namespace simulated_gpu {

struct Silence : c10::WarningHandler {
  void process(const c10::Warning&) override {}
};

struct Below {
  at::AutoDispatchBelowADInplaceOrView autograd;
  c10::impl::ExcludeDispatchKeyGuard modes{c10::autocast_dispatch_keyset | c10::DispatchKeySet({
      c10::DispatchKey::Python,
      c10::DispatchKey::PythonTLSSnapshot,
      c10::DispatchKey::PythonDispatcher,
      c10::DispatchKey::Functionalize,
      c10::DispatchKey::FuncTorchDynamicLayerFrontMode,
      c10::DispatchKey::FuncTorchDynamicLayerBackMode,
  })};
  std::optional<at::DisableRecordFunctionGuard> profiler; // costs more than the rest, so only where one looks
  Silence silence;
  c10::WarningUtils::WarningHandlerGuard warnings{&silence};

  Below() {
    if (at::hasCallbacks())
      profiler.emplace();
  }
};

} // namespace simulated_gpu
