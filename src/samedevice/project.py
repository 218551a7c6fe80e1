"""project: the folders and file names of a project that uses this engine. No other module spells them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

DOCS = "docs"
"""The folder of pages, below the project's root."""
PROGRAMS = "snippets"
"""The folder of whole programs that pages run."""
RECORDINGS = Path("tests/recordings")
"""The folder of recordings."""
CACHE = Path(".cache/samedevice")
"""The folder of what can be made again."""

FLAGS = "--samedevice-"
"""What begins the names of pytest's options in a project where other plugins have options, too."""

MARKDOWN = ".md"
"""The suffix of a page in Markdown."""
NOTEBOOK = ".py"
"""The suffix of a page that is a notebook in percent format."""
PAGES = (MARKDOWN, NOTEBOOK)
"""The suffixes of pages."""
PACKAGE = Path(__file__).parent
"""Where the engine's own files are."""

EDIT = f"https://github.com/{{owner}}/{{name}}/edit/main/{DOCS}/{{{{path}}}}"
"""Address where a page's file is edited on GitHub; MkDocs fills in the path."""


CHOICES = {"fences": ("all", "run"), "expect": ("recorded", "following"), "namespace": ("page", "section")}
"""The settings that take one of some words, the default first."""
SETTINGS = {
    "recordings": "the folder of recordings, below that of mkdocs.yml",
    "programs": "the folder of whole programs, which pages run by `file`",
    "fences": "`all`, the default: every fence of Python is ours; `run`: only those with the word `run`: `python run`",
    "pages": "the only pages to read: patterns of paths below `docs_dir`, such as `tutorial/*`; without any, all",
    "leave": "pages to leave alone: patterns of paths below `docs_dir`, such as `changelog.md` and `api/*`",
    "foreign": "fence options of other tools, passed on to the renderer: `linenums`, `exec`, `.annotate`",
    "expect": "`following`: a `text`, `console` or plain fence right after a block is what it must print, and so are "
    "comments `#> …` below what prints it; recording writes both anew, and what they say is not shown again; "
    "`recorded`, the default: such fences and comments are text",
    "console": "run the commands of `console` blocks, and hold every fence to the rules; else only Python is run",
    "namespace": "`section`: sections have names of their own; `page`, the default: all blocks of a page share them",
    "time_limit": "seconds that one block may run: 60",
    "preload": "modules, such as your package, that pytest imports once instead of on each page; what an import prints "
    "or warns of is then on no page",
    "simulated": "the page that says what a simulated device is, below `docs_dir`, such as `about/simulated.md`",
    "exports": "write each page as a notebook, a script and Markdown beside it, and llms.txt",
}
"""What a project may say of the plugin in its mkdocs.yml, and what it means."""


@dataclass(frozen=True)
class Settings:
    """What a project says about itself in its mkdocs.yml. The defaults fit any project."""

    docs: str = DOCS
    """The folder of pages, below the project's root: MkDocs's `docs_dir`."""
    programs: str = PROGRAMS
    """The folder of whole programs."""
    recordings: str = RECORDINGS.as_posix()
    """The folder of recordings."""
    leave: tuple[str, ...] = ()
    """Pages that are left alone: patterns of paths below the folder of pages."""
    foreign: tuple[str, ...] = ()
    """Fence options of other tools, which are passed on to the renderer."""
    console: bool = False
    """Whether `console` blocks are run. If not, only fences of Python are read; others are as the renderer has them."""
    namespace: str = CHOICES["namespace"][0]
    """`section` where each section of a page has a namespace of its own; `page` where a page has one, as in Sybil."""
    exports: bool = False
    """Whether readers can take the pages along: notebook, script and Markdown of each."""
    simulated: str = ""
    """The page that explains simulated devices, below the folder of pages, perhaps with an anchor."""
    flags: str = FLAGS
    """What begins the names of pytest's options, in the commands that messages give."""
    name: str = ""
    """What the site is called: MkDocs's `site_name`; it stands in what readers copy and take along."""
    fences: str = CHOICES["fences"][0]
    """`all` where every fence of Python is ours, `run` where only those with this word are."""
    pages: tuple[str, ...] = ()
    """The only pages that are read: patterns of paths below the folder of pages; without any, all."""
    snippets: str = ""
    """The settings of pymdownx.snippets, as JSON; empty where the project does not use it."""
    custom: tuple[str, ...] = ()
    """The languages whose fences the project itself has superfences show in another way, and perhaps run."""
    macros: bool = False
    """Whether the project uses the plugin macros, or Zensical's."""
    expect: str = CHOICES["expect"][0]
    """`following` where the fence right after a block, or comments in it, hold what it must print."""
    time_limit: float = 60.0
    """Seconds that one block may run."""
    preload: tuple[str, ...] = ()
    """Modules that pytest imports once for all pages; a build imports them on each page, as they are by then."""

    @classmethod
    def of(cls, own: Mapping[str, Any], root: Path, name: str, docs: str) -> Settings:
        """The settings of the project below `root`; `own` is what its mkdocs.yml says of the plugin, of known kinds."""
        said: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in own.items()}
        said |= {key: said[key].strip("/") for key in ("programs", "recordings") if key in said}
        return cls(**{**said, "name": name, "docs": docs, "flags": flags_of(root)})

    def page_name(self, path: str) -> str:
        """The name of the page with this path: `docs/tensors/creating.md` is `tensors/creating`.

        A page elsewhere has the folder that its path begins with for its `docs`.
        """
        docs = self.docs if Path(path).is_relative_to(self.docs) else Path(path).parts[0]
        return Path(path).relative_to(docs).with_suffix("").as_posix()

    def is_page(self, path: str) -> bool:
        """Whether a path, relative to the project's root, is that of a page."""
        return Path(path).is_relative_to(self.docs) and path.endswith(PAGES) and not self.leaves(path)

    def leaves(self, path: str) -> bool:
        """Whether the page with this path is left alone."""
        name = Path(path).relative_to(self.docs).as_posix()
        left = any(fnmatchcase(name, pattern) for pattern in self.leave)
        return left or not any(fnmatchcase(name, pattern) for pattern in self.pages or ("*",))

    def page_paths(self, root: Path) -> list[Path]:
        """All pages below the project's root."""
        found = sorted(path for path in (root / self.docs).rglob("*") if path.suffix in PAGES)
        return [path for path in found if not self.leaves(path.relative_to(root).as_posix())]


DEFAULTS = Settings()
"""The settings of a project that says nothing."""


def flags_of(root: Path) -> str:
    """What begins the names of pytest's options in the project below `root`: `--` where a conftest loads the plugin."""
    conftest = root / "conftest.py"
    loads = conftest.is_file() and "samedevice.integration.pytest" in conftest.read_text(encoding="utf-8")
    return "--" if loads else FLAGS
