// NVRTC: compiles nothing. Within an operator whose values are computed otherwise, it says that it did.
#include <cstddef>
#include <cstdio>
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" int simgpu_cuda_version();
extern "C" int simgpu_library_question(const char *);

namespace {

constexpr int COMPILATION_ERROR = 6;
constexpr char LOG[] = "NotSimulated: the simulated GPU does not compile CUDA C++";
constexpr char CODE[] = "nothing";

}  // namespace

EXPORT int nvrtcVersion(int *major, int *minor) {
    *major = simgpu_cuda_version() / 1000;
    *minor = simgpu_cuda_version() % 1000 / 10;
    return 0;
}
EXPORT const char *nvrtcGetErrorString(int status) { return status ? LOG : "NVRTC_SUCCESS"; }
EXPORT int nvrtcCompileProgram() { return simgpu_library_question("nvrtcCompileProgram") ? COMPILATION_ERROR : 0; }
EXPORT int nvrtcGetProgramLogSize(void *, size_t *bytes) {
    *bytes = sizeof LOG;
    return 0;
}
EXPORT int nvrtcGetProgramLog(void *, char *text) {
    std::memcpy(text, LOG, sizeof LOG);
    return 0;
}
EXPORT int nvrtcAddNameExpression() { return 0; }
EXPORT int nvrtcGetLoweredName(void *, const char *expression, const char **name) {
    *name = expression;
    return 0;
}

#define CODE_OF(kind)                                         \
    EXPORT int nvrtcGet##kind##Size(void *, size_t *bytes) {  \
        *bytes = sizeof CODE;                                 \
        return 0;                                             \
    }                                                         \
    EXPORT int nvrtcGet##kind(void *, char *code) {           \
        std::memcpy(code, CODE, sizeof CODE);                 \
        return 0;                                             \
    }
CODE_OF(PTX)
CODE_OF(CUBIN)
