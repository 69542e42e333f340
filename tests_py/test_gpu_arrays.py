"""DeviceArrays in the hands of somebody who takes them for arrays of NumPy."""

import operator
import re

import metalmom
import numpy as np
import pytest
from devices import on_device
from metalmom import _native
from processes import run_python

pytestmark = on_device

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)
Y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)


@pytest.fixture
def array():
    return metalmom.to_device(VALUES)


BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift,
    ">>": operator.rshift, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@pytest.mark.parametrize("sign", BINARY)
@pytest.mark.parametrize("other", [2, np.float32(2), VALUES, None], ids=["int", "scalar", "array", "itself"])
def test_operators_say_what_was_tried_and_what_to_do(array, sign, other):
    other = array if other is None else other
    for left, right, tried in ((array, other, sign), (other, array, MIRRORED.get(sign, sign))):
        with pytest.raises(TypeError) as refused:
            BINARY[sign](left, right)
        signs = {sign, tried} if other is array else {tried if left is other else sign}
        assert str(refused.value) in {
            f"a DeviceArray has no operator {each}: .numpy() brings it to the host" for each in signs
        }


@pytest.mark.parametrize("what, use", [
    ("operator -", operator.neg), ("operator +", operator.pos), ("operator ~", operator.invert),
    ("operator +", lambda a: operator.iadd(np.zeros((2, 3)), a)), ("abs()", abs),
    ("truth value", bool), ("truth value", lambda a: not a), ("float()", float), ("int()", int),
    ("complex()", complex), ("round()", round), ("divmod()", lambda a: divmod(a, 2)),
    ("indexing", lambda a: a[0]), ("indexing", lambda a: a[..., None]), ("iteration", list),
    ("iteration", sum), ("iteration", lambda a: [*a]), ("operator in", lambda a: 3 in a),
    ("assignment to items", lambda a: operator.setitem(a, 0, 1)),
    ("items to delete", lambda a: operator.delitem(a, 0)), ("use as an index", lambda a: [1][a]),
    ("attribute 'T'", lambda a: a.T), ("attribute 'mean'", lambda a: a.mean()),
    ("attribute 'cpu'", lambda a: a.cpu()),
])  # fmt: skip
def test_what_arrays_of_numpy_can_do_as_well(array, what, use):
    kind = AttributeError if "attribute" in what else TypeError
    with pytest.raises(kind) as refused:
        use(array)
    assert str(refused.value) == f"a DeviceArray has no {what}: .numpy() brings it to the host"


def test_what_goes_on_working(array):
    np.testing.assert_array_equal(np.asarray(array), VALUES)
    np.testing.assert_array_equal(np.asarray(array, dtype=np.float64), VALUES)
    np.testing.assert_array_equal(np.array([array, array]), [VALUES, VALUES])
    np.testing.assert_array_equal(np.stack([array, array]), [VALUES, VALUES])
    np.testing.assert_array_equal(np.sqrt(array), np.sqrt(VALUES))
    assert metalmom.submit(np.mean, array).result() == VALUES.mean()
    assert (len(array), array.size, hash(array) == hash(array)) == (2, 6, True)
    assert {array: "kept"}[array] == "kept"
    assert array in [array]
    assert array is not None
    assert not hasattr(array, "__cuda_array_interface__")


def test_an_array_without_axes_stays_one():
    array = metalmom.to_device(np.float32(3))
    assert (array.shape, array.ndim, array.size) == ((), 0, 1)
    assert array.numpy() == 3
    with pytest.raises(TypeError, match="without axes"):
        len(array)
    for call in (
        lambda y: metalmom.stft(y), lambda y: metalmom.feature.rms(y=y), lambda y: metalmom.cqt(y),
        lambda y: metalmom.resample(y, orig_sr=2, target_sr=1), lambda y: metalmom.power_to_db(y),
        lambda y: metalmom.yin(y, fmin=65, fmax=2000), lambda y: metalmom.pcen(y),
        lambda y: metalmom.feature.delta(y), lambda y: metalmom.convolve(y, y),
    ):  # fmt: skip
        with pytest.raises(metalmom.LibrosaError, match=r"^(y|S|x|axis|data)\b.*"):
            call(array)


def test_no_array_is_made_but_by_to_device():
    code = """
import copy, numpy as np, metalmom
class Mine(metalmom.DeviceArray):
    pass
for make in (metalmom.DeviceArray, lambda: metalmom.DeviceArray.__new__(metalmom.DeviceArray),
             lambda: object.__new__(metalmom.DeviceArray), Mine, lambda: Mine.__new__(Mine)):
    try:
        metalmom.stft(make())
    except TypeError as error:
        print("to_device" in str(error) or "not safe" in str(error))
"""
    assert run_python(code).split() == ["True"] * 5


@pytest.mark.parametrize("y, rule", [
    (None, "y=NoneType must be an array of float32 or complex64"),
    (VALUES.astype(float), "y.dtype=float64 must be float32 or complex64"),
    ("song.wav", "y.dtype=<U8 must be float32 or complex64"),
])  # fmt: skip
def test_what_is_no_array_of_singles(y, rule):
    with pytest.raises(metalmom.ParameterError) as refused:
        metalmom.to_device(y)
    assert str(refused.value).startswith(rule)


def test_a_lower_limit_gives_back_what_is_kept_at_once():
    mebibyte = 2**20
    for is_scoped in (True, False):
        metalmom.release_caches()
        arrays = [metalmom.to_device(np.zeros(8 * mebibyte, np.float32)) for _ in range(4)]
        del arrays
        kept = _native.device_memory()["reserved"]
        assert kept >= 128 * mebibyte
        if is_scoped:
            with metalmom.config_context(device_memory=48 * mebibyte):
                assert _native.device_memory()["reserved"] <= 48 * mebibyte
        else:
            metalmom.set_config(device_memory=48 * mebibyte)
            try:
                assert _native.device_memory()["reserved"] <= 48 * mebibyte
            finally:
                metalmom.set_config(device_memory=None)


def test_small_sizes_are_told_in_units_that_show_them():
    with (
        metalmom.config_context(backend="gpu", device_memory=1),
        pytest.raises(metalmom.DeviceError, match=r"needs [1-9][\d.]* (bytes|KiB) .* has 0 bytes$"),
    ):
        metalmom.stft(Y[:4096])


def test_a_device_that_is_missing_names_those_that_are_there():
    last = len(metalmom.devices()) - 1
    there = f"0 to {last}" if last else "0 alone"
    with metalmom.config_context(backend="gpu:77"), pytest.raises(metalmom.DeviceError) as missing:
        metalmom.stft(Y)
    assert str(missing.value) == f"there is no GPU 77: metalmom.devices() lists {there}"


@pytest.mark.parametrize("call, told", [
    (lambda y: metalmom.pseudo_cqt(y, n_bins=12), None),
    (lambda y: metalmom.feature.fourier_tempogram(y=y, win_length=384),
     "fourier_tempogram: the GPU kernel does not take this: win_length is no power of two from 256 to 8192, "
     "nor 320, 400, 600, 800 or 1200: pass y.numpy()"),
    (lambda y: metalmom.feature.rms(y=y, frame_length=1, pad_mode="mean"), "pad_mode='mean' has no kernel: pass y.numpy()"),
    (lambda y: metalmom.stft(y, dtype=np.complex128), "stft: dtype=complex128 has no kernel: pass y.numpy()"),
    (lambda y: metalmom.feature.melspectrogram(y=y, dtype=float), "melspectrogram: dtype=float64 has no kernel: pass y.numpy()"),
    (lambda y: metalmom.istft(metalmom.stft(y), dtype=float), "istft: dtype=float64 has no kernel: pass stft_matrix.numpy()"),
    (lambda y: metalmom.stft(y, out=np.empty((1025, 44), np.complex64)), "out has no kernel: pass y.numpy()"),
    (lambda y: metalmom.istft(metalmom.stft(y), out=np.empty(22016, np.float32)), "out has no kernel: pass stft_matrix.numpy()"),
    (lambda y: metalmom.cqt(y, res_type="fft"), "res_type='fft' has no kernel: pass y.numpy()"),
    (lambda y: metalmom.stft(y, window=metalmom.to_device(np.ones(2048, np.float32))),
     "window is on a device, where stft() has no kernel for it: pass window.numpy()"),
    (lambda y: metalmom.convolve(y, np.ones(9)),
     "convolve: the GPU computes in float32, and h is float64: pass h.astype(np.float32)"),
    (lambda y: metalmom.stft(y, n_fft=1000),
     "stft: the GPU kernel does not take this: n_fft is no power of two from 256 to 8192, nor 320, 400, 600, 800 or 1200: "
     "pass y.numpy()"),
    (lambda y: metalmom.util.valid_audio(y), "y is on a device, where valid_audio() has no kernel for it: pass y.numpy()"),
    (lambda y: metalmom.to_stereo(left=y, right=y), "left and right are on a device, where to_stereo() has no kernel for both: "
     "pass left.numpy() and right.numpy()"),
    (lambda y: metalmom.util.stack([y, y]), "arrays[0] and arrays[1] are on a device, where stack() has no kernel for "
     "both: pass arrays[0].numpy() and arrays[1].numpy()"),
    (lambda y: metalmom.util.match_intervals(y.reshape(-1, 2), np.ones((2, 2))), "intervals_from is on a device, where "
     "match_intervals() has no kernel for it: pass intervals_from.numpy()"),
    (lambda y: metalmom.util.normalize(y), "S is on a device, where normalize() has no kernel for it: pass S.numpy()"),
    (lambda y: metalmom.effects.trim(y), "y is on a device, where trim() has no kernel for it: pass y.numpy()"),
    (lambda y: metalmom.pyin(y, fmin=65, fmax=2000), "y is on a device, where pyin() has no kernel for it: "
     "pass y.numpy()"),
    (lambda y: metalmom.beat.beat_track(onset_envelope=y), "onset_envelope is on a device, where beat_track() has no "
     "kernel for it: pass onset_envelope.numpy()"),
])  # fmt: skip
def test_refusals_name_what_the_caller_gave(call, told):
    if told is None:
        told = ("pseudo_cqt: the GPU kernel does not take this: the filters' n_fft is no power of two from "
                "256 to 8192, nor 320, 400, 600, 800 or 1200: pass y.numpy()")  # fmt: skip
    with pytest.raises(metalmom.DeviceError) as refused:
        call(metalmom.to_device(Y))
    assert str(refused.value) == told


@pytest.mark.parametrize("arguments, name", [
    ({"axis": 0}, "axis=0"), ({"scale": True}, "scale=True"), ({"res_type": "fft"}, "res_type='fft'"),
    ({"mode": "edge"}, "mode='edge'"),
])  # fmt: skip
def test_resample_stays_on_the_device_or_says_why_not(arguments, name):
    stereo = np.stack([Y, Y])
    with pytest.raises(metalmom.DeviceError) as refused:
        metalmom.resample(metalmom.to_device(stereo), orig_sr=22050, target_sr=16000, **arguments)
    assert str(refused.value) == f"resample: {name} has no kernel: pass y.numpy()"
    in_columns = metalmom.to_device(np.asfortranarray(stereo))
    with pytest.raises(metalmom.DeviceError, match=r"^y lies in memory in an order .*: pass y\.numpy\(\)$"):
        metalmom.resample(in_columns, orig_sr=22050, target_sr=16000)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 22050)])
@pytest.mark.parametrize("call", [
    lambda y: metalmom.feature.rms(y=y), lambda y: metalmom.yin(y, fmin=65, fmax=2000),
    lambda y: metalmom.cqt(y), lambda y: metalmom.vqt(y), lambda y: metalmom.feature.mfcc(y=y),
    lambda y: metalmom.resample(y, orig_sr=22050, target_sr=16000), lambda y: metalmom.stft(y),
    lambda y: metalmom.feature.spectral_contrast(y=y), lambda y: metalmom.pcen(y),
    lambda y: metalmom.effects.hpss(y), lambda y: metalmom.feature.tempogram(y=y),
    lambda y: metalmom.estimate_tuning(y=y), lambda y: metalmom.feature.chroma_stft(y=y),
    lambda y: metalmom.feature.delta(y), lambda y: metalmom.Extractor(["rms", "mfcc", "yin"], fmin=65, fmax=2000)(y),
], ids=["rms", "yin", "cqt", "vqt", "mfcc", "resample", "stft", "contrast", "pcen", "hpss", "tempogram", "tuning",
        "chroma", "delta", "Extractor"])  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_what_has_no_samples_is_what_it_is_on_the_cpu(call, shape):
    def outcome(where, y):
        try:
            with metalmom.config_context(backend=where):
                found = call(y)
        except metalmom.LibrosaError as error:
            return f"{type(error).__name__}: {error}"
        found = list(found.values()) if isinstance(found, dict) else found
        found = found if isinstance(found, (tuple, list)) else [found]
        return [(np.shape(each), np.asarray(each, dtype=np.complex64).tolist()) for each in found]

    y = np.zeros(shape, np.float32)
    expected = outcome("cpu", y)
    assert outcome("gpu", y) == expected
    assert outcome("gpu", metalmom.to_device(y)) == expected


def test_levels_are_of_audio_in_their_type():
    """As librosa's: the audio is made the type of the result first, on either side."""
    y = Y.astype(np.float64) + 1e-9
    with metalmom.config_context(backend="gpu"):
        found = metalmom.feature.rms(y=y)
        np.testing.assert_array_equal(found, metalmom.feature.rms(y=y.astype(np.float32)))
        with pytest.raises(metalmom.DeviceError, match="the GPU computes in float32"):
            metalmom.feature.rms(y=y, dtype=np.float64)
    with metalmom.config_context(backend="cpu"):
        np.testing.assert_array_equal(
            metalmom.feature.rms(y=y), metalmom.feature.rms(y=y.astype(np.float32))
        )


def test_what_a_function_makes_on_the_device_may_be_brought_from_there():
    y = metalmom.to_device(Y)
    for call in (
        lambda y: metalmom.beat.beat_track(y=y), lambda y: metalmom.feature.tempo(y=y),
        lambda y: metalmom.beat.plp(y=y), lambda y: metalmom.effects.split(y),
        lambda y: metalmom.feature.chroma_cqt(y=y), lambda y: metalmom.onset.onset_detect(y=y),
        lambda y: metalmom.power_to_db(metalmom.feature.melspectrogram(y=y), ref=np.max),
    ):  # fmt: skip
        with metalmom.config_context(backend="gpu"):
            expected = call(Y)
        found = call(y)
        pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        for ours, theirs in pairs:
            np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_a_function_of_the_user_sees_the_device_array():
    found = metalmom.onset.onset_strength(
        y=metalmom.to_device(Y), feature=lambda *, y, **kwargs: np.abs(metalmom.stft(y.numpy()))
    )
    expected = metalmom.onset.onset_strength(
        y=Y, feature=lambda *, y, **kwargs: np.abs(metalmom.stft(y))
    )
    np.testing.assert_array_equal(found, expected)
    brought = metalmom.onset.onset_strength(
        y=metalmom.to_device(Y), feature=lambda *, y, **kwargs: np.abs(metalmom.stft(np.asarray(y)))
    )
    np.testing.assert_array_equal(brought, expected)
    with pytest.raises(TypeError, match="^a DeviceArray has no indexing"):
        metalmom.onset.onset_strength(y=metalmom.to_device(Y), feature=lambda *, y, **kwargs: y[:100])


def test_numpy_brings_an_array_where_the_users_code_runs():
    y = metalmom.to_device(Y)
    fx = metalmom.Extractor(["rms"])
    clips = fx.map(np.asarray(y) for _ in range(2))
    np.testing.assert_array_equal(clips[1]["rms"], metalmom.feature.rms(y=Y))
    np.testing.assert_array_equal(metalmom.submit(lambda: np.asarray(y)).result(), Y)
    for refused in (lambda: metalmom.db_to_power(y), lambda: fx.map([Y, "no clip"])):
        with pytest.raises(metalmom.LibrosaError) as held:
            refused()
        np.testing.assert_array_equal(np.asarray(y), Y)
        with pytest.raises(metalmom.DeviceError, match="^no step of this function takes a DeviceArray"):
            metalmom.util.sync(np.ones((2, 8)), [4], aggregate=lambda part, axis: np.asarray(y))
        del held


@pytest.mark.parametrize("stream, name", [
    (metalmom.streaming.ISTFT, "stft_matrix"),
    (metalmom.streaming.PCEN, "S"),
    (metalmom.streaming.RMS, "y"),
    (metalmom.streaming.BeatTrack, "y"),
    (lambda: metalmom.streaming.Extractor(["rms"]), "y"),
    (lambda: metalmom.streaming.Convolver(Y[:8]), "y"),
    (lambda: metalmom.streaming.Resample(orig_sr=22050, target_sr=16000), "y"),
])  # fmt: skip
def test_a_stream_brings_no_array_unseen(stream, name):
    with pytest.raises(metalmom.DeviceError, match=f"^{name}=DeviceArray.* must be an array of numbers$"):
        stream().process(metalmom.to_device(Y))


def test_in_an_extractor_a_refusal_is_the_single_calls():
    y = metalmom.to_device(Y)
    with pytest.raises(metalmom.DeviceError) as alone:
        metalmom.feature.poly_features(y=y)
    with pytest.raises(metalmom.DeviceError) as together:
        metalmom.Extractor(["mfcc", "poly_features"])(y)
    assert str(together.value) == str(alone.value)
    with pytest.raises(metalmom.DeviceError, match="n_fft is no power of two"):
        metalmom.Extractor({"stft": {"n_fft": 1000}})(y)
    with pytest.raises(metalmom.ParameterError, match="^clips=DeviceArray must be"):
        metalmom.Extractor(["mfcc"]).map(y)


def test_what_a_feature_makes_for_another_is_not_asked_for():
    y = metalmom.to_device(Y)
    for of in ("mel", {"S_db": "mel"}):
        fx = metalmom.Extractor({"mel": {"feature": "melspectrogram"}, "power": {"feature": "db_to_power", "of": of}})
        with pytest.raises(metalmom.DeviceError) as refused:
            fx(y)
        assert str(refused.value) == "mel is on a device, where db_to_power() has no kernel for it: pass y.numpy()"


def test_a_clip_too_large_says_what_it_needs_and_what_there_is():
    y = np.zeros(2**22, np.float32)
    with metalmom.config_context(backend="gpu", device_memory="1M"):
        for call in (metalmom.stft, lambda y: metalmom.feature.delta(y[None])):
            with pytest.raises(metalmom.DeviceError) as refused:
                call(y)
            said = re.fullmatch(r"one clip needs (.+) of the device's memory at a time, and a call has (.+)", str(refused.value))
            needed, given = (metalmom._native.bytes_of_text(each.removesuffix(" bytes")) for each in said.groups())
            assert given < 2**20 and given < needed <= 4 * y.nbytes


def test_out_of_memory_says_how_much():
    values = np.zeros(2**26 + 2**24, np.float32)
    amount = r"[\d.]+ \w+"
    for limit, told in ((2**20, "1 MiB"), (3 * 2**19, "1.5 MiB")):
        with metalmom.config_context(device_memory=limit), pytest.raises(metalmom.DeviceError) as refused:
            metalmom.to_device(values)
        assert re.search(
            rf"{re.escape(told)}, is used up: 320 MiB asked for, {amount} in use in blocks of {amount}$",
            str(refused.value),
        )


# A process of its own each: what fails here stands still for good.
WAITS = """
import threading
import metalmom as mm, numpy as np
from metalmom import _native

clips = mm.to_device(np.ones((24, 4 * 22050), np.float32))
short = mm.to_device(np.ones(22050, np.float32))
spectra = [mm.stft(short), mm.stft(short)]
expected = spectra[0].numpy()
limit = _native.device_memory()["reserved"] + 80 * 2**20
host = np.ones(22050, np.float32)
_native.let_automatic_take_software(True)
mm.stft(host)  # "auto" knows the device

def more_than_is_free():
    with mm.config_context(device_memory=limit):  # of which 36 MiB are taken by work that is not done
        return mm.stft(clips, hop_length=256)

def spectrum():
    return spectra[0].numpy()

def rates():
    _native.device_rates(again=True)
    return host[:1]

def work():
    results.append({call}())

results = []
stall = _native.stall_devices()
mm.stft(clips)
waiting = threading.Thread(target=work)
waiting.start()
assert stall.await_waiter()
for _ in range(3):
    spectra[1] = mm.stft(short)
    mm.to_device(short).reshape(1, -1)
    with mm.config_context(backend="cpu"):
        mm.stft(host)  # compares what it takes with what a device would
assert waiting.is_alive()
del stall
waiting.join()
assert (spectra[1].numpy() == expected).all()
print(results[0].shape)
"""


@pytest.mark.parametrize("call, shape", [
    ("more_than_is_free", "(24, 1025, 345)"), ("spectrum", "(1025, 44)"), ("rates", "(1,)"),
])  # fmt: skip
def test_others_go_on_while_a_call_waits_for_the_device(call, shape):
    assert run_python(WAITS.replace("{call}", call), METALMOM_CACHE_DIR="off") == shape


def test_a_handler_may_use_arrays_and_wait_for_calls_while_a_call_waits():
    """In a process of its own, since the handler is the main thread's."""
    code = """
import signal
import metalmom as mm, numpy as np

y = np.random.default_rng(0).uniform(-1, 1, 22050).astype(np.float32)
array = mm.to_device(y)
mel = mm.feature.melspectrogram(y=array)
expected = mel.numpy()
waiting = mm.submit(mm.feature.melspectrogram, y=array)
found = []

def handle(*_):
    found.append(np.array_equal(mel.numpy(), expected))
    found.append(np.array_equal(mm.feature.melspectrogram(y=mm.to_device(y)).numpy(), expected))
    found.append(np.array_equal(waiting.result(timeout=60).numpy(), expected))
    found.append(np.array_equal(mm.submit(mm.feature.melspectrogram, y=array).result(timeout=60).numpy(), expected))

batch = np.tile(y, (64, 1))
with mm.config_context(backend="gpu"):
    whole = mm.feature.melspectrogram(y=batch)
    signal.signal(signal.SIGALRM, handle)
    for call in (lambda: mm.feature.melspectrogram(y=batch), lambda: mm.submit(mm.feature.melspectrogram, y=batch).result()):
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        assert np.array_equal(call(), whole)
assert len(found) == 8 and all(found), found
"""
    run_python(code)
