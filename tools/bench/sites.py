"""sites: the made-up pages, as every tool wants them, and the folders in which sites are built."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

EXTENSIONS = """
markdown_extensions:
  - admonition
  - toc:
      permalink: true
  - pymdownx.highlight
  - pymdownx.superfences
"""
CONFIG = """site_name: Bench
theme: {{name: material, font: false, features: [navigation.prune]}}
plugins: [{plugins}]
"""
CONFTEST = (Path(__file__).parents[2] / "conftest.py").read_text(encoding="utf-8")
BARE = """import contextlib, io, json, pathlib
import torch
for page, blocks in json.loads(pathlib.Path("blocks.json").read_text()).items():
    names = {"__name__": "__main__"}
    for block in blocks:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block, page, "exec"), names)
"""
BLOCKS = """\
import torch
torch.manual_seed({number})
x = torch.rand(64, 64)
print(x.shape, x.dtype)
---
print((x @ x).mean())
---
y = x.reshape(8, 8, 64).sum(dim=0)
print(y.shape)
---
model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 1))
print(sum(p.numel() for p in model.parameters()))
---
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(20):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
print(f"{{loss.item():.3f}}")
---
big = torch.rand(512, 512)
for _ in range(4):
    big = torch.tanh(big @ big / 256)
print(big.shape)
---
print(torch.arange(12).reshape(3, 4))
---
print(torch.equal(x, x.clone()), x.is_contiguous())
---
u, s, v = torch.linalg.svd(torch.rand(96, 96))
print(s.shape)
---
values, indices = torch.topk(x.flatten(), 5)
print(values.shape, indices.dtype)
"""
"""A page's ten blocks: small tensors, a matrix product, a model, a few training steps."""
PROVES = "torch.float32"
"""What stands in the output of a page's first block, and in no code."""


def blocks(number: int) -> list[str]:
    """The code of a page's blocks."""
    return [f"{block.strip()}\n" for block in BLOCKS.format(number=number).split("---\n")]


def names(pages: int) -> list[str]:
    """The names of a site's pages, in folders of ten, so that a page's navigation does not grow with the site."""
    return ["index" if n == 0 else f"{n // 100:02}/{n // 10:03}/page-{n:04}" for n in range(pages)]


def markdown(number: int, first: str = "python", later: str = "python") -> str:
    """A page; `first` and `later` stand after the fences of its first block and of the others."""
    infos = [first, *[later] * (len(blocks(number)) - 1)]
    fences = [f"```{info}\n{block}```" for info, block in zip(infos, blocks(number), strict=True)]
    return "\n\n".join([f"# Page {number}", *fences, ""])


def notebook(number: int) -> str:
    """A page as a notebook without outputs."""
    about: dict[str, object] = {"execution_count": None, "metadata": {}, "outputs": []}
    cells = [{"cell_type": "code", "source": block, "id": str(n)} | about for n, block in enumerate(blocks(number))]
    heading = {"cell_type": "markdown", "source": f"# Page {number}", "id": "title", "metadata": {}}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": [heading, *cells], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


def write_pages(folder: Path, texts: Sequence[str], suffix: str = "md") -> None:
    """Write the pages of a site below `folder/docs`."""
    for name, text in zip(names(len(texts)), texts, strict=True):
        path = folder / "docs" / f"{name}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make_site(folder: Path, pages: int) -> None:
    """Write the made-up site with our configuration, a plain one, and a program that runs the blocks alone."""
    write_pages(folder, [markdown(number) for number in range(pages)])
    (folder / "plain.yml").write_text(CONFIG.format(plugins="search") + EXTENSIONS)
    (folder / "ours.yml").write_text(CONFIG.format(plugins="search, samedevice") + EXTENSIONS)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "bare.py").write_text(BARE)
    (folder / "blocks.json").write_text(json.dumps({name: blocks(n) for n, name in enumerate(names(pages))}))
