// libnvidia-ml: how many GPUs the machine has, and how much memory this process holds, for PyTorch's messages.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" {
int simgpu_physical();
int simgpu_visible_of(int);
size_t simgpu_used(int);
size_t simgpu_memory();
int simgpu_cuda_version();
}

namespace {

constexpr int SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_FOUND = 6, TOO_SMALL = 7;

void *handle_of(int physical) { return reinterpret_cast<void *>(static_cast<size_t>(physical) + 1); }
int physical_of(void *handle) { return int(reinterpret_cast<size_t>(handle)) - 1; }

size_t used_of(void *handle) {
    int device = simgpu_visible_of(physical_of(handle));
    return device < 0 ? 0 : simgpu_used(device);
}

// The first version of nvmlProcessInfo, which has fewer fields than the second and third.
struct ProcessV1 {
    unsigned pid;
    unsigned long long used;
};
struct Process {
    ProcessV1 process;
    unsigned instance, compute_instance;
};

struct Memory {
    unsigned long long total, unused, used;
};

struct Fabric {
    unsigned version;
    unsigned char cluster[16];
    int status;
    unsigned clique;
    unsigned char state;
};

}  // namespace

EXPORT int nvmlInit_v2() { return SUCCESS; }
EXPORT int nvmlInit() { return SUCCESS; }
EXPORT int nvmlShutdown() { return SUCCESS; }
EXPORT const char *nvmlErrorString(int status) { return status ? "Not Supported" : "Success"; }
EXPORT int nvmlDeviceGetCount_v2(unsigned *count) {
    *count = unsigned(simgpu_physical());
    return SUCCESS;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **handle) {
    if (int(index) >= simgpu_physical()) return INVALID_ARGUMENT;
    *handle = handle_of(int(index));
    return SUCCESS;
}
// The device's number is in the bus's: see cudaDeviceGetPCIBusId.
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *text, void **handle) {
    unsigned domain, bus;
    if (std::sscanf(text, "%x:%x", &domain, &bus) != 2 || bus < 1 || int(bus) > simgpu_physical()) return NOT_FOUND;
    *handle = handle_of(int(bus) - 1);
    return SUCCESS;
}
EXPORT int nvmlDeviceGetName(void *, char *name, unsigned length) {
    std::snprintf(name, length, "Simulated GPU");
    return SUCCESS;
}
// The bytes of cudaDeviceProp's uuid, as text.
EXPORT int nvmlDeviceGetUUID(void *handle, char *text, unsigned length) {
    std::snprintf(text, length, "GPU-73696d75-6c61-7465-642d-6770752d30%02x", '0' + physical_of(handle));
    return SUCCESS;
}
EXPORT int nvmlDeviceGetMemoryInfo(void *handle, Memory *memory) {
    memory->total = simgpu_memory();
    memory->used = used_of(handle);
    memory->unused = memory->total - memory->used;
    return SUCCESS;
}
EXPORT int nvmlDeviceGetComputeRunningProcesses(void *handle, unsigned *number, ProcessV1 *processes) {
    bool room = *number > 0;
    *number = 1;
    if (!room) return TOO_SMALL;
    processes[0] = {unsigned(getpid()), used_of(handle)};
    return SUCCESS;
}
EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void *handle, unsigned *number, Process *processes) {
    bool room = *number > 0;
    *number = 1;
    if (!room) return TOO_SMALL;
    processes[0] = {{unsigned(getpid()), used_of(handle)}, ~0u, ~0u};
    return SUCCESS;
}
// No GPU is connected to other machines' GPUs.
EXPORT int nvmlDeviceGetGpuFabricInfoV(void *, Fabric *fabric) {
    std::memset(fabric->cluster, 0, sizeof fabric->cluster);
    fabric->status = SUCCESS;
    fabric->clique = 0;
    fabric->state = 0;  // not supported
    return SUCCESS;
}
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version) {
    *version = simgpu_cuda_version();
    return SUCCESS;
}
