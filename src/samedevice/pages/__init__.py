"""pages: text to blocks. Data and parsers; nothing is run."""
