"""Onsets: how strongly the spectrum grows, and where notes begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, overload

import numpy as np

from . import _native, util
from ._engine import _args
from .util._expressions import ask, expression_of, then
from ._native import DeviceArray
from .util._public import public
from .util._rules import array, either
from .util._types import (
    Array, Audio, BoolArray, Envelope, Indices, Int, IntArray, Ints, NDArray, Number, Placed,
    Positive, PositiveInt, RealArray, Row, Slices,
)
from .core import _framing, convert, spectrum
from .util._checks import is_one_of, require_audio, require_count
from .util._declared import as_feature, centred, Events, Frames, has_kernels, Like, Refusal, Streamed
from .util._keywords import native_names, takes
from .util.exceptions import ParameterError

__all__ = ["onset_backtrack", "onset_detect", "onset_strength", "onset_strength_multi"]
__dir__ = __all__.copy

# Aggregations over bands that the engine does itself. With other functions NumPy aggregates its
# flux.
_AGGREGATES = {np.mean: "mean", np.median: "median"}


def positions(given: Any) -> Frames | Events:
    """Positions in `units`, or a mask of frames."""
    if not given.sparse:
        return Frames(unit="frames", numbers=bool, at=centred)
    if given.units == "time":
        return Events(unit="seconds")
    return Events(unit=given.units, numbers=int)


@overload
def onset_detect(
    *, y: Audio | DeviceArray | None = ..., sr: Positive = ..., onset_envelope: Envelope | None = ...,
    hop_length: PositiveInt = ..., backtrack: bool = ..., energy: Row | None = ...,
    units: Literal["frames", "samples", "time"] = ..., normalize: bool = ..., sparse: Literal[True] = ...,
    **kwargs: Any,
) -> NDArray[np.integer[Any] | np.floating[Any]]: ...
@overload
def onset_detect(
    *, y: Audio | DeviceArray | None = ..., sr: Positive = ..., onset_envelope: Envelope | None = ...,
    hop_length: PositiveInt = ..., backtrack: bool = ..., energy: Row | None = ...,
    units: Literal["frames", "samples", "time"] = ..., normalize: bool = ..., sparse: Literal[False],
    **kwargs: Any,
) -> BoolArray: ...
@overload
def onset_detect(
    *, y: Audio | DeviceArray | None = ..., sr: Positive = ..., onset_envelope: Envelope | None = ...,
    hop_length: PositiveInt = ..., backtrack: bool = ..., energy: Row | None = ...,
    units: Literal["frames", "samples", "time"] = ..., normalize: bool = ..., sparse: bool = ...,
    **kwargs: Any,
) -> NDArray[np.integer[Any] | np.floating[Any]] | BoolArray: ...
@as_feature(positions)
@takes(of="util.peak_pick", but=("x", "axis"))
@public(expression=True, composed=True)
def onset_detect(
    *,
    y: Audio | DeviceArray | None = None,
    sr: Positive = 22050,
    onset_envelope: Envelope | None = None,
    hop_length: PositiveInt = 512,
    backtrack: bool = False,
    energy: Row | None = None,
    units: Literal["frames", "samples", "time"] = "frames",
    normalize: bool = True,
    sparse: bool = True,
    **kwargs: Any,
) -> NDArray[np.integer[Any] | np.floating[Any]] | BoolArray:
    """Locate note onsets: the peaks of an onset strength envelope.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio. One of `y` and `onset_envelope` is needed.
    sr : number > 0
        Sampling rate in Hz.
    onset_envelope : np.ndarray [shape=(..., m)], optional
        Onset strength, as `onset_strength` gives it.
    hop_length : int > 0
        Samples from a frame to the next.
    backtrack : bool
        Whether to move each onset back to the preceding minimum of `energy` (`onset_backtrack`);
        needs `sparse`.
    energy : np.ndarray [shape=(m,)], optional
        By default the onset envelope.
    units : {"frames", "samples", "time"}
        What positions count.
    normalize : bool
        Whether to scale the envelope to [0, 1] first, which the default `delta` is made for.
    sparse : bool
        Positions, for one signal; otherwise a mask of all frames.
    **kwargs
        Arguments of `metalmom.util.peak_pick`. By default windows of 30 ms for the maximum, 100 ms
        for the mean, a threshold of 0.07 and 30 ms between onsets.

    Returns
    -------
    np.ndarray [shape=(n_onsets,)], int or float, or np.ndarray of bool if not `sparse`
        Positions in `units` (int, for "time" float in seconds), or where onsets are
        [shape=(..., m)]. Empty, or all False, where nothing rises or the envelope is not finite.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `onset_envelope` is given.

    References
    ----------
    S. Boeck, F. Krebs and M. Schedl, "Evaluating the online capabilities of onset detection
    methods", ISMIR 2012.

    Examples
    --------
    >>> y = metalmom.clicks(times=[0.5, 1.0], sr=22050, length=44100).astype(np.float32)
    >>> metalmom.onset.onset_detect(y=y, sr=22050, units="time").round(1)
    array([0.5, 1. ])
    """
    if onset_envelope is None:
        onset_envelope = then(_args.host, strength_of(y, sr, hop_length))
    source = "onset_envelope" if y is None else "y"
    return then(
        _onsets, onset_envelope, source, sr, hop_length, backtrack, energy, units, normalize, sparse,
        **kwargs,
    )  # fmt: skip


def _onsets(
    onset_envelope: Any, source: str, sr: Number, hop_length: Int, backtrack: bool, energy: Array | None,
    units: str, normalize: bool, sparse: bool, **kwargs: Any,
) -> Array:
    onset_envelope = _args.floating(_args.one_signal(onset_envelope, sparse, source), source)
    if normalize:
        onset_envelope = onset_envelope - np.min(onset_envelope, keepdims=True, axis=-1)
        onset_envelope /= np.max(onset_envelope, keepdims=True, axis=-1) + util.tiny(onset_envelope)
    if not onset_envelope.any() or not np.isfinite(onset_envelope).all():
        onsets = (
            np.array([], dtype=int) if sparse else np.zeros_like(onset_envelope, dtype=bool)
        )
    else:
        rule = {**_default_rule(sr, hop_length), "delta": 0.07, **kwargs}
        onsets = util.peak_pick(onset_envelope, sparse=sparse, axis=-1, **rule)
        if backtrack:
            if not sparse:
                raise ParameterError("sparse", sparse, f"True for backtrack={backtrack}")
            onsets = onset_backtrack(onsets, onset_envelope if energy is None else energy)
    return _in_units(onsets, units, sr, hop_length) if sparse else onsets


def _default_rule(sr: Number, hop_length: Int) -> dict[str, Any]:
    """The windows in which onsets are sought, in frames."""
    return {
        "pre_max": 0.03 * sr // hop_length,
        "post_max": 0.00 * sr // hop_length + 1,
        "pre_avg": 0.10 * sr // hop_length,
        "post_avg": 0.10 * sr // hop_length + 1,
        "wait": 0.03 * sr // hop_length,
    }


def _in_units(frames: Array, units: str, sr: Number, hop_length: Int) -> Array:
    """Convert frame numbers to what `units` says."""
    known = ("frames", "samples", "time")
    if not is_one_of(units, known):
        raise ParameterError("units", units, f"one of {', '.join(map(repr, known))}", choices=known)
    if units == "frames":
        return frames
    if units == "samples":
        return convert.frames_to_samples(frames, hop_length=hop_length)
    return convert.frames_to_time(frames, hop_length=hop_length, sr=sr)


def _reads_all_frames(function: object) -> bool:
    return not any(function is each for each in (None, np.mean, np.median))


@has_kernels("audio or spectra", lambda of: {"y": of.y}, lambda of: {"S": of.levels})
@as_feature(
    Frames(at=centred),
    streams=Streamed(
        "OnsetStrength", "Onset strength", "sr=22050, top_db=None", (9,),
        without=("S", "ref"),
        refuses=(
            Refusal("detrend", bool, "False in a stream"),
            *(
                Refusal(name, _reads_all_frames, "None in a stream: functions see all frames")
                for name in ("feature", "aggregate")
            ),
        ),
        levels=("lag", "max_size", "aggregate", "center", "detrend"),
        note="""
        **It differs from the offline default**: the loudest level of the whole signal is not known while it
        lasts, so `top_db` is None, where `metalmom.onset.onset_strength` has 80. The result is what the
        function makes of ``S=power_to_db(melspectrogram(...), top_db=None)``. With `peak`, the loudest
        level in dB, it is that of the offline call for the audio, as in `MFCC`.
        """,
    ),
)
@takes(of="onset.onset_strength_multi", but=("channels",))
@public(expression=True, composed=True)
def onset_strength(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    S: Annotated[Placed, either(array("..., d, m"), DeviceArray)] | None = None,
    lag: PositiveInt = 1,
    max_size: PositiveInt = 1,
    ref: Annotated[
        Placed, either(array().called("np.ndarray, shape of `S`", has_commas=True), DeviceArray)
    ] | None = None,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | None = None,
    **kwargs: Any,
) -> Placed:
    """Onset strength envelope: how much the spectrum grows from frame to frame.

    The mean over bands ``f`` of ``max(0, S[f, t] - ref[f, t - lag])``. Of audio, `S` is a mel
    spectrogram in decibels, computed in blocks of frames in the precision of `y`; no spectrogram
    is held.

    Parameters
    ----------
    y : np.ndarray [shape=(..., n)], real floating-point, or DeviceArray, optional
        Audio, finite everywhere. One of `y` and `S` is needed.
    sr : number > 0
        Sampling rate in Hz.
    S : np.ndarray [shape=(..., d, m)], or DeviceArray, optional
        A spectrogram in decibels.
    lag : int > 0
        Number of frames between the two frames that are compared.
    max_size : int > 0
        Bands of a maximum filter over the earlier frame, against vibrato; 1 for none.
    ref : np.ndarray, shape of `S`, or DeviceArray, optional
        The spectrogram to compare with instead of `S`; `max_size` is then not used.
    detrend : bool
        Whether to remove the constant part by a recursive filter; the result is then float64.
    center : bool
        Whether to shift the result by half a frame, ``n_fft // (2 * hop_length)``, as centred
        frames need it.
    feature : callable, optional
        Makes a power spectrogram from `y`, `sr`, `n_fft` and `hop_length`. By default
        `metalmom.feature.melspectrogram` up to half the sampling rate.
    aggregate : callable, optional
        Combines bands, along `axis`; by default `numpy.mean`.
    **kwargs
        `n_fft`, `hop_length`, and further arguments of `feature`.

    Returns
    -------
    np.ndarray [shape=(..., m)], real, or DeviceArray
        Onset strength, in the unit of `S`; float32 for float32 input, float64 for float64.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    References
    ----------
    S. Boeck and G. Widmer, "Maximum filter vibrato suppression for onset detection", DAFx 2013.

    Examples
    --------
    >>> y = metalmom.clicks(times=[0.5], sr=22050, length=22050).astype(np.float32)
    >>> int(metalmom.onset.onset_strength(y=y, sr=22050).argmax())
    22
    """
    if aggregate is not None and not callable(aggregate):
        raise ParameterError("aggregate", aggregate, "a function, or None for the mean")
    envelope = expression_of(onset_strength_multi)(
        y=y, sr=sr, S=S, lag=lag, max_size=max_size, ref=ref, detrend=detrend, center=center,
        feature=feature, aggregate=aggregate, channels=None, **kwargs,
    )
    return then(_args.without_row, envelope)


@as_feature(Like(numbers=int), listed=False)
@public
def onset_backtrack(events: Indices, energy: Row) -> IntArray:
    """Move onsets back to the preceding local minimum of an energy function.

    Parameters
    ----------
    events : array_like of int
        Frame numbers of onsets.
    energy : np.ndarray [shape=(m,)]
        Such as the onset envelope or the RMS level.

    Returns
    -------
    np.ndarray of int, shape of `events`
        Frames of the minima; 0 where none precedes.

    Raises
    ------
    ParameterError
        If there are no events.

    References
    ----------
    T. Jehan, "Creating music by listening", dissertation, MIT, 2005.

    Examples
    --------
    >>> metalmom.onset.onset_backtrack(np.array([4]), np.array([3.0, 1.0, 2.0, 3.0, 4.0, 2.0]))
    array([1])
    """
    if np.any(np.asarray(events) < 0):
        raise ParameterError("events", rule="non-negative")
    falls = energy[1:-1] <= energy[:-2]
    rises = energy[1:-1] < energy[2:]
    minima = util.fix_frames(1 + np.flatnonzero(falls & rises), x_min=0)
    return minima[util.match_events(events, minima, right=False)]


def _groups(given: Any) -> int:
    if given.channels is not None:
        return len(given.channels) - (not isinstance(given.channels[0], slice))
    return given.n_mels if given.aggregate is False else 1


@has_kernels("audio or spectra")
@as_feature(Frames(_groups, at=centred))
@takes(of="feature.melspectrogram")
@native_names(idx="channels", frames="channels")
@public(expression=True, composed=True)
def onset_strength_multi(
    *,
    y: Placed | None = None,
    sr: Positive = 22050,
    S: Annotated[Placed, either(array("..., d, m"), DeviceArray)] | None = None,
    n_fft: PositiveInt = 2048,
    hop_length: PositiveInt = 512,
    lag: PositiveInt = 1,
    max_size: PositiveInt = 1,
    ref: Annotated[
        Placed, either(array().called("np.ndarray, shape of `S`", has_commas=True), DeviceArray)
    ] | None = None,
    detrend: bool = False,
    center: bool = True,
    feature: Callable[..., Any] | None = None,
    aggregate: Callable[..., Any] | Literal[False] | None = None,
    channels: Ints | Slices | None = None,
    **kwargs: Any,
) -> Placed | RealArray:
    """Onset strength envelopes of several groups of bands.

    Parameters
    ----------
    y, sr, S, lag, max_size, ref, detrend, center, feature
        As in `onset_strength`.
    n_fft, hop_length : int > 0
        Frames, for `feature` and for the shift of `center`.
    aggregate : callable, False or None
        Combines the bands of a group; None is `numpy.mean`, False leaves all bands apart.
    channels : sequence of int or of slice, optional
        Boundaries of the groups, or the groups; by default one group of all bands.
    **kwargs
        Further arguments of `feature`.

    Returns
    -------
    np.ndarray [shape=(..., n_groups, m)], real, or DeviceArray without `channels`
        Onset strength of each group, or of each band without aggregation.

    Raises
    ------
    ParameterError
        For wrong values, or if neither `y` nor `S` is given.

    Examples
    --------
    >>> y = metalmom.clicks(times=[0.5], sr=22050, length=22050).astype(np.float32)
    >>> metalmom.onset.onset_strength_multi(y=y, sr=22050, channels=[0, 64, 128]).shape
    (2, 44)
    """
    require_count("lag", lag)
    require_count("max_size", max_size)
    require_count("hop_length", hop_length)
    if aggregate is None:
        aggregate = np.mean
    shift = _native.onset_shift(
        lag=lag, n_fft=n_fft, hop_length=hop_length, center=bool(center)  # type: ignore[arg-type]
    )
    flux: dict[str, Any] = {"lag": lag, "max_size": max_size, "shift": shift, "trim": bool(center)}
    if not callable(aggregate):
        flux["aggregate"] = "none"
    elif channels is None and aggregate in _AGGREGATES:
        flux["aggregate"] = _AGGREGATES[aggregate]

    arguments = {"n_fft": n_fft, "hop_length": hop_length, **kwargs}
    if S is None and feature is not None:
        S = then(_levels, then(_native.call_given, feature, y=y, sr=sr, **arguments))
    elif S is None:
        mel = _framing.mel_bands(y, sr, **{"fmax": 0.5 * sr, **arguments})
        if ref is None and "aggregate" in flux:
            # from audio to mel bands in decibels to their flux: one native call
            envelope = ask("onset_strength", **mel, **flux)
            return ask("block_dc", x=envelope) if detrend else envelope
        S = then(_levels, ask("filterbank_spectrogram", **mel))
    envelope = then(_strength_of_spectrogram, S, ref, flux, aggregate, channels)
    return ask("block_dc", x=envelope) if detrend else envelope


def strength_of(y: Any, sr: Number, hop_length: Int, **kwargs: Any) -> Any:
    """The onset envelope of audio, for functions that were given none."""
    require_audio(y, "onset_envelope")
    return expression_of(onset_strength)(y=y, sr=sr, hop_length=hop_length, **kwargs)


def _levels(power: Any) -> Any:
    return spectrum.power_to_db(np.abs(_args.host(power)))


def _strength_of_spectrogram(
    S: Any, ref: Any, flux: dict[str, Any], aggregate: Any, channels: Any
) -> Array:
    S = _args.floating(S)
    if S.ndim < 2:
        S = np.atleast_2d(S)
    if ref is None:
        ref = S
    elif ref.shape != S.shape:
        raise ParameterError("ref.shape", ref.shape, f"S.shape={S.shape}")
    else:
        flux = {**flux, "max_size": 1}
    if "aggregate" in flux:
        return _native.spectral_flux(S=S, ref=ref, **flux)
    # The function gets the differences without the frames of silence before them.
    shift, trim = flux["shift"], flux["trim"]
    flux = {**flux, "shift": 0, "trim": False, "aggregate": "none"}
    rises = _native.spectral_flux(S=S, ref=ref, **flux)
    groups = [slice(None)] if channels is None else channels
    envelope = util.sync(rises, groups, aggregate=aggregate, pad=channels is None, axis=-2)
    envelope = np.pad(envelope, [(0, 0)] * (envelope.ndim - 1) + [(shift, 0)])
    return envelope[..., : S.shape[-1]] if trim else envelope
