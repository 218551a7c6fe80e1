"""The functions of NVIDIA's libraries that have no code of their own: what each gives back to the host.

Their work is on the device, where nothing happens: they succeed where the values are computed otherwise, and are
refused elsewhere. A function that makes a handle gives something to hold, and one that is asked for the size of a
workspace answers that it needs none. What they would read from the device, they cannot know: those are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NOT_SUPPORTED = {  # how each library says that it cannot do what it is asked
    "cublas": 15,
    "cublasLt": 15,
    "cudnn": 3000,
    "cufft": 16,
    "cufile": 5027,
    "cupti": 27,
    "cusolver": 9,
    "cusparse": 10,
    "cusparseLt": 10,
    "nccl": 3,
    "nvidia-ml": 3,
    "nvrtc": 6,
}
OTHERWISE = 801  # of the runtime and the driver

REFUSED = re.compile(
    "|".join(
        (
            "cusparseXcsrgeam2Nnz|cusparseSpMatGetSize|cusparseLtSpMMACompressedSize2|cudnnGetRNNWeightParams",
            "cudnnBackend.*|cudnn(Find|Get)Convolution.*|cudnnGet.*Descriptor|nvshmem.*|cuFile.*|nccl.*",
            "nvrtcGet.*",
        )
    )
)
HARMLESS = re.compile(  # of the refused: they write no memory of a device, and their caller gets no answer
    "|".join(
        (
            "cuCtx.*|cuDev.*|cuGreenCtx.*|cuLink.*|cuMem(Export|Get|Import|Retain).*|cuMulticast.*|cuTensorMapEncode.*",
            "cudaGraph(ConditionalHandleCreate|DebugDotPrint|NodeGetDependencies)|cudaIpc.*|cudaLibrary.*",
            "cudaStreamUpdateCaptureDependencies|cudnnBackend(?!Execute).*|cudnnGet.*|cuFile(Buf|Handle).*|nvrtcGet.*",
            "nccl(Comm|Dev|Get|GroupSimulate|Mem).*|nvshmem(id)?_.*|nvshmemx_(cumodule|get_unique|mc_ptr|set_attr).*",
            r"cusparse\w*(GetSize|Size2)",
        )
    )
)
TEXTS = re.compile(r"\w+Get(Error|Status)(String|Name)\w*")
ASKS = re.compile(r"\w+(Get(?!Vector|Matrix)\w*|_bufferSize\w*|Version\w*)")
CREATES = re.compile(r"\w+Create(?!Identity)\w*|\w+_createDescr")
RELEASES = re.compile(r"\w+Destroy\w*|\w+_destroyDescr|\w+Set(?!Matrix|Vector)[A-Z]\w*|cupti\w+")
SIZES = (  # a function, and the places of the numbers that it gives back, counted from 0
    (r"cusolverDn[SDCZ](getrf|geqrf|potrf)_bufferSize", "int", 5),
    (r"cusolverDn[SDCZ]gesvd_bufferSize", "int", 3),
    (r"cusolverDn[SDCZ](or|un)gqr_bufferSize", "int", 7),
    (r"cusolverDn[SDCZ](or|un)mqr_bufferSize", "int", 11),
    (r"cusolverDn[SDCZ](sy|he)ev(d|jBatched)_bufferSize", "int", 7),
    (r"cusolverDn[SDCZ]sytrf_bufferSize", "int", 4),
    (r"cusolverDn[SDCZ]gesvdj_bufferSize", "int", 12),
    (r"cusolverDn[SDCZ]gesvdjBatched_bufferSize", "int", 11),
    (r"cusolverDn[SDCZ]gesvdaStridedBatched_bufferSize", "int", 16),
    (r"cusolverDnXgeqrf_bufferSize", "size_t", 10, 11),
    (r"cusolverDnXpotrf_bufferSize", "size_t", 8, 9),
    (r"cusolverDnXsyev(d|Batched)_bufferSize", "size_t", 11, 12),
    (r"cusolverDnXgeev_bufferSize", "size_t", 17, 18),
    (r"cusolverDnXsytrs_bufferSize", "size_t", 11, 12),
    (r"cusparse(SpMM|SDDMM|SpSM)_bufferSize", "size_t", 10),
    (r"cusparse(SpMV|SpSV)_bufferSize", "size_t", 9),
    (r"cusparseSpGEMM_(workEstimation|compute)", "size_t", 11),
    (r"cusparseX(coo|csr)sort_bufferSizeExt", "size_t", 6),
    (r"cusparse[SDCZ]csrgeam2_bufferSizeExt", "size_t", 19),
    (r"cusparse[SDCZ]bsrsv2_bufferSize", "int", 11),
    (r"cusparse[SDCZ]bsrsm2_bufferSize", "int", 13),
    (r"cusparseLtMatmulGetWorkspace", "size_t", 2),
    (r"cufftXtMakePlanMany", "size_t", 12),
    (r"cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize", "size_t", 8),
    (r"cudnnGetBatchNormalizationTrainingExReserveSpaceSize", "size_t", 5),
    (r"cudnnGetBatchNormalizationBackwardExWorkspaceSize", "size_t", 10),
    (r"cudnnDropoutGetStatesSize", "size_t", 1),
    (r"cudnnGetCTCLossWorkspaceSize", "size_t", 8),
    (r"cudnnGetCTCLossWorkspaceSize_v8", "size_t", 5),
    (r"cudnnGetRNNWeightSpaceSize", "size_t", 2),
    (r"cudnnGetRNNTempSpaceSizes", "size_t", 4, 5),
)

STATUS = (  # a function that checks its arguments on the host, and the place of the number that says they are right
    (r"cublas[SDCZ]geqrfBatched", 6),
    (r"cublas[SDCZ]gelsBatched", 9),
)

HEAD = """\
#include <cstddef>
#include <cstdint>
#define EXPORT extern "C" __attribute__((visibility("default")))
extern "C" const char *simgpu_explain();
extern "C" int simgpu_library_call(const char *);
extern "C" int simgpu_library_question(const char *);
extern "C" int simgpu_refused(const char *);
extern "C" int simgpu_refused_work(const char *);
"""


def source(library: str, functions: Iterable[str]) -> str:
    """Return the C++ source of functions of a library, such as "cublas"."""
    code = NOT_SUPPORTED.get(library, OTHERWISE)
    return HEAD + "\n".join(_function(name, code) for name in functions) + "\n"


def _function(name: str, code: int) -> str:
    if TEXTS.fullmatch(name):
        return f"EXPORT const char *{name}() {{ return simgpu_explain(); }}"
    if REFUSED.fullmatch(name) or code == OTHERWISE:
        refused = "simgpu_refused" if HARMLESS.fullmatch(name) else "simgpu_refused_work"
        return f'EXPORT int {name}() {{ {refused}("{name}"); return {code}; }}'
    if CREATES.fullmatch(name):
        return f"EXPORT int {name}(void **handle) {{ *handle = reinterpret_cast<void *>(1); return 0; }}"
    if RELEASES.fullmatch(name):
        return f"EXPORT int {name}() {{ return 0; }}"
    for pattern, kind, *places in SIZES:
        if re.fullmatch(str(pattern), name):
            return _size_query(name, str(kind), [int(place) for place in places])
    call = "simgpu_library_question" if ASKS.fullmatch(name) else "simgpu_library_call"
    answer = f'return {call}("{name}") ? {code} : 0;'
    for pattern, place in STATUS:
        if re.fullmatch(pattern, name):
            return f"EXPORT int {name}({_parameters(place)}) {{ *reinterpret_cast<int *>(a{place}) = 0; {answer} }}"
    return f"EXPORT int {name}() {{ {answer} }}"


def _parameters(last: int) -> str:
    return ", ".join(f"[[maybe_unused]] uintptr_t a{place}" for place in range(last + 1))


def _size_query(name: str, kind: str, places: list[int]) -> str:
    writes = " ".join(f"*reinterpret_cast<{kind} *>(a{place}) = 0;" for place in places)
    return f"EXPORT int {name}({_parameters(max(places))}) {{ {writes} return 0; }}"
