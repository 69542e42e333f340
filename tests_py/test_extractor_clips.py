"""Clips of any type and layout, from wherever they come: each has what the single calls give for it."""

import warnings

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom import _native
from test_extractor import CALLS, assert_same, random_recipe, recipe_for_kernels, single, song

TYPES = ["<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "g"]


class Tagged(np.ndarray):
    """A subclass, as other libraries have them."""


def read_only(y):
    y = y.copy()
    y.setflags(write=False)
    return y


def from_an_odd_place(y):
    return np.frombuffer(b"\0" + y.tobytes(), dtype=y.dtype, offset=1).reshape(y.shape)


# The samples as they are, in other memory.
LAYOUTS = {
    "plain": lambda y: y,
    "every second": lambda y: np.repeat(y, 2, axis=-1)[..., ::2],
    "backwards": lambda y: y[..., ::-1].copy()[..., ::-1],
    "frames first": lambda y: np.ascontiguousarray(y.T).T,
    "Fortran": np.asfortranarray,
    "read-only": read_only,
    "from an odd place": from_an_odd_place,
    "a subclass": lambda y: y.view(Tagged),
    "a part": lambda y: np.concatenate([y, y], axis=-1)[..., : y.shape[-1]],
}


def tone(random, n_samples, channels=None):
    """A tone of its own tuning, so that what is computed on an estimated tuning differs."""
    y = metalmom.tone(random.uniform(220, 450), sr=22050, length=n_samples)
    y = random.uniform(0.1, 0.9) * y + 1e-3 * random.standard_normal(n_samples)
    return np.stack([y / (c + 1) for c in range(channels)]) if channels else y


def mixed_clips(random, n_clips, types=TYPES):
    clips = []
    for _ in range(n_clips):
        # of few lengths, so that memory of one fits another
        y = tone(random, [4000, 9000][random.integers(2)], [None, None, None, None, 1, 2][random.integers(6)])
        y = y.astype(types[random.integers(len(types))])
        clips.append(LAYOUTS[list(LAYOUTS)[random.integers(len(LAYOUTS))]](y))
    return clips


def assert_alike(ours, single, what):
    """The same to the bit, but for the bytes between long doubles, which are nobody's."""
    if np.asarray(single).dtype.char != "g":
        assert_same(ours, single, what)
    else:
        assert (ours.dtype, ours.strides) == (single.dtype, single.strides), what
        np.testing.assert_array_equal(ours, single, what)


def check_map(recipe, clips, backend="cpu", **settings):
    fx = metalmom.Extractor(recipe)
    with metalmom.config_context(backend=backend), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i, (y, values) in enumerate(zip(clips, fx.map(clips, **settings), strict=True)):
            for name, spec in recipe.items():
                what = f"clip {i} {y.shape} {y.dtype}: {name} {spec}"
                alone = single(name, spec, y)
                for a, b in zip(*[v if isinstance(v, tuple) else (v,) for v in (values[name], alone)], strict=True):
                    assert_alike(a, b, what)


@pytest.mark.parametrize("kind", TYPES)
def test_clips_of_any_type_are_what_they_are_alone(kind):
    """What a second pass reads again (chroma on the estimated tuning) is of the same clip."""
    random = np.random.default_rng(0)
    clips = [tone(random, n).astype(kind) for n in (9000, 9000, 9000, 4000, 4000, 9000) * 3]
    check_map({"chroma_stft": {}, "mfcc": {}, "beat_track": {}}, clips)


@pytest.mark.parametrize("seed", range(24))
def test_types_and_layouts_may_be_mixed(seed):
    random = np.random.default_rng(seed)
    recipe = {"chroma_stft": {}, **random_recipe(random, False)}
    check_map(recipe, mixed_clips(random, 30))


@on_device
@pytest.mark.parametrize("seed", range(4))
def test_types_and_layouts_may_be_mixed_on_a_device(seed):
    random = np.random.default_rng(seed)
    recipe = {"chroma_stft": {}, **recipe_for_kernels(random, False)}
    check_map(recipe, mixed_clips(random, 12, ["<f2", ">f2", "<f4", ">f4"]), "gpu")


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_clips_that_are_not_finite_are_refused_as_alone(kind, bad):
    random = np.random.default_rng(1)
    names = ["chroma_stft", "mfcc", "rms", "estimate_tuning"]
    clips = [tone(random, 6000).astype(kind) for _ in range(20)]
    broken = [3, 4, 11, 19]
    for i in broken:
        clips[i][random.integers(6000)] = bad
    found = metalmom.Extractor(names).map(clips, errors="return")
    assert [i for i, values in enumerate(found) if isinstance(values, Exception)] == broken
    for i in broken:
        with pytest.raises(metalmom.ParameterError) as alone:
            CALLS["chroma_stft"](y=clips[i])
        assert (type(found[i]), str(found[i])) == (alone.type, str(alone.value))


@pytest.mark.parametrize("kind", ["i2", ">i4", "u1", "?", "c8", "O"])
def test_types_that_are_no_audio_are_refused_with_the_clip(kind):
    clips = [song(0.3), np.ones(6000).astype(kind)]
    with pytest.raises(metalmom.ParameterError, match=r"clips\[1\]: y.dtype=.* must be floating-point"):
        metalmom.Extractor(["mfcc"]).map(clips)


@pytest.mark.parametrize("kind", ["<f2", ">f4", ">f8"])
def test_what_must_be_converted_is_once(kind):
    """However many features and passes read a clip."""
    y = song(1.0).astype(kind)
    bytes_converted = y.size * (8 if y.dtype.itemsize == 8 else 4)
    with metalmom.trace.record() as trace:
        metalmom.Extractor(["chroma_stft", "mfcc", "rms", "spectral_centroid", "beat_track"])(y)
    assert trace.counters["copied_bytes"] == bytes_converted


@pytest.mark.parametrize("kind", ["<f4", ">f4"])
def test_what_a_session_knows_of_audio_holds_for_that_array_alone(kind):
    """Not for another one in the memory that it had."""
    session = _native.Session()

    def error_of(function, y):
        node = function.expression(y=y)
        while node.op is None:
            node = node.args[0]
        return _native.run_together([(node.op, node.kwargs)], session, False, [])[0][1]

    random = np.random.default_rng(2)
    for _ in range(8):
        assert error_of(metalmom.estimate_tuning, tone(random, 5000).astype(kind)) is None
        assert "finite" in str(error_of(metalmom.feature.rms, np.full(5000, np.nan, kind)))


def refilled(clips, dtype=np.float32):
    """One array, which each clip is written into."""
    buffer = np.empty(max(clip.size for clip in clips), dtype)
    for clip in clips:
        buffer[: clip.size] = clip
        yield buffer[: clip.size]


def refilled_itself(clips):
    buffer = np.empty_like(clips[0])
    for clip in clips:
        buffer[:] = clip
        yield buffer


def refilled_behind_read_only_views(clips):
    for clip in refilled(clips):
        clip.flags.writeable = False
        yield clip


def refilled_bytes(clips):
    memory = bytearray(clips[0].nbytes)
    for clip in clips:
        memory[:] = clip.tobytes()
        yield np.frombuffer(memory, clip.dtype)


class Refilled:
    """As a data set that reads into the same array: no generator, and one that can be asked again."""

    def __init__(self, clips):
        self._clips, self._buffer = clips, np.empty_like(clips[0]).view(Tagged)

    def __iter__(self):
        for clip in self._clips:
            self._buffer[:] = clip
            yield self._buffer


class RefilledList(list):
    """A list by its class, and not by what it gives."""

    def __iter__(self):
        return refilled_itself(list(super().__iter__()))


class RefilledArray(np.ndarray):
    """An array of clips by its class, whose iterator gives its own."""

    def __iter__(self):
        return refilled_itself([np.asarray(self[k]) for k in range(len(self))])


@pytest.mark.parametrize(
    "source",
    [refilled, refilled_itself, refilled_behind_read_only_views, refilled_bytes, Refilled, RefilledList,
     lambda clips: np.stack(clips).view(RefilledArray),
     lambda clips: map(np.asarray, refilled(clips)), lambda clips: refilled(clips, ">f4"),
     lambda clips: refilled(clips, np.float16)],
)  # fmt: skip
def test_an_array_that_is_filled_again_gives_each_clip_its_own_values(source):
    random = np.random.default_rng(4)
    clips = [tone(random, 3000).astype(np.float16).astype(np.float32) for _ in range(20)]
    fx = metalmom.Extractor({"rms": {}, "chroma_stft": {}, "trim": {"frame_length": 512}})
    for y, values in zip(clips, fx.map(source(clips)), strict=True):
        np.testing.assert_array_equal(values["rms"], metalmom.feature.rms(y=y))
        np.testing.assert_array_equal(values["chroma_stft"], metalmom.feature.chroma_stft(y=y))
        np.testing.assert_array_equal(values["trim"][0], metalmom.effects.trim(y, frame_length=512)[0])


@pytest.mark.parametrize("make", [np.copy, lambda y: np.tile(y, 2)[: y.size], lambda y: np.stack([y, y]).T.T[1]])
def test_what_nobody_else_holds_is_not_copied(make):
    addresses = []

    def fresh(y):
        y = make(y)
        addresses.append(y.ctypes.data)
        return y

    fx = metalmom.Extractor(["trim"])
    clips = [song(0.3, seed=i) for i in range(5)]
    for results in (fx.map(map(fresh, clips)), fx.map([fresh(y) for y in clips]), fx.map(tuple(map(fresh, clips)))):
        for values in results:
            part, (start, _) = values["trim"]
            assert part.ctypes.data - start * part.itemsize == addresses.pop(0)


def test_a_padded_array_is_not_copied():
    padded = np.random.default_rng(5).uniform(-1, 1, (4, 9000)).astype(np.float32)
    for lengths in (None, [9000, 3000, 500, 7000]):
        for values in metalmom.Extractor(["trim"]).map(padded, lengths=lengths):
            assert np.shares_memory(values["trim"][0], padded)
