// Appends operators to the graph that a stream is captured into.
#include "graphs.h"

#include "host.h"
#include "runtime.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/VirtualGuardImpl.h>

// PyTorch's class, whose header needs CUDA's own. Stream::native_handle(), which does not, came with 2.10.
namespace c10::cuda {
class CUDAStream {
 public:
  explicit CUDAStream(c10::Stream stream) : stream_(stream) {}
  void* stream() const;

 private:
  c10::Stream stream_;
};
} // namespace c10::cuda

namespace simulated_gpu::graphs {
namespace {

struct Node {
  const Operator& op;
  Arguments arguments, results;
  void (*compute)(const Call&);
  CapturedPhilox random;
  runtime::Launches launches;
};

void run(void* data) {
  const auto& node = *static_cast<const Node*>(data);
  // The thread that replays may be within a mode of PyTorch's that changes what operators do.
  c10::impl::ForceDispatchKeyGuard plain(c10::default_included_set, c10::default_excluded_set);
  auto before = runtime::last_launches();
  runtime::set_last_launches(node.launches);
  node.compute(Call{node.op, node.arguments, node.results, node.random.now()});
  runtime::set_last_launches(before);
}

void drop(void* data) {
  delete static_cast<Node*>(data);
}

} // namespace

const void* current_stream(at::Device gpu) {
  const auto* stream = c10::cuda::CUDAStream(c10::impl::VirtualGuardImpl(at::kCUDA).getStream(gpu)).stream();
  return stream ? stream : runtime::default_stream(gpu.index());
}

bool capturing(const Arguments& arguments) {
  return runtime::ever_captured() && runtime::capturing(current_stream(gpu_of(arguments)));
}

void record(const Call& call, void (*compute)(const Call&), const CapturedPhilox& random) {
  auto* node = new Node{
      call.op, all_taken_along(call.arguments), all_taken_along(call.results), compute, random, runtime::last_launches()};
  runtime::append(current_stream(gpu_of(call.arguments)), run, drop, node);
}

} // namespace simulated_gpu::graphs
