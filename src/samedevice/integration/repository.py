"""Repository: where readers find the site, its sources and its notebooks, once it is named at build time."""

from __future__ import annotations

import re
from dataclasses import dataclass

from samedevice.errors import SameDeviceError
from samedevice.outputs.escaping import url
from samedevice.project import EDIT

VARIABLE = "SAMEDEVICE_REPOSITORY"
NAME = re.compile(r"(?P<owner>[\w-]+)/(?P<name>[\w.-]+)")


class RepositoryError(SameDeviceError):
    """The environment variable does not name a repository."""


@dataclass(frozen=True)
class Repository:
    """A repository on GitHub whose pages are served from its branch gh-pages."""

    owner: str
    """The person or organization."""
    name: str
    """The repository's name."""

    @classmethod
    def named(cls, text: str) -> Repository | None:
        """The repository that `text` names as owner/name; None where it is empty. Raises RepositoryError."""
        if not text:
            return None
        match = NAME.fullmatch(text)
        if match is None:
            raise RepositoryError(f"{VARIABLE}={text} names no repository; write owner/name, or unset it")
        return cls(match["owner"], match["name"])

    @property
    def site(self) -> str:
        """Address of the site on GitHub Pages."""
        host = f"{self.owner.lower()}.github.io"
        return f"https://{host}/" if self.name.lower() == host else f"https://{host}/{self.name}/"

    @property
    def edit(self) -> str:
        """Address where a page's file is edited; `{path}` stands for its path below docs/, as MkDocs has it."""
        return EDIT.format(owner=self.owner, name=self.name)

    def colab(self, base: str) -> str:
        """Address that opens a page's notebook in Colab; `base` is its path below the site without the suffix."""
        return f"https://colab.research.google.com/github/{self.owner}/{self.name}/blob/gh-pages/{url(base)}.ipynb"
