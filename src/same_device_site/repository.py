"""repository: where readers find the site, its sources and its notebooks, if a build is told of the repository."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote

from mkdocs.exceptions import PluginError

VARIABLE = "SAMEDEVICE_REPOSITORY"
NAME = re.compile(r"(?P<owner>[\w-]+)/(?P<name>[\w.-]+)")


@dataclass(frozen=True)
class Repository:
    """A repository on GitHub whose pages are served from its branch gh-pages."""

    owner: str
    """The person or organization."""
    name: str
    """The repository's name."""

    @classmethod
    def named(cls, text: str) -> Repository | None:
        """The repository that `text` names as owner/name; None where it is empty. Raises PluginError."""
        if not text:
            return None
        match = NAME.fullmatch(text)
        if match is None:
            raise PluginError(f"{VARIABLE}={text} names no repository; write owner/name, or unset it")
        return cls(match["owner"], match["name"])

    @property
    def site(self) -> str:
        """Address of the site on GitHub Pages."""
        host = f"{self.owner.lower()}.github.io"
        return f"https://{host}/" if self.name.lower() == host else f"https://{host}/{self.name}/"

    @property
    def edit(self) -> str:
        """Address where a page's file is edited; `{path}` stands for its path below docs/, as MkDocs has it."""
        return f"https://github.com/{self.owner}/{self.name}/edit/main/docs/{{path}}"

    def colab(self, base: str) -> str:
        """Address that opens a page's notebook in Colab; `base` is its path below the site without the suffix."""
        return f"https://colab.research.google.com/github/{self.owner}/{self.name}/blob/gh-pages/{quote(base)}.ipynb"
