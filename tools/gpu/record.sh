#!/bin/sh
# Runs every page on the devices of this machine, and packs what they print into one archive.
#
#     PYTHON=/path/to/python record.sh [--limit SECONDS] [ARCHIVE]
#
# Nothing is installed and nothing is fetched. Started again, it goes on with the pages that it has not recorded yet.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
PYTHONPATH="$here/src:$here/packages${PYTHONPATH:+:$PYTHONPATH}" exec "${PYTHON:-python3}" "$here/record.py" "$@"
