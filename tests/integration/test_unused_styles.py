"""The theme's stylesheets without what no page uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from samedevice.integration.mkdocs.unused_styles import drop_unused_styles, used_rules, words_of

WORDS = words_of(
    ['<body dir="ltr" class="md-nav md-nav--open"><p hidden>gone and md-prose are no classes</p>'],
    ['one.classList.add("md-added"); one.ariaPressed = true; if (document.dir === "rtl") turn()'],
)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (".md-nav{color:red}", ".md-nav{color:red}"),
        (".md-added:hover{color:red}", ".md-added:hover{color:red}"),
        (".md-nav .gone,p{color:red}", "p{color:red}"),
        (".md-prose{color:red}", ""),
        (".md-nav:not(.gone,.lost){color:red}", ".md-nav:not(.gone,.lost){color:red}"),
        (":is(.md-nav,p) a{color:red}", ":is(.md-nav,p) a{color:red}"),
        ("[dir=rtl] p{margin:0}[dir=ltr] p{margin:1px}", "[dir=ltr] p{margin:1px}"),
        ("[hidden]{color:red}[data-gone]{color:red}", "[hidden]{color:red}"),
        ('[aria-pressed="true"]{top:0}[aria-hidden="true"]{top:0}', '[aria-pressed="true"]{top:0}'),
        ("@media print{.gone{color:red}}@media screen{p{color:red}}", "@media screen{p{color:red}}"),
        ("@keyframes gone{to{top:0}}", "@keyframes gone{to{top:0}}"),
        (':root{--a:url("x;}y");--b:1;--c:var(--b)}p{top:var(--c)}', ":root{--b:1;--c:var(--b)}p{top:var(--c)}"),
    ],
)
def test_a_rule_stays_if_a_page_or_a_script_can_use_it(rules: str, expected: str) -> None:
    """Scripts add classes; what is excluded need not be there; a property that nothing reads goes with its readers."""
    assert used_rules({"main.css": rules}, WORDS) == {"main.css": expected}


def test_a_property_that_another_stylesheet_reads_stays() -> None:
    """The site's own style uses the theme's colors."""
    sheets = {"main.css": "p{--a:1;--b:2}", Path("palette.css"): "p{top:var(--a)}"}
    assert used_rules(sheets, WORDS, ["p{left:var(--b)}"]) == sheets


def test_the_theme_and_the_style_that_is_named_become_smaller(tmp_path: Path) -> None:
    """Data and workers are no scripts of a page; a site with another theme is left alone, and so is its own style."""
    drop_unused_styles(tmp_path, [], tmp_path / "kept.json")
    (tmp_path / "assets/stylesheets").mkdir(parents=True)
    (tmp_path / "assets/workers").mkdir()
    (tmp_path / "index.html").write_text('<p class="used">')
    (tmp_path / "assets/workers/search.js").write_text('"gone"')
    names = ["assets/own.css", "assets/ours.css", "assets/stylesheets/main.css", "assets/stylesheets/own.css"]
    for name in names:
        (tmp_path / name).write_text(f".used{{top:0}}.gone{{content:'{name}'}}")
    drop_unused_styles(tmp_path, [tmp_path / "assets/ours.css"], tmp_path / "kept.json")
    left = [(tmp_path / name).read_text() for name in names]
    assert left == [".used{top:0}.gone{content:'assets/own.css'}"] + 3 * [".used{top:0}"]
