"""labels: how an environment is called wherever a person reads it: on pages, in files to take along, in messages.

No other module puts such words together, but for the `str` of an environment. So all say the same, and a new kind of
environment is worded here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from samedevice.devices import LABELS
from samedevice.outputs.environments import Environment, version_order

SIMULATED = "simulated"
"""The word for a device that no machine has."""
NO_DEVICE = "No GPU ran this: PyTorch's own CUDA code ran on a device in main memory."
"""What a simulated output is, in a sentence."""


def kind(about: Environment) -> str:
    """The kind of device: `CUDA`, or `CUDA, simulated`."""
    return of_kind(about.device, about.simulated)


def of_kind(device: str, simulated: bool = False) -> str:
    """A kind of device: `CUDA`, or `CUDA, simulated`."""
    return f"{LABELS[device]}, {SIMULATED}" if simulated else LABELS[device]


def version_on(about: Environment) -> str:
    """The version and the kind of device: `PyTorch 2.13.0+cpu on CPU`."""
    return f"{about.maker} {about.version} on {kind(about)}"


def full(about: Environment) -> str:
    """All that is recorded: device, versions, driver and day."""
    library = f"{about.library} {about.library_version}".strip()
    parts = [about.name, library, f"PyTorch {about.torch}" * bool(about.torch), f"Python {about.python}"]
    parts += [f"NumPy {about.numpy}"] * bool(about.numpy) + [f"driver {about.driver}"] * bool(about.driver)
    return ", ".join(filter(None, [*parts, about.day]))


@dataclass(frozen=True)
class Label:
    """What several environments are called that printed the same with the same versions.

    Its `str` is `CPU and CUDA (H100) · PyTorch 2.9, 2.15`, or `Python 3.11`.
    """

    devices: tuple[str, ...]
    """Their kinds of device."""
    maker: str
    """What decides the output beside the device: PyTorch, or Python."""
    versions: str
    """Its versions: `2.9, 2.15`; empty where there are none."""
    simulated: bool = False
    """Whether the devices are simulated."""
    model: str = ""
    """The accelerator, if there is one kind of it, in short: H100."""

    @property
    def names(self) -> str:
        """The devices alone; without PyTorch a CPU goes without saying."""
        model = f" ({self.model})" * bool(self.model)
        told = (device for device in self.devices if self.maker == "PyTorch" or device != "cpu")
        return " and ".join(of_kind(device, self.simulated) + model * (device != "cpu") for device in told)

    def __str__(self) -> str:
        return " · ".join(filter(None, (self.names, self.versions and f"{self.maker} {self.versions}")))


def all_versions(environments: Iterable[Environment]) -> str:
    """Each version, and the last day: `PyTorch 2.9.1, 2.13.0 and 2.15.0, last on 2026-11-21`."""
    about = list(environments)
    versions = sorted({one.version.partition("+")[0] for one in about}, key=version_order)
    listed = " and ".join(filter(None, [", ".join(versions[:-1]), versions[-1]]))
    return f"{about[0].maker} {listed}, last on {max(one.day for one in about)}"
