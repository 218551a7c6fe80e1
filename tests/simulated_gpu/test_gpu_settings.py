"""The settings: what people write, and what CUDA_VISIBLE_DEVICES leaves."""

import pytest

from simulated_gpu import SettingError, Settings, settings


@pytest.mark.parametrize(
    ("text", "size"), [("8GiB", 8 * 2**30), ("512MiB", 2**29), ("1.5 GB", 1_500_000_000), ("1073741824", 2**30)]
)
def test_sizes_are_read_as_people_write_them(text: str, size: int) -> None:
    """GiB and GB differ by seven percent, enough to turn "out of memory" around."""
    assert settings.size(text) == size


@pytest.mark.parametrize("text", ["8 apples", "-1GiB", "GiB", ""])
def test_other_sizes_are_refused_with_an_example(text: str) -> None:
    """A typing error must not become a GPU of another size."""
    with pytest.raises(SettingError, match="such as 8GiB"):
        settings.size(text)


@pytest.mark.parametrize("settings_", [{"gpus": 0}, {"gpus": 17}, {"memory": 1024}, {"capability": "8.1"}])
def test_gpus_that_cannot_be_are_refused(settings_: dict[str, int]) -> None:
    """Compute capability 8.1 does not exist; PyTorch would treat it as it likes."""
    with pytest.raises(SettingError):
        Settings(**settings_)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["", "0"])
def test_an_environment_that_asks_for_none_has_none(value: str) -> None:
    """A process without the variable must not change at all."""
    assert settings.read({"SIMULATED_GPU": value}) is None
    assert settings.read({}) is None


def test_settings_survive_the_way_through_an_environment() -> None:
    """A child process has the GPUs of its parent."""
    chosen = Settings(gpus=3, memory=2**30, capability="7.5", shapes_only=True)
    environment: dict[str, str] = {}
    chosen.write(environment)
    assert settings.read(environment) == chosen


def test_a_value_that_is_no_number_is_refused() -> None:
    """`SIMULATED_GPU=yes` says nothing about how many."""
    with pytest.raises(SettingError, match="SIMULATED_GPU=2"):
        settings.read({"SIMULATED_GPU": "yes"})
    with pytest.raises(SettingError, match="SIMULATED_GPU_SHAPES_ONLY=yes: write 1"):
        settings.read({"SIMULATED_GPU": "1", "SIMULATED_GPU_SHAPES_ONLY": "yes"})


@pytest.mark.parametrize(
    ("value", "numbers"),
    [(None, [0, 1, 2]), ("", []), ("-1", []), ("2,0", [2, 0]), ("1,7,0", [1]), ("1,1", [])],
)
def test_visible_devices_are_read_as_cuda_reads_them(value: str | None, numbers: list[int]) -> None:
    """Programs hide GPUs from themselves with this variable; CUDA stops at the first number that it does not know."""
    environment = {} if value is None else {"CUDA_VISIBLE_DEVICES": value}
    assert settings.visible(3, environment) == numbers
