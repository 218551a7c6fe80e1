"""Zensical: what the MkDocs plugin does, for a builder that reads mkdocs.yml and runs no plugins."""
