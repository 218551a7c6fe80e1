"""mkdocs: the MkDocs plugin and what it alone needs."""
