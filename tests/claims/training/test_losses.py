"""Losses for classification."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.utils.data import DataLoader, WeightedRandomSampler

from claims.claimlib import claim, close, on_cuda, raises, refuses

LABELS = st.lists(st.integers(0, 2), min_size=1, max_size=8)


def logits(n: int, classes: int = 3) -> Tensor:
    """Random logits."""
    return torch.randn(n, classes, dtype=torch.float64)


@claim("`nn.CrossEntropyLoss` takes logits, and computes the logarithm of their softmax itself.")
@given(LABELS)
def test_log_softmax(labels: list[int]) -> None:
    x, y = logits(len(labels)), torch.tensor(labels)
    close(F.cross_entropy(x, y), -x.log_softmax(dim=1)[torch.arange(len(y)), y].mean())


@claim(
    "With the second softmax, a right answer still has a loss of 0.55, the least that there is with 3 classes; a wrong one has nearly no gradient left to correct it."
)
@given(st.floats(5, 50))
def test_second_softmax(sure: float) -> None:
    x = torch.tensor([[sure, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    least = math.log(math.e + 2) - 1
    assert round(least, 2) == 0.55
    assert F.cross_entropy(x.softmax(dim=1), torch.tensor([0])) > least
    (gradient,) = torch.autograd.grad(F.cross_entropy(x.softmax(dim=1), torch.tensor([1])), x)
    assert gradient.abs().max() < 0.02 < torch.autograd.grad(F.cross_entropy(x, torch.tensor([1])), x)[0].abs().max()


@claim("The predicted class is `logits.argmax(dim=1)`, with or without a softmax.")
@given(LABELS)
def test_argmax(labels: list[int]) -> None:
    x = logits(len(labels))
    assert torch.equal(x.argmax(dim=1), x.softmax(dim=1).argmax(dim=1))


@claim(
    "`CrossEntropyLoss` is for one right class out of several: the target is the class's number, an `int64`, or a probability for each class.",
    "A target of `CrossEntropyLoss` can also be soft: a probability for each class, as floats, in the shape of the logits.",
)
@given(LABELS)
def test_targets(labels: list[int]) -> None:
    x, y = logits(len(labels)), torch.tensor(labels)
    close(F.cross_entropy(x, y), F.cross_entropy(x, F.one_hot(y, 3).double()))
    assert refuses(F.cross_entropy, x, y.int())
    assert refuses(F.cross_entropy, x, y.double())


@claim(
    "`BCEWithLogitsLoss` asks a yes-or-no question of each output: the target has the output's shape, and is a float.",
    "Its answer is yes where the logit is above 0.",
)
@given(LABELS)
def test_yes_or_no(labels: list[int]) -> None:
    x = logits(len(labels))
    y = (x > 0.1).double()
    close(F.binary_cross_entropy_with_logits(x, y), F.binary_cross_entropy(x.sigmoid(), y))
    assert torch.equal(x > 0, x.sigmoid() > 0.5)
    raises("must be the same", F.binary_cross_entropy_with_logits, x, y[:, :1])
    assert refuses(F.binary_cross_entropy_with_logits, x, y.long())


@claim('The last line is the loss of each sample: `reduction="none"` leaves out the mean.')
@given(LABELS)
def test_reduction(labels: list[int]) -> None:
    x, y = logits(len(labels)), torch.tensor(labels)
    close(F.cross_entropy(x, y, reduction="none").mean(), F.cross_entropy(x, y))


@claim(
    "For one class of each pixel, `CrossEntropyLoss` takes logits of shape (samples, classes, height, width) and targets of shape (samples, height, width)."
)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_pixels(n: int, height: int, width: int) -> None:
    x, y = torch.randn(n, 3, height, width), torch.randint(3, (n, height, width))
    close(F.cross_entropy(x, y), F.cross_entropy(x.movedim(1, -1).reshape(-1, 3), y.flatten()))


@claim(
    "`label_smoothing=0.3` makes such a target of the class's number: it takes 0.3 from the right class and gives every class an equal share of it.",
    "Both losses are the same number.",
)
@given(LABELS, st.floats(0, 1), st.integers(3, 6))
def test_label_smoothing(labels: list[int], smoothing: float, classes: int) -> None:
    x, y = logits(len(labels), classes), torch.tensor(labels)
    soft = (1 - smoothing) * F.one_hot(y, classes) + smoothing / classes
    close(F.cross_entropy(x, y, label_smoothing=smoothing), F.cross_entropy(x, soft.double()))


@claim(
    "The mean is divided by the sum of the samples' weights, as the last line shows; with soft targets it is divided by the number of samples."
)
@given(LABELS)
def test_weights(labels: list[int]) -> None:
    x, y, weight = logits(len(labels)), torch.tensor(labels), torch.tensor([1.0, 2.0, 5.0]).double()
    each = F.cross_entropy(x, y, weight=weight, reduction="none")
    close(F.cross_entropy(x, y, weight=weight), each.sum() / weight[y].sum())
    close(F.cross_entropy(x, F.one_hot(y, 3).double(), weight=weight), each.sum() / len(y))


@claim(
    "`BCEWithLogitsLoss` has `pos_weight` for this: for each output, the number of negatives divided by that of positives, such as 9. Its mean is divided by no weights."
)
@given(LABELS)
def test_pos_weight(labels: list[int]) -> None:
    x, y, weight = (
        logits(len(labels)),
        F.one_hot(torch.tensor(labels), 3).double(),
        torch.tensor([9.0, 1.0, 2.0]).double(),
    )
    each = F.binary_cross_entropy_with_logits(x, y, reduction="none")
    close(F.binary_cross_entropy_with_logits(x, y, pos_weight=weight), (each * torch.where(y == 1, weight, 1.0)).mean())


@claim(
    "Samples are drawn with replacement: those of the rare class come several times in an epoch, and many others not at all.",
    "Each batch has about as many samples of class 1 as of class 0, although there are nine times fewer.",
)
def test_sampler() -> None:
    labels = torch.tensor([0] * 900 + [1] * 100)
    weights = 1 / labels.bincount()[labels]
    drawn = torch.tensor(list(WeightedRandomSampler(weights, len(labels))))
    assert labels[drawn].float().mean().item() == pytest.approx(0.5, abs=0.06)
    counts = drawn.bincount(minlength=1000)
    assert counts[900:].float().mean() > 3
    assert (counts[:900] == 0).float().mean() > 0.4


@claim("A sampler takes the place of `shuffle=True`; together they raise `ValueError`.")
def test_sampler_and_shuffle() -> None:
    with pytest.raises(ValueError, match="mutually exclusive"):
        DataLoader(range(3), shuffle=True, sampler=[0, 1, 2])


@claim("positions that must not count, such as padding | `ignore_index`")
@given(st.lists(st.integers(0, 2), min_size=1, max_size=5), st.integers(1, 3))
def test_padding(targets: list[int], padding: int) -> None:
    logits = torch.randn(len(targets) + padding, 3)
    padded = torch.tensor([*targets, *[-100] * padding])
    loss = nn.CrossEntropyLoss()
    close(loss(logits, padded), loss(logits[: len(targets)], torch.tensor(targets)))


@claim(
    "For numbers, the square grows faster and faster, so single wild values pull hard; the absolute error counts each unit alike."
)
@given(st.floats(1, 100))
def test_wild_values(value: float) -> None:
    slopes = []
    for loss in (nn.MSELoss(), nn.L1Loss()):
        x = torch.tensor([value], dtype=torch.float64, requires_grad=True)
        loss(x, torch.zeros(1).double()).backward()
        slopes.append(x.grad.item())
    assert slopes == [pytest.approx(2 * value), 1]


@claim("With 3 classes each gets 0.1 of the 0.3, so the right one ends at 0.8.")
def test_smoothed() -> None:
    logits = torch.randn(4, 3)
    soft = torch.full((4, 3), 0.1)
    soft[:, 1] = 0.8
    close(
        nn.CrossEntropyLoss(label_smoothing=0.3)(logits, torch.ones(4, dtype=torch.long)),
        nn.CrossEntropyLoss()(logits, soft),
    )


@claim(
    "`weight` makes the samples of some classes count more: one number for each class, such as `1 / labels.bincount()`, where every class has samples."
)
@given(st.lists(st.integers(0, 2), max_size=9))
def test_class_weights(labels: list[int]) -> None:
    targets = torch.tensor([0, 1, 2, *labels])
    each = nn.CrossEntropyLoss(weight=1 / targets.bincount(), reduction="none")(torch.zeros(len(targets), 3), targets)
    sums = torch.zeros(3).index_add_(0, targets, each)
    close(sums, sums[:1].expand(3))
    assert refuses(nn.CrossEntropyLoss(weight=torch.ones(2)), torch.zeros(len(targets), 3), targets)


@claim("Both are tensors of the loss, and have to be on the model's device.")
@on_cuda
def test_where_weights_are() -> None:
    logits = torch.zeros(2, 2, device="cuda")
    assert refuses(nn.CrossEntropyLoss(weight=torch.ones(2)), logits, torch.zeros(2, dtype=torch.long, device="cuda"))
    assert refuses(nn.BCEWithLogitsLoss(pos_weight=torch.ones(2)), logits, logits)


@claim("The sampler then believes that there are only two samples:")
def test_weights_of_classes() -> None:
    assert set(WeightedRandomSampler([0.1, 0.9], 200)) == {0, 1}


@claim("Nothing raises an error; the model learns more slowly.")
def test_smaller_gradients() -> None:
    logits = torch.tensor([[4.0, 0, 0]], requires_grad=True)
    once = torch.autograd.grad(F.cross_entropy(logits, torch.tensor([1])), logits)[0].norm()
    twice = torch.autograd.grad(F.cross_entropy(logits.softmax(dim=1), torch.tensor([1])), logits)[0].norm()
    assert 0 < twice < once / 10


@claim("Where you need probabilities, after training, call `logits.softmax(dim=1)`.")
@given(st.integers(1, 4), st.integers(1, 5))
def test_probabilities(rows: int, classes: int) -> None:
    close(torch.randn(rows, classes).softmax(dim=1).sum(dim=1), torch.ones(rows))


@claim(
    "With DDP and the same seed in each process, all processes draw the same samples: give each sampler a `generator` with a seed of its own, and divide `num_samples` by the number of processes."
)
def test_same_draws() -> None:
    weights, drawn, own = [1.0, 2.0, 3.0, 4.0], [], []
    for rank in range(2):
        torch.manual_seed(0)  # as each process does
        drawn.append(list(WeightedRandomSampler(weights, 30)))
        generator = torch.Generator().manual_seed(rank)
        own.append(list(WeightedRandomSampler(weights, 15, generator=generator)))
    assert drawn[0] == drawn[1]
    assert own[0] != own[1]
    assert len(own[0]) + len(own[1]) == 30
