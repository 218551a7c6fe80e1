"""The head of a page: title, a sentence that answers, then one row."""

from __future__ import annotations

from same_device_site.page_head import with_head

ROW = '<div class="sd-ran"><details><summary>CPU 2.15</summary><p>All ran.</p></details></div>'


def test_the_answer_comes_before_the_row() -> None:
    """Proof above the answer reads as a disclaimer."""
    html = with_head(f'<h1 id="a">A</h1>\n{ROW}\n<p>Write <code>x</code>.</p>\n<p>More.</p>')
    assert html == (
        '<h1 id="a">A</h1>\n<p class="sd-lead">Write <code>x</code>.</p>\n'
        f'<div class="sd-row">{ROW}<span class="sd-take"></span></div>\n<p>More.</p>'
    )


def test_a_page_that_begins_with_something_else_has_its_row_below_the_title() -> None:
    """A table or a box is no sentence."""
    html = with_head(f"<h1>A</h1>\n{ROW}\n<table></table>\n<p>Text.</p>")
    assert "sd-lead" not in html
    assert html.index("sd-row") < html.index("<table>")


def test_there_is_room_for_switches_only_where_outputs_differ() -> None:
    """The script puts them in, and the page must not move then."""
    text = f"<h1>A</h1>\n{ROW}\n<p>Text.</p>\n"
    assert "sd-bar" not in with_head(text)
    assert '<span class="sd-bar"></span><span class="sd-take">' in with_head(f'{text}<div class="sd-switch"></div>')


def test_the_first_sentence_alone_is_above_the_row() -> None:
    """The others explain; a list that they announce must stay right below them."""
    html = with_head(f"<h1>A</h1>\n{ROW}\n<p>It is\nso.\nTry these:</p>\n<ul></ul>")
    assert html.startswith('<h1>A</h1>\n<p class="sd-lead">It is\nso.</p>\n<div class="sd-row">')
    assert html.endswith("</div>\n<p>Try these:</p>\n<ul></ul>")


def test_a_page_without_blocks_has_no_row() -> None:
    """There is nothing to copy, and nothing ran."""
    assert with_head("<h1>A</h1>\n<p>Text.</p>") == '<h1>A</h1>\n<p class="sd-lead">Text.</p>'


def test_text_without_a_title_stays() -> None:
    """Markdown renders the texts of headings by themselves."""
    assert with_head("<p>Text.</p>") == "<p>Text.</p>"


def test_what_a_page_builds_on_is_quiet() -> None:
    """It is at the end, for those who lack something."""
    html = with_head("<h1>A</h1>\n<p>First.</p>\n<p>This page builds on <a>B</a>.</p>")
    assert html.endswith('<p class="sd-builds">This page builds on <a>B</a>.</p>')


def test_a_head_that_is_in_order_stays() -> None:
    """MkDocs asks for it again, for the sake of notebooks."""
    once = with_head(f"<h1>A</h1>\n{ROW}\n<p>It is so.\nMore.</p>\n<p>Text.</p>")
    assert with_head(once) == once
