# Written by scripts/make_stubs.py.

from ._convolver import *
from ._energy import *
from ._extractor import *
from ._features import *
from ._rhythm import *
from ._samples import *
from ._stream import *
