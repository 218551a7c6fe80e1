// cuBLASLt: PyTorch asks it for an algorithm before it multiplies, and takes the first.
#include <cstddef>

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" int simgpu_cuda_version();
extern "C" int simgpu_library_call(const char *);
extern "C" void simgpu_note_workspace(const void *, size_t);

namespace {

// cublasLtMatmulHeuristicResult_t
struct Heuristic {
    unsigned long long algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
};

}  // namespace

EXPORT int cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *, void *, void *, void *, int wanted,
                                          Heuristic *found, int *number) {
    *number = wanted > 0 ? 1 : 0;
    if (wanted > 0) *found = {};
    return 0;
}
EXPORT int cublasLtMatmul(void *, void *, const void *, const void *, void *, const void *, void *, const void *,
                          const void *, void *, void *, void *, const void *, void *workspace, size_t bytes, void *) {
    constexpr int NOT_SUPPORTED = 15;
    simgpu_note_workspace(workspace, bytes);
    return simgpu_library_call("cublasLtMatmul") ? NOT_SUPPORTED : 0;
}
// 13.0 is 130000: CUDA's version is cuBLAS's, but for the patch.
EXPORT size_t cublasLtGetVersion() { return size_t(simgpu_cuda_version() / 10) * 100; }
