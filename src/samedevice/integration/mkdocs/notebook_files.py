"""notebook_files: what MkDocs has to know of a notebook: that its file is a page, and where its links lead."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page, _RelativePathTreeprocessor

from samedevice.pages.percent import has_cells
from samedevice.project import NOTEBOOK, Settings


class NotebookFile(File):
    """A notebook of the documentation folder: a page, although it is no Markdown file."""

    def is_documentation_page(self) -> bool:
        """A notebook is a page, whatever its suffix."""
        return True


def take_notebooks(files: Files, settings: Settings) -> None:
    """Make pages of the notebooks among `files`; other files of Python stay files."""
    for file in [file for file in files if file.src_uri.endswith(NOTEBOOK) and file.src_dir]:
        text = file.content_bytes.decode(errors="replace")
        if settings.leaves(f"{settings.docs}/{file.src_uri}") or not has_cells(text):
            continue
        place = (file.src_uri, file.src_dir, file.dest_dir, file.use_directory_urls)
        files.remove(file)
        files.append(NotebookFile(*place, inclusion=file.inclusion))


class Links:
    """Follows the links of a notebook's page as MkDocs follows those of the others, warnings included."""

    def __init__(self, page: Page, files: Files, config: MkDocsConfig) -> None:
        self.page = page
        self.processor = _RelativePathTreeprocessor(page.file, files, config)

    def follow(self, url: str) -> str:
        """The address to write on the page for a link of the source."""
        return self.processor.path_to_url(url)

    def check(self, anchors: set[str]) -> None:
        """Have MkDocs check the anchors that were linked to; this page has `anchors`."""
        self.page.links_to_anchors = self.processor.links_to_anchors
        self.page.present_anchor_ids = anchors
