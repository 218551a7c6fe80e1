"""The engine of Same Device: runs the code blocks of a MkDocs site and shows what each device printed."""

__version__ = "0.1.0"
