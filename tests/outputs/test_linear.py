"""Work that grows with the length of a text, and not faster: whoever writes an output must not hang who reads it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from samedevice.outputs.cleaning import READ, clean
from samedevice.outputs.comparison import same_text
from samedevice.outputs.figures import figure_fault

PLACES = {"/srv/site/": "", "/srv/site": "."}
JUDGED = 0.02
"""Seconds from which on a measurement is more than noise."""
LONG, SHORT = 24, 8
"""From the shortest text to the longest in steps of a quarter, each compared with the one of eight steps before."""
FASTER = 15.0
"""How many times longer a text of six times the length may take: in linear time 6, in quadratic time 36."""
WRITERS: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "1" * n,
    "digits and text": lambda n: f"{'1' * n} is big",
    "digits after gloo": lambda n: f"[Gloo] Rank {'1' * n} is big",
    "numbers": lambda n: "1234567890123456789 " * (n // 20),
    "gloo's words": lambda n: " is connected to " * (n // 17) + "!",
    "gloo's lines": lambda n: "[Gloo] Rank \n" * (n // 13),
    "blanks": lambda n: " " * n,
    "blanks between numbers": lambda n: "1" + " " * n + "x",
    "a warning's place, open": lambda n: "(Triggered internally at " * (n // 25),
    "a log line, open": lambda n: "[W1122 00:54:35." * (n // 16),
    "a log line of digits": lambda n: f"[W1122 00:54:35.{'1' * n}",
    "a log line of dots": lambda n: f"[W1122 00:54:35.1 {'.' * n}",
    "colours, open": lambda n: "\x1b[" * (n // 2),
    "a colour of digits": lambda n: f"\x1b[{'1' * n}",
    "returns": lambda n: "\r" * n,
    "hexadecimal digits": lambda n: f"0x{'f' * n}g",
    "reprs, open": lambda n: "<a at 0x" * (n // 8),
    "a repr of names": lambda n: f">{'a.' * (n // 2)} at",
    "URLs": lambda n: "a://" * (n // 4),
    "paths": lambda n: "/srv/site" * (n // 9),
    "frames": lambda n: " " * n + "frame #",
    "points": lambda n: "1." * (n // 2),
    "a float of digits": lambda n: f"{'1' * (n // 2)}.{'1' * (n // 2)}.1",
    "exponents": lambda n: "1e" * (n // 2),
    "an exponent of digits": lambda n: f"1.234e{'9' * n}.1",
    "signs": lambda n: "-+" * (n // 2),
    "commas": lambda n: "1,111" * (n // 5),
    "controls": lambda n: "\0\x9b\u202e" * (n // 3),
}
FIGURES: dict[str, Callable[[int], str]] = {
    "tags, open": lambda n: "<g " * (n // 3),
    "a tag of blanks": lambda n: f"<g{' ' * n}",
    "a tag of attributes": lambda n: "<g" + ' x=""' * (n // 5),
    "a tag's name": lambda n: f"<{'g' * n}",
    "a path of blanks": lambda n: f'<svg d="{" " * n}!"></svg>',
    "transforms": lambda n: f'<svg transform="{"a() " * (n // 4)}!"></svg>',
    "a transform of blanks": lambda n: f'<svg transform="a(){" " * n}!"></svg>',
    "a style of semicolons": lambda n: f'<svg style="{";" * n}"></svg>',
    "a style of blanks": lambda n: f'<svg style="fill:{" " * n}url(!"></svg>',
    "a sheet of blanks": lambda n: f"<svg><style>*{{{' ' * n}!</style></svg>",
    "an address of blanks": lambda n: f'<svg><image href="data:image/png;base64,{" " * n}"/></svg>',
    "elements": lambda n: f"<svg>{'<g/>' * (n // 4)}</svg>",
    "elements in elements": lambda n: f"<svg>{'<g>' * (n // 7)}{'</g>' * (n // 7)}</svg>",
}


def seconds(work: Callable[[], object]) -> float:
    """The processor time that work takes: the least of three, as other processes disturb it."""
    found = []
    for _ in range(3):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
        if found[0] < JUDGED:
            break
    return min(found)


def assert_linear(make: Callable[[int], str], work: Callable[[str], object], longest: int) -> None:
    """Fail if the work grows much faster than the text. The text grows by quarters, so that no step is a long one."""
    sizes = [round(longest / 1.25**step) for step in range(LONG, -1, -1)]
    taken: list[float] = []
    for size in sizes:
        text = make(size)
        taken.append(seconds(lambda text=text: work(text)))
        if taken[-1] > JUDGED and len(taken) > SHORT:
            assert taken[-1] / max(taken[-1 - SHORT], JUDGED / 100) < FASTER, f"{size} characters: {taken[-1]:.2f} s"


@pytest.mark.parametrize("make", WRITERS.values(), ids=WRITERS.keys())
def test_what_a_block_prints_is_cleaned_in_linear_time(make: Callable[[int], str]) -> None:
    """`print(2**100, "is big")` must not hang."""
    assert_linear(make, lambda text: clean(text, PLACES), READ)


@pytest.mark.parametrize("numbers_vary", [False, True])
@pytest.mark.parametrize("make", WRITERS.values(), ids=WRITERS.keys())
def test_outputs_are_compared_in_linear_time(make: Callable[[int], str], numbers_vary: bool) -> None:
    """Recordings and pages of servers hold any text."""
    assert_linear(make, lambda text: same_text(text, f"{text} ", numbers_vary), READ)


@pytest.mark.parametrize("make", FIGURES.values(), ids=FIGURES.keys())
def test_figures_are_checked_in_linear_time(make: Callable[[int], str]) -> None:
    """A recording of another machine holds any figure."""
    assert_linear(make, figure_fault.__wrapped__, READ)


def test_the_measure_tells_quadratic_work() -> None:
    """Else these tests could not fail."""
    with pytest.raises(AssertionError, match="characters"):
        assert_linear(lambda n: "1" * n, lambda text: [text.count("2") for _ in range(len(text))], 20_000)
