// Memory of a device that another process opens. A block that is shared moves into a file without a name, at the same
// address; its handle names the process that holds the file open.
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state.h"

namespace {

constexpr size_t PAGE = 4096;
constexpr char MAGIC[8] = "simgpu1";

// cudaIpcMemHandle_t and cudaIpcEventHandle_t
struct Bytes {
    char reserved[64];
};

struct Name {
    char magic[8];
    int64_t process;
    int64_t file;    // the descriptor in that process
    int64_t number;  // of the sharing: descriptors are used again
    int64_t device;  // of the machine
    uint64_t bytes;
};
static_assert(sizeof(Name) <= sizeof(Bytes));

int64_t physical(int device) { return settings.visible.at(device); }

bool is_empty(const char *page, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
        if (page[i]) return false;
    return true;
}

// Copies the pages that hold something, so that the file takes no more memory than the block did.
void fill(char *target, const char *source, size_t bytes) {
    for (size_t start = 0; start < bytes; start += PAGE) {
        size_t size = bytes - start < PAGE ? bytes - start : PAGE;
        if (!is_empty(source + start, size)) std::memcpy(target + start, source + start, size);
    }
}

}  // namespace

int file_of_block(void *address, size_t bytes) {
    int file = memfd_create("simulated-gpu", MFD_CLOEXEC);
    if (file < 0) return -1;
    void *copy = MAP_FAILED;
    if (!ftruncate(file, off_t(bytes))) copy = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (copy != MAP_FAILED) {
        fill(static_cast<char *>(copy), static_cast<const char *>(address), bytes);
        copy = mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, address);
    }
    if (copy != MAP_FAILED) return file;
    close(file);
    return -1;
}

EXPORT Status cudaIpcGetMemHandle(Bytes *handle, void *address) {
    if (Status status = usable()) return result(status);
    if (settings.shapes_only) {
        refuse("cudaIpcGetMemHandle with shapes only");
        return result(NOT_SUPPORTED);
    }
    Shared shared;
    if (Status status = share(address, shared)) return result(status);
    Name name{{}, getpid(), shared.file, shared.number, physical(shared.device), shared.bytes};
    std::memcpy(name.magic, MAGIC, sizeof MAGIC);
    *handle = {};
    std::memcpy(handle, &name, sizeof name);
    return SUCCESS;
}

EXPORT Status cudaIpcOpenMemHandle(void **address, Bytes handle, unsigned) {
    if (Status status = usable()) return result(status);
    Name name;
    std::memcpy(&name, &handle, sizeof name);
    if (std::memcmp(name.magic, MAGIC, sizeof MAGIC) || name.device != physical(current_device()))
        return result(INVALID_HANDLE);
    if (name.process == getpid()) return result(INVALID_CONTEXT);
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%ld/fd/%ld", long(name.process), long(name.file));
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return result(INVALID_HANDLE);
    void *opened = mmap(nullptr, name.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (opened == MAP_FAILED) return result(OUT_OF_MEMORY);
    note_opened(opened, name.bytes);
    *address = opened;
    return SUCCESS;
}

EXPORT Status cudaIpcCloseMemHandle(void *address) {
    if (Status status = alive()) return result(status);
    finish_all();
    return result(close_opened(address));
}

// The other process waits for what the event recorded. Here that is done already, when it gets the handle.
EXPORT Status cudaIpcGetEventHandle(Bytes *handle, const void *) {
    if (Status status = usable()) return result(status);
    simgpu_hurry("cudaIpcGetEventHandle");
    *handle = {};
    return SUCCESS;
}

EXPORT Status cudaEventCreateWithFlags(const void **event, unsigned flags);
EXPORT Status cudaIpcOpenEventHandle(const void **event, Bytes) { return cudaEventCreateWithFlags(event, 2); }
