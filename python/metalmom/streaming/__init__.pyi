# Written by scripts/make_stubs.py.

from ._extractor import *
from ._features import *
from ._model import *
from ._report import *
from ._rhythm import *
from ._ring import *
from ._stream import *
from ._transforms import *
