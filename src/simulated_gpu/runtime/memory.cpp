// Memory: each device's pool, pinned memory of the host, and copies between them. A device's memory is main memory that
// the operating system provides when it is first written, so a device may be larger than the machine. With shapes only it
// is a range of addresses that nobody may touch.
#include <cstdio>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

#include "state.h"

namespace {

constexpr int PINNED = SIMGPU_PINNED;

struct Block {
    size_t bytes;
    int device;       // or PINNED
    bool registered;  // the program's own memory, pinned by cudaHostRegister
    bool mapped = false;  // by the driver, piece by piece
    bool opened = false;  // another process's
    int file = -1;        // the file that other processes open
    int64_t shared = 0;   // the number of the sharing
};

std::map<uintptr_t, Block> blocks;
std::map<int, size_t> used;       // bytes by device
std::map<int, size_t> high_mark;  // the most so far

int dirt = -1;  // what new memory is filled with, for tests

uintptr_t number(const void *address) { return reinterpret_cast<uintptr_t>(address); }

// The block that holds an address. The caller holds the lock.
std::map<uintptr_t, Block>::iterator find(const void *address) {
    auto next = blocks.upper_bound(number(address));
    if (next == blocks.begin()) return blocks.end();
    --next;
    return number(address) < next->first + next->second.bytes ? next : blocks.end();
}

int place(const void *address) {
    std::lock_guard<std::mutex> guard(lock);
    auto block = find(address);
    return block == blocks.end() ? int(SIMGPU_UNKNOWN) : block->second.device;
}

void *map_memory(size_t bytes, int protection = PROT_READ | PROT_WRITE) {
    void *address = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? nullptr : address;
}

// A GPU's memory is left, but the machine has none for it. PyTorch's own message, which comes next, cannot know; it tries
// several times. The caller holds the lock.
void tell_no_main_memory(size_t bytes) {
    static bool told = false;
    if (told) return;
    told = true;
    std::fprintf(stderr,
                 "simulated_gpu: this machine gives the process no main memory for %.1f GiB of a simulated GPU, which had "
                 "that much left. Use smaller tensors, raise the limit of the process (ulimit -v), use a larger machine, "
                 "or compute nothing (--shapes-only).\n",
                 double(bytes) / (1 << 30));
}

// How a device's memory may be used.
int device_protection() { return settings.shapes_only ? PROT_NONE : PROT_READ | PROT_WRITE; }

void note_memory(int kind, const char *what, void *address, size_t bytes) {
    simgpu_event event{};
    event.kind = kind;
    event.what = what;
    event.target = address;
    event.bytes = bytes;
    note(event);
}

// Counts bytes as a device's own, if it has them left. The caller holds the lock.
bool take(int device, size_t bytes) {
    if (bytes > settings.memory || used[device] > settings.memory - bytes) return false;
    used[device] += bytes;
    if (used[device] > high_mark[device]) high_mark[device] = used[device];
    return true;
}

Status allocate(const char *what, void **address, size_t bytes) {
    if (Status status = usable()) return result(status);
    if (bytes == 0) {
        *address = nullptr;
        return SUCCESS;
    }
    bytes = (bytes + 511) / 512 * 512;  // what CUDA's documentation promises of an address, and a little more
    {
        std::lock_guard<std::mutex> guard(lock);
        if (forbidden_by_capture()) return result(CAPTURE_UNSUPPORTED);
        int device = current_device();
        if (!take(device, bytes)) return result(OUT_OF_MEMORY);
        *address = map_memory(bytes, device_protection());
        if (!*address) {
            used[device] -= bytes;
            tell_no_main_memory(bytes);
            return result(OUT_OF_MEMORY);
        }
        blocks[number(*address)] = {bytes, device, false};
    }
    if (dirt >= 0 && !settings.shapes_only) std::memset(*address, dirt, bytes);
    note_memory(SIMGPU_ALLOCATE, what, *address, bytes);
    return SUCCESS;
}

Status release(const char *what, void *address) {
    if (Status status = alive()) return result(status);
    if (!address) return SUCCESS;
    finish_all();  // as on a real GPU, which waits for its work before it gives memory back
    size_t bytes = 0;
    {
        std::lock_guard<std::mutex> guard(lock);
        auto block = blocks.find(number(address));
        if (block == blocks.end() || block->second.device < 0 || block->second.opened) return result(INVALID_VALUE);
        bytes = block->second.bytes;
        if (block->second.file >= 0) close(block->second.file);
        used[block->second.device] -= bytes;
        blocks.erase(block);
        munmap(address, bytes);
    }
    note_memory(SIMGPU_FREE, what, address, bytes);
    return SUCCESS;
}

// Rows of `width` bytes; a plain copy is one row.
struct Copy {
    void *target;
    size_t target_pitch;
    const void *source;
    size_t source_pitch, width, height;
};

void move(const Copy &copy) {
    for (size_t row = 0; row < copy.height; ++row)
        std::memmove(static_cast<char *>(copy.target) + row * copy.target_pitch,
                     static_cast<const char *>(copy.source) + row * copy.source_pitch, copy.width);
}

template <class Work> void run(void *data) { move(*static_cast<Work *>(data)); }
template <class Work> void drop(void *data) { delete static_cast<Work *>(data); }

struct Fill {
    void *target;
    int value;
    size_t bytes;
};
void move(const Fill &fill) { std::memset(fill.target, fill.value, fill.bytes); }

// A copy whose source the host may change at once: its bytes are kept aside.
struct Staged {
    std::vector<char> bytes;
    Copy copy;
    explicit Staged(const Copy &from) : bytes(from.width * from.height), copy(from) {
        move({bytes.data(), from.width, from.source, from.source_pitch, from.width, from.height});
    }
};
void move(const Staged &staged) {
    Copy copy = staged.copy;
    copy.source = staged.bytes.data();
    copy.source_pitch = copy.width;
    move(copy);
}

// Does the work now, records it where the stream is captured, or puts it off behind a pause.
template <class Work> void submit(const Work &work, const void *stream) {
    if (simgpu_capturing(stream))
        simgpu_graph_append(stream, run<Work>, drop<Work>, new Work(work));
    else if (simgpu_pending(stream))
        simgpu_put_off(stream, run<Work>, drop<Work>, new Work(work));
    else
        move(work);
}

// A copy between a device and pageable memory behind a pause. The host waits for one that writes the host's memory. One
// that reads it has read it when the call returns, and whether the host waits then is the driver's affair.
void copy_pageable(const Copy &work, const void *stream, bool to_host) {
    if (to_host) {
        simgpu_finish(stream);
        return move(work);
    }
    submit(Staged(work), stream);
    doubt(line_of(stream));
}

Status copy(const char *what, const Copy &work, const void *stream, bool waits) {
    if (Status status = usable()) return result(status);
    if (probing()) return result(NOT_SUPPORTED);
    int from = place(work.source), to = place(work.target);
    if (settings.shapes_only && from >= 0 && to < 0) {
        refuse("reads of the GPU's memory, which holds no values");
        return result(NOT_SUPPORTED);
    }
    simgpu_event event{};
    event.kind = SIMGPU_COPY;
    event.what = what;
    event.stream = stream_id(stream);
    event.source = work.source;
    event.target = work.target;
    event.bytes = work.width * work.height;
    event.direction = (from >= 0 ? 2 : 0) + (to >= 0 ? 1 : 0);
    event.pinned = from == PINNED || to == PINNED;
    bool crosses = event.direction == SIMGPU_HOST_TO_DEVICE || event.direction == SIMGPU_DEVICE_TO_HOST;
    event.blocking = waits || (crosses && !event.pinned);
    note(event);
    if (waits) finish_device(current_device());
    if (settings.shapes_only && to >= 0) return SUCCESS;
    if (crosses && !event.pinned && !simgpu_capturing(stream) && simgpu_pending(stream))
        copy_pageable(work, stream, to < 0);
    else
        submit(work, stream);
    return result(failed());
}

Status fill(const char *what, const Fill &work, const void *stream) {
    if (Status status = usable()) return result(status);
    if (probing()) return result(NOT_SUPPORTED);
    simgpu_event event{};
    event.kind = SIMGPU_FILL;
    event.what = what;
    event.stream = stream_id(stream);
    event.target = work.target;
    event.bytes = work.bytes;
    note(event);
    if (!settings.shapes_only || place(work.target) < 0) submit(work, stream);
    return SUCCESS;
}

Copy row(void *target, const void *source, size_t bytes) { return {target, bytes, source, bytes, bytes, 1}; }

// cudaPointerAttributes
struct PointerAttributes {
    int type;  // 0 the program's own memory, 1 pinned, 2 a device's
    int device;
    void *on_device, *on_host;
#if CUDA_MAJOR >= 13
    long reserved[8];
#endif
};

}  // namespace

EXPORT int simgpu_device_of(const void *address) { return place(address); }
EXPORT void simgpu_dirty(int byte) { dirt = byte; }

EXPORT Status cudaMalloc(void **address, size_t bytes) { return allocate("cudaMalloc", address, bytes); }
EXPORT Status cudaFree(void *address) { return release("cudaFree", address); }

EXPORT Status cudaMemGetInfo(size_t *unused, size_t *total) {
    if (Status status = usable()) return result(status);
    std::lock_guard<std::mutex> guard(lock);
    *total = settings.memory;
    *unused = settings.memory - used[current_device()];
    return SUCCESS;
}
EXPORT size_t simgpu_used(int device) {
    std::lock_guard<std::mutex> guard(lock);
    return used[device];
}

// -- The driver's allocator by streams ---------------------------------------------------------------------------------

EXPORT Status cudaMallocAsync(void **address, size_t bytes, const void *) {
    return allocate("cudaMallocAsync", address, bytes);
}
EXPORT Status cudaFreeAsync(void *address, const void *) {
    simgpu_hurry("cudaFreeAsync");
    return release("cudaFreeAsync", address);
}

EXPORT Status cudaDeviceGetDefaultMemPool(void **pool, int device) {
    if (!exists(device)) return result(INVALID_DEVICE);
    *pool = reinterpret_cast<void *>(uintptr_t(device) + 1);
    return SUCCESS;
}
EXPORT Status cudaMemPoolGetAttribute(void *pool, int attribute, void *value) {
    std::lock_guard<std::mutex> guard(lock);
    int device = int(number(pool)) - 1;
    bool now_used = attribute == 5 || attribute == 7;  // reserved and used bytes now; 6 and 8 are the most so far
    *static_cast<uint64_t *>(value) = attribute < 5 ? 0 : now_used ? used[device] : high_mark[device];
    return SUCCESS;
}
EXPORT Status cudaMemPoolSetAttribute(void *pool, int attribute, void *) {
    std::lock_guard<std::mutex> guard(lock);
    int device = int(number(pool)) - 1;
    if (attribute == 6 || attribute == 8) high_mark[device] = used[device];
    return SUCCESS;
}
EXPORT Status cudaMemPoolSetAccess(void *, const void *, size_t) { return SUCCESS; }
EXPORT Status cudaMemPoolTrimTo(void *, size_t) { return SUCCESS; }

// -- The host's memory -------------------------------------------------------------------------------------------------

EXPORT Status cudaHostAlloc(void **address, size_t bytes, unsigned) {
    if (Status status = usable()) return result(status);
    std::lock_guard<std::mutex> guard(lock);
    if (forbidden_by_capture()) return result(CAPTURE_UNSUPPORTED);
    bytes = bytes ? bytes : 1;
    *address = map_memory(bytes);
    if (!*address) return result(OUT_OF_MEMORY);
    blocks[number(*address)] = {bytes, PINNED, false};
    return SUCCESS;
}
EXPORT Status cudaMallocHost(void **address, size_t bytes) { return cudaHostAlloc(address, bytes, 0); }

EXPORT Status cudaFreeHost(void *address) {
    if (Status status = alive()) return result(status);
    if (!address) return SUCCESS;
    finish_all();
    std::lock_guard<std::mutex> guard(lock);
    auto block = blocks.find(number(address));
    if (block == blocks.end() || block->second.device != PINNED || block->second.registered)
        return result(INVALID_VALUE);
    munmap(address, block->second.bytes);
    blocks.erase(block);
    return SUCCESS;
}

EXPORT Status cudaHostRegister(void *address, size_t bytes, unsigned) {
    if (Status status = usable()) return result(status);
    if (!address || !bytes) return result(INVALID_VALUE);
    std::lock_guard<std::mutex> guard(lock);
    auto next = blocks.lower_bound(number(address));
    bool overlaps = find(address) != blocks.end() || (next != blocks.end() && next->first < number(address) + bytes);
    if (overlaps) return result(HOST_ALREADY_REGISTERED);
    blocks[number(address)] = {bytes, PINNED, true};
    return SUCCESS;
}

EXPORT Status cudaHostUnregister(void *address) {
    if (Status status = usable()) return result(status);
    finish_all();
    std::lock_guard<std::mutex> guard(lock);
    auto block = blocks.find(number(address));
    if (block == blocks.end() || !block->second.registered) return result(HOST_NOT_REGISTERED);
    blocks.erase(block);
    return SUCCESS;
}

EXPORT Status cudaHostGetDevicePointer(void **on_device, void *on_host, unsigned) {
    *on_device = on_host;
    return SUCCESS;
}

EXPORT Status cudaPointerGetAttributes(PointerAttributes *attributes, const void *address) {
    if (Status status = usable()) return result(status);
    std::lock_guard<std::mutex> guard(lock);
    auto block = find(address);
    *attributes = {};
    void *same = const_cast<void *>(address);
    if (block == blocks.end()) {
        attributes->device = -2;  // cudaInvalidDeviceId
        attributes->on_host = same;
    } else if (block->second.device == PINNED) {
        attributes->type = 1;
        attributes->device = current_device();
        attributes->on_host = attributes->on_device = same;
    } else {
        attributes->type = 2;
        attributes->device = block->second.device;
        attributes->on_device = same;
    }
    return SUCCESS;
}

// The allocation that holds an address, for the driver. 1 if there is none.
EXPORT int simgpu_range(const void *address, void **start, size_t *bytes) {
    std::lock_guard<std::mutex> guard(lock);
    auto block = find(address);
    if (block == blocks.end()) return 1;
    if (start) *start = reinterpret_cast<void *>(block->first);
    if (bytes) *bytes = block->second.bytes;
    return 0;
}

// -- Memory that processes share ----------------------------------------------------------------------------------------

Status share(void *address, Shared &shared) {
    static int64_t sharings = 0;
    std::lock_guard<std::mutex> guard(lock);
    auto block = find(address);
    if (block == blocks.end() || block->second.device < 0 || block->second.opened || block->second.mapped)
        return INVALID_VALUE;
    auto &[start, found] = *block;
    if (found.file < 0) {
        found.file = file_of_block(reinterpret_cast<void *>(start), found.bytes);
        found.shared = ++sharings;
    }
    shared = {found.file, found.shared, found.device, found.bytes};
    return found.file < 0 ? OUT_OF_MEMORY : SUCCESS;
}

void note_opened(void *address, size_t bytes) {
    std::lock_guard<std::mutex> guard(lock);
    blocks[number(address)] = {bytes, current_device(), false, false, true};
}

Status close_opened(void *address) {
    std::lock_guard<std::mutex> guard(lock);
    auto block = blocks.find(number(address));
    if (block == blocks.end() || !block->second.opened) return INVALID_VALUE;
    munmap(address, block->second.bytes);
    blocks.erase(block);
    return SUCCESS;
}

// -- Memory that the driver maps: expandable segments --------------------------------------------------------------------

EXPORT int simgpu_take(int device, size_t bytes) {
    std::lock_guard<std::mutex> guard(lock);
    return take(device, bytes) ? SUCCESS : OUT_OF_MEMORY;
}
EXPORT void simgpu_give_back(int device, size_t bytes) {
    std::lock_guard<std::mutex> guard(lock);
    used[device] -= bytes;
}
EXPORT void *simgpu_reserve(size_t bytes) {
    void *address = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return address == MAP_FAILED ? nullptr : address;
}
EXPORT void simgpu_unreserve(void *address, size_t bytes) { munmap(address, bytes); }
EXPORT int simgpu_map(void *address, size_t bytes, int device) {
    std::lock_guard<std::mutex> guard(lock);
    if (mprotect(address, bytes, device_protection())) return INVALID_VALUE;
    blocks[number(address)] = {bytes, device, false, true};
    return SUCCESS;
}
EXPORT int simgpu_unmap(void *address, size_t bytes) {
    finish_all();
    std::lock_guard<std::mutex> guard(lock);
    auto block = blocks.lower_bound(number(address));
    while (block != blocks.end() && block->first < number(address) + bytes) block = blocks.erase(block);
    // A new mapping in its place drops what the old one held.
    void *fresh = mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return fresh == MAP_FAILED ? INVALID_VALUE : SUCCESS;
}

// -- Copies ------------------------------------------------------------------------------------------------------------

EXPORT Status cudaMemcpyAsync(void *target, const void *source, size_t bytes, int, const void *stream) {
    return copy("cudaMemcpyAsync", row(target, source, bytes), stream, false);
}
EXPORT Status cudaMemcpy(void *target, const void *source, size_t bytes, int) {
    {
        std::lock_guard<std::mutex> guard(lock);
        if (forbidden_by_capture()) return result(CAPTURE_UNSUPPORTED);
    }
    return copy("cudaMemcpy", row(target, source, bytes), nullptr, true);
}
EXPORT Status cudaMemcpyPeerAsync(void *target, int, const void *source, int, size_t bytes, const void *stream) {
    return copy("cudaMemcpyPeerAsync", row(target, source, bytes), stream, false);
}
EXPORT Status cudaMemcpy2DAsync(void *target, size_t target_pitch, const void *source, size_t source_pitch,
                                size_t width, size_t height, int, const void *stream) {
    return copy("cudaMemcpy2DAsync", {target, target_pitch, source, source_pitch, width, height}, stream, false);
}
// A variable of a kernel has its address on the host for its own.
EXPORT Status cudaMemcpyToSymbol(const void *symbol, const void *source, size_t bytes, size_t offset, int) {
    std::memmove(static_cast<char *>(const_cast<void *>(symbol)) + offset, source, bytes);
    return SUCCESS;
}
EXPORT Status cudaGetSymbolAddress(void **address, const void *symbol) {
    *address = const_cast<void *>(symbol);
    return SUCCESS;
}

EXPORT Status cudaMemsetAsync(void *target, int value, size_t bytes, const void *stream) {
    return fill("cudaMemsetAsync", {target, value, bytes}, stream);
}
EXPORT Status cudaMemset(void *target, int value, size_t bytes) {
    return fill("cudaMemset", {target, value, bytes}, nullptr);
}
