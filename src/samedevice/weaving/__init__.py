"""weaving: a page and its outputs to text: Markdown, HTML, downloads. Pure."""
