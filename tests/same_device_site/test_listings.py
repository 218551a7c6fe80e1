"""The HTML of code blocks."""

from __future__ import annotations

from same_device_site.listings import lean, with_breaks


def block(code: str) -> str:
    """A block as the highlighter writes it."""
    return f'<div class="highlight"><pre><span></span><code>{code}\n</code></pre></div>'


def test_what_has_no_color_is_no_element() -> None:
    """Three of four tokens have the color of the block."""
    assert lean('<span class="n">x</span><span class="o">=</span><span class="mf">1.0</span>') == (
        'x=<span class="mf">1.0</span>'
    )


def test_a_long_name_can_be_broken_behind_its_dots() -> None:
    """A phone broke the most frequent line of the site at `current_acceler` and `ator(`."""
    html = with_breaks(block("device = torch.accelerator.current_accelerator("))
    assert html == block("device = torch.<wbr>accelerator.<wbr>current_accelerator(")
    assert with_breaks(html) == html


def test_the_first_sentence_of_a_page_is_broken_so_too() -> None:
    """It is set larger, and a phone has room for 30 characters."""
    html = with_breaks('<p class="sd-lead">Try <code>PYTORCH_ALLOC_CONF=expandable_segments:True</code>.</p>')
    assert "PYTORCH_ALLOC_CONF=<wbr>expandable_segments:True" in html


def test_short_parts_tags_and_text_are_left_alone() -> None:
    """There a place to break would be of no use, or another page."""
    for html in (
        block('x = <span class="mf">1.5</span> + torch.ones(2)'),
        block('<a href="https://example.org/a.b.c/d.e.f=g">x</a>'),
        block("x = 1.2345678901234567890123"),
        "<p><code>torch.accelerator.current_accelerator</code></p>",
    ):
        assert with_breaks(html) == html
