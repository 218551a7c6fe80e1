"""setup: the addresses of the package, if SAMEDEVICE_REPOSITORY=owner/name is set; all else is in pyproject.toml."""

import os

from setuptools import setup

NAME = os.environ.get("SAMEDEVICE_REPOSITORY", "")
SOURCE = f"https://github.com/{NAME}"
OWNER, _, REPOSITORY = NAME.partition("/")
URLS = {
    "Documentation": f"https://{OWNER.lower()}.github.io/{REPOSITORY}/",
    "Source": SOURCE,
    "Issues": f"{SOURCE}/issues",
    "Changelog": f"{SOURCE}/blob/main/CHANGELOG.md",
}

setup(project_urls=URLS if NAME else {})
