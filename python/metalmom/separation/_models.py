"""Models that separate, with what their authors say of them: one segment in, its stems out."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np

from .. import core
from ..filters import get_window
from ..nn import Session, Tensor
from ..util._checks import is_number, is_one_of, is_size, require
from ..util._memory import refuse_beyond_memory
from ..util._notebook import table_of
from ..util._rules import Rule
from ..util._types import Array
from ..util._wording import did_you_mean
from ..util.exceptions import ParameterError, TypeOf
from ..util.files import checked_path

__all__ = ["Description", "Model"]

# The largest numbers of descriptions; channels are those of a WAV file of float32.
_MOST = {"sr": 1 << 24, "channels": (1 << 14) - 1, "n_fft": 1 << 24, "hop_length": 1 << 24}
# Of the files of a model the one that says least.
_SMALLEST = '{"kind": "waveform", "sr": 44100, "channels": 2, "stems": ["vocals", "rest"]}'
# Seconds of a segment where neither the description nor the model says it.
_SEGMENT = 10.0


@dataclasses.dataclass(frozen=True)
class Description:
    """What metalmom needs to know about a model: the JSON file beside it.

    Spectra are those of `metalmom.stft` with reflected edges. With ``alignment="hop"`` there is one frame
    for each `hop_length` samples, around their middle, as in the models of Hybrid Demucs.

    Parameters
    ----------
    kind : {"waveform", "mask", "hybrid"}
        A waveform model turns a segment (channels, n) into stems (stems, channels, n). A mask model turns
        magnitudes (channels, bins, frames) into masks (stems, channels, bins, frames), by which the spectrum
        of the segment is multiplied. A hybrid model reads the segment and its complex spectrum, and returns
        stems of both, which are added. In ONNX models the real and the imaginary part of each channel are
        channels, one after the other.
    sr : int > 0
        Sampling rate of its audio.
    channels : int > 0
        Channels of its audio.
    stems : sequence of str
        Names of its stems, in order.
    segment : number > 0, optional
        Seconds of a segment; by default the fixed size of the model, or else ten.
    context : number >= 0
        Seconds before and after a segment that the model also reads.
    transition_power : number > 0
        The power of the triangles that blend overlapping segments.
    normalize : bool
        Whether the model needs audio whose mix to mono has mean 0 and standard deviation 1. The stems are
        scaled back, and each gets an equal part of the mean.
    n_fft, hop_length : int > 0
        Frame length and hop of the spectra.
    window : str
        Window of the spectra.
    alignment : {"center", "hop"}
        Where the frames are.
    bins : int > 0, optional
        How many bins the model reads, from 0 Hz on. Stems contain nothing above them.
    normalized : bool
        Whether to divide spectra by the root of `n_fft`.
    inputs, outputs : sequence of str, optional
        Names in an ONNX model, first that of the waveform, then that of the spectrum; by default in the order
        of the model.

    References
    ----------
    A. Defossez, "Hybrid Spectrogram and Waveform Source Separation", 2021 (arXiv:2111.03600), for the kinds.
    """

    kind: Literal["waveform", "mask", "hybrid"]
    sr: int
    channels: int
    stems: Sequence[str]
    segment: float | None = None
    context: float = 0.0
    transition_power: float = 1.0
    normalize: bool = False
    n_fft: int = 4096
    hop_length: int = 1024
    window: str = "hann"
    alignment: Literal["center", "hop"] = "center"
    bins: int | None = None
    normalized: bool = False
    inputs: Sequence[str] | None = None
    outputs: Sequence[str] | None = None

    def _repr_html_(self) -> str:
        said = ((each.name, getattr(self, each.name)) for each in dataclasses.fields(self))
        return table_of((name, value) for name, value in said if value is not None)

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            self._require(name, lambda value: is_size(value, most), f"a positive integer, at most {most}")
        self._require("hop_length", lambda hop: hop < self.n_fft, f"less than n_fft={self.n_fft}")
        self._require("kind", lambda kind: is_one_of(kind, ("waveform", "mask", "hybrid")),
                      "'waveform', 'mask' or 'hybrid'")  # fmt: skip
        self._require("stems", lambda names: _are_names(names) and len(names) > 0,
                      "names of files, each once")  # fmt: skip
        positive = "a positive number below 1e6"
        self._require("segment", lambda value: value is None or _is_positive(value), positive)
        self._require("transition_power", _is_positive, positive)
        self._require("context", lambda value: _is_positive(value) or (is_number(value) and value == 0),
                      "a number of 0 or more, below 1e6")  # fmt: skip
        self._require("window", _is_window, "the name of a window, as of metalmom.filters.get_window")
        self._require("alignment", lambda value: is_one_of(value, ("center", "hop")), "'center' or 'hop'")
        self._require("bins", lambda bins: bins is None or is_size(bins, 1 + self.n_fft // 2),
                      f"an integer in 1 .. {1 + self.n_fft // 2}")  # fmt: skip
        for name in ("normalize", "normalized"):
            self._require(name, lambda value: isinstance(value, bool), "true or false")
        for name in ("inputs", "outputs"):
            self._require(name, lambda names: names is None or _are_texts(names), "names, each once")
        if self.alignment == "hop":
            hop = self.hop_length
            self._require("n_fft", lambda n_fft: n_fft >= hop and (n_fft - hop) % 2 == 0,
                          f"even if hop_length={hop} is, and no less")  # fmt: skip

    def _require(self, name: str, holds: Callable[[Any], bool], rule: str) -> None:
        value = getattr(self, name)
        if not holds(value):
            raise ParameterError(f"description.{name}", value, rule, argument="model")

    @classmethod
    def of(cls, given: Any) -> Description:
        """A description of a mapping, or of the path of a JSON file."""
        if isinstance(given, Description):
            return given
        hint = ""
        if isinstance(given, (str, os.PathLike)):
            hint = f", in {os.fspath(given)}"
            with open(checked_path("description", given), encoding="utf-8") as file:
                try:
                    given = json.load(file)
                except (ValueError, RecursionError) as error:
                    raise ParameterError(f"{file.name} is no JSON: {error}", argument="model") from None
        if not isinstance(given, Mapping):
            raise ParameterError("description", given, "a dict", hint=hint, argument="model")
        fields = {each.name: each for each in dataclasses.fields(cls)}
        for name in given:
            if name not in fields:
                raise ParameterError("description", rule=f"of known keys, not {name!r}", argument="model",
                                     hint=did_you_mean(str(name), fields) + hint)  # fmt: skip
        for name, field in fields.items():
            if field.default is dataclasses.MISSING and name not in given:
                raise ParameterError("description", verb="must have", rule=repr(name), hint=hint,
                                     argument="model")  # fmt: skip
        try:
            return cls(**given)
        except ParameterError as error:
            raise error.but(hint=hint) from None


def _is_positive(value: Any) -> bool:
    return is_number(value) and not isinstance(value, bool) and 0 < value < 1e6


def _is_window(name: Any) -> bool:
    with contextlib.suppress(ParameterError):
        return isinstance(name, str) and len(get_window(name, 8)) == 8
    return False


def _are_texts(names: Any) -> bool:
    """Whether values are different texts."""
    is_list = isinstance(names, (list, tuple)) and all(isinstance(each, str) for each in names)
    return is_list and len(set(names)) == len(names)


def _are_names(names: Any) -> bool:
    """Whether values are different names, which could be those of files."""
    return _are_texts(names) and all(map(_is_name, names))


def _is_name(name: str) -> bool:
    """Whether a text is the name of a file, also with something before and after it."""
    is_plain = name not in ("", ".", "..") and name.isprintable() and not {*"/\\"} & {*name}
    return is_plain and len(os.fsencode(name)) <= 200


class Model:
    """A model for the separation of sources, ready for many calls of `metalmom.separate`.

    Parameters
    ----------
    model : str, os.PathLike, Session or callable
        The path of an ONNX file, a `metalmom.nn.Session`, or a function of a segment. The arguments and
        results of the function depend on the kind: see `Description`.
    description : dict, str or os.PathLike, optional
        The arguments of `Description`, or the path of a JSON file with them. By default the JSON file beside
        the model: ``NAME.json`` beside ``NAME.onnx``.
    identity : str, optional
        A name that distinguishes a function from others with the same description. With it, `separate_file`
        can continue what a function with this identity began, and skip what it has finished. Models in files
        do not need it.

    Attributes
    ----------
    description : Description
    identity : str or None
    files : tuple of str
        The files of an ONNX model.

    Raises
    ------
    ParameterError
        For a wrong description.
    FileNotFoundError
        If a file does not exist.

    Examples
    --------
    >>> def halves(segment):
    ...     return np.stack([segment / 2, segment / 2])
    >>> model = metalmom.separation.Model(
    ...     halves, {"kind": "waveform", "sr": 8000, "channels": 1, "stems": ["left", "right"]})
    >>> model.description.stems
    ['left', 'right']
    """

    def __init__(self, model: Any, description: Any = None, *, identity: str | None = None) -> None:
        if isinstance(model, (str, os.PathLike)):
            model = checked_path("model", model)
            if stat.S_ISDIR(os.stat(model).st_mode):  # so that an error names the model before its description
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), model)
            if description is None:
                description = os.path.splitext(model)[0] + ".json"
                if not os.path.lexists(description):
                    name = os.path.basename(model)
                    told = f"No description of {name} beside it; the smallest one is {_SMALLEST}"
                    raise FileNotFoundError(errno.ENOENT, told, description)
            self.description = Description.of(description)  # before the model, which takes its time
            model = Session(model)
        else:
            self.description = Description.of(description)
        require(identity is None or isinstance(identity, str), "identity", identity, "a str or None")
        self.identity = identity
        self.files: tuple[str, ...] = ()
        self._fixed: int | None = None
        if isinstance(model, Session):
            self.files = model.files
            model = _OfSession(model, self.description)
            self._fixed = model.fixed
        if not callable(model):
            raise ParameterError("model", model, _RULE)
        self._call = model

    def __repr__(self) -> str:
        about = self.description
        return f"Model({about.kind}, sr={about.sr}, channels={about.channels}, stems={[*about.stems]})"

    def _repr_html_(self) -> str:
        """In a notebook a model shows its description."""
        return self.description._repr_html_()

    def sizes(self, segment: Any = None) -> tuple[int, int]:
        """The samples of a segment of so many seconds, and of its context."""
        about = self.description
        context = round(about.context * about.sr)
        seconds = about.segment if segment is None else segment
        if seconds is None:
            length = round(_SEGMENT * about.sr) if self._fixed is None else self._fixed - 2 * context
        elif not _is_positive(seconds):
            raise ParameterError("segment", segment, "a positive number of seconds, below 1e6, or None")
        else:
            length = round(seconds * about.sr)
        if self._fixed is not None and self._fixed <= 2 * context:
            rule = f"below {self._fixed / 2 / about.sr:g}: the model has room for {self._fixed} samples"
            raise ParameterError("description.context", about.context, rule, argument="model")
        if length < 1 or self._fixed not in (None, length + 2 * context):
            rule = "at least one sample"
            if self._fixed is not None:
                rule = f"{(self._fixed - 2 * context) / about.sr:g}, as the model's"
            raise ParameterError("segment", seconds, rule)
        if about.kind != "waveform" and length + 2 * context <= about.n_fft:
            rule = f"longer than n_fft={about.n_fft} samples, {about.n_fft / about.sr:g} s"
            raise ParameterError("segment", seconds, rule)
        n_bytes = 8 * (length + 2 * context) * about.channels * (1 + len(about.stems))
        of_context = ("description.context", about.context)
        refuse_beyond_memory(*(of_context if context > length else ("segment", seconds)), n_bytes)
        return length, context

    def __call__(self, samples: Array, place: int = 0) -> Array:
        """The stems of a segment.

        Parameters
        ----------
        samples : np.ndarray [shape=(channels, n)]
            The segment.
        place : int
            Where it is, for errors.

        Returns
        -------
        np.ndarray [shape=(stems, channels, n)]

        Raises
        ------
        ParameterError
            For an output of another shape, or with NaN or infinity.
        """
        about, n = self.description, samples.shape[-1]
        shape = (len(about.stems), *samples.shape)
        if about.kind == "waveform":
            return self._finite(self._checked(self._call(samples), shape, samples.dtype), place)
        spectrum = spectrum_of(samples, about)
        known = spectrum[..., : about.bins, :]
        of_spectra = (len(about.stems), *known.shape)
        if about.kind == "mask":
            masks = self._checked(self._call(np.abs(known)), of_spectra, samples.dtype)
            return self._finite(audio_of(self._finite(masks * known, place), about, n), place)
        outputs = self._call(samples, known)
        if not isinstance(outputs, Sequence) or len(outputs) != 2:
            rule = "stems of the waveform, and of the spectrum"
            raise ParameterError("model(segment)", outputs, rule, argument="model")
        stems = self._checked(outputs[0], shape, samples.dtype)
        spectra = self._finite(self._checked(outputs[1], of_spectra, known.dtype), place)
        return self._finite(stems + audio_of(spectra, about, n), place)

    def _finite(self, values: Array, place: int) -> Array:
        """Values of stems, refused where a model, or a product with what it gives, has NaN or infinity."""
        if not np.isfinite(values).all():
            names = zip(self.description.stems, values, strict=True)
            stem = next(name for name, each in names if not np.isfinite(each).all())
            hint = f": that of the segment at {place / self.description.sr:.2f} s is not"
            name = f"model(segment)[{stem!r}]"
            raise ParameterError(name, rule="finite everywhere", argument="model", hint=hint)
        return values

    def _checked(self, output: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        axes = "(stems, channels, samples)" if len(shape) == 3 else "(stems, channels, bins, frames)"
        rule = f"{shape}, which is {axes} with stems={', '.join(self.description.stems)}"
        try:
            values = np.asarray(output)
        except Exception as error:  # rows of different lengths, and what an array of another library raises
            name = "model(segment)"
            raise ParameterError(name, TypeOf(output), f"of shape {rule}", argument="model") from error
        if values.shape != shape:
            raise ParameterError("model(segment).shape", values.shape, rule, argument="model")
        if values.dtype.kind not in ("fc" if dtype.kind == "c" else "f"):
            rule = f"floating-point, as {dtype}"
            raise ParameterError("model(segment).dtype", values.dtype, rule, argument="model")
        return values.astype(dtype, copy=False)


_RULE = "the path of an ONNX file, a Model, or a pair: a function or a Session, and its description"
ModelLike = Annotated[
    str | os.PathLike[str] | Model | tuple[Any, Any],
    Rule(_RULE, lambda value: isinstance(value, (str, os.PathLike, Model, tuple))),
]


def model_of(given: Any) -> Model:
    """A model as functions take it."""
    if isinstance(given, Model):
        return given
    if isinstance(given, (str, os.PathLike)):
        return Model(given)
    if isinstance(given, tuple) and len(given) == 2:
        return Model(*given)
    raise ParameterError("model", given, _RULE)


class _OfSession:
    """A function of arrays that runs an ONNX model: batches, its types, and parts of complex numbers."""

    def __init__(self, session: Session, about: Description) -> None:
        self._session = session
        count = 2 if about.kind == "hybrid" else 1
        self._inputs = self._named("inputs", session.inputs, about.inputs, count)
        self._outputs = self._named("outputs", session.outputs, about.outputs, count)
        size = self._inputs[0].shape[-1] if about.kind != "mask" and self._inputs[0].shape else None
        self.fixed = size if isinstance(size, int) else None  # samples, where the model takes no others

    @staticmethod
    def _named(
        what: str, records: Sequence[Tensor], wanted: Sequence[str] | None, count: int
    ) -> list[Tensor]:
        known = {each.name: each for each in records}
        names: Sequence[str] = [*known][:count] if wanted is None else wanted
        if len(names) != count or not known.keys() >= set(names):
            rule = f"{count} of those of the model: {', '.join(known)}"
            raise ParameterError(f"description.{what}", names, rule, argument="model")
        return [known[name] for name in names]

    def __call__(self, *arrays: Array) -> Any:
        given = {}
        for record, values in zip(self._inputs, arrays, strict=True):
            if values.dtype.kind == "c":
                values = np.stack([values.real, values.imag], axis=1).reshape(-1, *values.shape[1:])
            if np.dtype(record.dtype).kind == "f":
                values = values.astype(record.dtype, copy=False)
            given[record.name] = values[np.newaxis] if len(record.shape) > values.ndim else values
        results = self._session.run(given)
        stems = []
        for record, values in zip(self._outputs, arrays, strict=True):
            result = np.asarray(results[record.name])
            result = result[0] if result.ndim > values.ndim + 1 and len(result) == 1 else result
            if values.dtype.kind == "c" and result.ndim == 4 and result.shape[1] % 2 == 0:
                result = result[:, 0::2] + 1j * result[:, 1::2]
            stems.append(result)
        return stems if len(stems) > 1 else stems[0]


def _margin(about: Description) -> int:
    """Samples by which the first frame of ``alignment="hop"`` begins before the audio."""
    return (about.n_fft - about.hop_length) // 2


def spectrum_of(samples: Array, about: Description) -> Array:
    """The spectrum of a segment as its model knows it."""
    n, hop, arguments = samples.shape[-1], about.hop_length, _arguments(about)
    if about.alignment == "hop":
        samples = np.pad(samples, [(0, 0), (_margin(about), _margin(about) + -n % hop)], mode="reflect")
        spectrum = core.stft(samples, center=False, **arguments)
    else:
        spectrum = core.stft(samples, pad_mode="reflect", **arguments)
    return spectrum * spectrum.real.dtype.type(about.n_fft**-0.5) if about.normalized else spectrum


def audio_of(spectra: Array, about: Description, n: int) -> Array:
    """The audio of spectra, of which bins beyond those of the model are 0; n samples of it.

    With ``alignment="hop"`` frames before the first and after the last count as silence, as in Hybrid Demucs.
    """
    around = -(-_margin(about) // about.hop_length) if about.alignment == "hop" else 0
    missing = 1 + about.n_fft // 2 - spectra.shape[-2]
    spectra = np.pad(spectra, [(0, 0), (0, 0), (0, missing), (around, around)])
    if about.normalized:
        spectra *= spectra.real.dtype.type(about.n_fft**0.5)
    arguments = _arguments(about)
    if about.alignment == "center":
        return core.istft(spectra, length=n, **arguments)
    begin = _margin(about) + around * about.hop_length
    return core.istft(spectra, center=False, length=begin + n, **arguments)[..., begin:]


def _arguments(about: Description) -> dict[str, Any]:
    return {"n_fft": about.n_fft, "hop_length": about.hop_length, "window": about.window}
