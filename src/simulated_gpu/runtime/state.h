// What the parts of the runtime share: settings, results, the lock, and the notes about what happened.
// The types are declared here anew, after CUDA's public documentation: no file of NVIDIA's is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simgpu.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

// The results that PyTorch distinguishes, with CUDA's numbers.
enum Status : int {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    INITIALIZATION_ERROR = 3,
    INVALID_CONFIGURATION = 9,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    SYMBOL_NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    PEER_ALREADY_ENABLED = 704,
    ASSERTED = 710,
    HOST_ALREADY_REGISTERED = 712,
    HOST_NOT_REGISTERED = 713,
    LAUNCH_FAILURE = 719,
    NOT_SUPPORTED = 801,
    CAPTURE_UNSUPPORTED = 900,
    CAPTURE_INVALIDATED = 901,
    CAPTURE_UNMATCHED = 903,
    CAPTURED_EVENT = 907,
};

struct Settings {
    int physical = 1;                 // the GPUs of the machine, before CUDA_VISIBLE_DEVICES
    std::vector<int> visible = {0};   // the physical number of each device that the process sees
    size_t memory = size_t(16) << 30;
    int major = 8, minor = 0;         // compute capability
    int cuda = 13000;                 // 1000 * major + 10 * minor, the version that PyTorch was built with
    bool shapes_only = false;         // nothing is computed, and a device's memory is a range of addresses alone
};
extern Settings settings;

// Guards all of the runtime's tables.
extern std::mutex lock;

// Remembers an error for cudaGetLastError, as each function of the runtime does, and returns it.
Status result(Status status);

// Forgets this thread's last error, which was said in another way.
void forget_error();

// The error that all calls give since a kernel failed, or SUCCESS.
Status failed();
// Whether a call of the runtime makes the primary context of the current device the thread's own, as most do.
enum class Context { bound, not_needed };

// SUCCESS, or the error of a process that has no devices: a fork after the start, or none is visible.
Status alive(Context context = Context::bound);
// The same, or the failure: for all but what destructors call, which must not throw.
Status usable(Context context = Context::bound);

int current_device();
bool exists(int device);
double now();

// A graph's nodes in the order of their recording; a node runs what was recorded.
struct Node {
    void (*run)(void *) = nullptr;
    void (*drop)(void *) = nullptr;
    void *data = nullptr;
    Node(void (*run)(void *), void (*drop)(void *), void *data) : run(run), drop(drop), data(data) {}
    Node(const Node &) = delete;
    Node &operator=(const Node &) = delete;
    ~Node() { if (drop) drop(data); }
};

struct Graph {
    std::vector<std::shared_ptr<Node>> nodes;
    size_t launches = 0;                      // kernels, which do nothing
};

struct Capture {
    uint64_t id = 0;
    std::shared_ptr<Graph> graph;
    const void *origin = nullptr;  // the stream that began it
    int mode = 0;                  // 0 global, 1 of the thread, 2 relaxed
    bool invalidated = false;
};

// What a stream was given behind a pause, and has not done yet.
struct Queue;
using Line = std::shared_ptr<Queue>;
Line new_line();
// Pauses: they end when something waits for them, or when their time is over and something asks.
void pause(const Line &line, double seconds);
// Does the work once all before it in the line is done: now, if that is so already.
void do_in_line(const Line &line, std::shared_ptr<Node> work);
// Everything that comes into the line from now on waits until the other line has come to that position.
void wait_in_line(const Line &line, const Line &other, uint64_t position);
uint64_t end_of(const Line &line);
bool is_done(const Line &line, uint64_t position);
bool is_idle(const Line &line);
// Does all work of the line up to a position, and of others what that waits for.
void finish(const Line &line, uint64_t position);
void finish(const Line &line);
// Does the work behind pauses that are over by themselves.
void pass(const Line &line);
// Nobody knows whether a real GPU is still at the work of this line: a question about it is noted from now on.
void doubt(const Line &line);

struct Stream {
    uint64_t id = 0;
    int device = 0;
    int priority = 0;
    unsigned flags = 0;
    std::shared_ptr<Capture> capture;
    Line line = new_line();
};

// The stream of a handle, or nullptr if there is none. The caller holds the lock.
Stream *find_stream(const void *handle);
uint64_t stream_id(const void *handle);
// Whether a call that waits or allocates is forbidden now, because a stream is captured; it spoils the capture then.
// The caller holds the lock.
bool forbidden_by_capture();
// The capture of a stream, or nullptr.
std::shared_ptr<Capture> capture_of(const void *stream);
// The line of a stream; an empty one if there is no such stream.
Line line_of(const void *stream);
// Does all work of a device, or of all devices.
void finish_device(int device);
void finish_all();
void pass_all();

// Fills in number, time, device and claim, and hands the event to the log and the listener.
void note(simgpu_event event);
// Notes a launch or a library's call. NOT_SUPPORTED if nobody promised to compute it and that is refused.
Status claim(int kind, const char *what, const void *stream);
void refuse(const char *what);
// What was refused last on this thread, or nullptr. It stays until it is taken.
const char *last_refusal();
// The launch that was refused where nothing could raise it: since then the process has failed. Or nullptr.
const char *lost_launch();
// Whether this thread only asks how far PyTorch's code gets without the device. It got as far as this then.
bool probing();
// Whether this thread promised to compute what is launched.
bool is_claimed();

// A block of a device that other processes may open.
struct Shared {
    int file;
    int64_t number;
    int device;
    size_t bytes;
};
// Makes a block of the calling process's one that others may open.
Status share(void *address, Shared &shared);
// Moves memory into a new file, and returns it; the address stays. -1 if there is no room.
int file_of_block(void *address, size_t bytes);
// Another process's block, mapped here; and its end.
void note_opened(void *address, size_t bytes);
Status close_opened(void *address);
