"""weaving: a page and what is known of its outputs to what is shown: Markdown and HTML. Pure."""
