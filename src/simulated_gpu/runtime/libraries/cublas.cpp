// cuBLAS: what its handle remembers.
#include <cstddef>

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" void simgpu_note_workspace(const void *, size_t);

namespace {

struct Handle {
    int math_mode = 0;
    int pointer_mode = 0;
    void *stream = nullptr;
};

}  // namespace

EXPORT int cublasCreate_v2(Handle **handle) {
    *handle = new Handle;
    return 0;
}
EXPORT int cublasDestroy_v2(Handle *handle) {
    delete handle;
    return 0;
}
EXPORT int cublasSetStream_v2(Handle *handle, void *stream) {
    handle->stream = stream;
    return 0;
}
EXPORT int cublasGetStream_v2(Handle *handle, void **stream) {
    *stream = handle->stream;
    return 0;
}
EXPORT int cublasSetWorkspace_v2(Handle *, void *workspace, size_t bytes) {
    simgpu_note_workspace(workspace, bytes);
    return 0;
}
EXPORT int cublasSetMathMode(Handle *handle, int mode) {
    handle->math_mode = mode;
    return 0;
}
EXPORT int cublasGetMathMode(Handle *handle, int *mode) {
    *mode = handle->math_mode;
    return 0;
}
EXPORT int cublasSetPointerMode_v2(Handle *handle, int mode) {
    handle->pointer_mode = mode;
    return 0;
}
EXPORT int cublasGetPointerMode_v2(Handle *handle, int *mode) {
    *mode = handle->pointer_mode;
    return 0;
}
