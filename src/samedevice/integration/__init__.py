"""integration: adapters for pytest, Markdown, MkDocs, Zensical and the command line, and what only they need."""
