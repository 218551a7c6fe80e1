# ---
# title: From CPU to GPU
# description: "A real training on whatever device there is: device, tensors, model, data, loop, mixed precision, loss curve, confusion matrix, timing."
# ---

# %% [markdown]
# # From CPU to GPU
#
# A small network learns to read digits, first in plain `float32`, then in mixed precision.
# Every cell is the same on a CPU, on CUDA and on MPS.
#
# ## Choose a device
#
# PyTorch calls a GPU an *accelerator*.
# This line takes the one that works here, and the CPU where there is none.

# %%
import torch

device = torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
device

# %% [markdown]
# [CUDA](../devices/cuda.md) is NVIDIA's platform for computing on its GPUs,
# [MPS](../devices/mps.md) PyTorch's backend for the GPUs in Apple's chips.
# `"cuda" if torch.cuda.is_available() else "cpu"` chooses between two of the three;
# a second such line for `"mps"` would overwrite the first.
# [Choosing a device](../devices/choosing.md) has every way.
#
# ## Move tensors
#
# Choosing a device moves nothing: tensors, models and losses are on the CPU until you move them, or make them elsewhere.

# %%
tensor1 = torch.ones(3, 3)
print("created:   ", tensor1.device)

moved = tensor1.to(device)
print("moved:     ", moved.device)
print("original:  ", tensor1.device)

tensor2 = torch.ones(2, 2, device=device)
print("made there:", tensor2.device)

# %% [markdown]
# `.to()` leaves the tensor where it is and returns another one, so assign the result: `x = x.to(device)`.
# Only if it is there already, `.to()` returns the same tensor.

# %%
print(moved.to(device) is moved)
print(moved.to(device, copy=True) is moved)

# %% [markdown]
# ## Move a model
#
# The digits that come later have 64 pixels, and there are ten of them.
# Between the layers stands a ReLU; without it the two layers would amount to one.

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
# A model has no device of its own; its parameters and buffers have.
# `.to()` moves those of *this* model, so here nothing has to be assigned.
# [Moving models](../devices/moving-models.md) tells what is not moved along.
#
# ## What goes wrong: two devices
#
# An operation on tensors of two devices fails.
# The cell has one tensor on the CPU and one on `device`; on the CPU they meet, elsewhere they do not.

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
# There is one exception: a tensor on the CPU that has no dimensions counts as a number.

# %%
print(torch.tensor(2.0) * gpu_tensor[0])

# %% [markdown]
# More: [Device mismatch](../devices/mismatch.md).
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
# The data stays on the CPU; the loader makes batches there.

# %%
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
order = torch.randperm(len(images))
train, test = order[:1437], order[1437:]

train_set = TensorDataset(images[train], labels[train])
test_set = TensorDataset(images[test], labels[test])
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
test_loader = DataLoader(test_set, batch_size=360)
print(len(train_set), "to train in", len(train_loader), "batches,", len(test_set), "to test")

# %% [markdown]
# The loader itself cannot be moved: it is no tensor, it makes them.

# %% raises="AttributeError"
train_loader.to(device)

# %% [markdown]
# So move each batch, inside the loop.
#
# ## Train
#
# One pass over the training data, one over the test data.
# The last two lines of `train_epoch` add up the loss on the device, and read it once:
# each `.item()` [makes Python wait](../training/loop.md) for the GPU.


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
    pairs = [(model(inputs.to(device)), targets.to(device)) for inputs, targets in test_loader]
    return [torch.cat(parts) for parts in zip(*pairs)]


def share_right(outputs, targets):
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
        loss, right = history["training"][-1], share_right(outputs, targets)
        print(f"epoch {epoch + 1:2}: training loss {loss:.3f}, test {right:.1%} right")
print("over 90 % right:", right > 0.9)

# %% [markdown]
# The optimizer was made after the model was moved: it then holds the parameters that are trained, on every device.
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
# Which digits are taken for which?
# The counting is done on the device; what Matplotlib draws has to come to the CPU.

# %% numbers="vary" alt="A matrix of ten true digits by ten answers. Nearly all of the 360 test digits lie on its diagonal; the few others are single mistakes."
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
# It does not choose the device, and it does not make results more accurate.
# What it is for: less [memory](../amp/autocast.md#memory) and, on hardware made for it, less time.

# %%
with torch.autocast(device.type, dtype=torch.bfloat16):
    outputs = model(images[:4].to(device))
    loss = F.cross_entropy(outputs, labels[:4].to(device))

print("weights:", model.layer1.weight.dtype)
print("outputs:", outputs.dtype)
print("loss:   ", loss.dtype)

# %% [markdown]
# The weights are as before, and the loss, which adds up many numbers, was computed in `float32`.
#
# ### `GradScaler`, where it is needed
#
# `float16` cannot hold numbers as small as gradients often are: they become zero.
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
# `float16` loses it without scaling, `bfloat16` has the range of `float32` and needs none.
# Scaling puts no limit on gradients and, as long as nothing overflows, does not change the step.
#
# ### The same training again
#
# The loop gets three changes, marked by comments.
# With `bfloat16` the scaler is switched off and passes everything through, so that one loop serves both types.

# %% numbers="vary"
dtype = torch.bfloat16
if device.type == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
    dtype = torch.float16

torch.manual_seed(42)
model = Digits().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
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

right = share_right(*predict(model))
print(f"{dtype}: test {right:.1%} right")
print("over 90 % right:", right > 0.9)

# %% [markdown]
# More: [Autocast](../amp/autocast.md), [GradScaler](../amp/gradscaler.md).
#
# ## How long does a step take?
#
# A GPU is not faster at everything: [starting an operation costs time](../devices/cuda.md#small-work),
# however little there is to compute.
# So measure the step that you will really make.
# Two habits make a timing true: a few steps first, that are not counted, and waiting for the GPU before reading the clock.

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


places = sorted({"cpu", device.type})
print("hidden   batch  " + "".join(f"{where:>10}" for where in places))
for hidden, batch in ((64, 64), (1024, 1024), (4096, 1024)):
    times = [milliseconds(hidden, batch, where) for where in places]
    print(f"{hidden:6}  {batch:6}  " + "".join(f"{found:7.2f} ms" for found in times))

# %% [markdown]
# Compare the columns row by row, where there are two: the ratio is another one in each row.
# [CUDA: asynchronous work, timing and streams](../devices/cuda.md) draws it against the size.
#
# ## Where to go from here
#
# - [PyTorch fundamentals](fundamentals.py): the walk before this one.
# - [A complete program](../training/gpu-and-cuda-example.md) with a command line, to start your own from.
# - [Out of memory](../memory/oom.md), [DistributedDataParallel](../parallel/ddp.md) for several GPUs.
