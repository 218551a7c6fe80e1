"""What a block needs to run by itself, found by names and by possible mutation."""

from __future__ import annotations

import contextlib
import io
import traceback
from collections.abc import Callable

import pytest

from samedevice.pages.page import Page
from samedevice.weaving.closures import Closure, closures
from samedevice.weaving.copies import copies, program
from samedevice.weaving.printing import printed as with_value

LEAST = [
    (["import torch", "x = torch.ones(2)", "y = 1", "print(x)"], (1,)),
    (["x = 1", "x = 2", "print(x)"], (1,)),
    (["x = [1]", "x.append(2)", "print(x)"], (0, 1)),
    (["x = [1]", "y = x", "y.append(2)", "print(x)"], (0, 1, 2)),
    (["x = [1]", "x[0] = 5", "print(x)"], (0, 1)),
    (["x = [1]", "print(len(x))", "print(x)"], (0,)),
    (["def f():\n    return k", "k = 3", "print(f())"], (0, 1)),
    (["k = 3\ndef f():\n    k = 1\n    return k", "k = 4", "print(f())"], (0,)),
    (["import torch\nw = torch.ones(1)", "o = torch.optim.SGD([w], 0.1)", "o.step()", "print(w)"], (0, 1, 2)),
    (["import torch\nw = torch.ones(1)", "w.add_(1)", "print(w)"], (0, 1)),
    (["import torch\nw = torch.ones(1)", "v = torch.add(w, 1)", "print(w)"], (0,)),
    (["x = 1", "if x:\n    x = 2", "print(x)"], (0, 1)),
    (["x = 1", "[x for x in (1, 2)]", "print(x)"], (0,)),
    (["open('a.txt', 'w').write('1')", "y = 1", "print(open('a.txt').read())"], (0,)),
    (["x = 1", "raises x = 2; raise RuntimeError", "print(x)"], (0, 1)),
    (["device = 'cpu'", "a = [1]\nprint(a, device)", "b = [2]\nb.extend(device)", "print(a)\na"], (0, 1)),
    (["def double(x):\n    return 2 * x", "a = [1]\ndouble(a)", "double(a)", "print(a)"], (0, 1)),
    (["try:\n    a\nexcept NameError as e:\n    print(e)", "try:\n    b\nexcept NameError as e:\n    print(e)"], ()),
    (["i = [1]\nprint(i)", "for i in (1, 2):\n    print(i)"], ()),
    (["k = [1]\nprint(k)", "for i in (1, 2):\n    k = i\n    print(k)\n    print([i + k for _ in (1, 2)])"], ()),
    (["v = [1]\nprint(v)", "with open('/dev/null') as v:\n    print(v.read())"], ()),
    (["a = [[1]]\nfor k in a:\n    pass", "b = [[2]]\nfor k in b:\n    k.append(3)", "print(a)"], (0,)),
    (["a = [[1]]\nfor k in a:\n    pass", "b = [[2]]\nfor k in b:\n    pass", "k.append(3)", "print(a)"], (0, 1, 2)),
    (["# nothing but a comment", "x = 1", "global_is_a_word = 1", "print(x)"], (1,)),
]

SAME = {
    "a name bound by for": ["for i in range(3):\n    y = i", "z = 1", "print(i, y)"],
    "a loop that is not run": ["y = 1", "for y in []:\n    pass", "print(y)"],
    "a name bound by while": ["n = 3", "while n:\n    n -= 1\n    last = n", "print(last, n)"],
    "a loop that takes a name further": ["total = 1", "for i in range(3):\n    total = total + i", "print(total)"],
    "a loop over its own name": ["x = [1, 2]", "for x in x:\n    print(x)", "print(x)"],
    "a loop that may bind another name": ["x = 1", "for i in [0]:\n    if i:\n        x = 2", "print(x)"],
    "a loop without a turn, and what comes after it": [
        "k = 1",
        "if True:\n    for k in []:\n        pass\n    print(k)",
    ],
    "a loop without a turn over an alias": ["x = [1]\nz = x", "for x in []:\n    pass", "x.append(2)", "print(z)"],
    "a loop without a turn over what an alias changes": [
        "x = [1]\nz = x",
        "for x in []:\n    pass",
        "z.append(2)",
        "print(x)",
    ],
    "a loop that adds": ["total = 1", "for i in range(3):\n    total += i\nprint(total)"],
    "a loop over functions": ["k = 1", "for f in (lambda: k,):\n    print(f())"],
    "a loop's else": ["k = 1", "for i in ():\n    k = 2\nelse:\n    print(k)"],
    "a branch beside one that binds": ["v = 1", "if False:\n    v = 2\nelse:\n    print(v)"],
    "a branch that is not taken": ["a = [1]\nb = a", "if not a:\n    a = [2]", "a.append(3)", "print(b)"],
    "a handler after one that binds": [
        "v = 1",
        "try:\n    1 / 0\nexcept ValueError:\n    v = 2\nexcept ZeroDivisionError:\n    print(v)",
    ],
    "a case after one that binds": ["v = 1", "match 1:\n    case 2:\n        v = 3\n    case _:\n        print(v)"],
    "finally after what binds": [
        "v = 1",
        "try:\n    try:\n        1 / 0\n        v = 2\n    finally:\n        print(v)\nexcept Exception:\n    pass",
    ],
    "with over its own name": ["import contextlib\nv = contextlib.nullcontext(5)", "with v as v:\n    print(v)"],
    "a walrus that is skipped, in a branch": ["n = 1", "if True:\n    False and (n := 2)\n    print(n)"],
    "a loop over an attribute": ["class A: pass\na = A()", "for a.x in range(3):\n    pass", "print(a.x)"],
    "a walrus": ["data = [3]", "if (n := len(data)) > 0:\n    pass", "print(n)"],
    "a walrus that is skipped": ["n = 1", "False and (n := 2)", "print(n)"],
    "a walrus in a comprehension": ["found = [last := k for k in range(3)]", "x = 1", "print(last)"],
    "an annotation without a value": ["y = 3", "y: int", "print(y)"],
    "an annotation with a value": ["y = 3", "y: int = 4", "print(y)"],
    "a star import": ["from math import *", "x = 1", "print(floor(pi))"],
    "a star import over a name": ["e = 1", "from math import *", "print(round(e, 3))"],
    "global": ["k = 1\ndef grow():\n    global k\n    k = 2", "grow()", "print(k)"],
    "global that makes the name": ["def make():\n    global made\n    made = 2", "make()", "print(made)"],
    "exec": ["exec('hidden = 1')", "x = 1", "print(hidden)"],
    "globals()": ["globals()['hidden'] = 1", "x = 1", "print(hidden)"],
    "a method that uses a later name": [
        "class A:\n    def f(self):\n        return k",
        "a = A()",
        "k = 3",
        "print(a.f())",
    ],
    "a method's name that the class hides": [
        "class A:\n    k = 1\n    def f(self):\n        return k",
        "k = 3",
        "a = A()",
        "print(a.f())",
    ],
    "a function that uses a later name": ["def f():\n    return k", "g = f", "k = 3", "print(g())"],
    "a function in a list": ["def f():\n    return k", "fs = [f]", "k = 3", "print(fs[0]())"],
    "a lambda": ["k = 1\nf = lambda: k", "k = 2", "print(f())"],
    "a lambda in a dict": ["k = 1\nd = {'f': lambda: k}", "k = 2", "print(d['f']())"],
    "a lambda that was added": ["k = 1\nfs = []", "fs.append(lambda: k)", "k = 2", "print(fs[0]())"],
    "partial": [
        "from functools import partial\ndef f(x):\n    return x + k",
        "g = partial(f, 1)",
        "k = 2",
        "print(g())",
    ],
    "a bound method": ["class A:\n    def f(self):\n        return k", "g = A().f", "k = 3", "print(g())"],
    "a hook": [
        "import torch\nm = torch.nn.Identity()\nseen = []",
        "handle = m.register_forward_hook(lambda *_: seen.append(k))",
        "k = 5",
        "m(torch.ones(1))\nprint(seen)",
    ],
    "a default that is shared": ["def f(x, found=[]):\n    found.append(x)\n    return found", "f(1)", "print(f(2))"],
    "a generator": ["k = 1\ng = (k + i for i in range(2))", "k = 10", "print(list(g))"],
    "out=": ["import torch\na = torch.zeros(2)", "torch.add(a, 1, out=a)", "print(a)"],
    "out= through a view": ["import torch\na = torch.zeros(2)\nb = a.view(2)", "torch.add(b, 1, out=b)", "print(a)"],
    "inplace=True": [
        "import torch\nimport torch.nn.functional as F\na = -torch.ones(2)",
        "F.relu(a, inplace=True)",
        "print(a)",
    ],
    "in place by position": [
        "import torch\nimport torch.nn.functional as F\na = -torch.ones(2)",
        "F.relu(a, True)",
        "print(a)",
    ],
    "a layer that works in place": [
        "import torch\na = -torch.ones(2)",
        "act = torch.nn.ReLU(inplace=True)\nact(a)",
        "print(a)",
    ],
    "np.put": ["import numpy as np\na = np.zeros(3)", "np.put(a, [0], [5])", "print(a)"],
    "np.add.at": ["import numpy as np\na = np.zeros(3)", "np.add.at(a, [0], 5)", "print(a)"],
    "np.copyto": ["import numpy as np\na = np.zeros(3)", "np.copyto(a, 5)", "print(a)"],
    "np.fill_diagonal": ["import numpy as np\na = np.zeros((2, 2))", "np.fill_diagonal(a, 5)", "print(a)"],
    "np.random.shuffle": [
        "import numpy as np\nnp.random.seed(0)\na = np.arange(5)",
        "np.random.shuffle(a)",
        "print(a)",
    ],
    "random.shuffle": ["import random\nrandom.seed(0)\na = [1, 2, 3]", "random.shuffle(a)", "print(a)"],
    "nn.utils": [
        "import torch\nm = torch.nn.Linear(1, 1)\ntorch.nn.init.ones_(m.weight)",
        "torch.nn.utils.vector_to_parameters(torch.tensor([3.0, 4.0]), m.parameters())",
        "print(m.weight.item(), m.bias.item())",
    ],
    "prune": [
        "import torch\nfrom torch.nn.utils import prune\nm = torch.nn.Linear(2, 1)\ntorch.nn.init.ones_(m.weight)",
        "prune.l1_unstructured(m, 'weight', amount=1)",
        "print(m.weight.sum().item())",
    ],
    "batch norm by hand": [
        "import torch\nimport torch.nn.functional as F\nm, v = torch.zeros(1), torch.ones(1)",
        "F.batch_norm(torch.tensor([[1.0], [3.0]]), m, v, training=True)",
        "print(m)",
    ],
    "a module's half()": ["import torch\nm = torch.nn.Linear(1, 1)", "m.half()", "print(m.weight.dtype)"],
    "a module's float()": ["import torch\nm = torch.nn.Linear(1, 1).half()", "m.float()", "print(m.weight.dtype)"],
    "an iterator that is used up by list": ["it = iter([1, 2])", "list(it)", "print(list(it))"],
    "an iterator that is used up by for": ["it = iter([1, 2])", "for x in it:\n    pass", "print(list(it))"],
    "an iterator that is used up by a comprehension": ["it = iter([1, 2])", "[x for x in it]", "print(list(it))"],
    "an iterator that is used up by sum": ["it = iter([1, 2])", "sum(it)", "print(list(it))"],
    "an iterator that is used up by in": ["it = iter([1, 2])", "1 in it", "print(list(it))"],
    "an iterator that is unpacked": ["it = iter([1, 2])", "a, b = it", "print(list(it))"],
    "an iterator that is unpacked by a star": ["it = iter([1, 2])", "print(*it)", "print(list(it))"],
    "next": ["it = iter([1, 2])", "next(it)", "print(list(it))"],
    "a generator function": ["def g():\n    yield 1\n    yield 2\nit = g()", "next(it)", "print(list(it))"],
    "zip": ["it = zip([1], [2])", "dict(it)", "print(list(it))"],
    "parameters": [
        "import torch\np = torch.nn.Linear(1, 1).parameters()",
        "print(len(list(p)))",
        "print(len(list(p)))",
    ],
    "a variable named io": ["io = [1]", "io.append(2)", "print(io)"],
    "a variable named time": ["time = [1]", "time[0] = 2", "print(time)"],
    "a variable named device": ["device = ['cpu']", "other = device", "other.append('mps')", "print(device)"],
    "a variable named nn": ["nn = {}", "nn['a'] = 1", "print(nn)"],
    "a variable named optim": ["optim = [1]", "optim.clear()", "print(optim)"],
    "a variable named like a module that was imported": ["import time", "time = [1]", "time.append(2)", "print(time)"],
    "a variable named list": ["list = [1]", "list.append(2)", "print(list)"],
    "del": ["x = 1\ny = 2", "del y", "print('y' in dir())\ntry:\n    print(y)\nexcept NameError:\n    print('gone')"],
    "del and again": ["x = 1", "del x", "x = 3", "print(x)"],
    "del of a part": ["x = [1, 2]", "del x[0]", "print(x)"],
    "an import that adds a module": ["import os", "import os.path", "print(os.path.join('a', 'b'))"],
    "an import of a part after another": [
        "import concurrent.futures",
        "import concurrent",
        "print(concurrent.futures.Future.__name__)",
    ],
    "match": ["point = (1, 2)", "match point:\n    case (a, b):\n        pass", "print(a, b)"],
    "match with a star": ["match [1, 2, 3]:\n    case [first, *rest]:\n        pass", "x = 1", "print(first, rest)"],
    "with": ["import contextlib", "with contextlib.nullcontext(5) as v:\n    w = v", "print(v, w)"],
    "with that ends early": [
        "import contextlib\nv = 1",
        "with contextlib.suppress(ValueError):\n    raise ValueError\n    v = 2",
        "print(v)",
    ],
    "try": ["v = 1", "try:\n    v = 2\n    v = w\nexcept NameError:\n    pass", "print(v)"],
    "an exception's name that the page has, too": [
        "error = [1]",
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    pass",
        "print(error)",
    ],
    "an exception that is kept": [
        "try:\n    raise ValueError([1])\nexcept ValueError as error:\n    kept = error",
        "kept.args[0].append(2)",
        "print(kept.args)",
    ],
    "a name that a handler binds": [
        "ok = True",
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    ok = str(error)",
        "print(ok)",
    ],
    "a property that counts": [
        "class A:\n    n = 0\n    @property\n    def x(self):\n        self.n += 1\n        return self.n",
        "a = A()",
        "a.x",
        "print(a.x)",
    ],
    "an operator that counts": [
        "class A:\n    n = 0\n    def __getitem__(self, k):\n        self.n += 1\n        return self.n",
        "a = A()",
        "a[0]",
        "print(a[0])",
    ],
    "a method named as a harmless one": [
        "class A:\n    n = 0\n    def get(self):\n        self.n += 1\n        return self.n",
        "a = A()",
        "a.get()",
        "print(a.get())",
    ],
    "a function that keeps what it is given": [
        "kept = []\ndef keep(x):\n    kept.append(x)",
        "a = [1]",
        "keep(a)",
        "a.append(2)",
        "print(kept)",
    ],
    "a function that gives away what it keeps": [
        "kept = [1]\ndef give():\n    return kept",
        "x = give()",
        "x.append(2)",
        "give().append(3)",
        "print(kept)",
    ],
    "a lambda that gives away what it keeps": ["kept = [1]\ngive = lambda: kept", "give().append(2)", "print(kept)"],
    "augmented assignment to another name": ["a = [1]\nb = a", "b += [2]", "print(a)"],
    "an attribute of a class": ["class A:\n    x = 1", "A.x = 2", "print(A().x)"],
    "a dictionary's part": ["d = {'a': [1]}", "v = d['a']", "v.append(2)", "print(d)"],
    "an element of a loop": ["rows = [[1], [2]]", "for row in rows:\n    row.append(0)", "print(rows)"],
    "a NumPy array of the same memory": [
        "import numpy as np, torch\na = np.zeros(2)",
        "t = torch.from_numpy(a)",
        "t.add_(1)",
        "print(a)",
    ],
    "data": ["import torch\na = torch.zeros(2)", "a.data[0] = 1", "print(a)"],
    "random numbers after a seed": [
        "import torch\ntorch.manual_seed(0)",
        "a = torch.rand(2)",
        "b = torch.rand(2)",
        "print(torch.rand(2))",
    ],
    "random numbers that a function draws": [
        "import torch\ntorch.manual_seed(0)\ndef draw():\n    return torch.rand(1)",
        "draw()",
        "print(draw())",
    ],
    "random numbers of two kinds": [
        "import numpy as np, torch\ntorch.manual_seed(0)",
        "np.random.seed(0)",
        "print(torch.rand(2))",
        "print(np.random.rand(2), torch.rand(2))",
    ],
    "a layer's first weights": [
        "import torch\nfrom torch import nn\ntorch.manual_seed(0)",
        "a = nn.Linear(1, 1)",
        "print(nn.Linear(1, 1).weight)",
    ],
    "a generator of random numbers": [
        "import torch\ng = torch.Generator().manual_seed(0)",
        "torch.rand(2, generator=g)",
        "print(torch.rand(2, generator=g))",
    ],
    "files in a folder": [
        "import os, tempfile\nf = tempfile.mkdtemp()",
        "open(os.path.join(f, 'a'), 'w').close()",
        "print(os.listdir(f))",
    ],
    "setattr": ["class A: pass\na = A()", "setattr(a, 'x', 1)", "print(a.x)"],
    "a decorator that keeps functions": [
        "fs = []\ndef keep(f):\n    fs.append(f)\n    return f",
        "@keep\ndef one():\n    return 1",
        "print([f() for f in fs])",
    ],
    "a base class that changes": [
        "class A:\n    def f(self):\n        return 1",
        "class B(A):\n    pass",
        "A.f = lambda self: 2",
        "print(B().f())",
    ],
    "sorted with a key that changes": [
        "seen = []\ndef key(x):\n    seen.append(x)\n    return x",
        "sorted([2, 1], key=key)",
        "print(seen)",
    ],
    "map that changes": ["rows = [[1]]", "list(map(lambda row: row.append(2), rows))", "print(rows)"],
    "an exception": ["x = [1]", "raises x.append(2); raise RuntimeError", "print(x)"],
    "a function of a function": [
        "def outer():\n    def inner():\n        return k\n    return inner",
        "f = outer()",
        "k = 1",
        "print(f())",
    ],
    "a hint of a function": [
        "class Place:\n    pass",
        "def f(x: Place) -> Place:\n    return x",
        "print(f(1))",
    ],
    "a hint in the arguments only": [
        "Place = int",
        "Other = int",
        "def f(*, x: Place, **y: Other):\n    return x\nprint(1)",
    ],
    "nonlocal": [
        "def counter():\n    n = 0\n    def up():\n        nonlocal n\n        n += 1\n        return n\n    return up",
        "up = counter()",
        "up()",
        "print(up())",
    ],
}
"""Pages whose last block must print the same by itself as after all the others."""


def page_of(write: Callable[..., Page], *blocks: str) -> Page:
    """A page with these blocks; one that begins with `raises ` announces a RuntimeError."""
    fences = []
    for block in blocks:
        option = ' raises="RuntimeError"' if block.startswith("raises ") else ""
        fences.append(f"```python{option}\n{block.removeprefix('raises ')}\n```\n")
    return write("\n".join(fences))


def printed(code: str, names: dict[str, object]) -> str:
    """What code prints, in a module with these names."""
    sink = io.StringIO()
    with contextlib.redirect_stdout(sink):
        try:
            exec(compile(code, "page", "exec", dont_inherit=True), names)
        except Exception:
            sink.write(traceback.format_exc(0))
    return sink.getvalue()


@pytest.mark.parametrize(("blocks", "needed"), LEAST)
def test_a_block_needs_what_binds_or_may_change_its_names(
    write: Callable[..., Page], blocks: list[str], needed: tuple[int, ...]
) -> None:
    """With too little the copy fails; with too much the reader gets code that he did not ask for."""
    page = page_of(write, *blocks)
    assert closures(page)[len(blocks) - 1].blocks == needed


IMPORTS = [
    (["import os\nimport torch\nx = 1", "print(os.sep)"], (), ("import os",)),
    (
        ["from torch import nn, Tensor as T\ny = 2", "from torch import ones", "print(nn, T, ones)"],
        (),
        ("from torch import Tensor as T, nn, ones",),
    ),
    (["import os\nx = [1]", "x.append(os.sep)", "print(os, x)"], (0, 1), ()),
    (["import os\nos = 3", "print(os)"], (0,), ()),
    (["try:\n    import os\nexcept ImportError:\n    os = None", "print(os)"], (0,), ()),
    (["raises import os; raise RuntimeError", "print(os)"], (0,), ()),
    (["import xml.dom as dom\nimport json\nimport json.decoder\nz = 1", "print(dom, json.decoder)"], (0,), ()),
    (["import os\nz = 1", "def f():\n    return os.sep", "print(f())"], (1,), ("import os",)),
]


@pytest.mark.parametrize(("blocks", "needed", "imports"), IMPORTS)
def test_of_a_block_that_only_imports_what_is_needed_the_imports_are_copied(
    write: Callable[..., Page], blocks: list[str], needed: tuple[int, ...], imports: tuple[str, ...]
) -> None:
    """A reader does not want a figure's code for the sake of its `import os`."""
    assert closures(page_of(write, *blocks))[len(blocks) - 1] == Closure(needed, imports)


@pytest.mark.parametrize("blocks", SAME.values(), ids=SAME)
def test_a_copy_prints_what_the_page_prints(write: Callable[..., Page], blocks: list[str]) -> None:
    """However the blocks bind their names, and whichever way they change what these stand for."""
    page = page_of(write, *blocks)
    names: dict[str, object] = {"__name__": "page"}
    expected = [printed(with_value(block.code, None), names) for block in page.blocks]
    parts = copies(page, {})
    for index, text in enumerate(expected[1:], start=1):
        alone = printed(program(page, index, parts), {"__name__": "page"})
        assert alone == text, program(page, index, parts)


def test_a_block_that_needs_a_gpu_is_no_part_of_what_the_cpu_runs(write: Callable[..., Page]) -> None:
    """Its copy has to run where there is none."""
    page = write('```python\nx = [1]\n```\n\n```python needs="cuda"\nx.append(2)\n```\n\n```python\nprint(x)\n```\n')
    assert {index: needed.blocks for index, needed in closures(page).items()} == {0: (), 1: (0,), 2: (0,)}


@pytest.mark.parametrize("measure", ["torch.cuda.memory_allocated()", "torch.cuda.max_memory_allocated()"])
def test_a_block_that_measures_memory_needs_all_that_was_allocated(write: Callable[..., Page], measure: str) -> None:
    """A tensor that nobody names any more is still there."""
    page = page_of(write, "import torch", "a = torch.ones(5)", f"def used():\n    return {measure}", "b = 1", "used()")
    assert closures(page)[2] == Closure((), ("import torch",))
    assert closures(page)[4].blocks == (0, 1, 2, 3)
    page = page_of(write, "import torch", "a = torch.ones(5)", f"def used():\n    return {measure}\nused()")
    assert closures(page)[2].blocks == (0, 1)
