"""Cleaning: printed text is the same on every run, shows what could hide, and has a limit."""

from __future__ import annotations

import pytest

from samedevice.outputs.cleaning import LIMIT, clean, cut

GLOO = "[Gloo] Rank {} is connected to 1 peer ranks. Expected number of connected peer ranks is : 1"


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("10%\r50%\r100%\n", "100%\n"),
        ("100%\r", "100%"),
        ("\x1b[1;31mred\x1b[0m and \x1b[38;5;208morange\x1b[m", "red and orange"),
        ("<object object at 0x7f3c2c5d9e30>", "<object object at 0x...>"),
        ("<function f.<locals>.g at 0x7f3c2c5d9e30>", "<function f.<locals>.g at 0x...>"),
        ("[<code object <module> at 0x7f3c2c5d9e30, file 'x'>]", "[<code object <module> at 0x..., file 'x'>]"),
        ("<weakref at 0x7f3c2c5d9e30; to 'A' at 0x7f3c2c5d9e40>", "<weakref at 0x...; to 'A' at 0x...>"),
        ("<bound method A.f of <A object at 0x7f3c2c5d9e30>>", "<bound method A.f of <A object at 0x...>>"),
        (
            "<torch.cuda.Stream device=cuda:0 cuda_stream=0x55d0c0ffee00>",
            "<torch.cuda.Stream device=cuda:0 cuda_stream=0x...>",
        ),
        ("frame #1: f(int) + 0x57 (0x7f3c2c5d9e30 in libc10.so)", "frame #1: f(int) + 0x57 (0x... in libc10.so)"),
        ("0x1000000 0xdeadbeef {0x7fffffff}", "0x1000000 0xdeadbeef {0x7fffffff}"),
        ("mask at 0x1000000, x < 0x1000000 > y", "mask at 0x1000000, x < 0x1000000 > y"),
        ("gone. (Triggered internally at /build/c10/core/x.cpp:12.)", "gone."),
        ("[W1122 00:54:35.893968718 ProcessGroup.hpp:1006] Warning: no", "[W ProcessGroup.hpp] Warning: no"),
        ("W1123 14:38:05.300000 2956 torch/utils/flop.py:29] no triton", "[W torch/utils/flop.py] no triton"),
        (f"{GLOO.format(0)}\nprocesses: 2\n{GLOO.format(1)}\n\n12\n", "processes: 2\n\n12\n"),
        (
            "[Gloo] Rank [Gloo] Rank 1 is connected to 01 is connected to  peer ranks. 1Expected number of connected "
            "peer ranks is :  peer ranks. 1Expected number of connected peer ranks is : 1\n\nprocesses: 2\n",
            "processes: 2\n",
        ),
        ("the [Gloo] Rank 1\n", "the [Gloo] Rank 1\n"),
        ('File "/home/me/site/docs/page.md", line 3', 'File "docs/page.md", line 3'),
        ("bell \a, null \0, backspace \b, delete \x7f", "bell ␇, null ␀, backspace ␈, delete ␡"),
        ("tab\tand line\n", "tab\tand line\n"),
        ("user \u202egnp.exe", "user <U+202E>gnp.exe"),
        ("\x9b31m and \x85", "<U+009B>31m and <U+0085>"),
        ("unknown sequence \x1b[2K", "unknown sequence ␛[2K"),
        ("é ü 日本 🙂", "é ü 日本 🙂"),
    ],
    ids=lambda text: repr(text)[:30],
)
def test_cleaned_text_is_the_same_on_every_run_and_hides_nothing(printed: str, kept: str) -> None:
    """What differs from run to run would make every comparison fail; what cannot be seen could deceive."""
    assert clean(printed, {"/home/me/site/": ""}) == kept


@pytest.mark.parametrize(
    ("printed", "kept"),
    [
        ("https://example.org/srv/page.html", "https://example.org/srv/page.html"),
        ("file:///srv/page.html host:/srv/page", "file:///srv/page.html host:/srv/page"),
        ("https://example.org/?next=/srv/page", "https://example.org/?next=/srv/page"),
        ("/home/srv/page ~/srv/page $HOME/srv ../srv/x", "/home/srv/page ~/srv/page $HOME/srv ../srv/x"),
        ("/srv+/x /srv@1 /srv.bak /srv~", "/srv+/x /srv@1 /srv.bak /srv~"),
        ("'/srv/a' (/srv/b) --to=/srv/c", "'a' (b) --to=c"),
        ("in /srv. In /srv, too", "in .. In ., too"),
        ("[default0]:/srv/docs/x.py:3: Warning", "[default0]:docs/x.py:3: Warning"),
        ("\x1b[31m/srv/x\x1b[0m", "x"),
        ("cd /srv/ ", "cd ./ "),
        ("/usr/lib/python3 /usr", "lib/python3 /usr"),
    ],
)
def test_only_a_whole_path_of_this_machine_is_replaced(printed: str, kept: str) -> None:
    """A project may be at a short path, such as that of a container, which is a part of many others."""
    assert clean(printed, {"/srv/": "", "/usr/": "", "/srv": "."}) == kept


def test_the_root_of_a_disk_is_no_place_of_this_machine() -> None:
    """A project may be there. All paths begin with it, and `1 / 2` holds it."""
    assert clean("1 / 2, /x, C:\\ and C:\\x", {"//": "", "/": ".", "C:\\": ""}) == "1 / 2, /x, C:\\ and C:\\x"


def test_a_folder_with_a_longer_name_is_not_taken_for_the_repository() -> None:
    """What was printed must not be changed."""
    places = {"/home/me/site/": "", "/home/me/site": "."}
    assert clean("/home/me/site /home/me/site/x /home/me/site2/x", places) == ". x /home/me/site2/x"


def test_of_two_places_the_inner_one_is_replaced() -> None:
    """An environment may be in the project; what a traceback says of it must not depend on that."""
    places = {"/srv/": "", "/srv/.venv/": "", "/srv": "."}
    assert clean("/srv/.venv/lib/torch.py /srv/docs/x.py", places) == "lib/torch.py docs/x.py"


def test_long_text_is_cut_and_says_so() -> None:
    """A page that prints 100 MB must neither be recorded whole nor pass for whole."""
    assert cut("x" * LIMIT) == "x" * LIMIT
    assert cut("x" * (LIMIT + 1234)) == "x" * LIMIT + "\n[1,234 more characters, not kept]"
    assert cut("x" * (LIMIT + 1), more=1_000) == "x" * LIMIT + "\n[1,001 more characters, not kept]"
