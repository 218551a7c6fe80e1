"""Run small random networks of timm and transformers forward and backward, and compare with the CPU.

    python -m simulated_gpu tools/simulated_gpu/networks.py [NAME ...]

Needs timm and transformers. Nothing is downloaded: the weights are random.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Callable, Iterator

import timm
import torch
import transformers
from torch import Tensor, nn

IMAGES = {  # the networks, and how wide their pictures are
    "resnet18": 64, "mobilenetv3_small_050": 64, "efficientnet_b0": 64, "convnext_atto": 64, "regnetx_002": 64,
    "densenet121": 64, "ghostnet_050": 64, "repvgg_a0": 64, "edgenext_xx_small": 64, "mobilevit_xxs": 64,
    "poolformer_s12": 64, "dla34": 64, "vgg11_bn": 64, "shufflenet_v2_x0_5": 64, "hardcorenas_a": 64,
    "vit_tiny_patch16_224": 224, "mixer_s32_224": 224, "levit_128s": 224, "pit_ti_224": 224,
    "xcit_nano_12_p16_224": 224,
}  # fmt: skip
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 99}
TEXTS = (
    "Bert", "Roberta", "Electra", "Albert", "Llama", "Mistral", "Qwen2", "Gemma", "GPTNeoX", "Phi", "OPT", "GPT2", "T5",
)  # fmt: skip


def main() -> None:
    """Print a line for each network, and how many are equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="all, if none is named")
    names = parser.parse_args().names
    equal = total = 0
    for name, make in _networks():
        if names and name not in names:
            continue
        total += 1
        verdict = _verdict(make)
        equal += verdict == "equal"
        print(f"{name}: {verdict}", flush=True)
    print(f"{equal} of {total} equal")


Network = tuple[nn.Module, dict[str, Tensor]]


def _networks() -> Iterator[tuple[str, Callable[[], Network]]]:
    for name, width in IMAGES.items():
        yield f"timm {name}", lambda name=name, width=width: _of_timm(name, width)
    for name in TEXTS:
        yield f"transformers {name}", lambda name=name: _of_transformers(name)


def _of_timm(name: str, width: int) -> Network:
    return timm.create_model(name, num_classes=10), {"x": torch.randn(2, 3, width, width)}


def _of_transformers(name: str) -> Network:
    config_class = getattr(transformers, f"{name}Config")
    own = {
        "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 2, "vocab_size": 99},
        "T5": {"d_model": 32, "num_layers": 2, "num_heads": 2, "d_ff": 64, "vocab_size": 99, "d_kv": 16},
        "OPT": {**SMALL, "ffn_dim": 64, "word_embed_proj_dim": 32},
    }
    heads = {"num_key_value_heads": 2} if name in ("Llama", "Mistral", "Qwen2", "Gemma", "Phi") else {}
    config = config_class(**own.get(name, {**SMALL, **heads}))
    model = getattr(transformers, f"{name}Model")(config)
    tokens = {"input_ids": torch.randint(3, 99, (2, 12))}
    return model, {**tokens, "decoder_input_ids": tokens["input_ids"]} if name == "T5" else tokens


def _verdict(make: Callable[[], Network]) -> str:
    torch.manual_seed(0)
    model, batch = make()
    for part in model.modules():
        if isinstance(part, nn.Dropout) or type(part).__name__ == "DropPath":
            part.eval()
    model.eval()  # no dropout: its numbers differ between the devices
    for part in model.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            part.train()
    try:
        with torch.random.fork_rng():
            other = _run(copy.deepcopy(model).cuda(), {name: tensor.cuda() for name, tensor in batch.items()})
    except RuntimeError as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return _compare(_run(model, batch), other)


def _run(model: nn.Module, batch: dict[str, Tensor]) -> list[Tensor]:
    made = model(**batch)
    out = made if isinstance(made, Tensor) else made[0]
    out.float().square().mean().backward()
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    return [tensor.detach().cpu() for tensor in (out, *grads, *model.buffers())]


def _compare(own: list[Tensor], other: list[Tensor]) -> str:
    if len(own) != len(other):
        return "different: another number of gradients"
    for one, two in zip(own, other, strict=True):
        if not torch.allclose(one.float(), two.float(), rtol=1e-3, atol=1e-3 * max(1e-2, one.abs().max().item())):
            return f"different by up to {(one - two).abs().max().item():.2g} of {one.abs().max().item():.2g}"
    return "equal"


if __name__ == "__main__":
    main()
