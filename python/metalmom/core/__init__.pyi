# Written by scripts/make_stubs.py.

from . import audio as audio
from . import constantq as constantq
from . import convert as convert
from . import harmonic as harmonic
from . import intervals as intervals
from . import notation as notation
from . import pitch as pitch
from . import spectrum as spectrum
from .audio import *
from .constantq import *
from .convert import *
from .harmonic import *
from .intervals import *
from .notation import *
from .pitch import *
from .spectrum import *
