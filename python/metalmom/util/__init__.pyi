# Written by scripts/make_stubs.py.

from . import decorators as decorators
from . import deprecation as deprecation
from . import exceptions as exceptions
from . import files as files
from . import matching as matching
from . import utils as utils
from ._nnls import nnls as nnls
from .deprecation import *
from .files import *
from .matching import *
from .utils import *
