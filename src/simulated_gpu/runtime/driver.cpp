// libcuda: the part of the driver that PyTorch calls past the runtime, above all for expandable segments.
// What loads or launches compiled code is refused: nothing here could compute what it does.
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>

#include "simgpu.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

// Of the runtime.
extern "C" {
int cudaGetDeviceCount(int *);
int cudaGetDevice(int *);
int cudaSetDevice(int);
int cudaDeviceGetAttribute(int *, int, int);
const char *cudaGetErrorString(int);
const char *cudaGetErrorName(int);
int simgpu_cuda_version();
size_t simgpu_memory();
size_t simgpu_used(int);
int simgpu_physical_of(int);
int simgpu_in_context();
int simgpu_range(const void *, void **, size_t *);
int simgpu_take(int, size_t);
void simgpu_give_back(int, size_t);
void *simgpu_reserve(size_t);
void simgpu_unreserve(void *, size_t);
int simgpu_map(void *, size_t, int);
int simgpu_unmap(void *, size_t);
int simgpu_library_call(const char *);
int simgpu_library_question(const char *);
int simgpu_refused(const char *);
}

namespace {

constexpr int SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_SUPPORTED = 801;

void *context_of(int device) { return reinterpret_cast<void *>(uintptr_t(device) + 1); }
int device_of(void *context) { return int(reinterpret_cast<uintptr_t>(context)) - 1; }

int refused(const char *what) {
    simgpu_refused(what);
    return NOT_SUPPORTED;
}

// A call that computes, within an operator whose values another layer provides.
int computing(const char *what) { return simgpu_library_call(what) ? NOT_SUPPORTED : SUCCESS; }
// The same of a call that prepares that.
int preparing(const char *what) { return simgpu_library_question(what) ? NOT_SUPPORTED : SUCCESS; }

// Memory that was made and not yet mapped.
struct Made {
    int device;
    size_t bytes;
};
std::mutex lock;
std::map<unsigned long long, Made> made;
unsigned long long last_made = 0;

}  // namespace

EXPORT int cuInit(unsigned) {
    int count;
    return cudaGetDeviceCount(&count);
}
EXPORT int cuDriverGetVersion(int *version) {
    *version = simgpu_cuda_version();
    return SUCCESS;
}
EXPORT int cuGetErrorString(int status, const char **text) {
    *text = cudaGetErrorString(status);
    return SUCCESS;
}
EXPORT int cuGetErrorName(int status, const char **text) {
    *text = cudaGetErrorName(status);
    return SUCCESS;
}

EXPORT int cuDeviceGetCount(int *count) { return cudaGetDeviceCount(count); }
EXPORT int cuDeviceGet(int *device, int ordinal) {
    *device = ordinal;
    return SUCCESS;
}
EXPORT int cuDeviceGetName(char *name, int length, int) {
    std::snprintf(name, size_t(length), "Simulated GPU");
    return SUCCESS;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
    return cudaDeviceGetAttribute(value, attribute, device);
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int) {
    *bytes = simgpu_memory();
    return SUCCESS;
}
EXPORT int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    std::memcpy(uuid, "simulated-gpu-00", 16);
    uuid[15] = static_cast<unsigned char>('0' + simgpu_physical_of(device));
    return SUCCESS;
}

// -- Contexts: each device has one, from the start; a thread has none until it needs it -----------------------------------

EXPORT int cuCtxGetCurrent(void **context) {
    int device = 0;
    int status = cudaGetDevice(&device);
    *context = status || !simgpu_in_context() ? nullptr : context_of(device);
    return status;
}
EXPORT int cuCtxSetCurrent(void *context) { return context ? cudaSetDevice(device_of(context)) : SUCCESS; }
EXPORT int cuCtxGetDevice(int *device) { return cudaGetDevice(device); }
EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
    if (flags) *flags = 0;
    *active = simgpu_used(device) > 0;
    return SUCCESS;
}
EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = context_of(device);
    return SUCCESS;
}
EXPORT int cuStreamGetCtx(void *, void **context) { return cuCtxGetCurrent(context); }

// -- Memory ------------------------------------------------------------------------------------------------------------

EXPORT int cuPointerGetAttribute(void *value, int attribute, unsigned long long address) {
    const void *pointer = reinterpret_cast<const void *>(address);
    int device = simgpu_device_of(pointer);
    if (device == SIMGPU_UNKNOWN) return INVALID_VALUE;
    switch (attribute) {
        case 1: *static_cast<void **>(value) = context_of(device < 0 ? 0 : device); return SUCCESS;
        case 2: *static_cast<int *>(value) = device < 0 ? 1 : 2; return SUCCESS;
        case 3: case 4: *static_cast<const void **>(value) = pointer; return SUCCESS;
        case 8: *static_cast<int *>(value) = 0; return SUCCESS;  // managed
        case 9: *static_cast<int *>(value) = device; return SUCCESS;
        case 11: return simgpu_range(pointer, static_cast<void **>(value), nullptr);
        case 12: return simgpu_range(pointer, nullptr, static_cast<size_t *>(value));
        default: return refused("cuPointerGetAttribute");
    }
}
EXPORT int cuMemGetAddressRange_v2(void **start, size_t *bytes, const void *address) {
    return simgpu_range(address, start, bytes);
}

EXPORT int cuMemGetAllocationGranularity(size_t *bytes, const void *, int) {
    *bytes = size_t(2) << 20;
    return SUCCESS;
}
EXPORT int cuMemAddressReserve(void **address, size_t bytes, size_t, void *, unsigned long long) {
    *address = simgpu_reserve(bytes);
    return *address ? SUCCESS : OUT_OF_MEMORY;
}
EXPORT int cuMemAddressFree(void *address, size_t bytes) {
    simgpu_unreserve(address, bytes);
    return SUCCESS;
}
// CUmemAllocationProp begins with the kind, the kinds of handle that may be exported, and the place: its kind and number.
EXPORT int cuMemCreate(unsigned long long *handle, size_t bytes, const int *properties, unsigned long long) {
    int device = properties[3];
    if (int status = simgpu_take(device, bytes)) return status;
    std::lock_guard<std::mutex> guard(lock);
    *handle = ++last_made;
    made[*handle] = {device, bytes};
    return SUCCESS;
}
EXPORT int cuMemRelease(unsigned long long handle) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = made.find(handle);
    if (found == made.end()) return INVALID_VALUE;
    simgpu_give_back(found->second.device, found->second.bytes);
    made.erase(found);
    return SUCCESS;
}
EXPORT int cuMemMap(void *address, size_t bytes, size_t, unsigned long long handle, unsigned long long) {
    std::lock_guard<std::mutex> guard(lock);
    auto found = made.find(handle);
    if (found == made.end()) return INVALID_VALUE;
    return simgpu_map(address, bytes, found->second.device);
}
EXPORT int cuMemUnmap(void *address, size_t bytes) { return simgpu_unmap(address, bytes); }
EXPORT int cuMemSetAccess(void *, size_t, const void *, size_t) { return SUCCESS; }

// The driver has no log to tell of.
EXPORT int cuLogsRegisterCallback(void *, void *, void **handle) {
    if (handle) *handle = nullptr;
    return SUCCESS;
}
EXPORT int cuLogsUnregisterCallback(void *) { return SUCCESS; }

// -- Compiled code -------------------------------------------------------------------------------------------------------

#define COMPUTING(name) EXPORT int name() { return computing(#name); }
COMPUTING(cuLaunchKernel)
COMPUTING(cuLaunchKernelEx)
COMPUTING(cuLaunchCooperativeKernel)

#define PREPARING(name) EXPORT int name() { return preparing(#name); }
PREPARING(cuModuleUnload)
PREPARING(cuFuncSetAttribute)
PREPARING(cuFuncSetCacheConfig)

// Handles that a later launch is given.
#define HANDLE(name)                                 \
    EXPORT int name(void **handle) {                 \
        *handle = reinterpret_cast<void *>(1);       \
        return preparing(#name);                     \
    }
HANDLE(cuModuleLoad)
HANDLE(cuModuleLoadData)
HANDLE(cuModuleLoadDataEx)
HANDLE(cuModuleGetFunction)

EXPORT int cuFuncGetAttribute(int *value, int, void *) {
    *value = 0;
    return preparing("cuFuncGetAttribute");
}
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *, int, size_t) {
    *blocks = 1;
    return preparing("cuOccupancyMaxActiveBlocksPerMultiprocessor");
}
