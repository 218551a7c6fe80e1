"""Stands in for matplotlib, which takes half a second to import."""
