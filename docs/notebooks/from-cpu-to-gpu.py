# ---
# title: From CPU to GPU
# description: "A real training on whatever device there is: device, tensors, model, data, loop, mixed precision, loss curve, confusion matrix, timing."
# asked:
#   confusion-matrix: |
#     how to find confusion matrix of this model
#     creating Confusion matrix
# ---

# %% [markdown]
# # From CPU to GPU
#
# A small network learns to read digits, first in plain `float32`, then in mixed precision.
# The code is the same on a CPU, on CUDA and on MPS; the outputs name the device that ran it.
#
# ## Choose a device
#
# PyTorch calls a GPU an *accelerator*.
# This line takes the accelerator of your machine, or the CPU if there is none.

# %%
import torch

device = torch.accelerator.current_accelerator(
    check_available=True,
) or torch.device("cpu")
device

# %% [markdown]
# [CUDA](../devices/cuda.md) is NVIDIA's platform for computing on its GPUs,
# [MPS](../devices/mps.md) PyTorch's backend for the GPUs in Apple's chips.
# Older code has `"cuda" if torch.cuda.is_available() else "cpu"`, which never chooses MPS.
# [Choosing a device](../devices/choosing.md) compares the ways.
#
# ## Move tensors
#
# Choosing a device moves nothing.
# Tensors and models are on the CPU until you move them, or make them on another device.
#
# The last line moves to `meta`, a device that every machine has.
# A tensor there has a shape and no numbers, so you see a move even without a GPU.

# %%
tensor1 = torch.ones(3, 3)
print("created:   ", tensor1.device)

moved = tensor1.to(device)
print("moved:     ", moved.device)
print("original:  ", tensor1.device)

tensor2 = torch.ones(2, 2, device=device)
print("made there:", tensor2.device)

print("to meta:   ", tensor1.to("meta").device)

# %% [markdown]
# Without a GPU `device` is the CPU, and the first four lines say `cpu`.
#
# `.to()` leaves the original tensor where it is, so assign the result: `x = x.to(device)`.
# If the tensor is on the device already, `.to()` returns the same tensor, unless you ask for a copy.

# %%
print(moved.to(device) is moved)
print(moved.to(device, copy=True) is moved)

# %% [markdown]
# ## Move a model
#
# The images have 64 pixels, and there are ten digits to tell apart.
# A ReLU separates the two layers; without it they could do no more than one layer.

# %%
from torch import nn
from torch.nn import functional as F


class Digits(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.layer1 = nn.Linear(64, hidden)
        self.layer2 = nn.Linear(hidden, 10)

    def forward(self, x):
        x = self.layer1(x)
        x = F.relu(x)
        return self.layer2(x)


torch.manual_seed(42)
model = Digits()
print("before:", model.layer1.weight.device)
model.to(device)
print("after: ", model.layer1.weight.device)

# %% [markdown]
# A model has no device of its own, but each parameter and buffer has one.
# For a model, `.to()` moves them in place, so you need not assign the result.
# [Moving models](../devices/moving-models.md) shows what does not move along.
#
# ## What goes wrong: two devices
#
# An operation on tensors of two devices raises an error, with a few exceptions.
# This cell adds a tensor on the CPU and one on the meta device, and so raises an error on any machine:

# %% raises="RuntimeError"
torch.ones(3, 3) + torch.ones(3, 3, device="meta")

# %% [markdown]
# This one adds a tensor on the CPU and one on `device`.
# If `device` is a GPU, it raises the same kind of error, in other words; on a CPU both are in the same place, and the sum appears.

# %% raises="cuda: RuntimeError, mps: RuntimeError"
cpu_tensor = torch.ones(3, 3)
gpu_tensor = torch.ones(3, 3, device=device)
cpu_tensor + gpu_tensor

# %% [markdown]
# Look for the tensor that stayed behind:
#
# 1. Is everything moved: the model, the inputs, the targets? Did you assign what `.to()` returned?
# 2. Does a function of yours make a tensor, with `torch.zeros` say? Give it `device=x.device`, or use `torch.zeros_like(x)`.
# 3. Did something come back to the CPU, through `.cpu()` or NumPy?
# 4. Does an operation exist on the CPU only? Then move there and back around it.
#
# Some mixes are allowed.
# A CPU tensor without dimensions counts as a number, CPU indices may index a GPU tensor, and `copy_` copies between devices.

# %%
print(torch.tensor(2.0) * gpu_tensor[0])
print(gpu_tensor[torch.tensor([0, 2])].shape)
print(torch.zeros(3, 3).copy_(gpu_tensor).sum())

# %% [markdown]
# [Device mismatch](../devices/mismatch.md#allowed-mixes) has the rules.
#
# ## The data
#
# 1797 handwritten digits come with scikit-learn, each 8 by 8 pixels with values from 0 to 16.

# %%
from sklearn.datasets import load_digits

digits = load_digits()
images = torch.from_numpy(digits.data).float() / 16
labels = torch.from_numpy(digits.target).long()
print(images.shape, images.dtype)
print(labels.shape, labels[:10].tolist())

# %% alt="The first ten digits of the data set, 0 to 9, each drawn in 8 by 8 pixels: coarse, but readable."
import matplotlib.pyplot as plt

fig, axes = plt.subplots(1, 10, figsize=(7, 1.1))
for ax, image, label in zip(axes, images, labels):
    ax.imshow(image.reshape(8, 8), cmap="Blues")
    ax.set_title(label.item(), loc="center")
    ax.set_axis_off()

# %% [markdown]
# Shuffle them once, and keep a part for testing.
# The data stays on the CPU, where the loader makes batches.

# %%
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
order = torch.randperm(len(images))
train, test = order[:1437], order[1437:]

train_set = TensorDataset(images[train], labels[train])
test_set = TensorDataset(images[test], labels[test])
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
test_loader = DataLoader(test_set, batch_size=360)
print(
    len(train_set),
    "to train in",
    len(train_loader),
    "batches,",
    len(test_set),
    "to test",
)

# %% [markdown]
# You cannot move the loader itself: it has no `.to()`.

# %% raises="AttributeError"
train_loader.to(device)

# %% [markdown]
# Move each batch inside the loop.
#
# ## Train
#
# `train_epoch` makes one pass over the training data, `predict` one over the test data.
# The loss is added up on the device and read once an epoch,
# because each `.item()` [makes Python wait](../training/loop.md) for the GPU.


# %%
def train_epoch(model, optimizer):
    model.train()
    total = torch.zeros((), device=device)
    for inputs, targets in train_loader:
        inputs, targets = inputs.to(device), targets.to(device)
        loss = F.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach() * len(inputs)
    return total.item() / len(train_set)


@torch.inference_mode()
def predict(model):
    model.eval()
    pairs = [
        (model(inputs.to(device)), targets.to(device))
        for inputs, targets in test_loader
    ]
    return [torch.cat(parts) for parts in zip(*pairs)]


def accuracy(outputs, targets):
    return (outputs.argmax(1) == targets).float().mean().item()


# %% numbers="vary"
torch.manual_seed(42)
model = Digits().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)

history = {"training": [], "test": []}
for epoch in range(20):
    history["training"].append(train_epoch(model, optimizer))
    outputs, targets = predict(model)
    history["test"].append(F.cross_entropy(outputs, targets).item())
    if epoch in (0, 4, 19):
        loss, right = history["training"][-1], accuracy(outputs, targets)
        print(f"epoch {epoch + 1:2}: training loss {loss:.3f}, test {right:.1%} right")
print("over 90 % right:", right > 0.9)

# %% [markdown]
# The network reads more than nine of ten test digits.
# Make the optimizer [after you move the model](../devices/moving-models.md#optimizer-before-or-after-the-move).
# [The training loop](../training/loop.md) explains each line.
#
# ### Loss curve

# %% numbers="vary" alt="Both losses fall over twenty epochs. The training loss goes on falling; the test loss levels off above it."
epochs = range(1, 21)

fig, ax = plt.subplots(figsize=(6, 3))
ax.semilogy(epochs, history["training"], "-", label="training")
ax.semilogy(epochs, history["test"], "--", label="test")
ax.set(title="The test loss levels off above the training loss")
ax.set(xlabel="epoch", ylabel="cross-entropy", xticks=[1, 5, 10, 15, 20])
_ = ax.legend()

# %% [markdown]
# ### Confusion matrix
#
# Which digits does the network mix up?
# The cell counts on the device, and moves the counts to the CPU for Matplotlib.

# %% numbers="vary" alt="A matrix of ten true digits by ten answers. Nearly all of the 360 test digits lie on its diagonal; the few others are spread over the matrix, one or two in a place."
from matplotlib.colors import ListedColormap

outputs, targets = predict(model)
pairs = targets * 10 + outputs.argmax(1)
confusion = torch.bincount(pairs, minlength=100).reshape(10, 10).cpu()

fig, ax = plt.subplots(figsize=(4, 3.5))
ax.imshow(confusion, cmap=ListedColormap(["C0"]), alpha=confusion / 60)
for true, answer in confusion.nonzero().tolist():
    ax.text(answer, true, confusion[true, answer].item(), ha="center", va="center")
ax.set(title="Nearly all lie on the diagonal", xlabel="answer", ylabel="true digit")
ax.set(xticks=range(10), yticks=range(10))
ax.grid(False)

# %% [markdown]
# ## Mixed precision: `torch.autocast`
#
# Inside a region of `autocast`, PyTorch computes some operations in 16 bits: matrix products, mostly.
# On hardware made for 16 bits this can take less time, and for large batches it takes [less memory](../amp/autocast.md#memory).
# With a small batch it can take more memory, because autocast copies the weights.
# Autocast does not choose the device, and does not make results more accurate.
#
# [Older NVIDIA GPUs](../amp/autocast.md#gpus) do not compute in `bfloat16`, so the cell asks.
# CPUs do, but [often more slowly](../amp/autocast.md#cpus) than in `float32`.

# %%
dtype = torch.bfloat16
if device.type == "cuda" and not torch.cuda.is_bf16_supported(
    including_emulation=False
):
    dtype = torch.float16

with torch.autocast(device.type, dtype=dtype):
    outputs = model(images[:4].to(device))
    loss = F.cross_entropy(outputs, labels[:4].to(device))

print("weights:", model.layer1.weight.dtype)
print("outputs:", outputs.dtype)
print("loss:   ", loss.dtype)

# %% [markdown]
# The weights are `float32` as before, the outputs have 16 bits, and the loss is `float32` again.
#
# ### `GradScaler`: only for `float16`
#
# `float16` cannot hold the smallest gradients: they become zero.
# `GradScaler` multiplies the loss before `backward()`, and divides the gradients before the step.


# %%
def gradient(dtype, scale=1.0):
    weight = torch.zeros(1, 1, device=device, requires_grad=True)
    x = torch.full((1, 1), 1e-4, device=device)
    with torch.autocast(device.type, dtype=dtype):
        output = F.linear(x, weight)
    (output.float().sum() * 1e-4 * scale).backward()
    return weight.grad.item() / scale


print(f"float16           {gradient(torch.float16):.1e}")
print(f"float16, scaled   {gradient(torch.float16, scale=65536.0):.1e}")
print(f"bfloat16          {gradient(torch.bfloat16):.1e}")

# %% [markdown]
# The exact gradient is 1e-8.
# `float16` loses it without scaling; `bfloat16` has a range like that of `float32` and needs none.
# Scaling does not limit gradients: it multiplies and divides by the same number.
#
# ### The same training again
#
# New are a scaler (1), autocast (2), and three lines that use the scaler (3).
# With `bfloat16` the scaler is disabled and passes everything through, so one loop serves both types.
# The optimizer is fused: then `scaler.step` does not [wait for the GPU](../amp/gradscaler-reference.md#waits).

# %% numbers="vary"
torch.manual_seed(42)
model = Digits().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005, fused=True)
scaler = torch.amp.GradScaler(device.type, enabled=dtype == torch.float16)  # 1

for _ in range(20):
    model.train()
    for inputs, targets in train_loader:
        inputs, targets = inputs.to(device), targets.to(device)
        with torch.autocast(device.type, dtype=dtype):  # 2
            loss = F.cross_entropy(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()  # 3
        scaler.step(optimizer)
        scaler.update()

right = accuracy(*predict(model))
print(f"{dtype}: test {right:.1%} right")
print("over 90 % right:", right > 0.9)

# %% [markdown]
# In 16 bits the network reads about as many digits.
# [Autocast](../amp/autocast.md) and [GradScaler](../amp/gradscaler.md) have pages of their own.
#
# ## How long does a step take?
#
# A GPU is not faster at everything: [starting an operation costs time](../devices/utilization.md#small-work),
# however little there is to compute.
# Measure the step that you will really make.
# Make a few steps before you start the clock, and wait for the GPU before you read it.
#
# The first line shows how many threads the CPU used: on this site, one.

# %% numbers="vary"
import time


def milliseconds(hidden, batch, where, steps=5):
    net = Digits(hidden).to(where)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    inputs = torch.rand(batch, 64, device=where)
    targets = torch.zeros(batch, dtype=torch.long, device=where)
    for step in range(-3, steps):
        if step == 0:
            wait(where)
            start = time.perf_counter()
        optimizer.zero_grad()
        F.cross_entropy(net(inputs), targets).backward()
        optimizer.step()
    wait(where)
    return (time.perf_counter() - start) / steps * 1e3


def wait(where):
    if where != "cpu":
        torch.accelerator.synchronize()


print("CPU threads:", torch.get_num_threads())
places = sorted({"cpu", device.type})
print("hidden   batch  " + "".join(f"{where:>10}" for where in places))
for hidden, batch in ((64, 64), (1024, 1024), (4096, 1024)):
    times = [milliseconds(hidden, batch, where) for where in places]
    print(f"{hidden:6}  {batch:6}  " + "".join(f"{found:7.2f} ms" for found in times))

# %% [markdown]
# With a GPU there is a second column: compare the two row by row.
# [GPU utilization](../devices/utilization.md#crossover-plot) plots the time against the size.
#
# ## Exercises
#
# **1.** Write `on_one_device(model, *tensors)`, which is true if all parameters and tensors have one device.
#
# ```text
# assert on_one_device(model, next(model.parameters()))
# assert not on_one_device(model, torch.ones(2, device="meta"))
# ```


# %% fold="Solution"
def on_one_device(model, *tensors):
    return len({tensor.device for tensor in [*model.parameters(), *tensors]}) == 1


assert on_one_device(model, next(model.parameters()))
assert not on_one_device(model, torch.ones(2, device="meta"))

# %% [markdown]
# **2.** How many bytes do the parameters of `Digits` need?
# Work it out from the sizes of the two layers, as `answer`, and let PyTorch check:
#
# ```text
# assert answer == sum(parameter.nbytes for parameter in model.parameters())
# ```

# %% fold="Solution"
answer = 4 * (64 * 64 + 64 + 64 * 10 + 10)  # their gradients need as many again
assert answer == sum(parameter.nbytes for parameter in model.parameters())

# %% [markdown]
# ## Next
#
# [A complete program](../training/gpu-and-cuda-example.md) puts this into a file with a command line.
# If your model is too large, read [Out of memory](../memory/oom.md); for several GPUs, read [DDP](../parallel/ddp.md).
#
# This notebook builds on [PyTorch fundamentals](fundamentals.py).
