"""metalmom as librosa, in the processes that a program of ``python -m metalmom.as_librosa`` starts."""

import importlib
import sys

from metalmom.as_librosa import install_as_librosa

del sys.modules[__name__]
install_as_librosa()
importlib.import_module(__name__)
