// The devices: how many there are, which one is current, and what they say of themselves.
#include <cstdio>
#include <cstring>
#include <pthread.h>

#include "state.h"

#ifndef CUDA_MAJOR
#error "compile with -DCUDA_MAJOR=12 or 13: the layout of cudaDeviceProp differs"
#endif

Settings settings;
std::mutex lock;

namespace {

thread_local int current = 0;
// Whether a context is current in this thread. A new thread has none until its first call that needs one: "the runtime
// will implicitly use device 0 and self-initialize as needed to process other runtime API requests", and since CUDA 12
// cudaSetDevice does it, too (CUDA C++ Programming Guide, "Initialization"). What asks for a number, such as cudaGetDevice,
// needs none. PyTorch's thread of the backward of GPU 0 calls cudaGetDevice alone, as 0 is current already; if a product
// of matrices is its first work, PyTorch finds no context and warns. Two of 1,480 blocks of this repository's pages did so on
// an H100 (PyTorch 2.11.0, driver 580). The same two do here, and none of the others that were run: about a third, with all
// that begin a backward with a sum or a gradient of ones.
thread_local bool in_context = false;
bool started = false;
bool forked = false;

// What differs between the architectures, from the tables of the CUDA programming guide, and the number of
// multiprocessors of one well-known card of each. PyTorch chooses kernels, and how it draws random numbers, by them.
struct Architecture {
    int major, minor;
    int multiprocessors, threads_per_multiprocessor;
    size_t shared_per_multiprocessor, shared_per_block_optin;
    int l2;
};
constexpr Architecture ARCHITECTURES[] = {
    {7, 0, 80, 2048, 98304, 98304, 6 << 20},
    {7, 5, 40, 1024, 65536, 65536, 4 << 20},
    {8, 0, 108, 2048, 167936, 166912, 40 << 20},
    {8, 6, 84, 1536, 102400, 101376, 6 << 20},
    {8, 7, 16, 1536, 167936, 166912, 4 << 20},
    {8, 9, 58, 1536, 102400, 101376, 48 << 20},
    {9, 0, 132, 2048, 233472, 232448, 50 << 20},
    {10, 0, 148, 2048, 233472, 232448, 126 << 20},
    {10, 3, 148, 2048, 233472, 232448, 126 << 20},
    {11, 0, 20, 1536, 233472, 232448, 32 << 20},
    {12, 0, 170, 1536, 102400, 101376, 96 << 20},
    {12, 1, 48, 1536, 102400, 101376, 24 << 20},
};

const Architecture &architecture() {
    for (const Architecture &known : ARCHITECTURES)
        if (known.major == settings.major && known.minor == settings.minor) return known;
    return ARCHITECTURES[2];
}

// cudaDeviceProp. What nobody reads here has no name of its own.
struct Properties {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luid_mask;
    size_t memory, shared_per_block;
    int registers_per_block, warp;
    size_t pitch;
    int threads_per_block, block_dimensions[3], grid_dimensions[3];
#if CUDA_MAJOR < 13
    int clock_rate;
#endif
    size_t constant_memory;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
#if CUDA_MAJOR < 13
    int overlap;
#endif
    int multiprocessors;
#if CUDA_MAJOR < 13
    int timeout;
#endif
    int integrated, maps_host_memory;
#if CUDA_MAJOR < 13
    int compute_mode, texture_1d_linear;
#endif
    int textures_and_surfaces[39];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, copy_engines, unified_addresses;
#if CUDA_MAJOR < 13
    int memory_clock_rate;
#endif
    int memory_bus_width, l2, persisting_l2, threads_per_multiprocessor, stream_priorities, global_l1, local_l1;
    size_t shared_per_multiprocessor;
    int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group, host_atomics;
#if CUDA_MAJOR < 13
    int single_to_double;
#endif
    int pageable_access, concurrent_managed_access, preemption, host_pointers, cooperative_launch;
#if CUDA_MAJOR < 13
    int cooperative_multi_device_launch;
#endif
    size_t shared_per_block_optin;
    int host_page_tables, direct_managed_access, blocks_per_multiprocessor, access_window;
    size_t reserved_shared_per_block;
    int host_register_supported, sparse_arrays, read_only_register, semaphores, memory_pools;
    int others_and_reserved[71];
};

void after_fork() {
    if (started) forked = true;
}

__attribute__((constructor)) void watch_forks() { pthread_atfork(nullptr, nullptr, after_fork); }

Properties describe(int device) {
    const Architecture &known = architecture();
    Properties p;
    std::memset(&p, 0, sizeof p);
    std::strcpy(p.name, "Simulated GPU");
    std::memcpy(p.uuid, "simulated-gpu-00", 16);
    p.uuid[15] = static_cast<unsigned char>('0' + settings.visible[device]);
    p.memory = settings.memory;
    p.shared_per_block = 49152;
    p.registers_per_block = p.registers_per_multiprocessor = 65536;
    p.warp = 32;
    p.pitch = 2147483647;
    p.threads_per_block = 1024;
    p.block_dimensions[0] = p.block_dimensions[1] = 1024;
    p.block_dimensions[2] = 64;
    p.grid_dimensions[0] = 2147483647;
    p.grid_dimensions[1] = p.grid_dimensions[2] = 65535;
    p.constant_memory = 65536;
    p.major = settings.major;
    p.minor = settings.minor;
    p.texture_alignment = p.surface_alignment = 512;
    p.texture_pitch_alignment = 32;
    p.multiprocessors = known.multiprocessors;
    p.maps_host_memory = p.concurrent_kernels = p.unified_addresses = p.stream_priorities = p.cooperative_launch = 1;
    p.copy_engines = 2;
    p.pci_bus = settings.visible[device] + 1;
    p.memory_bus_width = 4096;
    p.l2 = known.l2;
    p.threads_per_multiprocessor = known.threads_per_multiprocessor;
    p.global_l1 = p.local_l1 = p.host_register_supported = p.memory_pools = 1;
    p.shared_per_multiprocessor = known.shared_per_multiprocessor;
    p.shared_per_block_optin = known.shared_per_block_optin;
    p.reserved_shared_per_block = settings.major >= 8 ? 1024 : 0;
    p.blocks_per_multiprocessor = known.threads_per_multiprocessor / 64;
    return p;
}

}  // namespace

Status alive(Context context) {
    started = true;
    if (forked) return INITIALIZATION_ERROR;
    if (settings.visible.empty()) return NO_DEVICE;
    in_context |= context == Context::bound;
    return SUCCESS;
}

Status usable(Context context) {
    Status status = alive(context);
    return status ? status : failed();
}

EXPORT int simgpu_in_context() { return in_context; }
EXPORT void simgpu_bind_context() { alive(); }

int current_device() { return current; }
bool exists(int device) { return device >= 0 && device < int(settings.visible.size()); }

// Called once by Python, before PyTorch is loaded.
EXPORT void simgpu_configure(int physical, const int *visible, int number, size_t memory, int capability, int cuda) {
    settings.physical = physical;
    settings.visible.assign(visible, visible + number);
    settings.memory = memory;
    settings.major = capability / 10;
    settings.minor = capability % 10;
    settings.cuda = cuda;
}
EXPORT void simgpu_set_shapes_only(int on) { settings.shapes_only = on != 0; }
EXPORT int simgpu_shapes_only(void) { return settings.shapes_only; }
EXPORT int simgpu_physical() { return settings.physical; }
EXPORT int simgpu_physical_of(int device) { return exists(device) ? settings.visible[device] : -1; }
EXPORT int simgpu_visible_of(int physical) {
    for (size_t i = 0; i < settings.visible.size(); ++i)
        if (settings.visible[i] == physical) return int(i);
    return -1;
}
EXPORT int simgpu_cuda_version() { return settings.cuda; }
EXPORT size_t simgpu_memory() { return settings.memory; }

EXPORT Status cudaGetDeviceCount(int *count) {
    Status status = usable(Context::not_needed);
    *count = status == SUCCESS ? int(settings.visible.size()) : 0;
    return result(status);
}

EXPORT Status cudaGetDevice(int *device) {
    if (Status status = alive(Context::not_needed)) return result(status);
    *device = current;
    return SUCCESS;
}

EXPORT Status cudaSetDevice(int device) {
    if (Status status = alive()) return result(status);
    if (!exists(device)) return result(INVALID_DEVICE);
    current = device;
    return SUCCESS;
}

EXPORT Status cudaGetDeviceProperties(Properties *properties, int device) {
    if (Status status = usable(Context::not_needed)) return result(status);
    if (!exists(device)) return result(INVALID_DEVICE);
    *properties = describe(device);
    return SUCCESS;
}
// The name in CUDA 12.
EXPORT Status cudaGetDeviceProperties_v2(Properties *properties, int device) {
    return cudaGetDeviceProperties(properties, device);
}

EXPORT Status cudaDeviceGetAttribute(int *value, int attribute, int device) {
    if (Status status = usable(Context::not_needed)) return result(status);
    if (!exists(device)) return result(INVALID_DEVICE);
    Properties p = describe(device);
    switch (attribute) {
        case 1: *value = p.threads_per_block; break;
        case 2: case 3: case 4: *value = p.block_dimensions[attribute - 2]; break;
        case 5: case 6: case 7: *value = p.grid_dimensions[attribute - 5]; break;
        case 8: *value = int(p.shared_per_block); break;
        case 9: *value = int(p.constant_memory); break;
        case 10: *value = p.warp; break;
        case 12: *value = p.registers_per_block; break;
        case 13: *value = 1410000; break;  // kHz
        case 16: *value = p.multiprocessors; break;
        case 19: *value = p.maps_host_memory; break;
        case 33: *value = p.pci_bus; break;
        case 36: *value = 1215000; break;  // kHz
        case 37: *value = p.memory_bus_width; break;
        case 38: *value = p.l2; break;
        case 39: *value = p.threads_per_multiprocessor; break;
        case 40: *value = p.copy_engines; break;
        case 75: *value = p.major; break;
        case 76: *value = p.minor; break;
        case 81: *value = int(p.shared_per_multiprocessor); break;
        case 82: *value = p.registers_per_multiprocessor; break;
        case 97: *value = int(p.shared_per_block_optin); break;
        case 106: *value = p.blocks_per_multiprocessor; break;
        case 111: *value = int(p.reserved_shared_per_block); break;
        case 31: case 41: case 78: case 79: case 80: case 95: case 99: case 115: *value = 1; break;
        default: *value = 0;  // what the simulated GPU does not have
    }
    return SUCCESS;
}

EXPORT Status cudaDeviceGetPCIBusId(char *text, int length, int device) {
    if (!exists(device)) return result(INVALID_DEVICE);
    std::snprintf(text, size_t(length), "0000:%02X:00.0", settings.visible[device] + 1);
    return SUCCESS;
}

EXPORT Status cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return result(usable());
}

EXPORT Status cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (!exists(device) || !exists(peer)) return result(INVALID_DEVICE);
    *can = device != peer;
    return SUCCESS;
}

EXPORT Status cudaDeviceEnablePeerAccess(int peer, unsigned) { return result(exists(peer) ? SUCCESS : INVALID_DEVICE); }

EXPORT Status cudaRuntimeGetVersion(int *version) {
    *version = settings.cuda;
    return SUCCESS;
}

EXPORT Status cudaDriverGetVersion(int *version) {
    *version = settings.cuda;
    return SUCCESS;
}

EXPORT Status cudaDeviceReset() { return result(usable()); }
EXPORT Status cudaProfilerStart() { return SUCCESS; }
EXPORT Status cudaProfilerStop() { return SUCCESS; }
