#!/bin/sh
# Runs what uses the devices of this machine and is not recorded there, what is worth most first, and packs what it prints.
#
#     PYTHON=/path/to/python record.sh [--minutes 9] [ARCHIVE]
#
# Nothing is installed and nothing is fetched. Started again, it goes on with the sections that it has not recorded yet.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
PYTHONPATH="$here/src:$here/packages${PYTHONPATH:+:$PYTHONPATH}" exec "${PYTHON:-python3}" "$here/record.py" "$@"
