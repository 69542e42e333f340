"""Sources of files, written to files: however long, and continued where a run was stopped."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import struct
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Literal

import numpy as np

from .. import core
from ..util._checks import is_one_of, require
from ..util._output_files import written_beside
from ..util._packages import required
from ..util._progress import Progress, require_progress, shown
from ..util._public import public, strict
from ..util._types import Array, Labels, NonNegativeInt, Positive
from ..util._wording import did_you_mean
from ..util.exceptions import Argument, AudioError, LibrosaError, ParameterError
from ..util.files import absolute, checked_path
from ._models import Model, ModelLike, model_of
from ._passes import Channels, Passes, Plan, statistics_of
from ._segments import Overlap, blocks_of_file
from ._separate import Mode, plan_of

__all__ = ["separate_file"]

Format = Literal["wav", "flac", "ogg"]

# What libsndfile makes of samples in a format.
_SUBTYPES = {"flac": "PCM_24", "ogg": "VORBIS"}
# The file of a folder that says what its stems are of.
_JOB = ".separation.json"
_FRAMES_AT_ONCE = 1 << 16
# The size of 32 bits in a WAV file that stands for one of 64 bits elsewhere in it.
_ELSEWHERE = (1 << 32) - 1
# In a WAV file the bytes of all channels at a moment have 16 bits.
_MOST_CHANNELS = (1 << 14) - 1
_FLOAT = np.dtype("<f4")


@public(composed=True)
@strict
def separate_file(
    path: str | os.PathLike[str],
    model: ModelLike,
    out: str | os.PathLike[str],
    *,
    segment: Positive | None = None,
    overlap: Overlap = 0.25,
    shifts: NonNegativeInt = 0,
    mode: Mode = "full",
    seed: NonNegativeInt = 0,
    format: Format = "wav",
    stems: Labels | None = None,
    overwrite: bool = False,
    progress: Progress = None,
) -> dict[str, str]:
    """Separate a file into files of its sources, in memory that does not grow with its length.

    The file is resampled to the rate of the model as it is read, and the stems have this rate. Until all
    stems are complete, they are in temporary files of float32 beside their place. If a call was stopped, the
    same call continues with the segment at which it stopped. If the stems of this file and this model exist,
    the call does nothing. Both need a model in a file, or a `metalmom.separation.Model` with an `identity`. A
    call with a function begins anew, because functions cannot be compared.

    Parameters
    ----------
    path : str or os.PathLike
        A file of audio.
    model, segment, overlap, shifts, mode, seed, progress
        As in `metalmom.separate`.
    out : str or os.PathLike
        The folder for the stems. It is created.
    format : {"wav", "flac", "ogg"}
        Format of the stems: WAV with float32; FLAC with 24 bits or Ogg Vorbis, which need the package
        soundfile.
    stems : sequence of str, optional
        The stems to write; by default all.
    overwrite : bool
        Whether to begin anew, also if the stems are complete.

    Returns
    -------
    dict of str to str
        The path of each stem.

    Raises
    ------
    ParameterError
        As `metalmom.separate`, and if another process writes to `out`.
    AudioError, FileNotFoundError
        If the file cannot be decoded.
    MissingPackageError
        If the format needs soundfile and it is not installed.

    Examples
    --------
    >>> about = {"kind": "waveform", "sr": 8000, "channels": 2, "stems": ["middle", "sides"], "segment": 2.0}
    >>> def middle_and_sides(segment):
    ...     middle = np.broadcast_to(segment.mean(axis=0), segment.shape)
    ...     return np.stack([middle, segment - middle])
    >>> metalmom.separation.separate_file("song.ogg", (middle_and_sides, about), "stems")
    {'middle': 'stems/middle.wav', 'sides': 'stems/sides.wav'}
    """
    model, source, folder = model_of(model), checked_path("path", path), checked_path("out", out)
    plan, about = plan_of(model, segment, overlap, shifts, seed, mode), model.description
    require_progress(progress)
    require(is_one_of(format, ("wav", "flac", "ogg")), "format", format, "'wav', 'flac' or 'ogg'")
    wanted = about.stems if stems is None else stems if isinstance(stems, str) else [*dict.fromkeys(stems)]
    if isinstance(wanted, str) or not wanted or not set(wanted) <= set(about.stems):
        unknown = next((each for each in wanted if each not in about.stems), "")
        hint = did_you_mean(unknown, about.stems)
        raise ParameterError("stems", stems, f"some of {', '.join(about.stems)}", hint=hint)
    encode = _write_wav if format == "wav" else _encoder(format)
    files = {name: os.path.join(folder, f"{name}.{format}") for name in wanted}
    there = filter(os.path.exists, files.values())
    if os.path.exists(source) and any(os.path.samefile(file, source) for file in there):
        raise ParameterError("out", out, f"another folder: a stem would replace {source}")
    is_known = bool(model.files) or model.identity is not None
    job = {
        **_source_of(source, model), "plan": plan, "about": vars(about), "format": format, "stems": [*wanted]
    }  # fmt: skip
    with _begun(folder, json.loads(json.dumps(job, default=_plain)), overwrite or not is_known) as begun:
        if not begun.is_done or not all(map(os.path.isfile, files.values())):
            spools = [_spool_of(folder, name) for name in wanted]
            places = [about.stems.index(name) for name in wanted]
            channels = _spool(source, model, plan, places, spools, begun.is_same, progress)
            for spool, file in zip(spools, files.values(), strict=True):
                encode(spool, file, channels, about.sr)
            begun.finish()
    return files


def _no_link(path: str, flags: int) -> int:
    """Open a file of our own, and not what a link of its name leads to."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def _plain(value: Any) -> Any:
    """What JSON has no type for: numbers of NumPy, and sequences."""
    return value.item() if isinstance(value, np.generic) else [*value]


def _spool_of(folder: str, stem: str) -> str:
    return os.path.join(folder, f".{stem}.f32")


def _source_of(path: str, model: Model) -> dict[str, Any]:
    """What tells a file and a model from others."""
    status = [os.stat(each) for each in (path, *model.files)]
    if not stat.S_ISREG(status[0].st_mode):  # a pipe would be waited for
        raise AudioError(f"{path} is no regular file")
    files = [[each.st_size, each.st_mtime_ns] for each in status]
    return {"path": absolute(path), "files": files, "identity": model.identity}


class _Begun:
    """A job in a folder: whether it was begun before, and done."""

    def __init__(self, file: Any, job: dict[str, Any], overwrite: bool) -> None:
        self._file, self._job = file, job
        try:
            before = json.load(file)
        except (ValueError, RecursionError):  # nothing, half of it, or another program's
            before = {}
        is_done = before.pop("done", False) if isinstance(before, dict) else False
        self.is_same = before == job and not overwrite
        self.is_done = self.is_same and is_done
        if not self.is_same:
            self._forget()  # before the job is noted: a stop between would continue them
            self._write(job)

    def finish(self) -> None:
        self._write({**self._job, "done": True})
        self._forget()

    def give_up(self) -> None:
        """Leave nothing of a job that would fail again."""
        self._forget()
        os.unlink(self._file.name)
        with contextlib.suppress(OSError):  # other files are in the folder
            os.rmdir(os.path.dirname(self._file.name))

    def _forget(self) -> None:
        """Remove the samples of all stems."""
        for name in self._job["about"]["stems"]:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(_spool_of(os.path.dirname(self._file.name), name))

    def _write(self, content: dict[str, Any]) -> None:
        descriptor, rest = self._file.fileno(), json.dumps(content).encode()
        with _naming(self._file.name):
            os.truncate(descriptor, 0)
            while rest:  # which no buffer keeps, so that closing the file does not fail once more
                rest = rest[os.write(descriptor, rest) :]


@contextlib.contextmanager
def _begun(out: str, job: dict[str, Any], overwrite: bool) -> Iterator[_Begun]:
    import fcntl  # which Windows lacks

    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, _JOB)
    with open(path, "a+", encoding="utf-8", opener=_no_link) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # a process that gave up has removed its own
            is_ours = os.path.samestat(os.fstat(file.fileno()), os.stat(path))
        except (BlockingIOError, FileNotFoundError):
            is_ours = False
        if not is_ours:
            raise ParameterError("out", out, "a folder that no other process writes to")
        file.seek(0)
        begun = _Begun(file, job, overwrite)
        try:
            yield begun
        except LibrosaError:
            begun.give_up()
            raise


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Let errors of the system, such as that of a full disk, name the file that is written."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = path
        raise


def _spool(
    path: str, model: Model, plan: Plan, places: Sequence[int], spools: Sequence[str], continues: bool,
    progress: Any,
) -> int:
    """Write stems as samples of float32, after those that are there if the job continues; their channels."""
    about = model.description
    statistics = statistics_of(_blocks(path, about.sr)) if about.normalize else None
    blocks = _blocks(path, about.sr)
    first = next(blocks, None)
    if first is None:
        raise AudioError(f"{path} holds no audio")
    channels = 1 if first.ndim == 1 else len(first)
    if channels > _MOST_CHANNELS:
        raise AudioError(f"{path} has {channels} channels; files of stems have at most {_MOST_CHANNELS}")
    size = _FLOAT.itemsize * channels
    with contextlib.ExitStack() as stack:
        mode = "ab" if continues else "wb"
        files = [stack.enter_context(open(spool, mode, opener=_no_link)) for spool in spools]
        done = min(file.tell() for file in files) // size
        for file in files:
            file.truncate(done * size)
        passes = Passes(model, plan, Channels(first.shape[:-1], about.channels), statistics, done)
        move = stack.enter_context(shown(progress, core.get_duration(path=path), os.path.basename(path)))
        for stems in _stems(passes, first, blocks):
            for file, spool, place in zip(files, spools, places, strict=True):
                with _naming(spool):
                    file.write(np.ascontiguousarray(stems[place].T, dtype=_FLOAT).data)
            for file, spool in zip(files, spools, strict=True):
                with _naming(spool):
                    file.flush()
            done += stems.shape[-1]
            move(done / about.sr)
    return channels


def _blocks(path: str, sr: int) -> Iterator[Array]:
    for block in blocks_of_file(path, sr, sr):  # of a second, which has a whole number of samples at any rate
        if not np.isfinite(block).all():
            raise AudioError(f"{path} must be finite everywhere")
        yield block


def _stems(passes: Passes, first: Array, blocks: Iterator[Array]) -> Iterator[Array]:
    left_out = passes.needed
    for block in _joined(first, blocks):
        if left_out < block.shape[-1]:
            yield from passes.push(block[..., left_out:])
        left_out = max(left_out - block.shape[-1], 0)
    yield from passes.end()


def _joined(first: Array, blocks: Iterator[Array]) -> Iterator[Array]:
    yield first
    yield from blocks


def _write_wav(spool: str, path: str, channels: int, sr: int, most: int = _ELSEWHERE - 1) -> None:
    """Samples as a WAV file of float32; RF64 (EBU Tech 3306) where it is larger than `most`."""
    size = os.path.getsize(spool)
    frame = channels * _FLOAT.itemsize
    form = struct.pack("<4sIHHIIHHH", b"fmt ", 18, 3, channels, sr, min(sr * frame, _ELSEWHERE), frame, 32, 0)
    fact = struct.pack("<4sII", b"fact", 4, min(size // frame, _ELSEWHERE))
    whole = 4 + 36 + len(form) + len(fact) + 8 + size  # all after the first two words
    is_large = whole > most
    sizes = struct.pack("<4sIQQQI", b"ds64" if is_large else b"JUNK", 28, whole, size, size // frame, 0)
    with written_beside(path, "any", "out") as beside, open(beside, "wb") as file:
        file.write(struct.pack("<4sI4s", *((b"RF64", _ELSEWHERE) if is_large else (b"RIFF", whole)), b"WAVE"))
        file.write(sizes + form + fact + struct.pack("<4sI", b"data", _ELSEWHERE if is_large else size))
        with open(spool, "rb") as samples:
            shutil.copyfileobj(samples, file, 1 << 20)


def _encoder(format: str) -> Any:
    """A function as `_write_wav`, by libsndfile."""
    soundfile = required("soundfile", Argument("format", format))

    def encode(spool: str, path: str, channels: int, sr: int) -> None:
        with written_beside(path, "any", "out") as beside, open(spool, "rb") as samples:
            kind = {"subtype": _SUBTYPES[format], "format": format.upper()}
            try:
                with soundfile.SoundFile(beside, "w", sr, channels, **kind) as file:
                    for block in _frames(samples, channels):
                        file.write(block)
            except soundfile.LibsndfileError as error:
                raise AudioError(f"{path} cannot be written", f": libsndfile said: {error}") from error

    return encode


def _frames(samples: BinaryIO, channels: int) -> Iterator[Array]:
    while len(block := np.frombuffer(samples.read(_FRAMES_AT_ONCE * channels * _FLOAT.itemsize), _FLOAT)):
        yield block.reshape(-1, channels)
