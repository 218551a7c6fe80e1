"""The memory calculator counts what PyTorch allocates for the model that it describes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gpt import Model
from torch import Tensor

LAYERS, WIDTH, VOCABULARY, TOKENS, BATCH = 3, 128, 500, 32, 2
SIZES = {"layers": LAYERS, "width": WIDTH, "vocabulary": VOCABULARY, "tokens": TOKENS, "batch": BATCH}


def counted(dtype: str, checkpointing: bool) -> dict[str, int]:
    """The bytes that PyTorch keeps for a step of the model: its own, its gradients', the optimizer's, for backward."""
    model = Model(LAYERS, WIDTH, VOCABULARY, TOKENS, checkpointing).to(
        torch.bfloat16 if dtype == "bfloat16" else torch.float32
    )
    own = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}
    kept: dict[int, Tensor] = {}

    def keep(tensor: Tensor) -> Tensor:
        piece = tensor.untyped_storage().data_ptr()
        if piece not in own:
            kept[piece] = tensor
        return tensor

    words = torch.randint(VOCABULARY, (BATCH, TOKENS))
    optimizer = torch.optim.AdamW(model.parameters())
    saving = torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor)
    with saving, torch.autocast("cpu", torch.bfloat16, enabled="autocast" in dtype):
        loss = model(words)
    saved = sum(tensor.untyped_storage().nbytes() for tensor in kept.values())
    loss.backward()
    optimizer.step()
    state = sum(value.nbytes for one in optimizer.state.values() for value in one.values() if value.dim())
    parameters = list(model.parameters())
    return {
        "parameters": sum(one.numel() for one in parameters),
        "weights": sum(one.nbytes for one in parameters),
        "gradients": sum(one.grad.nbytes for one in parameters if one.grad is not None),
        "optimizer": state,
        "saved": saved,
    }


@pytest.mark.parametrize("checkpointing", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float32, autocast to bfloat16", "bfloat16"])
def test_each_part_is_what_pytorch_keeps(ask: Any, dtype: str, checkpointing: bool) -> None:
    """Weights, gradients and state to the byte; what is saved for backward within one percent."""
    choice = {"dtype": dtype, "optimizer": "Adam, AdamW", "checkpointing": checkpointing}
    (found,) = ask("memory", "memory", [[SIZES | choice]])
    expected = counted(dtype, checkpointing)
    assert {name: found[name] for name in ("parameters", "weights", "gradients", "optimizer")} == {
        name: expected[name] for name in ("parameters", "weights", "gradients", "optimizer")
    }
    saved = found["activations"] + found["copies"]
    if "autocast" in dtype:  # CUDA computes log_softmax in bfloat16 and nll_loss in float32, a CPU both in float32
        saved -= BATCH * TOKENS * VOCABULARY * 2
    assert saved == pytest.approx(expected["saved"], rel=0.01)


def test_a_checkpointed_layer_is_computed_again_with_all_that_it_saves(ask: Any) -> None:
    """Without its input, which is kept: that part of each layer is what checkpoints save."""
    choice = {"dtype": "float32", "optimizer": "SGD"}
    whole, less = ask("memory", "memory", [[SIZES | choice | {"checkpointing": one}] for one in (False, True)])
    assert whole["recomputed"] == 0
    assert less["activations"] + LAYERS * less["recomputed"] == whole["activations"]
