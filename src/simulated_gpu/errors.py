"""The errors that this package raises. Each says what is wrong and what to do."""


class SimulatedGPUError(Exception):
    """The simulated GPU cannot start."""


class SettingError(SimulatedGPUError):
    """A setting is not one that the simulated GPU knows."""


class MachineError(SimulatedGPUError):
    """This machine, its compiler or its PyTorch cannot run the simulated GPU."""


class NotSimulated(NotImplementedError):  # noqa: N818  (people read it as a sentence)
    """The program asked for something whose result the simulated GPU cannot compute.

    A `NotImplementedError`, because a program that can do without the operation catches that.
    """
