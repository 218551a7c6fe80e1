"""labels: how an environment is called wherever a person reads it: on pages, in files to take along, in messages.

No other module puts such words together, but for the `str` of an environment. So all say the same, and a new kind of
environment is worded here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from samedevice.devices import LABELS
from samedevice.outputs.environments import Environment

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
    parts = [about.name, *[f"PyTorch {about.torch}"] * bool(about.torch), f"Python {about.python}"]
    parts += [f"NumPy {about.numpy}"] * bool(about.numpy) + [f"driver {about.driver}"] * bool(about.driver)
    return ", ".join([*parts, about.day])


def pane(devices: Sequence[str], maker: str, versions: str, simulated: bool = False, measured_on: str = "") -> str:
    """Several environments that printed the same: `CPU and CUDA · PyTorch 2.9, 2.15`, or `Python 3.11`.

    With the accelerator that something was `measured_on`: `CUDA (H100) · PyTorch 2.11`.
    """
    model = f" ({measured_on})" * bool(measured_on)
    told = (device for device in devices if maker == "PyTorch" or device != "cpu")
    names = " and ".join(of_kind(device, simulated) + model * (device != "cpu") for device in told)
    return " · ".join(filter(None, (names, versions and f"{maker} {versions}")))


def span(environments: Iterable[Environment]) -> str:
    """The versions that ran, and the last day: `PyTorch 2.9.1, 2.11.0, 2.15.0, 2026-11-21`."""
    about = list(environments)
    return f"{about[0].maker} {', '.join(_releases(about))}, {_last(about)}"


def all_versions(environments: Iterable[Environment]) -> str:
    """Each version, and the last day: `PyTorch 2.9.1, 2.13.0 and 2.15.0, last on 2026-11-21`."""
    about = list(environments)
    versions = _releases(about)
    listed = " and ".join(filter(None, [", ".join(versions[:-1]), versions[-1]]))
    return f"{about[0].maker} {listed}, last on {_last(about)}"


def _releases(about: Sequence[Environment]) -> list[str]:
    """The versions in order, each once, without the names of builds."""
    versions = {one.version.partition("+")[0] for one in about}
    return sorted(versions, key=lambda text: [int(part) for part in re.findall(r"\d+", text)])


def _last(about: Sequence[Environment]) -> str:
    return max(one.day for one in about)
