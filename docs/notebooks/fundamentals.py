# ---
# title: PyTorch fundamentals
# description: "One walk from the first tensor to the GPU: creating, data types, operations, matrix products, shapes, indexing, NumPy, seeds, devices."
# ---

# %% [markdown]
# # PyTorch fundamentals
#
# One walk from the first tensor to the GPU, to be read and run from top to bottom.
# It asks for Python and nothing else.
# Each section ends with a link to the page that has all of it.

# %% numbers="vary"
import torch

print("PyTorch", torch.__version__.split("+")[0])

# %% [markdown]
# ## Create a tensor
#
# A tensor is a block of numbers with a shape, a data type and a device.
# `torch.tensor` makes one from numbers in Python.
#
# ### Scalar
#
# A single number.

# %%
scalar = torch.tensor(7)
scalar

# %% [markdown]
# `ndim` is the number of dimensions, `shape` the size of each.
# A scalar has no dimension, and so an empty list of sizes.
# `item()` gives the number back to Python.

# %%
print(scalar.ndim, scalar.shape)
print(scalar.item(), type(scalar.item()))

# %% [markdown]
# ### Vector
#
# One dimension.

# %%
vector = torch.tensor([7, 7])
print(vector)
print(vector.ndim, vector.shape)

# %% [markdown]
# ### Matrix
#
# Two dimensions.
# Capital letters for matrices are a custom from mathematics; PyTorch does not look at names.

# %%
MATRIX = torch.tensor([[7, 8], [9, 10]])
print(MATRIX.ndim, MATRIX.shape, MATRIX.numel())
MATRIX[1]

# %% [markdown]
# `shape` lists two rows of two numbers, and `numel()` counts the elements: four.
# The index selects along the first dimension, so `MATRIX[1]` is the second row.
#
# ### Tensor
#
# Any number of dimensions, three here.

# %%
TENSOR = torch.tensor([[[1, 2, 3], [3, 6, 9], [2, 4, 5]]])
print(TENSOR.ndim, TENSOR.shape)
TENSOR[0]

# %% [markdown]
# Read the shape from the outer brackets to the inner ones: one matrix, of three rows, of three numbers.
# The number of opening brackets before the first number is the number of dimensions.

# %%
for x in (scalar, vector, MATRIX, TENSOR):
    text = str(x.tolist())
    print(f"{len(text) - len(text.lstrip('['))} brackets  ndim {x.ndim}  {text}")

# %% [markdown]
# ### A lower-case and an upper-case `tensor`
#
# `torch.tensor` is the function that creates tensors.
# [`torch.Tensor`](https://docs.pytorch.org/docs/stable/tensors.html) is their class;
# called like a function it reads one number as a *size*, and turns integers into floats.

# %%
print(torch.tensor(3), "has shape", torch.tensor(3).shape)
print("torch.Tensor(3) has shape", torch.Tensor(3).shape)
print(torch.tensor([1, 2]).dtype, torch.Tensor([1, 2]).dtype)

# %% [markdown]
# The second line is three elements that nobody has set.
# Create with `torch.tensor`; keep `torch.Tensor` for `isinstance`.
#
# ## Random tensors
#
# [`torch.rand`](https://docs.pytorch.org/docs/stable/generated/torch.rand.html) draws numbers from 0 up to 1.
# A seed makes them the same in every run.

# %%
torch.manual_seed(42)
random_tensor = torch.rand(3, 4)
random_tensor

# %% [markdown]
# The size may also be one tuple.
# A color image has height, width and three channels; the channels stand last or first, depending on the library.

# %%
image = torch.rand(size=(224, 224, 3))
print(image.shape, image.ndim)
print(image.permute(2, 0, 1).shape)

# %% [markdown]
# Why random numbers? A neural network learns in a loop:
# start with random numbers, look at the data, change the numbers a little, look at the data again.
# Here is that loop with a single number that is to become 2.

# %%
torch.manual_seed(42)
inputs = torch.tensor([1.0, 2.0, 3.0])
targets = 2 * inputs

weight = torch.rand(1)  # start with a random number
for step in range(4):
    slope = (2 * (weight * inputs - targets) * inputs).mean()  # look at the data
    weight = weight - 0.1 * slope  # change the number
    print(f"step {step}: weight {weight.item():.4f}")

# %% [markdown]
# ## Zeros, ones, ranges

# %%
zeros = torch.zeros(size=(3, 4))
ones = torch.ones(3, 4)
print(zeros)
print(ones.dtype, random_tensor.dtype)

# %% [markdown]
# The data type is `float32` unless you ask for another one.
#
# Zeros times a tensor clears it only if it holds ordinary numbers: zero times `nan` is `nan`.
# To blank elements out, choose with a mask.

# %%
x = torch.tensor([1.0, float("nan"), 3.0])
keep = torch.tensor([True, False, True])
print(x * keep)
print(torch.where(keep, x, 0.0))

# %% [markdown]
# `torch.arange` counts from `start` up to `end`, which is not included.
# A function with `_like` takes shape, data type and device from another tensor.

# %%
one_to_ten = torch.arange(start=1, end=11, step=1)
print(one_to_ten)
print(torch.zeros_like(input=one_to_ten))

# %% [markdown]
# `torch.range` is its older relative: it includes the end, and warns that it is deprecated.

# %%
print(torch.range(1, 10))

# %% [markdown]
# All of this and more: [Creating tensors](../tensors/creating.md).
#
# ## Data types
#
# Three arguments are common to all functions that create tensors.

# %%
float_32_tensor = torch.tensor(
    [3.0, 6.0, 9.0],
    dtype=None,  # None: chosen by the data
    device=None,  # None: the default device, which is the CPU
    requires_grad=False,  # whether operations on it are recorded for gradients
)
print(float_32_tensor, float_32_tensor.dtype)

# %% [markdown]
# `None` does not always mean `float32`: the data decides.

# %%
for data in (3.0, 3, True):
    print(data, "->", torch.tensor(data).dtype)

# %% [markdown]
# `.type()` and `.to()` convert.
# An operation on two data types gives the wider one, and says nothing about it.

# %%
float_16_tensor = float_32_tensor.type(torch.float16)
int_32_tensor = torch.tensor([3, 6, 9], dtype=torch.int32)

print(float_16_tensor)
print("float16 * float32:", (float_16_tensor * float_32_tensor).dtype)
print("float32 * int32:  ", (float_32_tensor * int_32_tensor).dtype)
print("float16 * int32:  ", (float_16_tensor * int_32_tensor).dtype)

# %% [markdown]
# The last line shows that any float counts as wider than any integer.
# Fewer bits mean less memory and [less precision](https://en.wikipedia.org/wiki/Precision_(computer_science));
# whether they are also faster [depends on the device](../tensors/dtypes.md#half-precision-speed).

# %%
third = 1 / 3
for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
    x = torch.tensor(third, dtype=dtype)
    print(f"{str(dtype)[6:]:9} {x.element_size()} bytes  {x.item():.12f}")

# %% [markdown]
# More: [Data types](../tensors/dtypes.md).
#
# ## What a tensor can tell you
#
# Three kinds of error are the most common ones: the wrong data type, the wrong shape, the wrong device.
# Three attributes answer them.

# %%
torch.manual_seed(42)
some_tensor = torch.rand(3, 4)
print("data type:", some_tensor.dtype)
print("shape:    ", some_tensor.shape)
print("device:   ", some_tensor.device)
some_tensor.size() == some_tensor.shape  # a method and an attribute for the same thing

# %% [markdown]
# ## Operations
#
# The operators work element by element.

# %%
tensor = torch.tensor([1, 2, 3])
print(tensor + 10)
print(tensor - 10)
print(tensor * 10)
print(tensor / 10)
print(tensor)

# %% [markdown]
# The last line is the first tensor, unchanged: each operation makes a new one.
# Keep a result with `tensor = tensor + 10`, or change the tensor in its place with `tensor += 10`.
# Every operator is also a function, and dividing integers gives floats.

# %%
print(torch.add(tensor, 10), torch.sub(tensor, 10))
print(torch.mul(tensor, 10), torch.div(tensor, 10))

# %% [markdown]
# More: [Operations](../tensors/operations.md).
#
# ## Matrix multiplication
#
# `*` multiplies element by element.
# `@` and `torch.matmul` multiply as matrices do, which for two vectors is the sum of the products.

# %%
print(tensor, "*", tensor, "=", tensor * tensor)
print(tensor, "@", tensor, "=", tensor @ tensor)
print("by hand:", 1 * 1 + 2 * 2 + 3 * 3)

# %% [markdown]
# A loop in Python gives the same number, more slowly.
# How much more depends on the length, so measure two lengths, each many times.

# %% numbers="vary"
from torch.utils.benchmark import Timer


def dot(a, b):
    value = 0
    for i in range(len(a)):
        value += a[i] * b[i]
    return value


def seconds(statement, **names):
    return Timer(statement, globals=names).blocked_autorange(min_run_time=0.1).median


for n in (3, 1000):
    a, b = torch.ones(n), torch.ones(n)
    ratio = seconds("dot(a, b)", dot=dot, a=a, b=b) / seconds("a @ b", a=a, b=b)
    print(f"{n:4} numbers: the loop takes {ratio:.0f} times as long")

# %% [markdown]
# ### Two rules for shapes
#
# 1. The inner sizes must be equal: `(2, 3) @ (3, 2)` works, `(3, 2) @ (3, 2)` does not.
# 2. The outer sizes are the shape of the result.

# %%
for left, right in (((2, 3), (3, 2)), ((3, 2), (2, 3)), ((8, 10), (10, 8))):
    print(left, "@", right, "->", tuple((torch.rand(left) @ torch.rand(right)).shape))

# %% [markdown]
# ### The shape error
#
# Whoever works with PyTorch meets this message.

# %% raises="RuntimeError"
tensor_A = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
tensor_B = torch.tensor([[7.0, 10.0], [8.0, 11.0], [9.0, 12.0]])

tensor_A @ tensor_B

# %% [markdown]
# The inner sizes are 2 and 3.
# A *transpose* swaps the two dimensions, and then they agree.

# %%
print("A  ", tuple(tensor_A.shape))
print("B  ", tuple(tensor_B.shape))
print("B.T", tuple(tensor_B.T.shape))
print(tensor_B.T)

# %%
output = tensor_A @ tensor_B.T
print(tuple(tensor_A.shape), "@", tuple(tensor_B.T.shape), "->", tuple(output.shape))
output

# %% [markdown]
# `torch.mm` is not another name for `matmul`: it takes two matrices and nothing else.

# %% raises="RuntimeError"
print(torch.equal(torch.mm(tensor_A, tensor_B.T), output))
torch.mm(tensor, tensor)

# %% [markdown]
# More, with [a drawing of the rules](https://www.mathsisfun.com/algebra/matrix-multiplying.html) elsewhere:
# [Matrix multiplication](../tensors/matmul.md).
#
# ## Minimum, maximum, mean, sum

# %%
x = torch.arange(1, 100, 10)
print(x)
print(x.min(), x.max(), x.sum())
print(torch.min(x), torch.max(x), torch.sum(x))

# %% [markdown]
# The mean of integers need not be an integer, so `mean` refuses them.

# %% raises="RuntimeError"
x.mean()

# %%
print(x.type(torch.float32).mean())
print(x.mean(dtype=torch.float64))  # converted on the way; any float type will do

# %% [markdown]
# `argmin` and `argmax` tell *where* the smallest and the largest element are.

# %%
print(x.argmin(), x[x.argmin()])
print(x.argmax(), x[x.argmax()])

# %% [markdown]
# More: [Aggregation](../tensors/aggregation.md).
#
# ## Shapes
#
# | Call | What it gives |
# | --- | --- |
# | `reshape` | the same elements in another shape: a view if that is possible, else a copy |
# | `view` | the same elements in another shape, never a copy |
# | `stack` | several tensors, joined along a new dimension |
# | `vstack`, `hstack` | several tensors, joined along a dimension that they have |
# | `squeeze` | the tensor without its dimensions of size 1 |
# | `unsqueeze` | the tensor with one more dimension of size 1 |
# | `permute` | a view with the dimensions in another order |
#
# ### `reshape` and `view`

# %%
x = torch.arange(1.0, 10.0)
x_reshaped = x.reshape(1, 9)
z = x.view(1, 9)
print(x.shape, x_reshaped.shape, z.shape)

z[:, 0] = 5
print(z)
print(x)
print(x_reshaped)

# %% [markdown]
# One write, three tensors: a view has no memory of its own, and here `reshape` gave a view too.
# Where a view is not possible `reshape` copies, for example after a transpose.

# %%
print(x.reshape(3, 3).data_ptr() == x.data_ptr())
print(x.reshape(3, 3).T.reshape(9).data_ptr() == x.data_ptr())

# %% [markdown]
# Both `reshape` and a transpose turn 3 rows of 4 into 4 rows of 3, and they are not the same.

# %% alt="Three tables of the numbers 0 to 11, colored by the row of the original, which has 3 rows of 4. reshape(4, 3) keeps the order of reading: its rows begin with 0, 3, 6 and 9. The transpose turns rows into columns: its rows begin with 0, 1, 2 and 3."
import matplotlib.pyplot as plt
from matplotlib.colors import ListedColormap

x = torch.arange(12).reshape(3, 4)
tables = {"x": x, "x.reshape(4, 3)": x.reshape(4, 3), "x.T": x.T}

fig, axes = plt.subplots(1, 3, figsize=(6, 2.3))
for ax, (title, table) in zip(axes, tables.items()):
    ax.imshow(table // 4, cmap=ListedColormap(["C0", "C1", "C2"]), alpha=0.4)
    for row, numbers in enumerate(table.tolist()):
        for column, number in enumerate(numbers):
            ax.text(column, row, number, ha="center", va="center")
    ax.set_title(title)
    ax.set_axis_off()
fig.tight_layout()

# %% [markdown]
# The colors are the rows of `x`.
# `reshape` keeps the order in which the numbers are read; the transpose turns rows into columns.
#
# ### `stack`, `vstack`, `hstack`

# %%
a, b = torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6])
print(torch.stack([a, b], dim=0))
print(torch.stack([a, b], dim=1))
print(torch.vstack([a, b]))
print(torch.hstack([a, b]))

# %% [markdown]
# For vectors `vstack` looks like `stack`.
# With matrices the difference shows: `stack` makes a third dimension, the other two make a longer or a wider matrix.

# %%
m = torch.ones(2, 3)
for join in (torch.stack, torch.vstack, torch.hstack):
    print(f"{join.__name__:7}", tuple(join([m, m]).shape))

# %% [markdown]
# ### `squeeze` and `unsqueeze`

# %%
x_squeezed = x_reshaped.squeeze()
x_unsqueezed = x_squeezed.unsqueeze(dim=0)
print("before:   ", tuple(x_reshaped.shape))
print("squeeze:  ", tuple(x_squeezed.shape))
print("unsqueeze:", tuple(x_unsqueezed.shape))

# %% [markdown]
# ### `permute`
#
# The arguments name the old dimension for each new place: here the old 2, then 0, then 1.

# %%
x_original = torch.zeros(size=(224, 244, 3))  # height, width, channels
x_permuted = x_original.permute(2, 0, 1)
print(tuple(x_original.shape), "->", tuple(x_permuted.shape))

x_original[5, 7, 2] = 728218
print(x_permuted[2, 5, 7])
print(x_permuted.is_contiguous())

# %% [markdown]
# The write to one is seen in the other, at the permuted place: `permute` gives a view.
# Its elements are no longer in order in memory, which is what *contiguous* asks.
#
# More: [Reshape, view, stack](../tensors/reshaping.md).
#
# ## Indexing

# %%
x = torch.arange(1, 10).reshape(1, 3, 3)
x

# %% [markdown]
# One index for each dimension, separated by commas; `:` stands for all of a dimension.

# %%
print(x[0, 0])  # first row
print(x[0, 1, 1])  # the element in the middle; also x[0][1][1], in three steps
print(x[:, 0])  # first row, the outer dimension kept
print(x[:, :, 1])  # second column
print(x[:, 1, 1])
print(x[0, 0, :])

# %% [markdown]
# Try it: which index gives 9, and which gives 3, 6, 9?
# The next cell has the answers.

# %%
print(x[0, 2, 2])
print(x[:, :, 2])

# %% [markdown]
# Assign with one pair of brackets.
# With two, the first pair may make a copy, and the write is lost without a word.

# %%
m = torch.arange(1, 5).reshape(2, 2)
m[[0]][0] = 99  # a list as index copies
print(m)
m[[0], 0] = 99
print(m)

# %% [markdown]
# More: [Indexing](../tensors/indexing.md).
#
# ## NumPy
#
# `torch.from_numpy` and `tensor.numpy()` convert without copying.
# The data type is kept, and NumPy's default is `float64`.

# %%
import numpy as np

array = np.arange(1.0, 8.0)
tensor = torch.from_numpy(array)
print(tensor)
print(tensor.type(torch.float32).dtype)

# %% [markdown]
# The two share their memory.
# It seems otherwise when the array is bound to a new one, as `array + 1` is.

# %%
array += 1  # in place: the tensor sees it
print(tensor)

array = array + 1  # a new array under the old name: the tensor keeps the old memory
print(tensor)

# %%
tensor = torch.ones(7)
numpy_tensor = tensor.numpy()
tensor.add_(1)
print(numpy_tensor, numpy_tensor.dtype)

# %% [markdown]
# `add_` changes the tensor in place, and the array with it.
# More: [NumPy and PyTorch](../tensors/numpy-bridge.md).
#
# ## Reproducibility
#
# Two draws differ.
# After the same seed, the same numbers come again.

# %%
random_tensor_A = torch.rand(3, 4)
random_tensor_B = torch.rand(3, 4)
print(torch.equal(random_tensor_A, random_tensor_B))

torch.manual_seed(42)
random_tensor_C = torch.rand(3, 4)
torch.manual_seed(42)
random_tensor_D = torch.rand(3, 4)
print(torch.equal(random_tensor_C, random_tensor_D))
print(random_tensor_C == random_tensor_D)

# %% [markdown]
# A program needs one seed, at its start: it fixes the whole sequence.
# Seed again only to play the same numbers again.

# %%
torch.manual_seed(42)
first, second = torch.rand(2), torch.rand(2)
torch.manual_seed(42)
print(torch.equal(torch.cat([first, second]), torch.rand(4)))

# %% [markdown]
# More: [Reproducibility](../tensors/reproducibility.md), PyTorch's
# [notes on randomness](https://docs.pytorch.org/docs/stable/notes/randomness.html),
# and what a [random seed](https://en.wikipedia.org/wiki/Random_seed) is.
#
# ## The GPU
#
# A GPU is built to compute
# [many numbers at once](https://docs.nvidia.com/cuda/cuda-c-programming-guide/#the-benefits-of-using-gpus);
# what that gains depends on the work.
# There are three ways to one:
#
# 1. [Google Colab](https://colab.research.google.com/) lends one for a notebook: choose *Runtime, Change runtime type*.
# 2. A GPU of your own, with its driver; a [guide of 2023](https://timdettmers.com/2023/01/30/which-gpu-for-deep-learning/)
#    explains what to look for, though newer ones are sold by now.
# 3. A rented machine at a cloud provider, such as Google Cloud, AWS or Azure.
#
# For the last two, PyTorch's [Start Locally](https://pytorch.org/get-started/locally/) gives the command to install.
# `nvidia-smi` in a terminal shows what the driver sees;
# [Getting a GPU](../devices/getting-a-gpu.md) explains its table, and what to do if PyTorch sees less.
#
# ### Is there one?

# %% numbers="vary"
print("accelerator:", torch.accelerator.is_available(), torch.accelerator.device_count())
print("CUDA:       ", torch.cuda.is_available(), torch.cuda.device_count())
print("MPS:        ", torch.backends.mps.is_available())

# %% [markdown]
# ### Code for every machine
#
# Choose the device once, and use the name from then on.

# %%
device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
device

# %% [markdown]
# Choosing moves nothing.
# A tensor is created on the CPU unless `device=` says otherwise, and `.to(device)` returns it on the device.

# %%
tensor = torch.tensor([1, 2, 3])
print(tensor, tensor.device)

tensor_on_device = tensor.to(device)
print(tensor_on_device)
print(torch.ones(2, 2, device=device))

# %% [markdown]
# On a GPU the device stands in the output.
# Best practice for such code: PyTorch's [notes on CUDA](https://docs.pytorch.org/docs/stable/notes/cuda.html#best-practices),
# and [Choosing a device](../devices/choosing.md).
#
# ### Back to the CPU
#
# NumPy's arrays live in the memory of the CPU.
# So this line works for a tensor on the CPU, and for no other.

# %% raises="cuda: TypeError, mps: TypeError"
tensor_on_device.numpy()

# %% [markdown]
# For a tensor on a GPU it raises
# [an error that names the fix](../tensors/numpy-bridge.md#err-numpy-cuda): copy it to the CPU first.
# On the CPU `.cpu()` changes nothing, so the fixed line serves every machine.

# %%
tensor_back_on_cpu = tensor_on_device.cpu().numpy()
tensor_back_on_cpu

# %% [markdown]
# The tensor itself stays where it was.

# %%
tensor_on_device

# %% [markdown]
# ## Where to go from here
#
# - [From CPU to GPU](from-cpu-to-gpu.py): a model, data and a real training on whatever device there is.
# - [Moving tensors](../devices/moving-tensors.md), [Device mismatch](../devices/mismatch.md),
#   [The training loop](../training/loop.md).
# - The order of this notebook is that of [chapter 00 of learnpytorch.io](https://www.learnpytorch.io/00_pytorch_fundamentals/),
#   which has videos, exercises and [a place for questions](https://github.com/mrdbourke/pytorch-deep-learning/discussions).
