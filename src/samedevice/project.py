"""project: the folders and file names of a project that uses this engine. No other module spells them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
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


def setting(default: Any, meaning: str, choices: tuple[str, ...] = (), kind: type | None = None) -> Any:
    """A field of `Settings` that a project may set in its mkdocs.yml: another setting is one more field.

    `meaning` is what it means to an author; `choices` are the only words that it may be, if there are such. In the file
    it is of a `kind`: by default a list where it is a tuple here, else of the type of the default.
    """
    kind = kind or (list if isinstance(default, tuple) else type(default))
    return field(default=default, metadata={"meaning": meaning, "choices": choices, "kind": kind})


@dataclass(frozen=True)
class Settings:
    """What a project says about itself, most of it in its mkdocs.yml. The defaults fit any project."""

    docs: str = DOCS
    """The folder of pages, below the project's root: MkDocs's `docs_dir`."""
    programs: str = setting(PROGRAMS, "the folder of whole programs, which pages run by `file`")
    recordings: str = setting(RECORDINGS.as_posix(), "the folder of recordings, below that of mkdocs.yml")
    leave: tuple[str, ...] = setting(
        (), "pages to leave alone: patterns of paths below `docs_dir`, such as `changelog.md` and `api/*`"
    )
    foreign: tuple[str, ...] = setting(
        (), "fence options of other tools, passed on to the renderer: `linenums`, `exec`, `.annotate`"
    )
    console: bool = setting(
        False, "run the commands of `console` blocks, and hold every fence to the rules; else only Python is run"
    )
    namespace: str = setting(
        "page",
        "`section`: sections have names of their own; `page`, the default: all blocks of a page share them",
        choices=("page", "section"),
    )
    exports: bool = setting(False, "write each page as a notebook, a script and Markdown beside it, and llms.txt")
    simulated: str = setting(
        "", "the page that says what a simulated device is, below `docs_dir`, such as `about/simulated.md`"
    )
    flags: str = FLAGS
    """What begins the names of pytest's options, in the commands that messages give."""
    name: str = ""
    """What the site is called: MkDocs's `site_name`; it stands in what readers copy and take along."""
    fences: str = setting(
        "all",
        "`all`, the default: every fence of Python is ours; `run`: only those with the word `run`: `python run`",
        choices=("all", "run"),
    )
    pages: tuple[str, ...] = setting(
        (), "the only pages to read: patterns of paths below `docs_dir`, such as `tutorial/*`; without any, all"
    )
    snippets: str = ""
    """The settings of pymdownx.snippets, as JSON; empty where the project does not use it."""
    custom: tuple[str, ...] = ()
    """The languages whose fences the project itself has superfences show in another way, and perhaps run."""
    macros: bool = False
    """Whether the project uses the plugin macros, or Zensical's."""
    expect: str = setting(
        "recorded",
        "`following`: a `text`, `console` or plain fence right after a block is what it must print, and so are "
        "comments `#> …` and texts in quotes below what prints it; recording writes them anew, and the page shows it "
        "once; "
        "`recorded`, the default: such fences and comments are text",
        choices=("recorded", "following"),
    )
    time_limit: float = setting(60.0, "seconds that one block may run: 60")
    setup: str = setting(
        "", "a file of Python that runs before each page that has blocks: they know its names, and no page shows it"
    )
    cwd: str = setting(
        "",
        "the folder, below that of mkdocs.yml, in which blocks run and from which they import, such as `.`; "
        "without it, each page has an empty temporary one",
    )
    library: str = setting(
        "",
        "the package that the pages document, as pip knows it: its version is on each output, and nothing speaks of "
        "PyTorch or of devices",
    )
    show: tuple[str, ...] = setting(
        ("copy", "origin", "details", "counts"),
        "what pages show beside outputs, all of it by default: `copy`, a button that copies a program; `origin`, what "
        "printed an output; `details`, its versions and day, on a click; `counts`, what ran below the title",
        choices=("copy", "origin", "details", "counts"),
    )
    env: tuple[tuple[str, str], ...] = setting((), "environment variables of the blocks: `{MY_KEY: xxx}`", kind=dict)
    preload: tuple[str, ...] = setting(
        (),
        "modules, such as your package, that pytest imports once instead of on each page; what an import prints "
        "or warns of is then on no page",
    )

    @classmethod
    def of(cls, own: Mapping[str, Any], root: Path, name: str, docs: str) -> Settings:
        """The settings of the project below `root`; `own` is what its mkdocs.yml says of the plugin, of known kinds."""
        said: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in own.items()}
        said |= {key: said[key].strip("/") for key in ("programs", "recordings") if key in said}
        said |= {key: tuple((name, str(one)) for name, one in said[key].items()) for key in ("env",) if key in said}
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
SETTINGS = {one.name: one.metadata["meaning"] for one in fields(Settings) if "meaning" in one.metadata}
"""What a project may say of the plugin in its mkdocs.yml, and what it means."""
KINDS = {one.name: one.metadata["kind"] for one in fields(Settings) if "kind" in one.metadata}
"""Of what type each of them is in mkdocs.yml."""
CHOICES = {one.name: one.metadata["choices"] for one in fields(Settings) if one.metadata.get("choices")}
"""The settings that take one of some words."""


def flags_of(root: Path) -> str:
    """What begins the names of pytest's options in the project below `root`: `--` where a conftest loads the plugin."""
    conftest = root / "conftest.py"
    loads = conftest.is_file() and "samedevice.integration.pytest" in conftest.read_text(encoding="utf-8")
    return "--" if loads else FLAGS
