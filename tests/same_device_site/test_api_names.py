"""The names of PyTorch in the code of a page: which are found, and which are not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from same_device_site.api_names import in_order, names
from samedevice.pages.page import Page

Write = Callable[..., Page]

CODE = {
    "a function": ("import torch\ntorch.ones(3)", ["torch.ones"]),
    "a chain": (
        "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True",
        ["torch.backends.cuda.matmul.allow_tf32"],
    ),
    "a module": ("from torch import nn\nnn.Linear(3, 2)", ["torch.nn.Linear"]),
    "another name": ("import torch.nn.functional as F\nF.relu(x)", ["torch.nn.functional.relu"]),
    "a class": ("from torch.utils.data import DataLoader as D\nD(x)", ["torch.utils.data.DataLoader"]),
    "a base": ("from torch import nn\nclass A(nn.Module): pass", ["torch.nn.Module"]),
    "a default": ("import torch\ndef f(x=torch.float16): pass", ["torch.float16"]),
    "a call of a call": ("import torch\ntorch.ones(3).sum().to(torch.int8)", ["torch.int8", "torch.ones"]),
    "a method of a class": ("import torch\ntorch.Tensor.numpy(x)", ["torch.Tensor.numpy"]),
    "a text": ("import torch\ntorch.__version__.split('.')", ["torch.__version__"]),
    "a special name": ("import torch\ntorch.OutOfMemoryError.__mro__", ["torch.OutOfMemoryError"]),
    "a program in a string": ('run("""\nimport torch\ntorch.zeros(1)\n""")', ["torch.zeros"]),
    "a method": ("x.reshape(2)\nmodel.torch.ones", []),
    "another value": ("from torch import nn\nnn = 3\nnn.Linear", []),
    "an import alone": ("from torch import nn", []),
    "a module alone": ("from torch import nn\nprint(nn)", ["torch.nn"]),
    "torch alone": ("import torch\nprint(torch)", []),
    "a constant, and an attribute of it": (
        "import torch\ntorch.float32.itemsize, torch.float32",
        ["torch.float32", "torch.float32.itemsize"],
    ),
    "an object, and an attribute of it": (
        "import torch\nmatmul = torch.backends.cuda.matmul\ntorch.backends.cuda.matmul.allow_tf32",
        ["torch.backends.cuda.matmul", "torch.backends.cuda.matmul.allow_tf32"],
    ),
    "a name that only begins so": ("import torchvision\ntorchvision.models", []),
    "not Python": ("if", []),
}


@pytest.mark.parametrize(("code", "expected"), CODE.values(), ids=CODE.keys())
def test_names_are_followed_through_imports(write: Write, code: str, expected: list[str]) -> None:
    """What the table says is found, is found; what it says is not, is not."""
    assert list(names(write(f"```python\n{code}\n```\n"))) == expected


def test_an_import_holds_for_the_later_blocks_of_the_page(write: Write) -> None:
    """The blocks of a page share a namespace; each name is told with its blocks."""
    page = write("```python\nfrom torch import nn\n```\n\n```python\nnn.ReLU()\n```\n\n```python\nnn.ReLU\n```\n")
    assert names(page) == {"torch.nn.ReLU": [1, 2]}


def test_a_program_has_names_of_its_own_and_a_command_those_of_its_file(write: Write, root: Path) -> None:
    """A page that runs a script uses what the script uses, and gets nothing of its imports."""
    (root / "snippets").mkdir()
    (root / "snippets/a.py").write_text("from torch import nn\nnn.GELU()\n", encoding="utf-8")
    fences = (
        '```python file="snippets/a.py"\n```',
        "```console\n$ python snippets/a.py\n```",
        "```python\nnn.ReLU\n```",
    )
    texts = {1: ["from torch import nn\nnn.GELU()\n"]}
    read = names(write("\n\n".join(fences)), lambda block: texts.get(block.index, ()))
    assert read == {"torch.nn.GELU": [0, 1]}


COMMANDS = {
    "double quotes": ("python -c \"import torch; torch.ones(3, device='cuda')\" 2>&1 | tail -n 1", ["torch.ones"]),
    "single quotes": ("X=1 python3 -W ignore -c 'import torch; print(torch.pi)'", ["torch.pi"]),
    "a command each": (
        '$ python -c "import torch; torch.ones(3)"\n$ python -c "import torch; torch.zeros(3)"',
        ["torch.ones", "torch.zeros"],
    ),
    "a module": ("python -m torch.utils.collect_env", []),
    "another program": ('grep -c "torch.ones" a.py', []),
}


@pytest.mark.parametrize(("command", "expected"), COMMANDS.values(), ids=COMMANDS.keys())
def test_a_program_in_a_command_has_names_of_its_own(write: Write, command: str, expected: list[str]) -> None:
    """`python -c` is often how a page asks PyTorch about a machine."""
    assert list(names(write(f"```console\n$ {command.removeprefix('$ ')}\n```\n"))) == expected


def test_names_that_differ_in_case_alone_keep_their_order() -> None:
    """A table whose rows change places from build to build would make every build look new."""
    names = ["torch.cuda.stream", "torch.cuda.Stream"]
    assert in_order(names) == in_order(names[::-1]) == ["torch.cuda.Stream", "torch.cuda.stream"]
