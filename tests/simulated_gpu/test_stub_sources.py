"""The functions that have no code of their own, and how PyTorch's libraries are asked for them."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from simulated_gpu import builder, elf, stubs

COUNTING = 'extern "C" { int calls; int simgpu_library_call(const char *) { return ++calls > 1; } '
REFUSING = """int simgpu_refused(const char *) { return 1; }
int simgpu_refused_work(const char *) { return 2; }
int simgpu_library_question(const char *) { return 0; }
const char *simgpu_explain() { return "explained"; } }"""


@pytest.fixture
def library(tmp_path: Path) -> ctypes.CDLL:
    """Stubs of cuBLAS and cuSOLVER, on a runtime that computes the first call alone."""
    source = tmp_path / "stubs.cpp"
    names = [
        "cublasSgemm_v2",
        "cublasFooCreate",
        "cublasFooDestroy",
        "cusolverDnSgetrf_bufferSize",
        "cublasSgeqrfBatched",
        "cublasGetErrorString",
    ]
    source.write_text(stubs.source("cublas", names) + COUNTING + REFUSING)
    made = tmp_path / "stubs.so"
    builder.compile_with(["-shared", "-fPIC", str(source), "-o", str(made)])
    return ctypes.CDLL(str(made))


def test_a_computing_function_succeeds_only_where_it_is_computed(library: ctypes.CDLL) -> None:
    """A product that nobody computed must not count as done: 15 is cuBLAS's "not supported"."""
    assert [library.cublasSgemm_v2(), library.cublasSgemm_v2()] == [0, 15]


def test_a_creating_function_gives_something_to_hold(library: ctypes.CDLL) -> None:
    """PyTorch checks handles for null."""
    handle = ctypes.c_void_p()
    assert library.cublasFooCreate(ctypes.byref(handle)) == 0
    assert handle.value
    assert library.cublasFooDestroy(handle) == 0


def test_a_text_of_an_error_is_a_text(library: ctypes.CDLL) -> None:
    """PyTorch puts it into its message, which was "CUDA error: " and nothing."""
    library.cublasGetErrorString.restype = ctypes.c_char_p
    assert library.cublasGetErrorString(3) == b"explained"


def test_a_size_query_answers_where_the_size_is_asked_for(library: ctypes.CDLL) -> None:
    """An answer in the wrong place leaves PyTorch with a random size, and out of memory."""
    size = ctypes.c_int(-1)
    unread = [ctypes.c_void_p(7)] * 5
    assert library.cusolverDnSgetrf_bufferSize(*unread, ctypes.byref(size)) == 0
    assert size.value == 0


@pytest.mark.parametrize("name", ["cudaIpcGetMemHandle", "cuMulticastCreate"])
def test_the_runtime_refuses_what_it_does_not_know(name: str) -> None:
    """An unknown function of the runtime is not a kernel: its result is for the host."""
    assert f'simgpu_refused("{name}"); return 801;' in stubs.source("cudart", [name])


@pytest.mark.parametrize("name", ["cuMemsetD32Async", "cudnnBackendExecute", "cuFileRead", "nvshmemx_getmem_on_stream"])
def test_what_would_have_written_memory_is_refused_as_work(name: str) -> None:
    """Its caller may not look at the status, and the memory must not be taken for written."""
    assert f'simgpu_refused_work("{name}")' in stubs.source(name[:5], [name]), name


def test_needed_functions_are_found_by_library_and_version(tmp_path: Path) -> None:
    """The stand-ins are made of what the installed PyTorch asks for, whatever its version."""
    source = tmp_path / "user.cpp"
    source.write_text('extern "C" { int cublasFoo(); int ncclBar(); } int use() { return cublasFoo() + ncclBar(); }')
    provider, names = tmp_path / "provider.cpp", tmp_path / "names.map"
    provider.write_text('extern "C" int cublasFoo() { return 1; }')
    names.write_text("libcublas.so.13 { global: *; };")
    soname = ["-Wl,-soname,libcublas.so.13", f"-Wl,--version-script={names}"]
    builder.compile_with(["-shared", "-fPIC", *soname, str(provider), "-o", str(tmp_path / "libcublas.so.13")])
    nccl = tmp_path / "libnccl.so.2"
    builder.compile_with(["-shared", "-fPIC", "-Wl,-soname,libnccl.so.2", str(provider), "-o", str(nccl)])
    user = tmp_path / "libuser.so"
    linked = ["-Wl,--no-as-needed", str(tmp_path / "libcublas.so.13"), str(nccl)]
    builder.compile_with(["-shared", "-fPIC", str(source), *linked, "-o", str(user)])
    assert elf.needed([user]) == {"libcublas.so.13": {"cublasFoo"}, "libnccl.so.2": {"ncclBar"}}


def test_a_function_that_checks_its_arguments_finds_them_right(library: ctypes.CDLL) -> None:
    """PyTorch stops where the number that cuBLAS writes is not 0."""
    wrong = ctypes.c_int(7)
    unused = [ctypes.c_void_p(0)] * 6
    assert library.cublasSgeqrfBatched(*unused, ctypes.byref(wrong), 1) == 0
    assert wrong.value == 0
