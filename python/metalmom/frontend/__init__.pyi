# Written by scripts/make_stubs.py.

from . import config as config
from . import kaldi as kaldi
from . import sounds as sounds
from . import speech as speech
from .config import *
from .kaldi import *
from .sounds import *
from .speech import *
