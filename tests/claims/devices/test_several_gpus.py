"""Several GPUs: which one is meant, and which ones a process sees."""

from __future__ import annotations

import threading

import pytest
import torch

from claims.claimlib import claim, on_two_gpus


@claim(
    "`-1` | none",
    "not set | all GPUs",
    "`1` | one GPU, the second; its name is now `cuda:0`",
    "`2,0` | two GPUs: the third as `cuda:0`, the first as `cuda:1`",
    "`GPU-8932f937` | the GPU whose UUID begins so",
)
@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("-1", []),
        (None, list(range(64))),
        ("1", [1]),
        ("2,0", [2, 0]),
        ("0,-1,1", [0]),
        ("GPU-8932f937", ["GPU-8932f937"]),
    ],
)
def test_visible(monkeypatch: pytest.MonkeyPatch, value: str | None, seen: list[int | str]) -> None:
    if value is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    assert torch.cuda._parse_visible_devices() == seen


@claim(
    "`torch.accelerator.device_index(1)` changes the current GPU for a few lines, and `torch.accelerator.set_device_index(1)` changes it for the whole thread.",
    'The current GPU is the one that `"cuda"` without an index means.',
    "A bare number is an index of the current accelerator, here `cuda:0` (`torch.device`).",
)
@on_two_gpus
def test_current() -> None:
    def current() -> list[int | None]:
        return [torch.ones(1, device="cuda").device.index, torch.accelerator.current_device_index()]

    elsewhere: list[list[int | None]] = []
    with torch.accelerator.device_index(1):
        assert current() == [1, 1]
        assert torch.device(0) == torch.device("cuda:0")
    assert current() == [0, 0]
    torch.accelerator.set_device_index(1)
    try:
        thread = threading.Thread(target=lambda: elsewhere.append(current()))
        thread.start()
        thread.join()
        assert current() == [1, 1]
    finally:
        torch.accelerator.set_device_index(0)
    assert elsewhere == [[0, 0]]
