// Kernels: their registration when a library is loaded, what is asked about them, and their launches, which are checked
// and counted and compute nothing.
#include <cstring>
#include <dlfcn.h>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "state.h"

namespace {

struct Dimensions {
    unsigned x, y, z;
};

struct Configuration {
    Dimensions grid, block;
    size_t shared;
    void *stream;
};
thread_local Configuration pushed;
thread_local Dimensions last_grid, last_block;

// Over a hundred thousand kernels register when PyTorch is loaded; a table is made of them at the first launch.
std::vector<std::pair<const void *, const char *>> registered;
std::unordered_map<const void *, const char *> names;
std::mutex names_lock;

const char *name(const void *kernel) {
    std::lock_guard<std::mutex> guard(names_lock);
    if (!registered.empty()) {
        names.reserve(names.size() + registered.size());
        names.insert(registered.begin(), registered.end());
        registered.clear();
        registered.shrink_to_fit();
    }
    auto found = names.find(kernel);
    return found == names.end() ? "a kernel without a name" : found->second;
}

bool fits(const Dimensions &grid, const Dimensions &block) {
    size_t threads = size_t(block.x) * block.y * block.z;
    return threads > 0 && threads <= 1024 && block.z <= 64 && grid.x > 0 && grid.x <= 2147483647u && grid.y > 0 &&
           grid.y <= 65535 && grid.z > 0 && grid.z <= 65535;
}

// Whether a kernel only keeps the GPU busy, as torch.cuda._sleep does: then there is nothing to compute.
bool only_waits(const char *kernel) { return std::strstr(kernel, "spin_kernel") != nullptr; }

// How long such a pause lasts if the program polls for its end. A GPU has over a thousand million ticks a second. Here they
// are slower, as the host is: it may be a busy machine, and computes what a GPU would.
constexpr double TICKS_A_SECOND = 1e8;

void keep_busy(const void *stream, void **arguments) {
    auto ticks = *static_cast<const int64_t *>(arguments[0]);
    pause(line_of(stream), double(ticks) / TICKS_A_SECOND);
}

Status launch(const void *kernel, const Dimensions &grid, const Dimensions &block, void **arguments,
              const void *stream) {
    if (Status status = usable()) return result(status);
    if (!fits(grid, block)) return result(INVALID_CONFIGURATION);
    last_grid = grid;
    last_block = block;
    bool waits = only_waits(name(kernel));
    if (waits) simgpu_enter();
    Status status = claim(SIMGPU_LAUNCH, name(kernel), stream);
    if (waits) simgpu_leave();
    if (status) return result(status);
    if (auto capture = capture_of(stream)) {
        std::lock_guard<std::mutex> guard(lock);
        ++capture->graph->launches;
    } else if (waits) {
        keep_busy(stream, arguments);
    }
    return SUCCESS;
}

// Names that the program made are kept, as the log wants them.
const char *kept(const char *name) {
    static std::mutex guarded;
    static std::set<std::string> names;
    std::lock_guard<std::mutex> guard(guarded);
    return names.insert(name).first->c_str();
}

// cudaFuncAttributes
struct FunctionAttributes {
    size_t shared, constant, local;
    int threads_per_block, registers, ptx_version, binary_version, cache_mode, dynamic_shared, carveout;
    int others[22];
};

// cudaLaunchConfig_t
struct LaunchConfiguration {
    Dimensions grid, block;
    size_t shared;
    void *stream;
    void *attributes;
    unsigned number;
};

}  // namespace

EXPORT int simgpu_kernel(const char *name, const void *stream) {
    if (usable()) return SIMGPU_FAILED;
    simgpu_enter();
    claim(SIMGPU_LAUNCH, kept(name), stream);
    simgpu_leave();
    if (settings.shapes_only) return SIMGPU_NEVER;
    return simgpu_capturing(stream) ? SIMGPU_IN_GRAPH : simgpu_pending(stream) ? SIMGPU_LATER : SIMGPU_NOW;
}

EXPORT void simgpu_last_launch(uint32_t grid[3], uint32_t block[3]) {
    std::memcpy(grid, &last_grid, sizeof last_grid);
    std::memcpy(block, &last_block, sizeof last_block);
}

EXPORT void **__cudaRegisterFatBinary(void *binary) {
    (void)binary;
    static void *handle = nullptr;
    return &handle;
}
EXPORT void __cudaRegisterFatBinaryEnd(void **) {}
EXPORT void __cudaUnregisterFatBinary(void **) {}
EXPORT char __cudaInitModule(void **) { return 1; }
EXPORT void __cudaRegisterFunction(void **, const char *kernel, char *, const char *kernel_name, int, void *, void *,
                                   void *, void *, int *) {
    std::lock_guard<std::mutex> guard(names_lock);
    registered.emplace_back(kernel, kernel_name);
}
EXPORT void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}
EXPORT void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int) {}

EXPORT unsigned __cudaPushCallConfiguration(Dimensions grid, Dimensions block, size_t shared, void *stream) {
    pushed = {grid, block, shared, stream};
    return 0;
}
EXPORT Status __cudaPopCallConfiguration(Dimensions *grid, Dimensions *block, size_t *shared, void **stream) {
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *stream = pushed.stream;
    return SUCCESS;
}

// From CUDA 13 on a kernel has a handle; here it is the address of its function on the host.
EXPORT Status __cudaGetKernel(const void **handle, const void *function) {
    *handle = function;
    return SUCCESS;
}
EXPORT Status __cudaLaunchKernel(const void *kernel, Dimensions grid, Dimensions block, void **arguments, size_t,
                                 void *stream) {
    return launch(kernel, grid, block, arguments, stream);
}
EXPORT Status cudaLaunchKernel(const void *kernel, Dimensions grid, Dimensions block, void **arguments, size_t,
                                 void *stream) {
    return launch(kernel, grid, block, arguments, stream);
}
EXPORT Status cudaLaunchCooperativeKernel(const void *kernel, Dimensions grid, Dimensions block, void **arguments,
                                          size_t, void *stream) {
    return launch(kernel, grid, block, arguments, stream);
}
EXPORT Status cudaLaunchKernelExC(const LaunchConfiguration *launched, const void *kernel, void **arguments) {
    return launch(kernel, launched->grid, launched->block, arguments, launched->stream);
}

EXPORT Status cudaDeviceGetAttribute(int *value, int attribute, int device);

EXPORT Status cudaFuncGetAttributes(FunctionAttributes *attributes, const void *) {
    *attributes = {};
    attributes->threads_per_block = 1024;
    attributes->registers = 32;
    attributes->ptx_version = attributes->binary_version = settings.major * 10 + settings.minor;
    attributes->dynamic_shared = 49152;
    return SUCCESS;
}
EXPORT Status cudaFuncSetAttribute(const void *, int, int) { return SUCCESS; }
EXPORT Status cudaKernelSetAttributeForDevice(const void *, int, int, int) { return SUCCESS; }

EXPORT Status cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *, int block_size, size_t,
                                                                     unsigned) {
    int threads = 0;
    cudaDeviceGetAttribute(&threads, 39, current_device());
    *blocks = block_size > 0 && block_size < threads ? threads / block_size : 1;
    if (*blocks > 16) *blocks = 16;
    return SUCCESS;
}
EXPORT Status cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int block_size,
                                                            size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, kernel, block_size, shared, 0);
}

namespace {

// libcuda is loaded with global visibility as the runtime is; some functions have a second version in their name.
void *driver_function(const char *name) {
    if (void *function = dlsym(RTLD_DEFAULT, name)) return function;
    return dlsym(RTLD_DEFAULT, (std::string(name) + "_v2").c_str());
}

// The driver's functions are PyTorch's way to what the runtime lacks. An unknown one is "not found", as in an old driver.
Status entry_point(const char *symbol, void **function, int *found) {
    *function = driver_function(symbol);
    if (found) *found = *function ? 0 : 1;
    return SUCCESS;
}

}  // namespace

EXPORT Status cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long, int *found) {
    return entry_point(symbol, function, found);
}
EXPORT Status cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned, unsigned long long,
                                               int *found) {
    return entry_point(symbol, function, found);
}
