// cuDNN: its version, and the texts of its errors.
#include <cstddef>
#include <cstdio>

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" int simgpu_cuda_version();

// CUDNN_VERSION is the version that PyTorch was built with: it refuses an older one.
EXPORT size_t cudnnGetVersion() { return CUDNN_VERSION; }
EXPORT size_t cudnnGetCudartVersion() { return size_t(simgpu_cuda_version()); }
EXPORT int cudnnGetProperty(int which, int *value) {
    const int numbers[] = {CUDNN_VERSION / 10000, CUDNN_VERSION / 100 % 100, CUDNN_VERSION % 100};
    if (which < 0 || which > 2) return 2000;  // CUDNN_STATUS_BAD_PARAM
    *value = numbers[which];
    return 0;
}
EXPORT const char *cudnnGetErrorString(int status) {
    return status == 0 ? "CUDNN_STATUS_SUCCESS" : status == 3000 ? "CUDNN_STATUS_NOT_SUPPORTED" : "CUDNN_STATUS_BAD_PARAM";
}
EXPORT void cudnnGetLastErrorString(char *text, size_t length) {
    std::snprintf(text, length, "NotSimulated: the simulated GPU has no cuDNN");
}
EXPORT int cudnnGetStream(void *, void **stream) {
    *stream = nullptr;
    return 0;
}
