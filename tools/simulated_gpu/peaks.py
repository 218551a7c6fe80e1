"""Compare peaks of memory that people published of real runs with those of the simulated GPU, and print a table.

    python -m simulated_gpu tools/simulated_gpu/peaks.py [NAME ...]

Nothing is computed, and each run has a process of its own. The runs of BERT need transformers; weights are random.
The programs follow the published ones where memory is concerned: order of the calls, optimizer, precision, batch.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

RASCHKA = "https://github.com/rasbt/pytorch-memory-optim/blob/2d1ae1e747fe72c7bb74a2a464fe79baa23f174b/logs.md"
HUGGING_FACE = (
    "https://github.com/huggingface/transformers/blob/0f9f5cee1d976401023cf1b73c0962d908880fd0/"
    "docs/source/en/performance.mdx"
)
TUTORIAL = "https://docs.pytorch.org/tutorials/intermediate/optimizer_step_in_backward_tutorial.html"
CONTEXT = 1343 * 2**20
"""What nvidia-smi showed on the page of Hugging Face before the model was there: the CUDA context."""


@dataclass(frozen=True)
class Peak:
    """A published peak."""

    source: str
    published: int
    """In bytes, without the CUDA context."""
    run: Callable[[], None]
    reserved: bool
    """Whether it is what PyTorch's allocator took, rather than what tensors held."""
    capability: str = "8.0"
    reason: str = ""
    """Of a difference of more than 5 %."""


ADAM = "Adam's foreach step held one more list of the parameters' size then: 0.61 GB"


class Softmax(torch.autograd.Function):
    """The softmax of PyTorch before 1.11, which kept its input for backward: pytorch/pytorch#64000."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor) -> Tensor:
        probabilities = functional.softmax(scores, -1, dtype=torch.float32)
        ctx.save_for_backward(scores, probabilities)
        return probabilities

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        scores, probabilities = ctx.saved_tensors
        return torch._softmax_backward_data(gradients[0], probabilities, -1, scores.dtype)


def attention(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, _: object, dropout: float = 0.0, **__: object
) -> tuple[Tensor, None]:
    """The attention of transformers in January 2022, with PyTorch 1.10: a mask in float32, and that softmax."""
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    mask = torch.zeros(len(scores), 1, 1, scores.shape[-1], device=scores.device)
    probabilities = functional.dropout(Softmax.apply(scores + mask), dropout, module.training)
    return (probabilities @ value).transpose(1, 2).contiguous(), None


def attend_as_pytorch_2_0() -> None:
    """Let fused attention return what PyTorch 2.0 returned: the samples come first, whatever order the inputs have.

    Newer flash attention gives its result the order of the inputs, which saves nn.MultiheadAttention a copy.
    """
    fused = functional.scaled_dot_product_attention
    functional.scaled_dot_product_attention = lambda *given, **named: (
        fused(*given, **named).transpose(1, 2).contiguous().transpose(1, 2)
    )


class Block(nn.Module):
    """A block of torchvision's vision transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(1024), nn.LayerNorm(1024)
        self.attention = nn.MultiheadAttention(1024, 16, batch_first=True)
        self.dropout = nn.Dropout(0.0)
        self.mlp = nn.Sequential(
            nn.Linear(1024, 4096), nn.GELU(), nn.Dropout(0.0), nn.Linear(4096, 1024), nn.Dropout(0.0)
        )

    def forward(self, given: Tensor) -> Tensor:
        x = self.ln_1(given)
        x = self.attention(x, x, x, need_weights=False)[0]
        x = self.dropout(x) + given
        return x + self.mlp(self.ln_2(x))


class VisionTransformer(nn.Module):
    """ViT-L/16, as torchvision builds it."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 1024, 16, stride=16)
        self.token = nn.Parameter(torch.zeros(1, 1, 1024))
        self.positions = nn.Parameter(torch.zeros(1, 197, 1024))
        self.dropout = nn.Dropout(0.0)
        self.blocks = nn.Sequential(*(Block() for _ in range(24)))
        self.norm = nn.LayerNorm(1024)
        self.head = nn.Linear(1024, classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.positions
        return self.head(self.norm(self.blocks(self.dropout(x)))[:, 0])


def _vision_transformer(classes: int, dtype: torch.dtype = torch.float32) -> nn.Module:
    """Return the model, made on the GPU: a copy from the CPU holds as much there, and takes longer."""
    torch.set_default_dtype(dtype)
    with torch.device("cuda"):
        model = VisionTransformer(classes)
    torch.set_default_dtype(torch.float32)
    return model


def vision_transformer(
    batch: int, dtype: torch.dtype = torch.float32, autocast: bool = False, accumulate: int = 1
) -> None:
    """Fine-tune with Adam; gradients are set to None between forward and backward unless they are accumulated."""
    attend_as_pytorch_2_0()
    model = _vision_transformer(10, dtype)
    optimizer = torch.optim.Adam(model.parameters())
    context = torch.autocast("cuda", torch.float16) if autocast else contextlib.nullcontext()
    scaler = torch.amp.GradScaler(enabled=autocast)
    for step in range(2 * accumulate + 1):
        images = torch.ones(batch, 3, 224, 224).to("cuda")
        targets = torch.zeros(batch, dtype=torch.long).to("cuda")
        with context:
            logits = model(images.to(dtype))
        loss = functional.cross_entropy(logits.float() if autocast else logits, targets) / accumulate
        if accumulate == 1:
            optimizer.zero_grad()
        scaler.scale(loss).backward()
        if step % accumulate == 0:
            if autocast:
                scaler.unscale_(optimizer)
            optimizer.step()  # not scaler.step, which reads whether a gradient is infinite
            scaler.update()
            if accumulate > 1:
                optimizer.zero_grad()


def tutorial(in_backward: bool) -> None:
    """Three steps with one image; the second run of the tutorial has an optimizer for each parameter."""
    model = _vision_transformer(1000)

    def step(parameter: Tensor) -> None:
        optimizers[parameter].step()
        optimizers[parameter].zero_grad()

    if in_backward:
        optimizers = {one: torch.optim.Adam([one], foreach=False) for one in model.parameters()}
        for parameter in model.parameters():
            parameter.register_post_accumulate_grad_hook(step)
    else:
        optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        model(torch.rand(1, 3, 224, 224).cuda()).sum().backward()
        if not in_backward:
            optimizer.step()
            optimizer.zero_grad()


def bert(
    batch: int, accumulate: int = 1, checkpointing: bool = False, fp16: bool = False, adafactor: bool = False
) -> None:
    """Train BERT large as transformers' trainer of January 2022 did: attention written out, gradients set to zero."""
    model = _bert()
    model.train()
    if checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": True})
    optimizer = _adafactor(model) if adafactor else torch.optim.AdamW(model.parameters(), foreach=False)
    scaler = torch.amp.GradScaler(enabled=fp16)
    for _ in range(3):
        for _ in range(accumulate):
            words = torch.ones(batch, 512, dtype=torch.long).to("cuda")
            labels = torch.zeros(batch, dtype=torch.long).to("cuda")
            with torch.autocast("cuda", torch.float16, enabled=fp16):
                loss = model(input_ids=words, labels=labels).loss
            scaler.scale(loss / accumulate).backward()
        if fp16:
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
        optimizer.step()
        scaler.update()
        model.zero_grad(set_to_none=False)


def _bert() -> nn.Module:
    from transformers import AttentionInterface, BertConfig, BertForSequenceClassification

    AttentionInterface.register("january_2022", attention)
    large = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
    with torch.device("cuda"):
        model: nn.Module = BertForSequenceClassification(BertConfig(**large, attn_implementation="january_2022"))
    return model


def _adafactor(model: nn.Module) -> torch.optim.Optimizer:
    from transformers.optimization import Adafactor

    made: torch.optim.Optimizer = Adafactor(model.parameters(), lr=5e-5, scale_parameter=False, relative_step=False)
    return made


def _megabytes(number: int) -> int:
    return number * 2**20 - CONTEXT


PEAKS = {
    "ViT-L on the GPU": Peak(RASCHKA, 1_240_000_000, lambda: _vision_transformer(1000) and None, True),
    "ViT-L, batch 64, float32": Peak(RASCHKA, 26_790_000_000, lambda: vision_transformer(64), True),
    "ViT-L, batch 64, 16-mixed": Peak(RASCHKA, 18_210_000_000, lambda: vision_transformer(64, autocast=True), True),
    "ViT-L, batch 64, bfloat16": Peak(RASCHKA, 13_820_000_000, lambda: vision_transformer(64, torch.bfloat16), True),
    "ViT-L, batch 16, bfloat16": Peak(RASCHKA, 5_690_000_000, lambda: vision_transformer(16, torch.bfloat16), True),
    "ViT-L, batch 4 of 16, bfloat16": Peak(
        RASCHKA, 3_910_000_000, lambda: vision_transformer(4, torch.bfloat16, accumulate=4), True, reason=ADAM
    ),
    "ViT-L, one image, Adam": Peak(TUTORIAL, 6_000_000_000, lambda: tutorial(False), False),
    "ViT-L, one image, step in backward": Peak(TUTORIAL, 4_000_000_000, lambda: tutorial(True), False),
    "BERT large on the GPU": Peak(HUGGING_FACE, _megabytes(2631), lambda: _bert() and None, True, "7.0"),
    "BERT large, batch 4": Peak(HUGGING_FACE, _megabytes(14949), lambda: bert(4), True, "7.0"),
    "BERT large, batch 1 of 4": Peak(HUGGING_FACE, _megabytes(8681), lambda: bert(1, 4), True, "7.0"),
    "the same, checkpointing": Peak(HUGGING_FACE, _megabytes(6775), lambda: bert(1, 4, True), True, "7.0"),
    "BERT large, batch 4, fp16": Peak(HUGGING_FACE, _megabytes(13939), lambda: bert(4, fp16=True), True, "7.0"),
    "BERT large, batch 1 of 4, checkpointing, fp16": Peak(
        HUGGING_FACE, _megabytes(7275), lambda: bert(1, 4, True, True), True, "7.0"
    ),
    "BERT large, batch 4, Adafactor": Peak(
        HUGGING_FACE, _megabytes(12295), lambda: bert(4, adafactor=True), True, "7.0"
    ),
    "the same, batch 1 of 4, checkpointing, fp16": Peak(
        HUGGING_FACE, _megabytes(4847), lambda: bert(1, 4, True, True, True), True, "7.0"
    ),
}


def main() -> None:
    """Print a row for each peak, or the bytes of the one that this process runs."""
    if sys.argv[1:2] == ["--here"]:
        peak = PEAKS[sys.argv[2]]
        peak.run()
        print(torch.cuda.max_memory_reserved() if peak.reserved else torch.cuda.max_memory_allocated())
        return
    print(f"{'run':46} {'published':>10} {'simulated':>10}  difference")
    for name in sys.argv[1:] or PEAKS:
        peak = PEAKS[name]
        options = ["--shapes-only", "--memory", "80GiB", "--capability", peak.capability]
        command = [sys.executable, "-m", "simulated_gpu", *options, __file__, "--here", name]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{name:46} {done.stderr.strip().splitlines()[-1]}", flush=True)
            continue
        bytes_ = int(done.stdout.split()[-1])
        shares = f"{peak.published / 1e9:7.2f} GB {bytes_ / 1e9:7.2f} GB"
        print(f"{name:46} {shares}  {bytes_ / peak.published - 1:+6.1%}  {peak.reason}", flush=True)


if __name__ == "__main__":
    main()
