// What happened: the events, their counts, and who listens.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <string>

#include "state.h"

namespace {

constexpr size_t KEPT = 4096;

std::mutex log_lock;
std::vector<simgpu_event> ring(KEPT);
uint64_t total = 0;
std::atomic<uint64_t> counts[SIMGPU_KINDS];
struct Listener {
    simgpu_listener call;
    void *data;
};
constexpr int MOST_LISTENERS = 8;
Listener listeners[MOST_LISTENERS];
std::atomic<int> listening{0};

// Python's listener: it is called for the kinds that it asks for alone, as each call waits for Python's lock. Never ask
// for SIMGPU_ALLOCATE or SIMGPU_FREE: PyTorch's allocator holds a lock of its own there.
std::atomic<simgpu_listener> watcher{nullptr};
std::atomic<uint32_t> watched{0};

std::map<const void *, size_t> workspaces;  // that cuBLAS was given, by address

}  // namespace

double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

void note(simgpu_event event) {
    event.seconds = now();
    event.device = current_device();
    event.claimed = is_claimed();
    counts[event.kind].fetch_add(1, std::memory_order_relaxed);
    {
        std::lock_guard<std::mutex> guard(log_lock);
        event.number = ++total;
        ring[(total - 1) % KEPT] = event;
    }
    int number = listening.load(std::memory_order_acquire);
    for (int i = 0; i < number; ++i) listeners[i].call(&event, listeners[i].data);
    if (watched.load(std::memory_order_acquire) & (1u << event.kind)) watcher.load()(&event, nullptr);
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

EXPORT uint64_t simgpu_count(int kind) { return kind > 0 && kind < SIMGPU_KINDS ? counts[kind].load() : 0; }

EXPORT size_t simgpu_recent(simgpu_event *events, size_t most) {
    std::lock_guard<std::mutex> guard(log_lock);
    size_t number = std::min({size_t(total), KEPT, most});
    for (size_t i = 0; i < number; ++i) events[i] = ring[(total - number + i) % KEPT];
    return number;
}

// Calls Python's listener for the events of some kinds, one bit each; 0 ends that.
EXPORT void simgpu_watch(simgpu_listener listener, uint32_t kinds) {
    watched.store(0, std::memory_order_release);
    watcher.store(listener);
    watched.store(listener ? kinds : 0, std::memory_order_release);
}

EXPORT void simgpu_note_workspace(const void *address, size_t bytes) {
    std::lock_guard<std::mutex> guard(log_lock);
    if (address) workspaces[address] = bytes;
}
// Copies the addresses of the workspaces that cuBLAS was given so far, at most `most`. Returns how many.
EXPORT size_t simgpu_workspaces(const void **addresses, size_t most) {
    std::lock_guard<std::mutex> guard(log_lock);
    size_t number = 0;
    for (auto &workspace : workspaces)
        if (number < most) addresses[number++] = workspace.first;
    return number;
}
