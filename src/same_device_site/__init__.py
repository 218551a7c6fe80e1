"""generated: parts of pages that are made from all pages: index of errors, table of names, status."""
