"""`python -m samedevice` is the command `samedevice`."""

import sys

from samedevice.integration.cli import main

if __name__ == "__main__":
    sys.exit(main())
