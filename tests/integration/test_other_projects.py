"""The MkDocs plugin in other projects: their Markdown, their folders, their settings."""

from __future__ import annotations

import re
from pathlib import Path

import material
import pytest
from made_site import CONFIG, GOOD, Site

from same_device_site.settings import parse_page
from samedevice.outputs.recording_files import Recordings
from samedevice.project import CACHE, PACKAGE, Settings

NAMED = """
markdown_extensions:
  - pymdownx.highlight: {pygments_lang_class: true}
  - pymdownx.superfences
"""


def test_the_check_leaves_no_trace_on_the_page(site: Site) -> None:
    """Code names its language while it is compared, and on the page only where the site wants that."""
    site.build(index=GOOD)
    tag = '<div id="b-[0-9a-f]{8}" class="%s" style="--sd-lines:1" data-block="0">'
    assert re.search(tag % "highlight", site.html("index"))
    (site.root / "mkdocs.yml").write_text(CONFIG + NAMED, encoding="utf-8")
    site.build(index=GOOD)
    assert re.search(tag % "language-python highlight", site.html("index"))


def test_a_site_need_not_list_the_extension_that_highlights(site: Site) -> None:
    """superfences highlights without it, and would not name the language of code."""
    without = NAMED.replace("  - pymdownx.highlight: {pygments_lang_class: true}\n", "")
    (site.root / "mkdocs.yml").write_text(CONFIG + without, encoding="utf-8")
    site.build(index=GOOD)
    assert site.texts("index") == ["print('printed ' + 'by the page')\n", "printed by the page"]


@pytest.mark.parametrize("theme", ["mkdocs", "readthedocs", "material"])
@pytest.mark.parametrize("extensions", ["", "markdown_extensions: [pymdownx.superfences]\n"])
def test_two_lines_are_enough(site: Site, theme: str, extensions: str) -> None:
    """A project installs the package and names the plugin; fence, style and scripts come by themselves."""
    config = f"site_name: Plain\ntheme: {theme}\nplugins: [samedevice]\n{extensions}"
    (site.root / "mkdocs.yml").write_text(config, encoding="utf-8")
    result = site.build(index=GOOD.replace("```python", '```python fold="Code"'), plain="# Plain\n\nText.\n")
    assert result.exit_code == 0, result.output
    assert sorted(site.texts("index")) == ["print('printed ' + 'by the page')\n", "printed by the page"]
    html = site.html("index")
    assert '<details class="code">' in html
    assert html.index("var sd=") < html.index("</head>")
    for name in ("outputs.css", "outputs.js"):
        assert f'="assets/samedevice/{name}"' in html
        assert (site.root / "site/assets/samedevice" / name).is_file()
    for path in ("plain/index.html", "404.html"):
        assert not re.search("samedevice|var sd=", (site.root / "site" / path).read_text(encoding="utf-8")), path


OTHERS = """\
# Page

```python
print(1)
```

```bash
ls -l
```

```{ .js .annotate }
let a;
```

- In a list:

    ```yaml
    a: 1
    ```

> ```python
> print(2)
> ```

Code that is indented:

    import this

Words with `#!python inline` code.

??? note "No box"
    Text
"""
"""Fences of all kinds; the second of Python is none where a quote holds no fences."""


@pytest.mark.parametrize(
    "extensions",
    [
        "[]",
        "[admonition, codehilite: {css_class: highlight}]",
        "[pymdownx.superfences, pymdownx.inlinehilite]",
        "[pymdownx.superfences, pymdownx.highlight: {use_pygments: false}]",
        "[pymdownx.superfences, pymdownx.highlight: {anchor_linenums: true, linenums: true}]",
        "[pymdownx.superfences, attr_list]",
    ],
)
def test_code_of_others_stays_as_the_project_shows_it(site: Site, extensions: str) -> None:
    """A project without superfences keeps its own fences, and indented code is not highlighted for our sake."""
    config = f"site_name: X\ntheme: mkdocs\nmarkdown_extensions: {extensions}\n"
    found = []
    for plugins in ("[search]", "[search, samedevice]"):
        (site.root / "mkdocs.yml").write_text(f"{config}plugins: {plugins}\n", encoding="utf-8")
        result = site.build(index=OTHERS)
        assert result.exit_code == 0, result.output
        found.append(site.html("index").partition('role="main"')[2].partition("<footer")[0])
    before, after = found
    assert 'data-block="0"' in after
    assert re.findall(r"<code[^>]*highlight[^>]*>", after) == re.findall(r"<code[^>]*highlight[^>]*>", before)
    annotated = re.compile(r'<[^>]*class="[^"]*annotate[^>]*>')
    assert annotated.findall(after) == annotated.findall(before)
    for part, end in (("ls", "</pre>"), ("In a list", "</li>"), ("Code that is indented", "No box")):
        at = before.index(part)
        assert before[at : before.index(end, at)] in after


def test_a_page_that_another_plugin_writes_elsewhere_stays_as_it_is(site: Site) -> None:
    """mkdocs-gen-files writes pages of an API into a temporary folder, and says that they are below docs."""
    (site.root / "elsewhere").mkdir()
    (site.root / "elsewhere/made.md").write_text("# Made\n\n```python\nprint(1)\n```\n", encoding="utf-8")
    hook = """\
from pathlib import Path
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

@event_priority(100)
def on_files(files, config):
    folder = str(Path(config.config_file_path).with_name("elsewhere"))
    files.append(File("made.md", folder, config.site_dir, config.use_directory_urls))
    return files
"""
    (site.root / "hook.py").write_text(hook, encoding="utf-8")
    config = "site_name: X\ntheme: mkdocs\nhooks: [hook.py]\nplugins: [samedevice]\n"
    (site.root / "mkdocs.yml").write_text(config, encoding="utf-8")
    result = site.build(index=GOOD)
    assert result.exit_code == 0, result.output
    assert "data-block" in site.html("index")
    assert "print" in site.html("made")
    assert "data-block" not in site.html("made")


def test_a_theme_that_loads_one_page_only_has_the_scripts_in_the_content(site: Site) -> None:
    """It runs those of each page that it shows, so a reader may come to outputs from a page that has none of ours."""
    theme = "{name: material, features: [navigation.instant]}"
    (site.root / "mkdocs.yml").write_text(f"site_name: X\ntheme: {theme}\nplugins: [samedevice]\n", encoding="utf-8")
    site.build(index=GOOD, plain="# Plain\n\nText.\n")
    assert "var sd=" not in site.html("plain")
    assert "assets/samedevice" not in site.html("plain")
    html = site.html("index")
    article = html.partition("<article")[2].partition("</article>")[0]
    for part in ("var sd=", "assets/samedevice/outputs.js", "assets/samedevice/outputs.css"):
        assert (article.count(part), html.count(part)) == (1, 1)
    assert article.index("outputs.css") < article.index("data-block") < article.index("outputs.js")


def test_a_page_without_outputs_and_buttons_loads_nothing(site: Site) -> None:
    """In a project that wants no buttons only pages with outputs need anything."""
    config = "site_name: X\nplugins:\n  - samedevice: {show: [origin]}\n"
    (site.root / "mkdocs.yml").write_text(config, encoding="utf-8")
    site.build(index=GOOD, silent="# Silent\n\n```python\nx = 1\n```\n")
    assert "assets/samedevice" in site.html("index")
    assert "data-block" in site.html("silent")
    assert "assets/samedevice" not in site.html("silent")


def test_fonts_are_those_of_the_theme_with_what_it_falls_back_to() -> None:
    """Material sets --md-code-font to one family; the one that ends in monospace is another variable."""
    style = (PACKAGE / "assets/outputs.css").read_text(encoding="utf-8")
    sheets = (Path(material.__file__).parent / "templates/assets/stylesheets").glob("main.*.css")
    (theirs,) = (path.read_text(encoding="utf-8") for path in sheets)
    fonts = re.findall(r"--sd-(?:font|code): var\((--md-[\w-]+),", style)
    assert len(fonts) == 2
    assert all(re.search(rf"{font}:[^;}}]*,\s*(?:sans-serif|monospace)", theirs) for font in fonts)


def test_code_keeps_the_colors_of_the_theme(site: Site) -> None:
    """What this site takes out of its own pages, for their size, stays in others'."""
    (site.root / "mkdocs.yml").write_text("site_name: X\nplugins: [samedevice]\n", encoding="utf-8")
    site.build(index=GOOD.replace("print(", "x = print("))
    assert re.search('<span class="n">x</span>.*<span class="o">=</span>.*<span class="p">', site.html("index"))


OTHER = """\
site_name: Other
docs_dir: documentation/en
plugins:
  - samedevice:
      recordings: golden
      leave: [changelog.md]
      foreign: [.annotate, linenums]
"""


PAGE = """\
# Page

```console
$ touch made-by-the-build
```

```python { .annotate linenums="1" }
print("printed " + "here")
```

```python run="no" reason="needs <an account>"
login(...)
```
"""


def test_a_project_with_folders_and_tools_of_its_own(site: Site) -> None:
    """Options of other tools reach the page, a shell's commands are shown, and what is not run says why."""
    docs = site.root / "documentation/en"
    docs.mkdir(parents=True)
    (docs / "index.md").write_text(PAGE, encoding="utf-8")
    (docs / "changelog.md").write_text("# Changes\n\n```python title=bad\nnot python\n```\n", encoding="utf-8")
    (docs / "helper.py").write_text("raise SystemExit\n", encoding="utf-8")
    (site.root / "mkdocs.yml").write_text(OTHER, encoding="utf-8")
    result = site.build()
    assert result.exit_code == 0, result.output
    assert "ERROR   -  documentation/en/index.md:7: 1 blocks from here on are not recorded" in result.output
    html = site.html("index")
    assert "annotate" in html
    assert 'class="linenos"' in html
    assert "Not run: needs &lt;an account&gt;" in html
    assert not (site.root / "made-by-the-build").exists()
    assert "printed here" in site.texts("index")
    assert "This page has an error" not in site.html("changelog")
    assert (site.root / "site/helper.py").exists()
    settings = Settings("documentation/en", recordings="golden", foreign=(".annotate", "linenums"), console=False)
    page = parse_page(docs / "index.md", site.root, settings=settings)
    ((made,), _) = Recordings(site.root, CACHE / "outputs").load(page)
    Recordings(site.root, "golden").save(page, made)
    again = site.build("--strict")
    assert again.exit_code == 0, again.output


def test_a_setting_that_does_not_exist_is_told(site: Site) -> None:
    """As MkDocs tells of its own."""
    for given, told in (("recording: golden", "Unrecognised configuration name: recording"), ("leave: x", "no list")):
        text = f"site_name: Other\nplugins: [samedevice: {{{given}}}]\n"
        (site.root / "mkdocs.yml").write_text(text, encoding="utf-8")
        assert told in site.build("--strict", index="# Page\n").output


def test_a_site_without_blocks_keeps_its_markdown(site: Site) -> None:
    """superfences would render some of its pages otherwise."""
    (site.root / "mkdocs.yml").write_text("site_name: Plain\nplugins: [samedevice]\n", encoding="utf-8")
    site.build(index="# Plain\n\n```text\nx\n```\n")
    assert '<code class="language-text">x' in site.html("index")


HIDDEN = """\
# Page

<!-- invisible-code-block: python
secret = "hid" + "den"
print("not " + "seen")
-->

```python
print(secret)
```

<!-- invisible-code-block: python
assert secret == "hid" + "den"
-->
"""


def test_what_a_comment_hides_runs_and_is_not_shown(site: Site) -> None:
    """The page is as before but for the output; a copy would not run, so there is none."""
    (site.root / "mkdocs.yml").write_text(f"site_name: Other\nplugins: [search, samedevice]\n{NAMED}", encoding="utf-8")
    result = site.build(index=HIDDEN)
    assert result.exit_code == 0, result.output
    html = site.html("index")
    assert site.texts("index") == ["print(secret)\n", "hidden"]
    assert [comment for comment in re.findall("<!--.*?-->", HIDDEN, re.S) if comment not in html] == []
    assert "not seen" not in re.sub("<!--.*?-->", "", html, flags=re.S)
    assert "not seen" not in (site.root / "site/search/search_index.json").read_text(encoding="utf-8")
    assert "data-part" in html
    assert "data-about" not in html
    assert "The code block ran" in html
