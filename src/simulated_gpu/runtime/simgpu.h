/* The seam between the simulated CUDA runtime and the layer that computes values.
 *
 * The runtime library is loaded with global visibility before PyTorch, so that a library that is loaded later calls
 * these functions without linking against anything. They may be called from any thread.
 */
#ifndef SIMGPU_H
#define SIMGPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- Who computes --------------------------------------------------------------------------------------------------
 *
 * A kernel's launch computes nothing. Between simgpu_enter and simgpu_leave the calling thread promises to compute the
 * values of all that is launched. The calls nest, and count for the calling thread alone. */
void simgpu_enter(void);
void simgpu_leave(void);
int simgpu_depth(void);

/* With 1, a launch or a library's call outside of simgpu_enter fails with cudaErrorNotSupported (or the library's own
 * "not supported"), so that no value is used that nobody computed: the default. A caller may not look at that, so the
 * end of the guard around it says it too, and without a guard every later call fails as after simgpu_fail.
 * With 0 it is only counted. Returns the previous setting. */
int simgpu_refuse_unclaimed(int on);

/* Between the two, the thread promises to raise what simgpu_unguard returns: the name of a launch that was refused within,
 * or NULL. The calls nest; the innermost says it. */
void simgpu_guard(void);
const char *simgpu_unguard(void);
/* The launch that was refused where there was no guard, or NULL. */
const char *simgpu_lost(void);

/* Between the two, whatever would use the device fails: launches, library calls, copies, fills and waits. An error that
 * is raised before that is one that PyTorch's own checks found. simgpu_end_probe returns whether anything failed so. */
void simgpu_probe(void);
int simgpu_end_probe(void);
int simgpu_probing(void);

/* The error that every call gives since a kernel failed or was lost, or 0. */
int simgpu_failed(void);

/* Fills memory that is allocated from now on with this byte, for tests: old memory that nobody wrote shows. -1: with zeros. */
void simgpu_dirty(int byte);

/* The name of what was refused last on this thread, or NULL. Reading clears it. The text lives until the next refusal. */
const char *simgpu_take_refusal(void);

/* 1: nothing is computed. A device's memory can be neither read nor written, and what would copy it to the host fails with
 * cudaErrorNotSupported and is refused. */
int simgpu_shapes_only(void);

/* Appends the name of what a real GPU may do differently, as a line, to the file that SIMULATED_GPU_UNSURE names. */
void simgpu_unsure(const char *what);

/* The kernels and library calls that this thread has launched so far. */
uint64_t simgpu_launched(void);
/* The blocks, and the threads of a block, of this thread's newest kernel. */
void simgpu_last_launch(uint32_t grid[3], uint32_t block[3]);

/* For a kernel that another layer runs itself: notes its launch, and returns what to do with it. */
enum simgpu_turn {
    SIMGPU_NOW = 0,
    SIMGPU_LATER = 1,    /* simgpu_put_off */
    SIMGPU_IN_GRAPH = 2, /* simgpu_graph_append */
    SIMGPU_NEVER = 3,    /* nothing is computed */
    SIMGPU_FAILED = 4,   /* every call fails */
};
int simgpu_kernel(const char *name, const void *stream);

/* From now on every call fails with this error, as after a kernel's assertion (710) or a wrong address (700). */
void simgpu_fail(int status);

/* Makes the device's context current in this thread, as a library does that would call CUDA. */
void simgpu_bind_context(void);

/* -- Memory -------------------------------------------------------------------------------------------------------- */

/* The device whose memory holds the address, or SIMGPU_PINNED or SIMGPU_UNKNOWN (pageable memory). */
enum { SIMGPU_PINNED = -1, SIMGPU_UNKNOWN = -2 };
int simgpu_device_of(const void *address);

/* -- What happened ------------------------------------------------------------------------------------------------- */

enum simgpu_kind {
    SIMGPU_LAUNCH = 1,       /* a kernel */
    SIMGPU_LIBRARY_CALL = 2, /* a call of cuBLAS, cuDNN, cuFFT, ... */
    SIMGPU_COPY = 3,
    SIMGPU_FILL = 4,  /* cudaMemset */
    SIMGPU_WAIT = 5,  /* the host waits for a stream, an event or a device */
    SIMGPU_QUERY = 6, /* the host asks whether a stream or an event is done */
    SIMGPU_ALLOCATE = 7,
    SIMGPU_FREE = 8,
    SIMGPU_GRAPH_LAUNCH = 9,
    SIMGPU_STREAM_WAIT = 10, /* a stream waits for an event; the host does not */
    SIMGPU_RECORD = 11,      /* an event is recorded in a stream */
    SIMGPU_KINDS = 12,
};

enum simgpu_direction {
    SIMGPU_HOST_TO_HOST = 0,
    SIMGPU_HOST_TO_DEVICE = 1,
    SIMGPU_DEVICE_TO_HOST = 2,
    SIMGPU_DEVICE_TO_DEVICE = 3,
};

struct simgpu_event {
    uint64_t number;   /* 1, 2, 3, ... in this process */
    uint64_t stream;   /* 0 is the default stream */
    const char *what;  /* the function that was called, as CUDA names it */
    const void *source;
    void *target;      /* of a copy or fill; the address of an allocation */
    size_t bytes;
    double seconds;    /* the monotonic clock */
    int32_t kind;      /* enum simgpu_kind */
    int32_t device;
    int32_t direction; /* enum simgpu_direction, of a copy */
    int32_t pinned;    /* 1: the host's side of the copy is pinned */
    int32_t blocking;  /* 1: on a real GPU the host would wait here */
    int32_t claimed;   /* 1: between simgpu_enter and simgpu_leave */
};

/* Calls the listener for each event from now on, on the thread where it happens, before the data moves: it may write what
 * a device-to-host copy is about to read. It must not call CUDA. Up to eight listen; returns 1 if there is no room. */
typedef void (*simgpu_listener)(const struct simgpu_event *event, void *user);
int simgpu_listen(simgpu_listener listener, void *user);

/* The number of events of a kind so far. */
uint64_t simgpu_count(int kind);
/* The same, of launches and library calls outside of simgpu_enter. */
uint64_t simgpu_unclaimed(void);
/* Copies the newest events, oldest first, at most `most` (the runtime keeps 4096). Returns how many. `what` is a
 * constant of the runtime and stays valid. */
size_t simgpu_recent(struct simgpu_event *events, size_t most);

/* -- Graphs --------------------------------------------------------------------------------------------------------
 *
 * While a stream is captured nothing is to be computed. What the runtime itself does (copies, fills) it records; the
 * layer above appends a node for each operator. A graph's launch runs the nodes in the order of their recording. */

/* 1 if the stream with this cudaStream_t is being captured. */
int simgpu_capturing(const void *stream);
/* 1 if any stream was ever captured: a quick question, for those who then ask about one stream. */
int simgpu_ever_captured(void);
/* A device's default stream, whose cudaStream_t is 0 on each device: for the functions of this file. */
const void *simgpu_default_stream(int device);
/* Appends a node to the graph that the stream is captured into. Returns 0, or 1 if the stream is not captured. `drop` is
 * called once, when the last graph that holds the node is destroyed; it may be NULL. */
int simgpu_graph_append(const void *stream, void (*run)(void *data), void (*drop)(void *data), void *data);

/* -- Work behind a pause -------------------------------------------------------------------------------------------
 *
 * After torch.cuda._sleep a stream is busy until something waits for it. What it is given then is done later, in order. */

/* 1 if any stream is busy: a quick question, for those who then ask about one stream. */
int simgpu_anything_pending(void);
int simgpu_pending(const void *stream);
/* Calls `run` when all before it in the stream is done, and `drop` after it. Both may be called right away. */
void simgpu_put_off(const void *stream, void (*run)(void *data), void (*drop)(void *data), void *data);
/* Does all that the stream was given, as a wait of the host. */
void simgpu_finish(const void *stream);
/* For what cannot be put off: does all that any stream was given, and notes that a real GPU may still be at it. */
void simgpu_hurry(const char *what);

#ifdef __cplusplus
}
#endif

#endif
