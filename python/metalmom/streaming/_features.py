"""Features of frames, block by block: each class is the offline function of the same name."""

import inspect

import numpy as np

from .. import core, feature, onset
from .._extractor import _recipe
from ..util._packages import needed_by
from ._requests import OF_WHOLE_SIGNALS, check_block
from ._rules import OF_LEVELS, WITH_LEVELS, request_of
from ._stream import Stream, apart_from, check_setting, flag, in_turn

__all__ = [
    "ChromaSTFT",
    "MFCC",
    "MelSpectrogram",
    "OnsetStrength",
    "RMS",
    "STFT",
    "SpectralBandwidth",
    "SpectralCentroid",
    "SpectralContrast",
    "SpectralFlatness",
    "SpectralRolloff",
    "ZeroCrossingRate",
]


# Samples of silence that warm a stream of short frames up, at most.
_MOST_SILENCE = 1 << 20


class Framed(Stream):
    """What streams of frames have in common."""

    def __init__(self, requests, channels, sample_dtype, names=()):
        super().__init__(channels, sample_dtype)
        groups = {}
        for i, request in enumerate(requests):
            groups.setdefault(request.key, []).append(i)
        self._requests, self._names = requests, list(names)
        self._groups = [
            (requests[members[0]].open([requests[i] for i in members], self._turns), members)
            for members in groups.values()
        ]
        self._native = self._groups[0][0]
        # of a frame's middle if it is centred, else of its beginning
        self._latency = max(request.latency for request in requests)
        as_they_are = all(request.is_view for request in requests)
        # A block at its plainest, in one call; None if it is not.
        self._process_block = None
        if len(groups) == 1 and as_they_are and requests[0].engine_dtype == self._dtype:
            drops_row = [request.drops_row for request in requests]
            self._process_block = self._native.block_function(self._names, drops_row)

    @in_turn
    def reset(self) -> None:
        """Begin another signal, with the same configuration. Allocates nothing."""
        for stream, _ in self._groups:
            stream.reset()

    def _silence(self):
        """Two runs of frames; where they are far apart, the first frame."""
        n_samples = max(
            min(n_fft + 32 * hop_length, max(2 * n_fft, _MOST_SILENCE))
            for n_fft, hop_length in (
                (request.framing["n_fft"], request.framing["hop_length"]) for request in self._requests
            )
        )
        return np.zeros((*self._lead, n_samples), dtype=self._dtype)

    @in_turn
    def _process(self, y, last, outs, names=("out",)):
        """A result for each request, by name where they have names; `names` are those of `outs`."""
        last = flag("last", last)
        y = check_block(y, self._channels, self._dtype)
        if outs is not None or len(self._groups) > 1:
            self._check(y, last, outs, names)
        if outs is not None:
            y = apart_from(y, *outs)
        results = [None] * len(self._requests)
        for stream, members in self._groups:
            given = None
            if outs is not None:
                given = [self._requests[i].engine_arrays(outs[i]) for i in members]
                if any(arrays is None for arrays in given):
                    given = None
            for i, arrays in zip(members, stream.process(y, last, given), strict=True):
                results[i] = self._requests[i].shown(arrays)
        if outs is not None:
            results = [_into(out, result) for out, result in zip(outs, results, strict=True)]
        return dict(zip(self._names, results, strict=True)) if self._names else results

    def _check(self, y, last, outs, names):
        """Refuse what any group would refuse, before one of them takes the block."""
        for stream, members in self._groups:
            for i, n_frames in zip(members, stream.ready(y, last), strict=True):
                if outs is not None:
                    self._requests[i].check_out(outs[i], n_frames, names[i])


def _into(out, result):
    """The part of `out` that a result fills, filled."""
    part = out[..., : result.shape[-1]]
    if not np.may_share_memory(part, result):
        part[...] = result
    return part


class Feature(Framed):
    """One feature, block by block."""

    _function = None

    def __init_subclass__(cls):
        """Show the offline function's keywords, which are the stream's."""
        super().__init_subclass__()
        setting = inspect.signature(Feature.__init__).parameters
        keywords = {**_recipe.parameters_of(cls._function)}
        if cls._function.__name__ in WITH_LEVELS:
            keywords.update(dict.fromkeys(OF_LEVELS))
        if "__init__" in vars(cls):  # of a user, with arguments of its own
            return
        cls.__signature__ = inspect.Signature(
            [setting["channels"], setting["sample_dtype"]]
            + [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
                for name, default in keywords.items()
                if name not in (*OF_WHOLE_SIGNALS, *setting)
            ]
        )

    def __init__(self, *, channels=1, sample_dtype=np.float32, **arguments):
        check_setting(channels, sample_dtype)
        with needed_by(f"{type(self).__name__}()"):
            request = request_of(
                self._function, arguments, channels=channels, sample_dtype=sample_dtype
            )
        super().__init__([request], channels, sample_dtype)
        self._given = arguments

    def __repr__(self):
        given = "".join(f", {name}={value!r}" for name, value in self._given.items())
        return f"{type(self).__name__}(channels={self._channels}{given})"

    def process(self, y, last=False, out=None):
        """Take a block of samples; give the frames that it completes.

        Parameters
        ----------
        y : np.ndarray [shape=(n,), or (channels, n) with channels > 1]
            Any number of samples, also none, of the stream's dtype, finite everywhere.
        last : bool
            Whether the signal ends here.
        out : np.ndarray, optional
            An array of the result's type and shape, with as many frames or more, that is filled
            instead of a new one.

        Returns
        -------
        np.ndarray [shape=(..., t)]
            Frames, possibly none; with `out` the part of it that was filled.

        Raises
        ------
        ParameterError
            For wrong samples, which leave the stream as it was, and after the end of the signal.
        """
        plain = self._process_block
        if plain is not None and out is None and last is False:
            try:
                result = plain(y)
                if result is not None:
                    return result
            except BaseException:
                self._turns.lose()
                raise
        outs = None
        if out is not None:
            outs = [out]
        return self._process(y, last, outs)[0]


class STFT(Feature):
    """Short-time Fourier transform of a stream: `metalmom.stft` block by block.

    Parameters
    ----------
    channels : int > 0
        Channels of a block.
    sample_dtype : real dtype
        Of the blocks: float32 or float64.
    **arguments
        Those of `metalmom.stft` but `out`.

    Raises
    ------
    ParameterError
        As `metalmom.stft` does, and for what only a whole signal tells.

    Examples
    --------
    >>> y = metalmom.chirp(fmin=110, fmax=8000, sr=22050, duration=1.0)
    >>> s = metalmom.streaming.STFT(n_fft=1024, sample_dtype=y.dtype)
    >>> blocks = [s.process(y[i : i + 700]) for i in range(0, len(y), 700)] + [s.flush()]
    >>> bool((np.concatenate(blocks, axis=-1) == metalmom.stft(y, n_fft=1024)).all())
    True
    """

    _function = staticmethod(core.stft)


class MelSpectrogram(Feature):
    """Mel spectrogram of a stream: `metalmom.feature.melspectrogram` block by block.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.melspectrogram`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.melspectrogram` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.MelSpectrogram(sr=22050, n_mels=64)
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (64, 7)
    """

    _function = staticmethod(feature.melspectrogram)


class MFCC(Feature):
    """Cepstra of a stream: `metalmom.feature.mfcc` block by block.

    The loudest level of the whole signal is not known while it lasts: `top_db` is None, or `peak` says
    what the loudest level is, in dB. The result is what `metalmom.feature.mfcc` makes of
    ``S=power_to_db(melspectrogram(...), top_db=None)``, with `peak` of levels that are raised to those
    `top_db` below it: ``amin=10 ** ((peak - top_db) / 10)``, if that is more.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.mfcc`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.mfcc` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.MFCC(sr=22050, n_mfcc=13, top_db=None)
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (13, 7)
    """

    _function = staticmethod(feature.mfcc)


class ChromaSTFT(Feature):
    """Chroma of a stream: `metalmom.feature.chroma_stft` block by block.

    `tuning` is needed: by default it would be estimated from the whole signal.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.chroma_stft`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.chroma_stft` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.ChromaSTFT(sr=22050, tuning=0.0)
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (12, 7)
    """

    _function = staticmethod(feature.chroma_stft)


class OnsetStrength(Feature):
    """Onset strength of a stream: `metalmom.onset.onset_strength` block by block.

    `top_db` and `peak` are those of `MFCC`: without them the result is what
    `metalmom.onset.onset_strength` makes of ``S=power_to_db(melspectrogram(...), top_db=None)``.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.onset.onset_strength`.

    Raises
    ------
    ParameterError
        As `metalmom.onset.onset_strength` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.OnsetStrength(sr=22050, top_db=None)
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (9,)
    """

    _function = staticmethod(onset.onset_strength)


class RMS(Feature):
    """Level of a stream's frames: `metalmom.feature.rms` block by block.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.rms`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.rms` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.RMS()
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (1, 7)
    """

    _function = staticmethod(feature.rms)


class ZeroCrossingRate(Feature):
    """Rate of zero crossings of a stream: `metalmom.feature.zero_crossing_rate` block by block.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.zero_crossing_rate`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.zero_crossing_rate` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.ZeroCrossingRate()
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (1, 7)
    """

    _function = staticmethod(feature.zero_crossing_rate)


class SpectralCentroid(Feature):
    """Spectral centroid of a stream: `metalmom.feature.spectral_centroid` block by block.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.spectral_centroid`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.spectral_centroid` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.SpectralCentroid(sr=22050)
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (1, 7)
    """

    _function = staticmethod(feature.spectral_centroid)


class SpectralBandwidth(Feature):
    """Spectral bandwidth of a stream: `metalmom.feature.spectral_bandwidth` block by block.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.spectral_bandwidth`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.spectral_bandwidth` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.SpectralBandwidth(sr=22050)
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (1, 7)
    """

    _function = staticmethod(feature.spectral_bandwidth)


class SpectralRolloff(Feature):
    """Spectral rolloff of a stream: `metalmom.feature.spectral_rolloff` block by block.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.spectral_rolloff`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.spectral_rolloff` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.SpectralRolloff(sr=22050)
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (1, 7)
    """

    _function = staticmethod(feature.spectral_rolloff)


class SpectralFlatness(Feature):
    """Spectral flatness of a stream: `metalmom.feature.spectral_flatness` block by block.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.spectral_flatness`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.spectral_flatness` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.SpectralFlatness()
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (1, 7)
    """

    _function = staticmethod(feature.spectral_flatness)


class SpectralContrast(Feature):
    """Spectral contrast of a stream: `metalmom.feature.spectral_contrast` block by block.

    With ``linear=True`` alone: levels are bounded 80 dB below the loudest of the whole signal.

    Parameters
    ----------
    channels, sample_dtype
        As in `STFT`.
    **arguments
        Those of `metalmom.feature.spectral_contrast`.

    Raises
    ------
    ParameterError
        As `metalmom.feature.spectral_contrast` does, and for what only a whole signal tells.

    Examples
    --------
    >>> s = metalmom.streaming.SpectralContrast(sr=22050, linear=True)
    >>> s.process(np.zeros(4096, dtype=np.float32)).shape
    (7, 7)
    """

    _function = staticmethod(feature.spectral_contrast)


# All features that can be streamed, by the names of the offline functions.
STREAMED = frozenset(each._function.__name__ for each in Feature.__subclasses__())
