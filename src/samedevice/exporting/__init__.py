"""exporting: a page and its outputs to files that readers take along: Markdown, script, notebook, check. Pure."""
