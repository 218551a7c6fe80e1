"""What PyTorch's shared libraries ask of NVIDIA's, read with the linker's own tools."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

NVIDIA = re.compile(r"lib(?:cu|nv|nccl)\w*\.so(?:\.\d+)?")
UNVERSIONED = {  # libraries whose symbols carry no version, by how their functions begin
    "libnccl.so": re.compile(r"nccl[A-Z]"),
    "libcufile.so": re.compile(r"cuFile[A-Z]"),
    "libcusparseLt.so": re.compile(r"cusparseLt[A-Z]"),
    "libcuda.so": re.compile(r"cu[A-Z](?!ile[A-Z])"),
    "libnvshmem_host.so": re.compile(r"nvshmem"),
    "libcurand.so": re.compile(r"curand[A-Z]"),
}


def needed(libraries: Iterable[Path]) -> dict[str, set[str]]:
    """Return NVIDIA's libraries that the given ones need, by soname, each with the functions that they ask it for."""
    paths = [str(path) for path in libraries]
    names = {name for line in _output("readelf", "-dW", *paths) if "NEEDED" in line for name in NVIDIA.findall(line)}
    found: dict[str, set[str]] = {name: set() for name in names}
    for line in _output("nm", "-D", "--undefined-only", *paths):
        parts = line.split()
        if len(parts) == 2:
            symbol, _, version = parts[1].partition("@")
            soname = version.lstrip("@") if version else _owner(symbol, names)
            if version == "NVSHMEM":
                soname = _owner(symbol, names)
            if soname in found:
                found[soname].add(symbol)
    return found


def by_name(torch: Path) -> dict[str, set[str]]:
    """Return the functions of the driver's libraries that PyTorch looks up by name, as its header lists them."""
    header = (torch / "include" / "c10" / "cuda" / "driver_api.h").read_text()
    names = set(re.findall(r"_\((\w+)", header))
    return {
        "libcuda.so.1": {name for name in names if re.match("cu[A-Z]", name)},
        "libnvidia-ml.so.1": {name for name in names if name.startswith("nvml")},
    }


def defined(path: Path) -> set[str]:
    """Return the functions that an object file or a library defines."""
    return {line.split()[-1].partition("@")[0] for line in _output("nm", "--defined-only", str(path)) if " T " in line}


def _owner(symbol: str, names: set[str]) -> str:
    for stem, pattern in UNVERSIONED.items():
        if pattern.match(symbol):
            return next((name for name in names if name.startswith(stem)), "")
    return ""


def _output(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
