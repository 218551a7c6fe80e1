"""The theme's stylesheets without what no page uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from samedevice.integration.mkdocs.unused_styles import drop_unused_styles, used_rules, words_of

WORDS = words_of(
    ['<body dir="ltr" class="md-nav md-nav--open"><p hidden>gone and md-prose are no classes</p>'],
    ['one.classList.add("md-added"); if (document.dir === "rtl") turn()'],
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


def test_the_theme_of_a_site_becomes_smaller_and_its_own_style_stays(tmp_path: Path) -> None:
    """Data and workers are no scripts of a page; a site with another theme is left alone."""
    drop_unused_styles(tmp_path, tmp_path / "kept.json")
    (tmp_path / "assets/stylesheets").mkdir(parents=True)
    (tmp_path / "assets/workers").mkdir()
    (tmp_path / "index.html").write_text('<p class="used">')
    (tmp_path / "assets/workers/search.js").write_text('"gone"')
    (tmp_path / "assets/own.css").write_text(".gone{top:0}")
    theme = tmp_path / "assets/stylesheets/main.css"
    theme.write_text(".used{top:0}.gone{top:0}")
    drop_unused_styles(tmp_path, tmp_path / "kept.json")
    assert theme.read_text() == ".used{top:0}"
    assert (tmp_path / "assets/own.css").read_text() == ".gone{top:0}"
