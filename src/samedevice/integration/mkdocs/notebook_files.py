"""notebook_files: the notebooks of the documentation folder, which MkDocs would take for files of Python."""

from __future__ import annotations

from mkdocs.structure.files import File, Files

from samedevice.pages.percent import has_cells
from samedevice.project import NOTEBOOK, Settings


class NotebookFile(File):
    """A notebook of the documentation folder: a page, although it is no Markdown file."""

    def is_documentation_page(self) -> bool:
        """Say yes."""
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
