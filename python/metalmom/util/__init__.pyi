# Written by scripts/make_stubs.py from the docstrings.

from . import decorators as decorators
from . import exceptions as exceptions
from ._nnls import nnls as nnls
from .deprecation import Deprecated as Deprecated
from .deprecation import rename_kw as rename_kw
from .files import cite as cite
from .files import ex as ex
from .files import example as example
from .files import example_info as example_info
from .files import find_files as find_files
from .files import list_examples as list_examples
from .matching import match_events as match_events
from .matching import match_intervals as match_intervals
from .utils import MAX_MEM_BLOCK as MAX_MEM_BLOCK
from .utils import abs2 as abs2
from .utils import axis_sort as axis_sort
from .utils import buf_to_float as buf_to_float
from .utils import count_unique as count_unique
from .utils import cyclic_gradient as cyclic_gradient
from .utils import dtype_c2r as dtype_c2r
from .utils import dtype_r2c as dtype_r2c
from .utils import expand_to as expand_to
from .utils import fill_off_diagonal as fill_off_diagonal
from .utils import fix_frames as fix_frames
from .utils import fix_length as fix_length
from .utils import frame as frame
from .utils import index_to_slice as index_to_slice
from .utils import interp_broadcast as interp_broadcast
from .utils import is_positive_int as is_positive_int
from .utils import is_unique as is_unique
from .utils import localmax as localmax
from .utils import localmin as localmin
from .utils import normalize as normalize
from .utils import pad_center as pad_center
from .utils import peak_pick as peak_pick
from .utils import phasor as phasor
from .utils import shear as shear
from .utils import softmask as softmask
from .utils import sparsify_rows as sparsify_rows
from .utils import stack as stack
from .utils import sync as sync
from .utils import tiny as tiny
from .utils import valid_audio as valid_audio
from .utils import valid_int as valid_int
from .utils import valid_intervals as valid_intervals
__all__ = [
    "decorators",
    "exceptions",
    "nnls",
    "Deprecated",
    "rename_kw",
    "cite",
    "ex",
    "example",
    "example_info",
    "find_files",
    "list_examples",
    "match_events",
    "match_intervals",
    "MAX_MEM_BLOCK",
    "abs2",
    "axis_sort",
    "buf_to_float",
    "count_unique",
    "cyclic_gradient",
    "dtype_c2r",
    "dtype_r2c",
    "expand_to",
    "fill_off_diagonal",
    "fix_frames",
    "fix_length",
    "frame",
    "index_to_slice",
    "interp_broadcast",
    "is_positive_int",
    "is_unique",
    "localmax",
    "localmin",
    "normalize",
    "pad_center",
    "peak_pick",
    "phasor",
    "shear",
    "softmask",
    "sparsify_rows",
    "stack",
    "sync",
    "tiny",
    "valid_audio",
    "valid_int",
    "valid_intervals",
]
