"""Write what a GPU does, real or simulated: PyTorch's database of operators, and training steps of small networks.

    python tools/simulated_gpu/observe.py FOLDER
    python -m simulated_gpu --capability 9.0 --memory 79GiB tools/simulated_gpu/observe.py FOLDER
    python tools/simulated_gpu/compare.py FOLDER FOLDER

There is a JSON line for each operator and dtype, and for each network. The work is cut into the same processes
wherever it runs, as PyTorch gives some warnings, and cuBLAS its workspace, once a process. A part that crashes goes on
after the case in which it crashed. The database needs expecttest.
"""

from __future__ import annotations

import gc
import itertools
import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves, tree_map

PARTS = 14
SAMPLES = 3
DTYPES = [getattr(torch, name) for name in "float32 float16 bfloat16 float64 int64 bool complex64".split()]
Observed = dict[str, Any]


def main() -> None:
    """Run the parts, two at a time, each in a process of its own."""
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        _run_part(sys.argv[2], folder)
        return
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda part: _finish_part(part, folder), [*map(str, range(PARTS)), "networks"]))


def _finish_part(part: str, folder: Path) -> None:
    path, known = folder / f"{part}.jsonl", -1
    while subprocess.run([sys.executable, "-W", "ignore", __file__, str(folder), part], check=False).returncode:
        size = path.stat().st_size if path.exists() else 0
        if size == known:
            raise RuntimeError(f"part {part} does not go on")
        known = size


def _run_part(part: str, folder: Path) -> None:
    """Observe the cases of a part that were not begun before."""
    path = folder / f"{part}.jsonl"
    begun = {json.loads(line)["case"] for line in path.read_text().splitlines()} if path.exists() else set()
    cases = _networks() if part == "networks" else _operators(int(part))
    with path.open("a") as file:
        for name, observe in cases:
            if name not in begun:
                print(json.dumps({"case": name}), file=file, flush=True)
                print(json.dumps({"case": name, "observed": observe()}), file=file, flush=True)


def _operators(part: int) -> Iterator[tuple[str, Callable[[], list[Observed]]]]:
    from torch.testing._internal.common_methods_invocations import op_db

    torch.set_num_threads(1)
    for op in op_db[part::PARTS]:
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        for dtype in DTYPES:
            if dtype in op.dtypes or dtype in op.supported_dtypes("cuda"):
                yield f"{name} {str(dtype)[6:]}", lambda op=op, dtype=dtype: _samples(op, dtype)


def _samples(op: Any, dtype: torch.dtype) -> list[Observed]:
    torch.manual_seed(0)
    try:
        samples = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), SAMPLES))
    except (RuntimeError, TypeError, ValueError):  # the database has none of this dtype
        return []
    return [_call(op, tree_map(_on_gpu, (sample.input, sample.args, sample.kwargs))) for sample in samples]


def _on_gpu(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone().to("cuda") if value.device.type == "cpu" else value
    return torch.device("cuda") if value in ("cpu", torch.device("cpu")) else value


def _call(op: Any, given: tuple[Any, tuple[Any, ...], dict[str, Any]]) -> Observed:
    """Call an operator, and return its results, its memory, how often Python waited, its warnings, or its error."""
    observed: Observed = {}
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    torch.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        try:
            results = op.op(given[0], *given[1], **given[2])
            observed["peak"] = torch.cuda.max_memory_allocated() - before
            torch.cuda.set_sync_debug_mode("default")
            observed["results"] = [_about(leaf) for leaf in tree_leaves(results)]
        except Exception as error:  # whatever it raises is to be compared
            observed["error"] = [type(error).__name__, str(error)]
        finally:
            torch.cuda.set_sync_debug_mode("default")
    said = [str(warning.message) for warning in caught]
    observed["waits"] = sum("synchronizing CUDA operation" in text for text in said)
    observed["warnings"] = sorted({text for text in said if "ynchroniz" not in text})
    return observed


def _about(leaf: Any) -> Observed:
    """What is compared of a result: two sums stand for its values."""
    if not isinstance(leaf, torch.Tensor):
        return {"value": repr(leaf)}
    about: Observed = {name: str(getattr(leaf, name)) for name in ("shape", "dtype", "device", "layout")}
    if leaf.layout is torch.strided:
        about["stride"] = str(leaf.stride())
    try:
        values = leaf.detach().cpu()
        values = values.to_dense() if values.layout is not torch.strided else values
        values = torch.view_as_real(values.to(torch.complex128)) if values.is_complex() else values.double()
    except (RuntimeError, NotImplementedError) as error:
        return {**about, "value": str(error)}
    flat = values.nan_to_num(0, 0, 0).flatten()
    weighted = flat @ torch.linspace(1, 2, flat.numel(), dtype=torch.float64)
    sums = [flat.sum().item(), weighted.item()]
    return {**about, "finite": int(values.isfinite().sum()), "sums": sums, "size": flat.abs().sum().item()}


PRECISIONS = ("float32", "float16", "bfloat16", "bfloat16 parameters")
BLOCKS = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1)]
BLOCKS += [(256, 512, 2), (512, 512, 1)]
"""Of ResNet-18: channels in and out, and the stride."""


class Residual(nn.Module):
    """A block of ResNet-18."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()
        self.path = nn.Sequential(*first, nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        narrower = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if stride == 1 else narrower

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.path(x) + self.shortcut(x))


class Recurrent(nn.Module):
    """Two recurrent layers, and a classifier of their last state."""

    def __init__(self, layers: type[nn.LSTM | nn.GRU]) -> None:
        super().__init__()
        self.layers, self.classifier = layers(64, 256, 2, batch_first=True), nn.Linear(256, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.classifier(self.layers(x)[0][:, -1])


def _resnet18() -> nn.Module:
    stem = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
    head = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)
    return nn.Sequential(*stem, *(Residual(*sizes) for sizes in BLOCKS), *head)


def _transformer() -> nn.Module:
    layer = nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True, norm_first=True)
    encoder = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    return nn.Sequential(nn.Embedding(8192, 512), encoder, nn.Linear(512, 8192), nn.Flatten(0, 1))


def _perceptron() -> nn.Module:
    return nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 10))


NETWORKS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...], int]] = {
    "MLP": (_perceptron, (256, 1024), 10),
    "ResNet-18": (_resnet18, (16, 3, 128, 128), 1000),
    "transformer": (_transformer, (8, 256), 8192),
    "LSTM": (lambda: Recurrent(nn.LSTM), (32, 64, 64), 10),
    "GRU": (lambda: Recurrent(nn.GRU), (32, 64, 64), 10),
}
"""How to make it, the shape of its input, and the number of classes."""


def _networks() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Each network in each precision, trained with Adam."""
    for name in NETWORKS:
        for precision in PRECISIONS:
            yield f"{name}, {precision}", lambda name=name, precision=precision: _train(name, precision)


def _train(name: str, precision: str) -> dict[str, Any]:
    make, shape, classes = NETWORKS[name]
    gc.collect()
    torch.cuda.empty_cache()
    torch.manual_seed(0)
    before = torch.cuda.memory_allocated()
    dtype = torch.bfloat16 if precision == "bfloat16 parameters" else torch.float32
    model = make().to("cuda", dtype)
    words = name == "transformer"
    x = torch.randint(classes, shape, device="cuda") if words else torch.randn(shape, device="cuda").to(dtype)
    y = torch.randint(classes, (x.numel() if words else len(x),), device="cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
    scaler = torch.amp.GradScaler("cuda", enabled=precision == "float16")
    lower = getattr(torch, precision.split()[0])
    autocast = torch.autocast("cuda", lower, enabled=precision in ("float16", "bfloat16"))
    losses, peaks = [], []
    for _ in range(4):
        torch.cuda.reset_peak_memory_stats()
        with autocast:
            loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
        peaks.append(torch.cuda.max_memory_allocated() - before)
    return {"losses": losses, "peaks": peaks}


if __name__ == "__main__":
    main()
