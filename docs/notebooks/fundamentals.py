# ---
# title: PyTorch fundamentals
# description: "One walk from the first tensor to the GPU: creating, data types, operations, matrix products, shapes, indexing, gradients, NumPy, seeds, devices, and ten exercises with solutions."
# ---

# %% [markdown]
# # PyTorch fundamentals
#
# This notebook walks from the first tensor to the GPU.
# Read it and run it from top to bottom; you need Python and no knowledge of PyTorch.
# Most sections link to the page that goes deeper, and near the end are ten exercises with solutions.

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
# A scalar has no dimension, so its list of sizes is empty.
# `item()` returns the number as a Python number.

# %%
print(scalar.ndim, scalar.shape)
print(scalar.item(), type(scalar.item()))

# %% [markdown]
# ### Vector
#
# A vector has one dimension.

# %%
vector = torch.tensor([7, 7])
print(vector)
print(vector.ndim, vector.shape)

# %% [markdown]
# ### Matrix
#
# A matrix has two dimensions.
# Capital letters for matrices are a custom from mathematics; PyTorch does not care about names.

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
# A tensor has any number of dimensions, here three.

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
# called like a function it reads one integer as a *size*, and turns a list of integers into floats.

# %%
print(torch.tensor(3), "has shape", torch.tensor(3).shape)
print("torch.Tensor(3) has shape", torch.Tensor(3).shape)
print(torch.tensor([1, 2]).dtype, torch.Tensor([1, 2]).dtype)

# %% [markdown]
# The second line is a tensor of three elements that nobody has set.
# Use `torch.tensor` to create a tensor, and `torch.Tensor` for `isinstance`.
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
# A color image has height, width and three channels; the library decides whether the channels come last or first.

# %%
image = torch.rand(size=(224, 224, 3))
print(image.shape, image.ndim)
print(image.permute(2, 0, 1).shape)

# %% [markdown]
# Why random numbers? A neural network learns in a loop:
# start with random numbers, look at the data, change the numbers a little, look at the data again.
# Here is that loop with a single number, which should become 2.

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
# `zeros`, `ones` and `rand` give `float32` unless you choose another type.
#
# Multiplying by zeros clears a tensor only if its numbers are finite: zero times `nan` is `nan`.
# To hide elements, choose with a mask:

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
# `torch.range` is its older relative: it can include the end, and warns that it is deprecated.

# %%
print(torch.range(1, 10))

# %% [markdown]
# All of this and more: [Creating tensors](../tensors/creating.md).
#
# ## Data types
#
# `torch.tensor` has three arguments that `torch.zeros`, `torch.ones` and `torch.rand` have too.

# %%
float_32_tensor = torch.tensor(
    [3.0, 6.0, 9.0],
    dtype=None,  # None: chosen by the data
    device=None,  # None: the default device, which is the CPU
    requires_grad=False,  # whether operations on it are recorded for gradients
)
print(float_32_tensor, float_32_tensor.dtype)

# %% [markdown]
# With `dtype=None`, the data decides:

# %%
for data in (3.0, 3, True):
    print(data, "->", torch.tensor(data).dtype)

# %% [markdown]
# `.type()` and `.to()` convert.
# If two tensors have different data types, `+` and `*` convert most pairs to one type, without a message.

# %%
float_16_tensor = float_32_tensor.type(torch.float16)
int_32_tensor = torch.tensor([3, 6, 9], dtype=torch.int32)

print(float_16_tensor)
print("float16 * float32: ", (float_16_tensor * float_32_tensor).dtype)
print("float32 * int32:   ", (float_32_tensor * int_32_tensor).dtype)
print("float16 * int32:   ", (float_16_tensor * int_32_tensor).dtype)
print("float16 * bfloat16:", (float_16_tensor * float_32_tensor.bfloat16()).dtype)

# %% [markdown]
# A float wins over an integer, even over one with more bits.
# The two 16-bit floats meet in `float32`, because neither can hold the numbers of the other.
# A matrix product does not convert: there, [two data types raise an error](../errors/mat1-and-mat2-same-dtype.md).
#
# Fewer bits mean less memory and [less precision](https://en.wikipedia.org/wiki/Precision_(computer_science)).
# Whether they are also faster [depends on the device](../tensors/precision.md#half-precision-speed).

# %%
third = 1 / 3
for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
    x = torch.tensor(third, dtype=dtype)
    print(f"{str(dtype)[6:]:9} {x.element_size()} bytes  {x.item():.12f}")

# %% [markdown]
# More: [Data types](../tensors/dtypes.md).
#
# ## Attributes of a tensor
#
# Many errors come from the wrong data type, the wrong shape or the wrong device.
# Three attributes help you to find them.

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
# These operators work element by element.

# %%
tensor = torch.tensor([1, 2, 3])
print(tensor + 10)
print(tensor - 10)
print(tensor * 10)
print(tensor / 10)
print(tensor)

# %% [markdown]
# The last line shows the tensor unchanged: each operation makes a new one.
# Keep a result with `tensor = tensor + 10`, or change the tensor in place with `tensor += 10`.
# `/` gives floats for integers too, so `tensor /= 10` [raises an error](../errors/result-type-cant-be-cast.md) here: a tensor of integers cannot hold them.
#
# These operators are functions too:

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
# A loop in Python gives the same number:

# %%
value = 0
for i in range(len(tensor)):
    value += tensor[i] * tensor[i]
value

# %% [markdown]
# The loop is slower, and how much depends on the length:
# [a figure](../tensors/matmul.md#loop-or-matmul-how-much-faster) shows by how much.
#
# ### Two rules for shapes
#
# 1. The inner sizes must be equal: `(2, 3) @ (3, 2)` works, and `(3, 2) @ (3, 2)` does not.
# 2. The outer sizes are the shape of the result.

# %%
for left, right in (((2, 3), (3, 2)), ((3, 2), (2, 3)), ((8, 10), (10, 8))):
    print(left, "@", right, "->", tuple((torch.rand(left) @ torch.rand(right)).shape))

# %% [markdown]
# ### The shape error
#
# You will meet this message often.

# %% raises="RuntimeError"
tensor_A = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
tensor_B = torch.tensor([[7.0, 10.0], [8.0, 11.0], [9.0, 12.0]])

tensor_A @ tensor_B

# %% [markdown]
# The inner sizes are 2 and 3.
# A *transpose* swaps the two dimensions, and then the inner sizes are equal.

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
# `torch.mm` is not another name for `matmul`: it takes two matrices, and raises an error for vectors.

# %% raises="RuntimeError"
print(torch.equal(torch.mm(tensor_A, tensor_B.T), output))
torch.mm(tensor, tensor)

# %% [markdown]
# More: [Matrix multiplication](../tensors/matmul.md), with a drawing of the rules.
#
# ## Minimum, maximum, mean, sum

# %%
x = torch.arange(1, 100, 10)
print(x)
print(x.min(), x.max(), x.sum())
print(torch.min(x), torch.max(x), torch.sum(x))

# %% [markdown]
# The mean of integers is often not an integer, so `mean` raises an error for them.

# %% raises="RuntimeError"
x.mean()

# %%
print(x.type(torch.float32).mean())
print(x.mean(dtype=torch.float64))  # converts on the way

# %% [markdown]
# `dim` reduces along one dimension: `dim=0` adds up the rows, so one number is left for each column.

# %%
matrix = torch.tensor([[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]])
print(matrix.sum(dim=0))
print(matrix.sum(dim=1))

# %% [markdown]
# `argmin` and `argmax` return the *position* of the smallest and the largest element.

# %%
print(x.argmin(), x[x.argmin()])
print(x.argmax(), x[x.argmax()])

# %% [markdown]
# In a matrix the position counts through all elements, row by row, so it is no index of a row.
# `torch.unravel_index` turns it into one index for each dimension.

# %%
position = matrix.argmax()
row, column = torch.unravel_index(position, matrix.shape)
print(position, row, column, matrix[row, column])

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
# | `cat` | several tensors, joined along a dimension that they have |
# | `vstack`, `hstack` | several tensors, joined on top of each other or side by side |
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
# One write changed three tensors: a view uses the memory of its tensor, and here `reshape` gave a view too.
# If a view is not possible, `reshape` copies, for example after a transpose.

# %%
memory = x.untyped_storage().data_ptr()
print(x.reshape(3, 3).untyped_storage().data_ptr() == memory)
print(x.reshape(3, 3).T.reshape(9).untyped_storage().data_ptr() == memory)

# %% [markdown]
# `reshape` and a transpose both turn 3 rows of 4 into 4 rows of 3, with different results.

# %% fold="Plotting code" alt="Three tables of the numbers 0 to 11, colored by the row of the original, which has 3 rows of 4. reshape(4, 3) keeps the order of reading: its rows begin with 0, 3, 6 and 9. The transpose turns rows into columns: its rows begin with 0, 1, 2 and 3."
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
# `reshape` keeps the reading order; the transpose turns rows into columns.
#
# ### `stack`, `vstack`, `hstack`

# %%
a, b = torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6])
print(torch.stack([a, b], dim=0))
print(torch.stack([a, b], dim=1))
print(torch.vstack([a, b]))
print(torch.hstack([a, b]))

# %% [markdown]
# `vstack` makes a row of each vector and joins the rows, so here it gives the same as `stack`.
# Matrices show the difference: `stack` makes a third dimension, and the other two a longer or a wider matrix.

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
# Each argument says which old dimension comes next: here the old 2, then 0, then 1.

# %%
x_original = torch.zeros(size=(224, 244, 3))  # height, width, channels
x_permuted = x_original.permute(2, 0, 1)
print(tuple(x_original.shape), "->", tuple(x_permuted.shape))

x_original[5, 7, 2] = 728218
print(x_permuted[2, 5, 7])
print(x_permuted.is_contiguous())

# %% [markdown]
# You see the write to one tensor in the other, at the permuted place: `permute` gives a view.
# The view is not *contiguous*: its elements are not in reading order in memory.
#
# More: [Reshape, view, stack](../tensors/reshaping.md).
#
# ## Indexing

# %%
x = torch.arange(1, 10).reshape(1, 3, 3)
x

# %% [markdown]
# One index for each dimension, separated by commas; `:` selects all of a dimension.

# %%
print(x[0, 0])  # first row
print(x[0, 1, 1])  # the element in the middle; also x[0][1][1], in three steps
print(x[:, 0])  # first row, the outer dimension kept
print(x[:, :, 1])  # second column
print(x[:, 1, 1])
print(x[0, 0, :])

# %% [markdown]
# Try it: which index gives 9, and which gives 3, 6, 9?

# %% fold="Answers"
print(x[0, 2, 2])
print(x[:, :, 2])

# %% [markdown]
# Assign with one pair of brackets.
# With two, the first pair may make a copy, and the write is lost without a message.

# %%
m = torch.arange(1, 5).reshape(2, 2)
m[[0]][0] = 99  # a list as index copies
print(m)
m[[0], 0] = 99
print(m)

# %% [markdown]
# A mask, a tensor of booleans, selects elements by their value.

# %%
values = torch.tensor([4, -1, 7, -3])
print(values > 0)
print(values[values > 0])

# %% [markdown]
# More: [Indexing](../tensors/indexing.md).
#
# ## Gradients
#
# Above, the loop that learned the number 2 used a slope that somebody had computed by hand.
# PyTorch computes it for you: mark the number with `requires_grad=True`, and call `backward()`.

# %%
weight = torch.tensor(0.5, requires_grad=True)
loss = ((weight * inputs - targets) ** 2).mean()
loss.backward()
print(weight.grad.item())
print((2 * (weight * inputs - targets) * inputs).mean().item())  # the formula by hand

# %% [markdown]
# Both lines hold the same number, and the first needed no formula.
# A small step against the gradient makes the loss smaller:

# %%
for step in range(4):
    weight.grad = None  # backward() adds, so start from nothing
    loss = ((weight * inputs - targets) ** 2).mean()
    loss.backward()
    with torch.no_grad():  # do not record the update itself
        weight -= 0.1 * weight.grad
    print(f"step {step}: loss {loss.item():.4f}  weight {weight.item():.4f}")

# %% [markdown]
# More: [Autograd](../tensors/autograd.md).
#
# ## NumPy
#
# `torch.from_numpy` and `tensor.numpy()` convert without copying.
# They keep the data type, and NumPy's default for fractions is `float64`.

# %%
import numpy as np

array = np.arange(1.0, 8.0)
tensor = torch.from_numpy(array)
print(tensor)
print(tensor.type(torch.float32).dtype)

# %% [markdown]
# The two share their memory, so a change of the array in place reaches the tensor.
# `array + 1` is a new array, and the tensor does not follow it.

# %%
array += 1  # in place: the tensor sees it
print(tensor)

array = array + 1  # a new array with the old name: the tensor keeps the old memory
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
# After the same seed, you get the same numbers again.

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
# One seed at the start of a program is enough: it fixes the whole sequence of PyTorch's numbers.
# Seed again only to repeat the same numbers.

# %%
torch.manual_seed(42)
first, second = torch.rand(2), torch.rand(2)
torch.manual_seed(42)
print(torch.equal(torch.rand(2), first), torch.equal(torch.rand(2), second))
print(torch.equal(first, second))

# %% [markdown]
# More: [Reproducibility](../tensors/reproducibility.md), PyTorch's
# [notes on randomness](https://docs.pytorch.org/docs/stable/notes/randomness.html),
# and what a [random seed](https://en.wikipedia.org/wiki/Random_seed) is.
#
# ## The GPU
#
# A GPU is built to compute
# [many numbers at once](https://docs.nvidia.com/cuda/cuda-c-programming-guide/#the-benefits-of-using-gpus);
# how much faster it is depends on the work.
# Three ways to get one:
#
# 1. [Google Colab](https://colab.research.google.com/) lends you one for a notebook: choose *Runtime, Change runtime type*. Kaggle does too.
# 2. Buy one. A [guide of 2023](https://timdettmers.com/2023/01/30/which-gpu-for-deep-learning/)
#    explains what to look for, but newer models have appeared since.
# 3. Rent a machine from a cloud provider, such as Google Cloud, AWS or Azure.
#
# For the last two, PyTorch's [Start Locally](https://pytorch.org/get-started/locally/) gives the command to install.
# [Getting a GPU](../devices/getting-a-gpu.md) shows how to check the driver with `nvidia-smi`, and what to do if PyTorch does not see your GPU.
#
# ### Does PyTorch see one?

# %% numbers="vary"
print(
    "accelerator:", torch.accelerator.is_available(), torch.accelerator.device_count()
)
print("CUDA:       ", torch.cuda.is_available(), torch.cuda.device_count())
print("MPS:        ", torch.backends.mps.is_available())

# %% [markdown]
# ### Code for every machine
#
# Choose the device once, and use the name from then on.

# %%
device = torch.accelerator.current_accelerator(
    check_available=True,
) or torch.device("cpu")
device

# %% [markdown]
# This choice moves nothing.
# PyTorch creates a tensor on the CPU unless you pass `device=`, and `.to(device)` returns it on the device.

# %%
tensor = torch.tensor([1, 2, 3])
print(tensor, tensor.device)

tensor_on_device = tensor.to(device)
print(tensor_on_device)
print(torch.ones(2, 2, device=device))

# %% [markdown]
# A tensor on a GPU shows its device when you print it, and a tensor on the CPU does not.
# The meta device, which has shapes but no numbers, shows this on any machine:

# %%
torch.ones(2, 2, device="meta")

# %% [markdown]
# More: [Choosing a device](../devices/choosing.md), and the best practices in PyTorch's
# [notes on CUDA](https://docs.pytorch.org/docs/stable/notes/cuda.html#best-practices).
#
# ### Back to the CPU
#
# NumPy's arrays live in the memory of the CPU, so this line raises an error if the tensor is on a GPU.

# %% raises="cuda: TypeError, mps: TypeError"
tensor_on_device.numpy()

# %% [markdown]
# The [error](../errors/cant-convert-cuda-tensor-to-numpy.md) names the fix: copy the tensor to the CPU first.
# For a tensor on the CPU, `.cpu()` changes nothing, so this line works on every machine:

# %%
tensor_back_on_cpu = tensor_on_device.cpu().numpy()
tensor_back_on_cpu

# %% [markdown]
# The tensor itself stays where it was.

# %%
tensor_on_device

# %% [markdown]
# ## Exercises
#
# Ten tasks, from easy to hard.
# Each one has an `assert` to check your answer; the cell below it has a solution.
#
# **1.** After `torch.manual_seed(0)`, draw a random matrix `A` of shape (7, 7) and then a random matrix `B` of shape (1, 7).
# Multiply them as matrices into a result `C`, with a transpose.
# Check: `assert C.shape == (7, 1) and torch.allclose(C[0, 0], (A[0] * B[0]).sum())`

# %% fold="Solution"
torch.manual_seed(0)
A = torch.rand(7, 7)
B = torch.rand(1, 7)
C = A @ B.T  # the inner sizes are 7 and 7
assert C.shape == (7, 1)
assert torch.allclose(C[0, 0], (A[0] * B[0]).sum())

# %% [markdown]
# **2.** Make a tensor `temperatures` of the whole numbers 20, 21, 23, 24 and compute its mean into a tensor `mean`.
# Then make `scaled`, in which the smallest temperature is 0 and the largest is 1.
# Check: `assert mean == 22 and scaled.tolist() == [0.0, 0.25, 0.75, 1.0]`

# %% fold="Solution"
temperatures = torch.tensor([20, 21, 23, 24])
mean = temperatures.float().mean()  # the mean of integers raises an error
scaled = (temperatures - temperatures.min()) / (temperatures.max() - temperatures.min())
assert mean == 22
assert scaled.tolist() == [0.0, 0.25, 0.75, 1.0]

# %% [markdown]
# **3.** After `torch.manual_seed(7)`, make a random tensor `big` of shape (1, 1, 1, 10), and `small` with the same numbers in shape (10,).
# Then take `batch = torch.rand(1, 3, 1)`, a batch of one sample, and remove only its last dimension, as `rows`.
# Check: `assert small.tolist() == big[0, 0, 0].tolist() and rows.shape == (1, 3)`

# %% fold="Solution"
torch.manual_seed(7)
big = torch.rand(1, 1, 1, 10)
small = big.squeeze()
batch = torch.rand(1, 3, 1)
rows = batch.squeeze(dim=-1)  # squeeze() alone would remove the batch dimension too
assert small.shape == (10,)
assert rows.shape == (1, 3)

# %% [markdown]
# **4.** In `board = torch.arange(25).reshape(5, 5)`, take the middle 3 by 3 as `middle`.
# Make `odd`, a copy of `middle` with 0 in place of each even number. `board` must not change.
# Check: `assert odd.tolist() == [[0, 7, 0], [11, 0, 13], [0, 17, 0]] and board[1, 1] == 6`

# %% fold="Solution"
board = torch.arange(25).reshape(5, 5)
middle = board[1:4, 1:4]
# middle[middle % 2 == 0] = 0 would write into board
odd = torch.where(middle % 2 == 1, middle, 0)
assert odd.tolist() == [[0, 7, 0], [11, 0, 13], [0, 17, 0]]
assert board[1, 1] == 6

# %% [markdown]
# **5.** A model returned these scores, one row for each picture and one column for each class; `labels` are the right classes.
# Compute the share of right answers as a Python number `accuracy`.
#
# Start with `scores = torch.tensor([[2.0, 0.1, 0.3], [0.2, 0.1, 1.5], [0.9, 1.1, 0.4], [0.3, 0.2, 0.1]])`
# and `labels = torch.tensor([0, 2, 0, 0])`.
# Check: `assert accuracy == 0.75`

# %% fold="Solution"
scores = torch.tensor(
    [[2.0, 0.1, 0.3], [0.2, 0.1, 1.5], [0.9, 1.1, 0.4], [0.3, 0.2, 0.1]]
)
labels = torch.tensor([0, 2, 0, 0])
predictions = scores.argmax(dim=1)
accuracy = (predictions == labels).float().mean().item()
assert accuracy == 0.75

# %% [markdown]
# **6.** `data = torch.tensor([[1.0, 100.0], [2.0, 300.0], [3.0, 500.0]])` has one row for each sample.
# Make `standard`, in which each *column* has mean 0 and standard deviation 1.
# Check: `assert torch.allclose(standard.mean(dim=0), torch.zeros(2)) and torch.allclose(standard.std(dim=0), torch.ones(2))`

# %% fold="Solution"
data = torch.tensor([[1.0, 100.0], [2.0, 300.0], [3.0, 500.0]])
standard = (data - data.mean(dim=0)) / data.std(dim=0)  # (3, 2) and (2,) broadcast
assert torch.allclose(standard.mean(dim=0), torch.zeros(2))
assert torch.allclose(standard.std(dim=0), torch.ones(2))

# %% [markdown]
# **7.** `photo = np.arange(2 * 4 * 3, dtype=np.uint8).reshape(2, 4, 3)` is an image with height, width and channels.
# Make a `float32` tensor `ready` for a model: shape (1, 3, 2, 4), that is, a batch of one, with numbers divided by 255.
# Check: `assert ready.shape == (1, 3, 2, 4) and ready.dtype == torch.float32 and ready[0, 2, 0, 1] * 255 == photo[0, 1, 2]`

# %% fold="Solution"
photo = np.arange(2 * 4 * 3, dtype=np.uint8).reshape(2, 4, 3)
# reshape would mix the channels
ready = torch.tensor(photo).permute(2, 0, 1).unsqueeze(0).float() / 255
assert ready.shape == (1, 3, 2, 4)
assert ready.dtype == torch.float32
assert ready[0, 2, 0, 1] * 255 == photo[0, 1, 2]

# %% [markdown]
# **8.** A layer has `weights = torch.rand(10, 784)`, one row for each output, and `images = torch.rand(32, 1, 28, 28)` is a batch.
# `images @ weights` raises an error. Compute all outputs as `outputs`, without a loop.
# Check: `assert outputs.shape == (32, 10) and torch.allclose(outputs[3, 4], (images[3].flatten() * weights[4]).sum(), rtol=1e-3)`

# %% fold="Solution"
torch.manual_seed(0)
weights = torch.rand(10, 784)
images = torch.rand(32, 1, 28, 28)
outputs = images.flatten(start_dim=1) @ weights.T  # (32, 784) @ (784, 10)
assert outputs.shape == (32, 10)
assert torch.allclose(
    outputs[3, 4], (images[3].flatten() * weights[4]).sum(), rtol=1e-3
)

# %% [markdown]
# **9.** Write `squares_on(device)`: it makes the numbers 1 to 5 as `float32` on the device, squares them there, and returns a NumPy array.
# It must work on a CPU and on a GPU.
# Check: `assert isinstance(squares_on(device), np.ndarray) and squares_on(device).tolist() == [1, 4, 9, 16, 25]`;
# on a CPU it cannot see whether the function works on a GPU, so compare with the solution.


# %% fold="Solution"
def squares_on(device):
    numbers = torch.arange(1, 6, dtype=torch.float32, device=device)
    return (numbers**2).cpu().numpy()


assert isinstance(squares_on(device), np.ndarray)
assert squares_on(device).tolist() == [1, 4, 9, 16, 25]

# %% [markdown]
# **10.** The points `xs = torch.tensor([0.0, 1.0, 2.0, 3.0])` and `ys = 3 * xs - 1` lie on a line.
# Find its `slope` and its `offset` with gradients: start both at 0 and take 500 steps with a learning rate of 0.1.
# Check: `assert abs(slope.item() - 3) < 0.01 and abs(offset.item() + 1) < 0.01`

# %% fold="Solution"
xs = torch.tensor([0.0, 1.0, 2.0, 3.0])
ys = 3 * xs - 1
slope = torch.tensor(0.0, requires_grad=True)
offset = torch.tensor(0.0, requires_grad=True)

for _ in range(500):
    slope.grad = offset.grad = None
    loss = ((slope * xs + offset - ys) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        slope -= 0.1 * slope.grad
        offset -= 0.1 * offset.grad

assert abs(slope.item() - 3) < 0.01
assert abs(offset.item() + 1) < 0.01

# %% [markdown]
# There are [more exercises on tensors](../learn/exercises-tensors.md).
#
# ## Where to go from here
#
# - [From CPU to GPU](from-cpu-to-gpu.py): a model, data and a real training on the device that you have.
# - [Moving tensors](../devices/moving-tensors.md), [Device mismatch](../devices/mismatch.md),
#   [The training loop](../training/loop.md).
# - [Chapter 00 of learnpytorch.io](https://www.learnpytorch.io/00_pytorch_fundamentals/) covers the same ground in the same order, without gradients,
#   with videos and [a place for questions](https://github.com/mrdbourke/pytorch-deep-learning/discussions).
