"""python -m simulated_gpu [options] script.py ARGS, or -m module ARGS."""

import sys

from .launcher import main

sys.exit(main(sys.argv[1:]))
