"""build: the command `samedevice build`: Zensical builds a copy of the project, and this adds what it cannot.

The built pages are compared with their blocks and outputs, the downloads are written, and the site is put
in its place.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from samedevice.errors import PageError, SameDeviceError
from samedevice.integration.downloads import write_exports
from samedevice.integration.page_assets import with_choice
from samedevice.integration.page_weaver import PageWeaver, Woven
from samedevice.integration.project_file import NAME, ProjectError
from samedevice.integration.zensical.copy import DocsCopy, description
from samedevice.integration.zensical.pages import address_of
from samedevice.outputs.recording_files import orphans
from samedevice.page_runs import PageRuns
from samedevice.weaving.completeness import check_shown
from samedevice.weaving.output_html import UNSEARCHED
from samedevice.weaving.prose import plain_title
from samedevice.weaving.weave import woven_outputs


def build(root: Path) -> int:
    """Build the site of the project in `root`; return 1 if something is wrong with a page, else 0.

    Raises SameDeviceError where there is no site then.
    """
    copy = DocsCopy(root.resolve())
    config = copy.configure()
    copy.problems += orphans(copy.root, copy.settings)
    made = dict(_made(copy, PageWeaver(PageRuns(copy.root), address_of(config))))
    taken = {uri: dict(one.exports) for uri, one in made.items() if one.exports}
    copy.fill(taken)
    _run_zensical(copy)
    finish(copy, config, made, taken)
    for problem in copy.problems:
        print(f"samedevice: {problem}", file=sys.stderr)
    print(f"{len(copy.pages)} pages in {copy.site}; {len(copy.problems)} problems")
    return 1 if copy.problems else 0


def _made(copy: DocsCopy, weaver: PageWeaver) -> Iterator[tuple[str, Woven]]:
    """What is made of each page; what is wrong with it is noted."""
    for uri, page in copy.pages.items():
        try:
            made = weaver.woven(page)
        except SameDeviceError as error:
            copy.problems += str(error).splitlines()
            continue
        copy.problems += made.problems
        yield uri, made


def _run_zensical(copy: DocsCopy) -> None:
    """Have Zensical build the copy. Raises ProjectError if it fails."""
    command = [sys.executable, "-m", "zensical", "build", "--config-file", str(copy.folder / NAME)]
    done = subprocess.run(command, cwd=copy.root, check=False)
    if done.returncode:
        raise ProjectError(f"zensical failed with exit status {done.returncode}, as above; {copy.site} is as it was")


def finish(copy: DocsCopy, config: Mapping[str, Any], made: dict[str, Woven], taken: dict[str, dict[str, str]]) -> None:
    """Add to the site that was built by `config` what is not there yet, and put it in its place."""
    site = copy.folder / "site"
    for path in site.rglob("*.html"):
        path.write_text(with_choice(path.read_text(encoding="utf-8")), encoding="utf-8")
    for uri, one in made.items():
        copy.problems += check(copy, copy.html(uri, config["use_directory_urls"]), uri, woven_outputs(one.markdown))
    if copy.settings.exports:
        listed = [(plain_title(copy.pages[uri]), uri, description(copy.pages[uri])) for uri in taken]
        write_exports(site, taken, config["site_name"], config["site_description"] or "", listed)
    shutil.rmtree(copy.site, ignore_errors=True)
    copy.site.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(site, copy.site)


def check(copy: DocsCopy, html: Path, uri: str, outputs: list[str]) -> list[str]:
    """What is wrong with a built page: it is not there, or does not show each block and output as it was run."""
    page = copy.pages[uri]
    if not html.is_file():
        return [f"{page.path}: zensical built no page of it; if exclude_docs means it, list it below leave too"]
    try:
        left = [output.replace(f" {UNSEARCHED}", "") for output in outputs]  # zensical drops it, once it has its index
        check_shown(page, left, html.read_text(encoding="utf-8"))
    except PageError as error:
        return str(error).splitlines()
    return []
