"""copy: a copy of a project, below .cache, for one build by Zensical: nothing is written into the project itself.

In it notebooks are Markdown, the front matter of each page says what it can be taken along as, and mkdocs.yml names our
style and script.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from samedevice.errors import PageError
from samedevice.integration.page_assets import FOLDER, SCRIPT, STYLE
from samedevice.integration.project_file import NAME, ProjectError, adapted, read, settings_of, weaves
from samedevice.integration.repository import VARIABLE, Repository
from samedevice.integration.zensical.pages import COPY
from samedevice.pages.fences import FRONT_MATTER
from samedevice.pages.page import Page
from samedevice.pages.parsing import parse_page
from samedevice.pages.percent import front_matter, page_files, prose
from samedevice.pages.source import inside
from samedevice.project import MARKDOWN, NOTEBOOK, Settings

ADVICE = f"{NAME} does not list the extension that weaves the pages; add `- samedevice` below markdown_extensions"


@dataclass
class DocsCopy:
    """A copy of a project for one build by Zensical. Raises ProjectError, and RepositoryError."""

    root: Path
    """The folder of the project's mkdocs.yml."""
    problems: list[str] = field(default_factory=list)
    """What is wrong, one line each."""

    def __post_init__(self) -> None:
        project = read(self.root)
        if not weaves(project):
            raise ProjectError(ADVICE)
        self.settings: Settings = settings_of(project, self.root)
        _check_docs(self.root, self.settings)
        self.folder = self.root / COPY
        self.site = _site(self.root, self.settings, str(project.get("site_dir") or "site"))
        self.repository = Repository.named(os.environ.get(VARIABLE, ""))
        self.pages = dict(self._pages())

    def _pages(self) -> Iterator[tuple[str, Page]]:
        """The pages by their path below the folder of pages."""
        docs = self.root / self.settings.docs
        for path in page_files(self.root, self.settings):
            try:
                yield path.relative_to(docs).as_posix(), parse_page(path, self.root, settings=self.settings)
            except PageError as error:
                self.problems += str(error).splitlines()

    def configure(self) -> dict[str, Any]:
        """Write the copy's mkdocs.yml; return what Zensical makes of it. Raises ProjectError where it refuses it."""
        from click import ClickException
        from zensical.config import parse_config  # type: ignore[import-not-found,unused-ignore]

        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / self.settings.docs).mkdir(parents=True)
        changes: dict[str, Any] = {"site_dir": "site", "watch": []}
        if self.repository:
            changes["site_url"] = self.repository.site
        notebooks = {uri for uri in self.pages if uri.endswith(NOTEBOOK)}
        path = self.folder / NAME
        path.write_text(adapted(self.root, notebooks, changes), encoding="utf-8")
        try:
            return dict(parse_config(str(path)))
        except ClickException as error:
            raise ProjectError(f"{NAME}: {error.message}") from None

    def fill(self, taken: dict[str, dict[str, str]]) -> None:
        """Copy the folder of pages; `taken` are the files to take along of each page, by suffix."""
        docs, copy = self.root / self.settings.docs, self.folder / self.settings.docs
        shutil.copytree(docs, copy, ignore=self._links_out, dirs_exist_ok=True)
        for uri, page in self.pages.items():
            about = self._about(uri) if uri in taken else None
            path = (copy / uri).with_suffix(MARKDOWN)
            path.write_text(with_front_matter(page, about), encoding="utf-8")
        for name in (STYLE, SCRIPT):
            path = copy / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(FOLDER / path.name, path)

    def _links_out(self, folder: str, names: list[str]) -> list[str]:
        """The files of a folder that are links out of the repository."""
        found = [name for name in names if not inside(Path(folder, name), self.root)]
        for name in found:
            place = Path(folder, name).relative_to(self.root).as_posix()
            self.problems.append(f"{place}: this is a link out of the repository; put the file itself in its place")
        return found

    def _about(self, uri: str) -> dict[str, Any]:
        """What a template is told of a page, as by the MkDocs plugin."""
        base = uri.rpartition(".")[0]
        return {
            "base": base,
            "colab": self.repository.colab(base) if self.repository else "",
            "edit": self.repository.edit.format(path=uri) if self.repository else "",
        }

    def html(self, uri: str, directories: bool) -> Path:
        """The file of a built page."""
        base = self.folder / "site" / uri.rpartition(".")[0]
        base = base.with_name("index") if base.name == "README" else base
        return base / "index.html" if directories and base.name != "index" else base.with_name(f"{base.name}.html")


def _check_docs(root: Path, settings: Settings) -> None:
    """Raise ProjectError where there is no folder of pages below the project's root."""
    docs = (root / settings.docs).resolve()
    if not docs.is_dir() or root not in docs.parents:
        raise ProjectError(
            f"{NAME}: docs_dir: {settings.docs} is no folder below {root}; name the folder of your pages"
        )


def _site(root: Path, settings: Settings, name: str) -> Path:
    """The folder of the built site. Raises ProjectError for one that a build must not replace."""
    site = (root / name).resolve()
    if not site.is_relative_to(root) or (root / settings.docs).resolve().is_relative_to(site):
        raise ProjectError(f"{NAME}: site_dir: {name} is replaced by each build; name a folder of its own below {root}")
    return site


def with_front_matter(page: Page, about: dict[str, Any] | None) -> str:
    """The text of a page for the copy; its front matter says `about` as `samedevice`, which templates can read."""
    text = _markdown(page)
    if about is None:
        return text
    said = f"samedevice: {json.dumps(about)}\n"
    front = FRONT_MATTER.match(text)
    if front is None:
        return f"---\n{said}---\n\n{text}"
    first, end, rest = front[0].partition("\n")
    return f"{first}{end}{said}{rest}{text[front.end() :]}"


def description(page: Page) -> str:
    """What the front matter says that a page is about."""
    front = FRONT_MATTER.match(_markdown(page))
    said = yaml.safe_load(front[0].strip().strip("-.")) if front else {}
    return str(said.get("description", "")) if isinstance(said, dict) else ""


def _markdown(page: Page) -> str:
    """The text of a page as Markdown, of a notebook without its code: nobody sees it, since the extension weaves it."""
    if not page.path.endswith(NOTEBOOK):
        return page.text
    return f"{front_matter(page.text)}\n{prose(page.text, page.path)}"
