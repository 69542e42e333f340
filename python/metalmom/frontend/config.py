"""Front-ends by the configurations that models come with."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from .. import filters
from ..util._public import public
from ..util._rules import either
from ..util._types import Array
from ..util.exceptions import ParameterError
from ..util.files import checked_path
from . import _steps
from .kaldi import ast
from .sounds import clap
from .speech import wav2vec2, whisper

__all__ = ["from_config"]


class _Known(NamedTuple):
    """A class of feature extractors.

    Attributes
    ----------
    function : callable
        The front-end.
    names : dict of str to str
        Its arguments by the keys of configurations.
    fixed : dict of str to object
        Keys of which the front-end has one value, maybe by the others.
    """

    function: Any
    names: dict[str, str]
    fixed: dict[str, Any | Callable[[dict[str, Any]], Any]]


_PADDED = {"padding_value": 0, "padding_side": "right"}
_SPEECH = {"sampling_rate": _steps.RATE, **_PADDED}

_KNOWN = {
    "WhisperFeatureExtractor": _Known(
        whisper, {"feature_size": "n_mels", "chunk_length": "chunk_length"},
        {
            **_SPEECH, "hop_length": _steps.HOP, "n_fft": _steps.WINDOW, "dither": 0, "do_normalize": False,
            "n_samples": lambda config: config.get("chunk_length", 30) * _steps.RATE,
            "nb_max_frames": lambda config: config.get("chunk_length", 30) * _steps.RATE // _steps.HOP,
        },
    ),
    "ASTFeatureExtractor": _Known(
        ast, {name: name for name in ("num_mel_bins", "max_length", "do_normalize", "mean", "std")},
        {**_SPEECH, "feature_size": 1},
    ),
    "Wav2Vec2FeatureExtractor": _Known(
        wav2vec2, {"do_normalize": "do_normalize"}, {**_SPEECH, "feature_size": 1},
    ),
    "ClapFeatureExtractor": _Known(
        clap, {name: name for name in ("truncation", "padding", "frequency_min", "frequency_max")},
        {
            **_PADDED, "sampling_rate": 48000, "feature_size": 64, "hop_length": 480, "fft_window_size": 1024,
            "n_fft": 1024, "max_length_s": 10, "chunk_length_s": 10, "top_db": None, "nb_frequency_bins": 513,
            "nb_max_frames": 1000, "nb_max_samples": 480000,
        },
    ),
}  # fmt: skip

# Keys that change no feature: a mask, if there is to be one, is the caller's.
_WITHOUT_EFFECT = frozenset(["feature_extractor_type", "processor_class", "return_attention_mask"])


@public
def from_config(
    config: Annotated[dict[str, Any] | str | os.PathLike[str], either(dict, str, os.PathLike)],
) -> functools.partial[Array]:
    """Make the front-end of a Hugging Face configuration (``preprocessor_config.json``).

    The configuration is that of ``WhisperFeatureExtractor``, ``ASTFeatureExtractor``,
    ``Wav2Vec2FeatureExtractor`` or ``ClapFeatureExtractor``.

    Parameters
    ----------
    config : dict, str or os.PathLike
        The configuration, the path of its file, or the model's folder. transformers 5 writes the configuration
        as a part of ``processor_config.json``; this is accepted, too.

    Returns
    -------
    functools.partial
        The front-end with its arguments: call ``frontend(y, sr=16000)``. Its attributes ``func`` and
        ``keywords`` are the function and the arguments.

    Raises
    ------
    ParameterError
        For a file that cannot be read. For a key or a value that no front-end has; the error names it.

    Notes
    -----
    Keys and their defaults are those of transformers 5.24. ``return_attention_mask`` is ignored, because
    results are features only.

    Examples
    --------
    >>> config = {"feature_extractor_type": "WhisperFeatureExtractor", "feature_size": 128}
    >>> frontend = metalmom.frontend.from_config(config)
    >>> frontend.keywords
    {'n_mels': 128}
    >>> frontend(np.zeros(16000, dtype=np.float32), sr=16000).shape
    (128, 3000)
    """
    found = _read(config)
    kind = found.get("feature_extractor_type")
    if not isinstance(kind, str) or kind not in _KNOWN:
        rule = f"one of {', '.join(_KNOWN)}"
        raise ParameterError("config: feature_extractor_type", kind, rule, argument="config")
    known = _KNOWN[kind]
    arguments = {name: found[key] for key, name in known.names.items() if key in found}
    frontend = functools.partial(known.function, **arguments)
    frontend(np.zeros(_steps.RATE, np.float32))  # which refuses wrong values
    for key in sorted(found.keys() - known.names.keys() - _WITHOUT_EFFECT):
        value = found[key]
        if key == "mel_filters" and known.function is whisper:
            _require_own_filters(value, **arguments)
        elif key not in known.fixed:
            rule = f"not a key that the front-end of {kind} supports"
            raise ParameterError(f"config: {key}", value, rule, verb="is", argument="config")
        else:
            needed = known.fixed[key]
            needed = needed(found) if callable(needed) else needed
            if value != needed or isinstance(value, bool) != isinstance(needed, bool):
                raise ParameterError(f"config: {key}", value, f"{needed!r} for {kind}", argument="config")
    return frontend


def _require_own_filters(given: Any, n_mels: int = 80, **_: Any) -> None:
    """Refuse filters, which older configurations hold, that are not the front-end's own."""
    own = filters.mel(sr=_steps.RATE, n_fft=_steps.WINDOW, n_mels=n_mels)
    try:
        filled = np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):  # rows of different lengths, and no numbers
        filled = np.empty(0)
    if not any(filled.shape == each.shape and np.allclose(filled, each, atol=1e-6) for each in (own, own.T)):
        rule = f"Slaney's, {n_mels} of 0 to 8000 Hz"
        raise ParameterError("config: mel_filters", rule=rule, argument="config")


def _read(config: Any) -> dict[str, Any]:
    if isinstance(config, dict):
        return _of_processor(config)
    if not isinstance(config, (str, os.PathLike)):
        raise ParameterError("config", config, "a dict, or the path of a file or folder")
    path = checked_path("config", config)
    if os.path.isdir(path):
        processor, path = os.path.join(path, "processor_config.json"), os.path.join(path, "preprocessor_config.json")
        if os.path.exists(processor) and "feature_extractor" in (found := _loaded(processor)):
            return _of_processor(found)
    return _of_processor(_loaded(path))


def _of_processor(found: dict[str, Any]) -> dict[str, Any]:
    """The part about features of the configuration of a processor, as transformers 5 writes it."""
    part = found.get("feature_extractor", found)
    if not isinstance(part, dict):
        raise ParameterError("config: feature_extractor", part, "a JSON object", argument="config")
    return part


def _loaded(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            found = json.load(file)
    except OSError as error:
        raise ParameterError("config", path, f"a file: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ParameterError("config", path, f"a file of JSON: {error}") from error
    if not isinstance(found, dict):
        raise ParameterError("config", path, "a JSON object")
    return found
