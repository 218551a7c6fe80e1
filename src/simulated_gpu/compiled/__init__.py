"""torch.compile for the simulated GPU: Inductor's C++ kernels in the place of Triton's, launched like any other."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ..builder import cache_folder
from ..imports import after, after_both

__all__ = ["install"]


def install() -> None:
    """Have PyTorch compile for the CPU what it would compile for a GPU. Call it once torch is imported."""
    after("torch._inductor.compile_fx", _register)
    after("triton.runtime.driver", _stand_in)
    after_both("triton", "triton.runtime.interpreter", _mend_interpreter)
    after_both("triton", "torch._dynamo", _leave_interpreter_alone)
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache_folder() / f"inductor-{_key()}"))
    os.environ.setdefault("TORCH_WARM_POOL", "0")  # Inductor would start processes that compile for Triton


def _key() -> str:
    """Return a hash of this package: what it compiled differently before must not be used, nor what a GPU runs."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def _register() -> None:
    from .inductor import register

    register()


def _stand_in() -> None:
    from .triton_driver import stand_in

    stand_in()


def _mend_interpreter() -> None:
    from .triton_bits import mend

    mend()


def _leave_interpreter_alone() -> None:
    """Have Dynamo break its graph at a kernel of the program's, rather than compile Triton's interpreter."""
    from torch._dynamo import disable
    from triton.runtime.interpreter import GridExecutor  # type: ignore[import-not-found]

    reason = "the simulated GPU runs a kernel of Triton's in Triton's interpreter, outside of what is compiled"
    GridExecutor.__call__ = disable(GridExecutor.__call__, reason=reason)
