# Written by scripts/make_stubs.py.

from ._file import *
from ._flight import *
from ._recording import *
