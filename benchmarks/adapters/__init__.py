"""Who can solve the problems: one module per library, each with the same five names.

NAME, VERSION()      what it is
SOLVE                problem name -> function of the problem's input
threads(n)           how many threads it may use
LIKE_LIBROSA         the problems where its answers are meant to equal librosa's, and must; of the
                     others only the size is checked

Importing an adapter imports its library: one that is not installed raises ImportError.
"""

import importlib

PEERS = ("librosa", "torchaudio", "audioflux", "essentia", "kaldi_native_fbank")


def load(name):
    """The adapter of a library, or None where it is not installed."""
    try:
        return importlib.import_module(f"adapters.{name}_adapter")
    except ImportError:
        return None


def installed_peers(names=()):
    """The adapters of these peers, or of all, that are installed here."""
    return [adapter for adapter in map(load, names or PEERS) if adapter]
