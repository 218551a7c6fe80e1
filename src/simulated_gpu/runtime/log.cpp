// What happened: the events, their counts, who promised to compute what is launched, and the report of waits and copies.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "state.h"

namespace {

constexpr size_t KEPT = 4096;

std::mutex log_lock;
std::vector<simgpu_event> ring(KEPT);
uint64_t total = 0;
std::atomic<uint64_t> counts[SIMGPU_KINDS];
std::atomic<uint64_t> unclaimed{0};
std::atomic<bool> refusing{true};
struct Listener {
    simgpu_listener call;
    void *data;
};
constexpr int MOST_LISTENERS = 8;
Listener listeners[MOST_LISTENERS];
std::atomic<int> listening{0};

// Python's report: called for launches, copies, waits and nothing else. It takes Python's lock, and allocations and
// frees happen while PyTorch's allocator holds its own.
using Reporter = void (*)(int kind, const char *what, size_t bytes, int direction, int pinned, int blocking);
std::atomic<Reporter> reporter{nullptr};

bool is_reported(int kind) {
    return kind == SIMGPU_LAUNCH || kind == SIMGPU_LIBRARY_CALL || kind == SIMGPU_GRAPH_LAUNCH || kind == SIMGPU_COPY ||
           kind == SIMGPU_WAIT;
}

thread_local int depth = 0;
thread_local uint64_t launched = 0;
thread_local std::string refusal;
thread_local bool refused = false;

}  // namespace

double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

void note(simgpu_event event) {
    event.seconds = now();
    event.device = current_device();
    event.claimed = depth > 0;
    counts[event.kind].fetch_add(1, std::memory_order_relaxed);
    {
        std::lock_guard<std::mutex> guard(log_lock);
        event.number = ++total;
        ring[(total - 1) % KEPT] = event;
    }
    int number = listening.load(std::memory_order_acquire);
    for (int i = 0; i < number; ++i) listeners[i].call(&event, listeners[i].data);
    Reporter report = is_reported(event.kind) ? reporter.load(std::memory_order_acquire) : nullptr;
    if (report) report(event.kind, event.what, event.bytes, event.direction, event.pinned, event.blocking);
}

void refuse(const char *what) {
    refusal = what;
    refused = true;
}

const char *last_refusal() { return refused ? refusal.c_str() : nullptr; }

Status claim(int kind, const char *what, const void *stream) {
    simgpu_event event{};
    event.kind = kind;
    event.what = what;
    event.stream = stream_id(stream);
    note(event);
    ++launched;
    if (depth > 0) return SUCCESS;
    unclaimed.fetch_add(1, std::memory_order_relaxed);
    if (!refusing.load()) return SUCCESS;
    refuse(what);
    return NOT_SUPPORTED;
}

EXPORT void simgpu_enter(void) { ++depth; }
EXPORT void simgpu_leave(void) { --depth; }
EXPORT int simgpu_depth(void) { return depth; }
EXPORT uint64_t simgpu_launched(void) { return launched; }
EXPORT int simgpu_refuse_unclaimed(int on) { return refusing.exchange(on != 0); }

EXPORT const char *simgpu_take_refusal(void) {
    if (!refused) return nullptr;
    refused = false;
    return refusal.c_str();
}

EXPORT void simgpu_unsure(const char *what) {
    const char *path = std::getenv("SIMULATED_GPU_UNSURE");
    if (!path || !*path) return;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    std::string line = std::string(what) + "\n";
    // one write, so that lines of several processes do not mix; a full disk loses the line
    [[maybe_unused]] ssize_t written = write(file, line.data(), line.size());
    close(file);
}

EXPORT int simgpu_listen(simgpu_listener listener, void *user) {
    std::lock_guard<std::mutex> guard(log_lock);
    int number = listening.load();
    if (number == MOST_LISTENERS) return 1;
    listeners[number] = {listener, user};
    listening.store(number + 1, std::memory_order_release);
    return 0;
}

EXPORT void simgpu_report_to(Reporter to) { reporter.store(to, std::memory_order_release); }

EXPORT uint64_t simgpu_count(int kind) { return kind > 0 && kind < SIMGPU_KINDS ? counts[kind].load() : 0; }
EXPORT uint64_t simgpu_unclaimed(void) { return unclaimed; }

EXPORT size_t simgpu_recent(simgpu_event *events, size_t most) {
    std::lock_guard<std::mutex> guard(log_lock);
    size_t number = std::min({size_t(total), KEPT, most});
    for (size_t i = 0; i < number; ++i) events[i] = ring[(total - number + i) % KEPT];
    return number;
}

// For the stubs of the other libraries: notes a call, and returns 0, or 1 if it is refused.
EXPORT int simgpu_library_call(const char *what) { return claim(SIMGPU_LIBRARY_CALL, what, nullptr) != SUCCESS; }
EXPORT int simgpu_refused(const char *what) {
    refuse(what);
    return 1;
}
