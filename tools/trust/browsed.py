"""browsed: whether a browser shows the blocks of rendered pages, by its own reading of their HTML."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from samedevice.errors import PageError
from samedevice.outputs.environments import Environment
from samedevice.outputs.output import Output
from samedevice.pages.parsing import parse_page
from samedevice.weaving.completeness import check_shown
from samedevice.weaving.panes import ShownOutput
from samedevice.weaving.weave import weave, woven_outputs

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium")
ABOUT = Environment("cpu", "EPYC", "2.13.0+cpu", "3.11.7", "", "2026-11-21")
HARNESS = """<!doctype html><meta charset="utf-8"><body><script id="pages" type="application/json">{pages}</script>
<script>
const hidden = "template, select, dialog, datalist, audio, video, canvas, [hidden], [popover]";
const found = [];
JSON.parse(document.getElementById("pages").textContent).forEach(([html, codes], page) => {{
  const read = new DOMParser().parseFromString("<!doctype html><body><article>" + html + "</article>", "text/html");
  codes.forEach((code, block) => {{
    const shown = [...read.querySelectorAll(`[data-block="${{block}}"]`)].filter((one) => !one.closest(hidden));
    if (shown.length !== 1 || !shown[0].textContent.includes(code)) found.push(page);
  }});
}});
document.body.innerHTML = `<p>found ${{JSON.stringify(found)}}</p>`;
</script>"""

Browsed = tuple[str, list[str]]
"""A page's HTML, and the code of its blocks."""


@cache
def markdown() -> Any:
    """The site's renderer."""
    from markdown import Markdown  # type: ignore[import-untyped]
    from mkdocs.config import load_config

    from samedevice.integration.extension import prepare

    config = load_config(str(ROOT / "mkdocs.yml"))
    options = {name: dict(given) for name, given in config.mdx_configs.items()}
    options.setdefault("pymdownx.highlight", {})["pygments_lang_class"] = True
    found = Markdown(extensions=list(config.markdown_extensions), extension_configs=options)
    prepare(found)
    return found


def accepted(folder: Path, text: str) -> Browsed | None:
    """A page as rendered, with the code of its blocks; None for a page that is refused."""
    path = folder / "docs/page.md"
    path.parent.mkdir(exist_ok=True)
    try:
        page = parse_page(path, folder, text)
        shown = {block.index: [ShownOutput("cpu", Output(f"output {block.index}"), ABOUT)] for block in page.blocks}
        woven = weave(page, shown, {})
        html = str(markdown().reset().convert(woven))
        check_shown(page, woven_outputs(woven), html)
    except PageError:
        return None
    return html, [block.code.strip("\n") for block in page.blocks]


def unseen(folder: Path, pages: list[Browsed]) -> list[str]:
    """The HTML of those pages that do not show each block once in a browser."""
    assert CHROMIUM is not None
    data = json.dumps(pages).replace("<", "\\u003c")
    (folder / "pages.html").write_text(HARNESS.format(pages=data), encoding="utf-8")
    flags = "--headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run --dump-dom".split()
    command = [CHROMIUM, *flags, f"--user-data-dir={folder / 'profile'}", (folder / "pages.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = re.search(r"<p>found (\[[\d,]*\])</p>", done.stdout)
    assert found is not None, done.stdout[:500]
    return [pages[number][0] for number in json.loads(found[1])]
