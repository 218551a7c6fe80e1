"""nvidia: what a machine says of NVIDIA's GPUs and their driver, found without importing torch."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

NODES = ("/dev/nvidiactl", "/dev/dxg", f"{os.environ.get('SYSTEMROOT', '')}/System32/nvcuda.dll")
"""What a driver puts there: on Linux, in the Windows Subsystem for Linux, on Windows."""
KERNEL = Path("/proc/driver/nvidia")
"""Where the kernel module describes itself and its GPUs on Linux."""
DRIVER_LIMIT = 20.0
"""Seconds that nvidia-smi may take; with a broken driver it may hang."""
USED = """any(
    torch.cuda.memory_stats(number).get(what, 0)
    for number in range(torch.cuda.device_count())
    for what in ("allocation.all.allocated", "allocated_bytes.all.peak")
)"""
"""Whether PyTorch allocated on a GPU in this process: without that, `memory_stats` is empty, and starts no context."""
HIDDEN = {"CUDA_VISIBLE_DEVICES": "" if os.name == "posix" else "-1", "CUDA_HOME": "", "CUDA_PATH": ""}
"""Hides GPUs from a page, and CUDA's toolkit, of which torch would say that there is no GPU for it. On Windows a
variable that is set to nothing is one that is not set."""


def present() -> bool:
    """Whether there seems to be a GPU that is not hidden."""
    return not _hidden() and any(Path(node).exists() for node in NODES)


def why_absent() -> str:
    """Why there is none for a PyTorch that is built with CUDA, and what to do about it."""
    if _hidden():
        return "CUDA_VISIBLE_DEVICES hides all GPUs; unset it"
    return "no NVIDIA driver was found; run this on a machine where nvidia-smi lists a GPU"


def _hidden() -> bool:
    return os.environ.get("CUDA_VISIBLE_DEVICES", "all") in ("", "-1")


def driver() -> str:
    """Version of the driver: from the kernel module, else from nvidia-smi, else empty."""
    match = re.search(r"\s(\d+\.\d+(?:\.\d+)?)\s", " ".join(read_lines(KERNEL / "version", "NVRM version")))
    if match:
        return match[1]
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=DRIVER_LIMIT)
        return done.stdout.split("\n")[0]
    except (OSError, subprocess.SubprocessError):
        return ""


def facts() -> list[str]:
    """The GPUs, their driver and which of them are visible."""
    gpus = sorted(KERNEL.glob("gpus/*/information"))
    found = [line for path in [KERNEL / "version", *gpus] for line in read_lines(path, "NVRM version", "Model")]
    return [os.environ.get("CUDA_VISIBLE_DEVICES", ""), *found]


def read_lines(path: Path, *names: str) -> list[str]:
    """The lines of a file of `name: value` with these names; none where there is no such file."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return re.findall(rf"^(?:{'|'.join(names)})\s*:.*$", text, re.M)
