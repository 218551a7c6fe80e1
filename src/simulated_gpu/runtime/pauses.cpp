// Work behind a pause. Work is done when it is submitted, unless torch.cuda._sleep keeps the stream busy: then it waits in
// a line until something waits for it, as on a real GPU, where the pause is far longer than the calls behind it take.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>

#include "state.h"

namespace {

struct Work {
    double until;                // of a pause: the time when it is over by itself
    Line other;                  // of a wait: the line that it waits for, and the position
    uint64_t position;
    std::shared_ptr<Node> node;  // what is to be done
};

std::recursive_mutex line_lock;
std::atomic<int> busy{0};  // lines that are not empty

}  // namespace

struct Queue {
    std::deque<Work> work;
    uint64_t done = 0;
    bool doubtful = false;
};

namespace {

using Guard = std::lock_guard<std::recursive_mutex>;

void put(Queue &queue, Work work) {
    busy += queue.work.empty();
    queue.work.push_back(std::move(work));
}

// Does the work up to a position. If the host does not wait, it stops at a pause that is not over, and returns false.
bool proceed(const Line &line, uint64_t position, bool waits) {
    while (line->done < position) {
        Work work = line->work.front();
        if (!waits && work.until > now()) return false;
        if (work.other && !proceed(work.other, work.position, waits)) return false;
        line->work.pop_front();
        ++line->done;
        if (line->work.empty()) {
            --busy;
            line->doubtful = false;
        }
        if (work.node) work.node->run(work.node->data);
    }
    return true;
}

}  // namespace

Line new_line() { return std::make_shared<Queue>(); }

void pause(const Line &line, double seconds) {
    const char *blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
    if (blocking && *blocking == '1') return;
    Guard guard(line_lock);
    double start = line->work.empty() || line->work.back().until < now() ? now() : line->work.back().until;
    put(*line, {start + seconds, nullptr, 0, nullptr});
}

void do_in_line(const Line &line, std::shared_ptr<Node> work) {
    {
        Guard guard(line_lock);
        if (!line->work.empty()) return put(*line, {0, nullptr, 0, std::move(work)});
    }
    work->run(work->data);
}

void wait_in_line(const Line &line, const Line &other, uint64_t position) {
    Guard guard(line_lock);
    if (line != other && !proceed(other, position, false)) put(*line, {0, other, position, nullptr});
}

uint64_t end_of(const Line &line) {
    Guard guard(line_lock);
    return line->done + line->work.size();
}

bool is_done(const Line &line, uint64_t position) {
    Guard guard(line_lock);
    if (line->doubtful) simgpu_unsure("a question after an asynchronous copy from pageable memory");
    return proceed(line, position, false);
}

bool is_idle(const Line &line) {
    Guard guard(line_lock);
    return line->work.empty();
}

void finish(const Line &line, uint64_t position) {
    Guard guard(line_lock);
    proceed(line, position, true);
}

void finish(const Line &line) { finish(line, end_of(line)); }

void pass(const Line &line) {
    Guard guard(line_lock);
    proceed(line, end_of(line), false);
}

void doubt(const Line &line) {
    Guard guard(line_lock);
    line->doubtful = !line->work.empty();
}

EXPORT int simgpu_anything_pending(void) { return busy.load(std::memory_order_relaxed) > 0; }
EXPORT int simgpu_pending(const void *stream) {
    Line line = simgpu_anything_pending() ? line_of(stream) : nullptr;
    return line && !is_idle(line);
}
EXPORT void simgpu_put_off(const void *stream, void (*run)(void *), void (*drop)(void *), void *data) {
    do_in_line(line_of(stream), std::make_shared<Node>(run, drop, data));
}
EXPORT void simgpu_finish(const void *stream) { finish(line_of(stream)); }
EXPORT void simgpu_hurry(const char *what) {
    pass_all();
    if (!simgpu_anything_pending()) return;
    simgpu_unsure((std::string(what) + " behind a pause").c_str());
    finish_all();
}
