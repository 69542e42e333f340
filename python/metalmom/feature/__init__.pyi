# Written by scripts/make_stubs.py.

from . import inverse as inverse
from . import rhythm as rhythm
from . import spectral as spectral
from . import utils as utils
from .rhythm import *
from .spectral import *
from .utils import *
