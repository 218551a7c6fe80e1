// Streams and events: their identity, the clock of events, what waits for what, and the rules of capture. All work is done
// when it is submitted, except behind a pause.
#include <atomic>
#include <cstring>
#include <map>
#include <unordered_map>

#include "state.h"

namespace {

struct Event {
    int device = 0;
    unsigned flags = 0;
    bool recorded = false;
    double time = 0;
    std::shared_ptr<Capture> capture;
    Line line;              // where it was recorded, and what was in the line before it
    uint64_t position = 0;
};

constexpr unsigned WITHOUT_TIMING = 2;  // of an event
constexpr unsigned NON_BLOCKING = 1;    // of a stream

std::unordered_map<const void *, std::unique_ptr<Stream>> streams;
std::unordered_map<const void *, std::unique_ptr<Event>> events;
std::map<int, Stream> default_streams;  // by device
uint64_t last_stream = 0, last_capture = 0;
std::atomic<bool> ever_captured{false};
int captures = 0;  // that forbid waiting and allocating: begun in global mode and not ended

constexpr int GLOBAL_MODE = 0, RELAXED_MODE = 2;
thread_local int thread_mode = GLOBAL_MODE;

bool is_default(const void *handle) { return reinterpret_cast<uintptr_t>(handle) <= 2; }

Event *find_event(const void *handle) {
    auto found = events.find(handle);
    return found == events.end() ? nullptr : found->second.get();
}

void note_stream(int kind, const char *what, const void *stream, bool blocking) {
    simgpu_event event{};
    event.kind = kind;
    event.what = what;
    event.stream = stream_id(stream);
    event.blocking = blocking;
    note(event);
}

Status create_stream(const void **handle, unsigned flags, int priority) {
    if (Status status = usable()) return result(status);
    std::lock_guard<std::mutex> guard(lock);
    auto stream = std::make_unique<Stream>();
    stream->id = ++last_stream;
    stream->device = current_device();
    stream->flags = flags;
    if (!(flags & NON_BLOCKING)) stream->line = default_streams[stream->device].line;  // CUDA orders it with that
    stream->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *handle = stream.get();
    streams[*handle] = std::move(stream);
    return SUCCESS;
}

Status create_event(const void **handle, unsigned flags) {
    if (Status status = usable()) return result(status);
    std::lock_guard<std::mutex> guard(lock);
    auto event = std::make_unique<Event>();
    event->device = current_device();
    event->flags = flags;
    *handle = event.get();
    events[*handle] = std::move(event);
    return SUCCESS;
}

// A wait or a question is an error on a stream that is captured, and spoils the capture.
Status check_not_captured(const void *handle) {
    std::lock_guard<std::mutex> guard(lock);
    Stream *stream = find_stream(handle);
    if (!stream) return INVALID_HANDLE;
    if (!stream->capture) return SUCCESS;
    stream->capture->invalidated = true;
    return CAPTURE_UNSUPPORTED;
}

// The same for an event, of which it returns a copy.
Status check_event(const void *handle, Event &found) {
    std::lock_guard<std::mutex> guard(lock);
    Event *event = find_event(handle);
    if (!event) return INVALID_HANDLE;
    found = *event;
    return event->capture ? CAPTURED_EVENT : SUCCESS;
}

bool is_over(const Event &event) { return !event.recorded || is_done(event.line, event.position); }

std::vector<Line> lines_of(int device, bool all) {
    std::lock_guard<std::mutex> guard(lock);
    std::vector<Line> lines;
    for (auto &entry : default_streams)
        if (all || entry.first == device) lines.push_back(entry.second.line);
    for (auto &entry : streams)
        if (all || entry.second->device == device) lines.push_back(entry.second->line);
    return lines;
}

Status record(const void *handle, const void *stream_handle) {
    if (Status status = usable()) return result(status);
    {
        std::lock_guard<std::mutex> guard(lock);
        Event *event = find_event(handle);
        Stream *stream = find_stream(stream_handle);
        if (!event || !stream) return result(INVALID_HANDLE);
        if (event->device != stream->device) return result(INVALID_HANDLE);
        event->capture = stream->capture;
        event->recorded = true;
        event->time = now();
        event->line = stream->line;
        event->position = end_of(stream->line);
    }
    note_stream(SIMGPU_RECORD, "cudaEventRecord", stream_handle, false);
    return SUCCESS;
}

// Begins to record into a graph, a new one or the one that is given.
Status begin_capture(const void *handle, std::shared_ptr<Graph> graph, int mode) {
    std::lock_guard<std::mutex> guard(lock);
    Stream *stream = find_stream(handle);
    if (!stream) return INVALID_HANDLE;
    if (is_default(handle)) return CAPTURE_UNSUPPORTED;
    if (stream->capture) return CAPTURE_UNSUPPORTED;
    ever_captured = true;
    auto capture = std::make_shared<Capture>();
    capture->id = ++last_capture;
    capture->graph = graph;
    capture->origin = handle;
    capture->mode = mode;
    stream->capture = capture;
    captures += mode == GLOBAL_MODE;
    return SUCCESS;
}

}  // namespace

Stream *find_stream(const void *handle) {
    if (is_default(handle)) {
        Stream &stream = default_streams[current_device()];
        stream.device = current_device();
        return &stream;
    }
    auto found = streams.find(handle);
    if (found != streams.end()) return found->second.get();
    for (auto &entry : default_streams)
        if (&entry.second == handle) return &entry.second;
    return nullptr;
}

EXPORT int simgpu_ever_captured(void) { return ever_captured; }
EXPORT const void *simgpu_default_stream(int device) {
    std::lock_guard<std::mutex> guard(lock);
    Stream &stream = default_streams[device];
    stream.device = device;
    return &stream;
}

Line line_of(const void *handle) {
    std::lock_guard<std::mutex> guard(lock);
    Stream *stream = find_stream(handle);
    return stream ? stream->line : new_line();
}

void finish_device(int device) {
    if (!simgpu_anything_pending()) return;
    for (const Line &line : lines_of(device, false)) finish(line);
}
void finish_all() {
    if (!simgpu_anything_pending()) return;
    for (const Line &line : lines_of(0, true)) finish(line);
}
void pass_all() {
    if (!simgpu_anything_pending()) return;
    for (const Line &line : lines_of(0, true)) pass(line);
}

uint64_t stream_id(const void *handle) {
    std::lock_guard<std::mutex> guard(lock);
    Stream *stream = find_stream(handle);
    return stream ? stream->id : 0;
}

bool forbidden_by_capture() {
    if (captures == 0 || thread_mode == RELAXED_MODE) return false;
    for (auto &entry : streams)
        if (entry.second->capture && entry.second->capture->mode == GLOBAL_MODE) entry.second->capture->invalidated = true;
    return true;
}

std::shared_ptr<Capture> capture_of(const void *handle) {
    std::lock_guard<std::mutex> guard(lock);
    Stream *stream = find_stream(handle);
    return stream ? stream->capture : nullptr;
}

// -- Streams -----------------------------------------------------------------------------------------------------------

EXPORT Status cudaStreamCreate(const void **stream) { return create_stream(stream, 0, 0); }
EXPORT Status cudaStreamCreateWithFlags(const void **stream, unsigned flags) { return create_stream(stream, flags, 0); }
EXPORT Status cudaStreamCreateWithPriority(const void **stream, unsigned flags, int priority) {
    return create_stream(stream, flags, priority);
}
EXPORT Status cudaStreamDestroy(const void *stream) {
    if (Status status = alive()) return result(status);
    if (simgpu_anything_pending()) finish(line_of(stream));
    std::lock_guard<std::mutex> guard(lock);
    return result(streams.erase(stream) ? SUCCESS : INVALID_HANDLE);
}
EXPORT Status cudaStreamGetPriority(const void *handle, int *priority) {
    std::lock_guard<std::mutex> guard(lock);
    Stream *stream = find_stream(handle);
    if (!stream) return result(INVALID_HANDLE);
    *priority = stream->priority;
    return SUCCESS;
}

EXPORT Status cudaStreamSynchronize(const void *stream) {
    if (Status status = usable()) return result(status);
    if (probing()) return result(NOT_SUPPORTED);
    if (Status status = check_not_captured(stream)) return result(status);
    note_stream(SIMGPU_WAIT, "cudaStreamSynchronize", stream, true);
    finish(line_of(stream));
    return result(failed());
}
EXPORT Status cudaStreamQuery(const void *stream) {
    if (Status status = usable()) return result(status);
    if (Status status = check_not_captured(stream)) return result(status);
    note_stream(SIMGPU_QUERY, "cudaStreamQuery", stream, false);
    Line line = line_of(stream);
    return result(!is_done(line, end_of(line)) ? NOT_READY : failed());
}
EXPORT Status cudaDeviceSynchronize() {
    if (Status status = usable()) return result(status);
    if (probing()) return result(NOT_SUPPORTED);
    {
        std::lock_guard<std::mutex> guard(lock);
        if (forbidden_by_capture()) return result(CAPTURE_UNSUPPORTED);
    }
    note_stream(SIMGPU_WAIT, "cudaDeviceSynchronize", nullptr, true);
    finish_device(current_device());
    return result(failed());
}

EXPORT Status cudaStreamWaitEvent(const void *stream_handle, const void *event_handle, unsigned) {
    if (Status status = usable()) return result(status);
    Line line;
    Event awaited;
    {
        std::lock_guard<std::mutex> guard(lock);
        Stream *stream = find_stream(stream_handle);
        Event *event = find_event(event_handle);
        if (!stream || !event) return result(INVALID_HANDLE);
        if (event->capture && !is_default(stream_handle)) stream->capture = event->capture;  // it joins the capture
        line = stream->line;
        awaited = *event;
    }
    note_stream(SIMGPU_STREAM_WAIT, "cudaStreamWaitEvent", stream_handle, false);
    if (awaited.recorded && !awaited.capture) wait_in_line(line, awaited.line, awaited.position);
    return SUCCESS;
}

// -- Events ------------------------------------------------------------------------------------------------------------

EXPORT Status cudaEventCreate(const void **event) { return create_event(event, 0); }
EXPORT Status cudaEventCreateWithFlags(const void **event, unsigned flags) { return create_event(event, flags); }
EXPORT Status cudaEventDestroy(const void *event) {
    if (Status status = alive()) return result(status);
    std::lock_guard<std::mutex> guard(lock);
    return result(events.erase(event) ? SUCCESS : INVALID_HANDLE);
}
EXPORT Status cudaEventRecord(const void *event, const void *stream) { return record(event, stream); }
EXPORT Status cudaEventRecordWithFlags(const void *event, const void *stream, unsigned) {
    return record(event, stream);
}
EXPORT Status cudaEventQuery(const void *event) {
    if (Status status = usable()) return result(status);
    Event asked;
    if (Status status = check_event(event, asked)) return result(status);
    note_stream(SIMGPU_QUERY, "cudaEventQuery", nullptr, false);
    return result(!is_over(asked) ? NOT_READY : failed());
}
EXPORT Status cudaEventSynchronize(const void *event) {
    if (Status status = usable()) return result(status);
    if (probing()) return result(NOT_SUPPORTED);
    Event awaited;
    if (Status status = check_event(event, awaited)) return result(status);
    note_stream(SIMGPU_WAIT, "cudaEventSynchronize", nullptr, true);
    if (awaited.recorded) finish(awaited.line, awaited.position);
    return result(failed());
}
// The time that the CPU took, as work is done when it is submitted.
EXPORT Status cudaEventElapsedTime(float *milliseconds, const void *start_handle, const void *end_handle) {
    if (Status status = usable()) return result(status);
    std::lock_guard<std::mutex> guard(lock);
    Event *start = find_event(start_handle), *end = find_event(end_handle);
    if (!start || !end || !start->recorded || !end->recorded || start->device != end->device ||
        ((start->flags | end->flags) & WITHOUT_TIMING))
        return result(INVALID_HANDLE);
    if (!is_over(*start) || !is_over(*end)) return result(NOT_READY);
    *milliseconds = float((end->time - start->time) * 1e3);
    return SUCCESS;
}
EXPORT Status cudaEventElapsedTime_v2(float *milliseconds, const void *start, const void *end) {
    return cudaEventElapsedTime(milliseconds, start, end);
}

// -- Functions of the host in a stream -----------------------------------------------------------------------------------

namespace {

struct HostCall {
    void (*function)(void *);
    void *data;
};
void run_host_call(void *data) {
    auto *call = static_cast<HostCall *>(data);
    call->function(call->data);
}
void drop_host_call(void *data) { delete static_cast<HostCall *>(data); }

}  // namespace

EXPORT Status cudaLaunchHostFunc(const void *stream, void (*function)(void *), void *data) {
    if (Status status = usable()) return result(status);
    if (simgpu_capturing(stream))
        simgpu_graph_append(stream, run_host_call, drop_host_call, new HostCall{function, data});
    else {
        simgpu_hurry("cudaLaunchHostFunc");  // it may need Python's lock, which another thread holds while it waits
        function(data);
    }
    return SUCCESS;
}
EXPORT Status cudaStreamAddCallback(const void *stream, void (*function)(const void *, Status, void *), void *data,
                                    unsigned) {
    if (Status status = check_not_captured(stream)) return result(status);
    simgpu_hurry("cudaStreamAddCallback");
    function(stream, SUCCESS, data);
    return SUCCESS;
}

// -- Capture -----------------------------------------------------------------------------------------------------------

EXPORT int simgpu_capturing(const void *stream) { return capture_of(stream) != nullptr; }

EXPORT Status cudaThreadExchangeStreamCaptureMode(int *mode) {
    std::swap(*mode, thread_mode);
    return SUCCESS;
}

EXPORT Status cudaStreamIsCapturing(const void *handle, int *status) {
    if (Status unusable = usable()) return result(unusable);
    auto capture = capture_of(handle);
    *status = !capture ? 0 : capture->invalidated ? 2 : 1;
    return SUCCESS;
}

EXPORT Status cudaStreamBeginCapture(const void *stream, int mode) {
    return result(begin_capture(stream, std::make_shared<Graph>(), mode));
}
EXPORT Status cudaStreamBeginCaptureToGraph(const void *stream, std::shared_ptr<Graph> *graph, const void *,
                                            const void *, size_t, int mode) {
    return result(begin_capture(stream, *graph, mode));
}

EXPORT Status cudaStreamEndCapture(const void *handle, std::shared_ptr<Graph> **graph) {
    std::lock_guard<std::mutex> guard(lock);
    Stream *stream = find_stream(handle);
    if (graph) *graph = nullptr;
    if (!stream || !stream->capture || stream->capture->origin != handle) return result(CAPTURE_UNMATCHED);
    std::shared_ptr<Capture> ended = stream->capture;
    captures -= ended->mode == GLOBAL_MODE;
    for (auto &entry : streams)
        if (entry.second->capture == ended) entry.second->capture.reset();
    for (auto &entry : events)
        if (entry.second->capture == ended) entry.second->capture.reset();
    if (ended->invalidated) return result(CAPTURE_INVALIDATED);
    *graph = new std::shared_ptr<Graph>(ended->graph);
    return SUCCESS;
}

namespace {

Status capture_info(const void *stream, int *status, unsigned long long *id, size_t *dependencies) {
    auto capture = capture_of(stream);
    *status = !capture ? 0 : capture->invalidated ? 2 : 1;
    if (id) *id = capture ? capture->id : 0;
    if (dependencies) *dependencies = 0;
    return SUCCESS;
}

}  // namespace

// CUDA 13's form, with edges, and CUDA 12's. Nothing is said of graph and dependencies: a graph's nodes are one sequence.
EXPORT Status cudaStreamGetCaptureInfo(const void *stream, int *status, unsigned long long *id, void **graph,
                                       const void **dependencies, const void **edges, size_t *number) {
    if (graph) *graph = nullptr;
    if (dependencies) *dependencies = nullptr;
    if (edges) *edges = nullptr;
    return capture_info(stream, status, id, number);
}
EXPORT Status cudaStreamGetCaptureInfo_v3(const void *stream, int *status, unsigned long long *id, void **graph,
                                          const void **dependencies, const void **edges, size_t *number) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, edges, number);
}
EXPORT Status cudaStreamGetCaptureInfo_v2(const void *stream, int *status, unsigned long long *id, void **graph,
                                          const void **dependencies, size_t *number) {
    if (graph) *graph = nullptr;
    if (dependencies) *dependencies = nullptr;
    return capture_info(stream, status, id, number);
}
