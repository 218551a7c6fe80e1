"""The libraries that take the place of NVIDIA's: which there are, and how each is compiled."""

from __future__ import annotations

from pathlib import Path

from . import builder, elf, stubs
from .installed import Torch

SOURCES = Path(__file__).parent / "runtime"
RUNTIME = ("devices", "errors", "graphs", "launches", "log", "memory", "pauses", "refusals", "sharing", "streams")
DRIVER = {"libcuda.so.1": "driver", "libnvidia-ml.so.1": "nvml"}
FLAGS = ("-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall")


def build(torch: Torch) -> list[Path]:
    """Return the libraries for this PyTorch, in the order in which they have to be loaded. Builds them if need be."""
    sources = [*SOURCES.glob("**/*.cpp"), *SOURCES.glob("**/*.h"), *map(Path, (__file__, elf.__file__, stubs.__file__))]
    folder = builder.kept("runtime", torch, sources, lambda fresh: _build(torch, fresh), "part 1 of 2, the runtime")
    return sorted(folder.glob("*.so"), key=lambda path: (path.stem != "cudart", path.stem))


def _build(torch: Torch, folder: Path) -> None:
    wanted = elf.needed(torch.libraries)
    for soname, functions in elf.by_name(torch.folder).items():
        wanted.setdefault(soname, set()).update(functions)
    for soname, functions in wanted.items():
        build_library(soname, functions, torch, folder)


def build_library(soname: str, wanted: set[str], torch: Torch, folder: Path) -> Path:
    """Compile the stand-in of one library, with stubs of the wanted functions that have no code. Return its file."""
    # The file's name is not NVIDIA's: where PyTorch finds "libcudart.so" in the process, it loads more of them.
    stem = soname.removeprefix("lib").partition(".so")[0]
    objects = [_compile(source, torch, folder) for source in _sources(stem, soname)]
    written = set().union(*(elf.defined(path) for path in objects))
    rest = folder / f"{stem}-rest.cpp"
    rest.write_text(stubs.source(stem, sorted(wanted - written)))
    objects.append(_compile(rest, torch, folder))
    versions = folder / f"{stem}.map"
    version = "NVSHMEM" if stem.startswith("nvshmem") else soname.replace("-", "_")
    versions.write_text(f"{version} {{ global: *; }};\n")
    library = folder / f"{stem}.so"
    linking = ["-shared", f"-Wl,-soname,{soname}", f"-Wl,--version-script={versions}"]
    builder.compile_with([*linking, *map(str, objects), "-o", str(library)])
    for path in (*objects, rest, versions):
        path.unlink()
    return library


def _sources(stem: str, soname: str) -> list[Path]:
    if stem == "cudart":
        return [SOURCES / f"{name}.cpp" for name in RUNTIME]
    if soname in DRIVER:
        return [SOURCES / f"{DRIVER[soname]}.cpp"]
    libraries = SOURCES / "libraries"
    return sorted([*libraries.glob(f"{stem}.cpp"), *libraries.glob(f"{stem}_*.cpp")])


def _compile(source: Path, torch: Torch, folder: Path) -> Path:
    target = folder / f"{source.stem}.o"
    definitions = {
        "CUDA_MAJOR": torch.cuda_number // 1000,
        "CUDNN_VERSION": _version(torch, "cudnn", "9.10.2"),
        "NCCL_VERSION": _version(torch, "nccl", "2.27.5"),
    }
    flags = [*FLAGS, *(f"-D{name}={value}" for name, value in definitions.items()), f"-I{SOURCES}"]
    builder.compile_with([*flags, "-c", str(source), "-o", str(target)])
    return target


def _version(torch: Torch, name: str, otherwise: str) -> int:
    major, minor, patch = (int(part) for part in torch.companions.get(name, otherwise).split(".")[:3])
    return major * 10000 + minor * 100 + patch
