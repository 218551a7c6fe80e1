"""The heading "Fix" on pages about messages."""

from __future__ import annotations

from same_device_site.fixes import FIX, with_fixes

RAISES = (
    '<div class="highlight" data-block="0" data-raises="RuntimeError"><pre></pre></div>\n<div class="sd-out"></div>\n'
)
RUNS = '<div class="highlight" data-block="1"><pre></pre></div>\n'
TWO = FIX.format(level=2)


def test_the_paragraph_that_says_what_to_do_has_a_heading() -> None:
    """A reader in a hurry looks for it."""
    html = f"<h1>A</h1>\n<p>Why.</p>\n{RAISES}<p>Move it.</p>\n{RUNS}"
    assert with_fixes(html) == html.replace("<p>Move", f"{TWO}<p>Move")


def test_each_section_has_its_own() -> None:
    """Below the heading of a section it is one level lower."""
    section = f"<h2>B</h2>\n{RAISES}<p><code>x</code>:</p>\n<p>y</p>\n{RUNS}{RAISES}<p>Use <b>y</b>.</p>\n{RUNS}"
    assert with_fixes(f"<h1>A</h1>\n{section}").count("aria-level") == 1
    assert FIX.format(level=3) in with_fixes(f"<h1>A</h1>\n{section}")


def test_a_fix_without_words_has_a_heading_too() -> None:
    """Code alone that does not raise, after code that does, is what to write; unless it prepares the next error."""
    html = f"<h1>A</h1>\n<p>Why.</p>\n{RAISES}{RUNS}"
    assert with_fixes(html) == html.replace(RUNS, f"{TWO}{RUNS}")
    assert FIX.format(level=2) not in with_fixes(f"<h1>A</h1>\n{RAISES}{RUNS}{RAISES}")


def test_a_fix_may_come_after_an_explanation_or_a_condition() -> None:
    """ "For a column, add a dimension": the verb is not the first word."""
    html = f"<h1>A</h1>\n{RAISES}<p>A view is no copy.</p>\n<p>For a column, add a dimension.</p>\n{RUNS}"
    assert with_fixes(html) == html.replace("<p>For", f"{TWO}<p>For")


def test_the_first_sentence_of_a_page_with_a_fix_is_called_the_cause() -> None:
    """Without a block that raises it may say something else, such as that a warning is harmless."""
    lead = '<h1>A</h1>\n<p class="sd-lead">Two sizes differ.</p>\n'
    assert '<p class="sd-lead"><b>Cause:</b> Two sizes' in with_fixes(f"{lead}{RAISES}<p>Move it.</p>\n{RUNS}")
    assert "Cause" not in with_fixes(f"{lead}{RUNS}")
    kind = lead.replace("Two sizes differ", "A TypeError: the sizes differ")
    assert "Cause" not in with_fixes(f"{kind}{RAISES}<p>Move it.</p>\n{RUNS}")


def test_what_explains_is_no_fix() -> None:
    """Nor is what comes before another block that raises, or before no block at all."""
    for html in (
        f"{RAISES}<p>The warning is harmless.</p>\n{RUNS}",
        f"{RAISES}<p>Use it.</p>\n",
        f"<p>Use it.</p>\n{RUNS}",
    ):
        assert with_fixes(f"<h1>A</h1>\n{html}") == f"<h1>A</h1>\n{html}"
