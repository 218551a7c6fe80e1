// The state under which values are computed: below autograd and autocast, unseen by profilers, without a second warning.
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
  c10::impl::ExcludeDispatchKeyGuard autocast{c10::autocast_dispatch_keyset};
  std::optional<at::DisableRecordFunctionGuard> profiler; // costs more than the rest, so only where one looks
  Silence silence;
  c10::WarningUtils::WarningHandlerGuard warnings{&silence};

  Below() {
    if (at::hasCallbacks())
      profiler.emplace();
  }
};

} // namespace simulated_gpu
