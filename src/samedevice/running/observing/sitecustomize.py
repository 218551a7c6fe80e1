"""sitecustomize: has a Python program that a block starts note what it opens; then runs what it took the place of."""

import importlib
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.util.spec_from_file_location("_samedevice_observing", os.path.join(_here, "__init__.py"))
if _spec and _spec.loader and "SAMEDEVICE_LOG" in os.environ:
    _observing = importlib.util.module_from_spec(_spec)
    _spec.loader.exec_module(_observing)
    _observing.watch(*(os.environ[_name] for _name in (_observing.LOG, _observing.FOLDER, _observing.USED)))

_own = sys.modules.pop(__name__)
sys.path[:] = [_path for _path in sys.path if os.path.abspath(_path) != _here]
try:
    importlib.import_module(__name__)  # that of the interpreter, if it has one
except ImportError:
    pass
finally:
    sys.modules.setdefault(__name__, _own)
