"""The marks behind statements: where they are put, and what they leave alone."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from markdown import Markdown
from markdown.treeprocessors import Treeprocessor

from same_device_site.claims import Claim
from same_device_site.marks import LABEL, with_marks
from same_device_site.page_head import with_head

EXTENSIONS = ["tables", "attr_list", "toc", "def_list", "admonition"]


class Marking(Treeprocessor):
    """Marks the sentences of a page."""

    def __init__(self, md: Markdown, sentences: tuple[str, ...]) -> None:
        super().__init__(md)
        self.claims = [
            Claim("a/b.md", one, f"test_no_{number}", Path("test_b.py"), 1, 2) for number, one in enumerate(sentences)
        ]

    def run(self, root: Element) -> None:
        """Mark them."""
        with_marks(root, self.claims, "../")


def html(page: str, *sentences: str) -> str:
    """The HTML of a page, where `[0]` stands for the mark of the first sentence."""
    md = Markdown(extensions=EXTENSIONS)
    md.treeprocessors.register(Marking(md, sentences), "marking", 0.5)
    found = str(md.convert(page))
    for number in range(len(sentences)):
        target = f"../about/claims-a.md#a-b--no-{number}"
        mark = f'<a aria-label="{LABEL}" class="sd-tested" href="{target}" title="{LABEL}"></a>'
        found = found.replace(mark, f"[{number}]")
    return found


@pytest.mark.parametrize(
    ("page", "sentence", "marked"),
    [
        ("It copies. It is quick.", "It copies.", "<p>It copies.[0] It is quick.</p>"),
        ("It\ncopies.\nIt is quick.", "It copies.", "<p>It\ncopies.[0]\nIt is quick.</p>"),
        ("It `a < b` copies\\*.", "It `a < b` copies*.", "<p>It <code>a &lt; b</code> copies*.[0]</p>"),
        ("See [its *page*](x.md). So.", "See its page.", '<p>See <a href="x.md">its <em>page</em></a>.[0] So.</p>'),
        ("**It copies.** So.", "It copies.", "<p><strong>It copies.</strong>[0] So.</p>"),
        ("Write `x`", "Write `x`", "<p>Write <code>x</code>[0]</p>"),
        ("- One.\n- It copies.\n", "It copies.", "<ul>\n<li>One.</li>\n<li>It copies.[0]</li>\n</ul>"),
        ("- It copies.\n    - So.\n", "It copies.", "<ul>\n<li>It copies.[0]<ul>\n<li>So.</li>\n</ul>\n</li>\n</ul>"),
        ("## It copies { #a }", "It copies", '<h2 id="a">It copies[0]</h2>'),
        ("a\n: It copies.", "It copies.", "<dl>\n<dt>a</dt>\n<dd>It copies.[0]</dd>\n</dl>"),
        ("It copies:", "It copies.", "<p>It copies:[0]</p>"),
        ("Less if it copies. It copies.", "It copies.", "<p>Less if it copies. It copies.[0]</p>"),
    ],
)
def test_the_mark_is_right_behind_the_sentence(page: str, sentence: str, marked: str) -> None:
    """Never within a link or within code, and not at the end of the paragraph."""
    assert html(page, sentence) == marked


def test_in_a_row_the_mark_is_in_the_last_cell_that_is_quoted() -> None:
    """A claim may be about the first two cells of three."""
    page = "| A | B | C |\n| --- | --- | --- |\n| `a` | copies | slow |\n| b | copies | slow |\n"
    row = "<tr>\n<td><code>a</code></td>\n<td>copies[0]</td>\n<td>slow</td>\n</tr>"
    assert row in html(page, "`a` | copies")
    assert html(page, "`a` | copies").count("[0]") == 1
    assert "<td>slow[0]</td>" in html(page, "b | copies | slow")


def test_several_sentences_of_a_paragraph_each_have_their_own() -> None:
    """In whatever order the tests are, and with elements between them."""
    page = "It `a` copies. *So* it is. It ends."
    marked = "<p>It <code>a</code> copies.[2] <em>So</em> it is.[1] It ends.[0]</p>"
    assert html(page, "It ends.", "So it is.", "It `a` copies.") == marked


def test_a_page_that_does_not_say_it_stays_byte_for_byte() -> None:
    """A page that is being changed is still built; the claim's test fails."""
    page = "# A\n\nIt *copies*\\. [x](y.md)\n\n| A |\n| --- |\n| `b` |\n"
    assert html(page, "It copies often.") == html(page)


def test_the_head_of_a_page_still_ends_with_its_first_sentence() -> None:
    """A mark comes between the sentence and the end of its line."""
    mark = '<a class="sd-tested" href="../about/claims-a.html#x"></a>'
    head = with_head(f"<h1>A</h1>\n<p>It copies.{mark}\nIt is <a>quick</a>\nhere.</p>")
    assert head == f'<h1>A</h1>\n<p class="sd-lead">It copies.{mark}</p>\n<p>It is <a>quick</a>\nhere.</p>'
