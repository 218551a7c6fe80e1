// The results' names and texts, as the runtime and the driver print them, and the last error of each thread.
#include <atomic>
#include <string>

#include "state.h"

namespace {

thread_local Status last = SUCCESS;
std::atomic<int> failure{SUCCESS};  // of the whole process, for good

struct Text {
    int status;
    const char *name;
    const char *text;
};

// PyTorch puts the text into "CUDA error: ...", and people search for it.
constexpr Text TEXTS[] = {
    {SUCCESS, "cudaSuccess", "no error"},
    {INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "out of memory"},
    {INITIALIZATION_ERROR, "cudaErrorInitializationError", "initialization error"},
    {INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {NO_DEVICE, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {INVALID_CONTEXT, "cudaErrorDeviceUninitialized", "invalid device context"},
    {INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {SYMBOL_NOT_FOUND, "cudaErrorSymbolNotFound", "named symbol not found"},
    {NOT_READY, "cudaErrorNotReady", "device not ready"},
    {PEER_ALREADY_ENABLED, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {HOST_ALREADY_REGISTERED, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {HOST_NOT_REGISTERED, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {ILLEGAL_ADDRESS, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {ASSERTED, "cudaErrorAssert", "device-side assert triggered"},
    {LAUNCH_FAILURE, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
    {CAPTURE_UNSUPPORTED, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {CAPTURE_INVALIDATED, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {CAPTURE_UNMATCHED, "cudaErrorStreamCaptureUnmatched", "capture was not initiated in this stream"},
    {CAPTURED_EVENT, "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"},
};

const Text *find(int status) {
    for (const Text &text : TEXTS)
        if (text.status == status) return &text;
    return nullptr;
}

}  // namespace

Status result(Status status) {
    if (status != SUCCESS) last = status;
    return status;
}

void forget_error() { last = SUCCESS; }

Status failed() { return Status(failure.load(std::memory_order_relaxed)); }
EXPORT void simgpu_fail(int status) { failure = status; }
EXPORT int simgpu_failed(void) { return failed(); }

EXPORT Status cudaGetLastError() {
    Status status = failed() ? failed() : last;
    last = SUCCESS;
    return status;
}

EXPORT Status cudaPeekAtLastError() { return failed() ? failed() : last; }

EXPORT const char *cudaGetErrorName(int status) {
    const Text *text = find(status);
    return text ? text->name : "unrecognized error code";
}

EXPORT const char *cudaGetErrorString(int status) {
    const Text *text = find(status);
    if (!text) return "unrecognized error code";
    const char *lost = status == NOT_SUPPORTED ? lost_launch() : nullptr;
    const char *refused = status != NOT_SUPPORTED ? nullptr : lost ? lost : last_refusal();
    if (!refused) return text->text;
    simgpu_unsure(refused);
    static thread_local std::string explained;
    explained = std::string(text->text) + " (NotSimulated: the simulated GPU does not do " + refused;
    if (lost) explained += ", and memory that it should have written was not; no later call of this process succeeds";
    explained += ")";
    return explained.c_str();
}
