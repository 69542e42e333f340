"""What single kernels promise beside their parity: states, orders of axes, values that are not finite."""


import metalmom
import numpy as np
import pytest
from devices import on_device

pytestmark = on_device


@pytest.fixture
def clips(rng):
    return rng.uniform(-1, 1, (2, 22050)).astype(np.float32)


@pytest.mark.parametrize("order", "FC")
def test_hpss_of_magnitudes(order, clips):
    S = np.require(np.abs(metalmom.stft(clips[0])), requirements=order)
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.decompose.hpss(S)
    with metalmom.config_context(backend="gpu"):
        with metalmom.trace.record() as trace:
            metalmom.decompose.hpss(S)
        parts = metalmom.decompose.hpss(S)
        kept = metalmom.decompose.hpss(metalmom.to_device(S))
        with pytest.raises(metalmom.DeviceError, match="negative"):
            metalmom.decompose.hpss(S - 1)
        with pytest.raises(metalmom.DeviceError, match="31 values"):
            metalmom.decompose.hpss(S, kernel_size=33)
        below = metalmom.decompose.hpss(metalmom.to_device(np.full_like(S, -1)))
    assert [s.args["backend"] for s in trace.spans if "backend" in s.args] == ["gpu"]
    for part, on_device, wanted in zip(parts, kept, expected, strict=True):
        assert part.strides == wanted.strides
        assert np.abs(part - wanted).max() <= 1e-5 * wanted.max()
        assert np.array_equal(on_device.numpy(), part)
    assert np.isnan(below[0].numpy()).all()  # what the CPU refuses


def test_pcen_on_a_device_from_block_to_block(clips):
    S = metalmom.feature.melspectrogram(y=clips)
    with metalmom.config_context(backend="cpu"):
        expected, last = metalmom.pcen(S, return_zf=True)
    first, second = metalmom.to_device(S[..., :17].copy()), metalmom.to_device(S[..., 17:].copy())
    P, state = metalmom.pcen(first, return_zf=True)
    Q, state = metalmom.pcen(second, zi=state, ref=second, return_zf=True)
    joined = np.concatenate([P.numpy(), Q.numpy()], axis=-1)
    np.testing.assert_allclose(joined, expected, rtol=1e-5)
    np.testing.assert_allclose(state.numpy(), last, rtol=1e-5)
    with pytest.raises(metalmom.DeviceError, match="must be on the device too"):
        metalmom.pcen(first, ref=S[..., :17])


def test_pcen_of_a_device_array_along_another_axis_is_refused(clips):
    S = metalmom.to_device(metalmom.feature.melspectrogram(y=clips[0]).astype(np.float32))
    with pytest.raises(metalmom.DeviceError, match=r"^S is on a device, .* pass S\.numpy\(\)$"):
        metalmom.pcen(S, axis=0)


def test_a_stream_of_pcen_runs_on_the_cpu(clips):
    S = metalmom.feature.melspectrogram(y=clips[0])
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.pcen(S)
    with metalmom.config_context(backend="gpu"):
        np.testing.assert_array_equal(metalmom.streaming.PCEN().process(S), expected)


@pytest.mark.parametrize("shape", [(0, 8192), (2, 0, 8192)])
def test_the_tuning_of_no_clips_is_refused(shape):
    y = np.zeros(shape, np.float32)
    for backend in ("cpu", "gpu"):
        with metalmom.config_context(backend=backend), pytest.raises(metalmom.ParameterError, match="^y.shape="):
            metalmom.feature.chroma_stft(y=y)


@pytest.mark.parametrize("mode", ["interp", "nearest", "mirror", "constant", "wrap"])
@pytest.mark.parametrize("axis", [-1, 1, 0])
def test_delta_along_any_axis(mode, axis, rng):
    x = rng.normal(60, 1, (7, 11, 44)).astype(np.float32)
    arguments = {"width": 5, "axis": axis, "mode": mode, "order": 2, "polyorder": 3}
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.feature.delta(x, **arguments)
    found = metalmom.feature.delta(metalmom.to_device(x), **arguments)
    assert np.abs(found.numpy() - expected).max() <= 1e-5 * np.abs(expected).max()
    with metalmom.config_context(backend="gpu"):
        np.testing.assert_array_equal(metalmom.feature.delta(x, **arguments), found.numpy())
    # of an array whose last two axes are swapped in memory
    swapped = metalmom.to_device(np.swapaxes(x, -1, -2))
    assert swapped.swapped
    across = metalmom.feature.delta(swapped, **{**arguments, "axis": {-1: -2, 1: -1, 0: 0}[axis]})
    np.testing.assert_array_equal(across.swapaxes(-1, -2).numpy(), found.numpy())


def test_delta_without_a_kernel(rng):
    x = rng.normal(0, 1, (2, 1100)).astype(np.float32)
    with metalmom.config_context(backend="auto"):
        metalmom.feature.delta(x, width=1025)
    with pytest.raises(metalmom.DeviceError, match="^delta: the GPU kernel.*more than 1,023 frames"):
        metalmom.feature.delta(metalmom.to_device(x), width=1025)
    with metalmom.config_context(backend="gpu"):
        metalmom.feature.delta(x, width=1025, mode="mirror")
        with pytest.raises(metalmom.ParameterError, match="^data must be finite everywhere"):
            metalmom.feature.delta(np.full_like(x, np.nan))


@pytest.mark.parametrize("arguments", [
    {}, {"center": False, "win_length": 40}, {"norm": None}, {"norm": 2}, {"window": "boxcar"},
], ids=str)  # fmt: skip
def test_tempogram_of_a_device_array(arguments, clips):
    with metalmom.config_context(backend="cpu"):
        envelope = metalmom.onset.onset_strength(y=clips)
        expected = metalmom.feature.tempogram(onset_envelope=envelope, **arguments)
    found = metalmom.feature.tempogram(onset_envelope=metalmom.to_device(envelope), **arguments)
    assert found.shape == expected.shape
    assert np.abs(found.numpy() - expected).max() <= 1e-5 * np.abs(expected).max()
    # Envelopes of any size are divided by what they are: nothing of float32 overflows or is lost.
    if arguments.get("norm", 0) is not None:
        largest = np.finfo(np.float32).max
        for factor in (1e-30, 1e30, largest / np.abs(envelope).max()):
            with np.errstate(over="ignore"):
                scaled = np.clip(envelope * np.float32(factor), -largest, largest)
            scaled = metalmom.to_device(scaled)
            again = metalmom.feature.tempogram(onset_envelope=scaled, **arguments)
            np.testing.assert_allclose(again.numpy(), found.numpy(), atol=1e-6)


def test_tempogram_without_a_kernel(clips):
    envelope = metalmom.onset.onset_strength(y=clips)
    for arguments, reason in (
        ({"norm": 0}, "a norm of less than 1"), ({"win_length": 4097}, "more than 4,096 frames"),
    ):  # fmt: skip
        with pytest.raises(metalmom.DeviceError, match=f"^tempogram: the GPU kernel.*{reason}"):
            metalmom.feature.tempogram(onset_envelope=metalmom.to_device(envelope), **arguments)
        with metalmom.config_context(backend="auto"):
            metalmom.feature.tempogram(onset_envelope=envelope, **arguments)


def test_what_is_made_of_a_tempogram_takes_device_arrays(clips):
    """What follows the tempogram is the host's."""
    y = metalmom.to_device(clips)
    for function, arguments in (
        (metalmom.feature.tempogram_ratio, {"aggregate": np.mean}),
        (metalmom.feature.hybrid_tempogram, {"win_length": 256}),
    ):
        with metalmom.config_context(backend="cpu"):
            expected = function(y=clips, **arguments)
        found = function(y=y, **arguments)
        assert isinstance(found, np.ndarray)
        assert np.abs(found - expected).max() <= 1e-3 * np.abs(expected).max()


@pytest.mark.parametrize("frame_length", [256, 1000, 2048, 3000, 4096])
def test_yin_of_tones(frame_length):
    """Tones from near the lowest to near the highest.

    Where a period is thousands of samples its trough is flat: float32 moves the vertex of the parabola
    by hundredths of a sample, on either side.
    """
    sr = 22050
    pitches = np.geomspace(2.2 * sr / frame_length, 4000, 12)
    y = np.stack([metalmom.tone(f, sr=sr, length=sr) for f in pitches]).astype(np.float32)
    arguments = {"fmin": 2.01 * sr / frame_length, "fmax": 6000, "frame_length": frame_length}
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.yin(y, **arguments)
    found = metalmom.yin(metalmom.to_device(y), **arguments).numpy()
    np.testing.assert_allclose(found, expected, rtol=3e-5)
    assert np.median(np.abs(found / expected - 1)) < 1e-6


def test_yin_of_what_numpy_pads_has_no_kernel(clips):
    with pytest.raises(metalmom.DeviceError, match=r"^pad_mode='wrap' has no kernel: pass y\.numpy\(\)$"):
        metalmom.yin(metalmom.to_device(clips), fmin=65, fmax=2000, pad_mode="wrap")
    with pytest.raises(metalmom.DeviceError, match="^yin: the GPU kernel.*more than 8,192 samples"):
        metalmom.yin(metalmom.to_device(clips), fmin=65, fmax=2000, frame_length=8000)


@pytest.mark.parametrize("rates", [(44100, 22050), (22050, 44100), (48000, 44100), (48000, 16000),
                                   (16000, 22050)])  # fmt: skip
@pytest.mark.parametrize("fix", [True, False])
def test_resample_of_a_device_array(rates, fix, clips):
    arguments = {"orig_sr": rates[0], "target_sr": rates[1], "fix": fix}
    for y in (clips, clips[:, :100], clips[0, :2]):
        with metalmom.config_context(backend="cpu"):
            expected = metalmom.resample(y, **arguments)
        found = metalmom.resample(metalmom.to_device(y), **arguments)
        assert found.shape == expected.shape
        assert np.abs(found.numpy() - expected).max() <= 1e-5 * np.abs(expected).max()
        with metalmom.config_context(backend="gpu"):
            np.testing.assert_array_equal(metalmom.resample(y, **arguments), found.numpy())


def test_resample_without_a_kernel(clips):
    y = metalmom.to_device(clips)
    for rates in ((22050, 16000.5), (44100, 8000)):
        arguments = {"orig_sr": rates[0], "target_sr": rates[1]}
        with pytest.raises(metalmom.DeviceError, match="^resample: the GPU kernel.*rates whose ratio"):
            metalmom.resample(y, **arguments)
        with metalmom.config_context(backend="auto"):
            metalmom.resample(clips, **arguments)
    assert metalmom.resample(y, orig_sr=16000, target_sr=16000) is y


def test_what_resamples_by_the_way_stays_on_the_cpu(clips):
    """Other rates than kernels take, or before steps on the CPU: no errors under a forced GPU."""
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.iirt(clips)
    with metalmom.config_context(backend="gpu"):
        np.testing.assert_array_equal(metalmom.iirt(clips), expected)
        assert metalmom.effects.pitch_shift(clips, sr=22050, n_steps=3).shape == clips.shape
        metalmom.streaming.Resample(orig_sr=44100, target_sr=8000)
    assert metalmom.effects.pitch_shift(metalmom.to_device(clips), sr=22050, n_steps=3).shape == clips.shape


def test_phase_vocoder_of_a_device_array(clips):
    D = metalmom.stft(clips)
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.phase_vocoder(D, t_out=[0.0, 1.0, 2.5, 43.9])
    array = metalmom.to_device(D)
    found = metalmom.phase_vocoder(array, t_out=[0.0, 1.0, 2.5, 43.9])
    assert np.abs(found.numpy() - expected).max() <= 1e-5 * np.abs(expected).max()
    with pytest.raises(metalmom.DeviceError, match=r"^D is on a device, .* pass D\.numpy\(\)$"):
        metalmom.phase_vocoder(array, rate=2.0, kind="cubic")  # magnitudes by SciPy
    with pytest.raises(metalmom.ParameterError, match="^t_out=44 must be in the range"):
        metalmom.phase_vocoder(array, t_out=[44.0])


def test_what_is_not_finite_stays_so_in_a_phase_vocoder(clips):
    D = metalmom.stft(clips[0])
    D[5, 20] = np.nan
    D[7, 30] = np.inf
    with metalmom.config_context(backend="cpu"):
        expected = np.isfinite(metalmom.phase_vocoder(D, rate=0.7))
    with metalmom.config_context(backend="gpu"):
        np.testing.assert_array_equal(
            np.isfinite(metalmom.phase_vocoder(D, rate=0.7)), expected
        )


@pytest.mark.parametrize("arguments", [
    {"hop_length": 333, "n_bins": 60},  # one rate for all octaves, long filters
    {"bins_per_octave": 7, "n_bins": 40},
    {"scale": False, "filter_scale": 0.5},
    {"res_type": "soxr_vhq", "hop_length": 511},  # nothing is resampled
], ids=str)  # fmt: skip
def test_cqt_of_other_arguments(clips, arguments):
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.cqt(clips, **arguments)
    with metalmom.config_context(backend="gpu"):
        found = metalmom.cqt(clips, **arguments)
    assert np.abs(found - expected).max() <= 1e-5 * np.abs(expected).max()


@pytest.mark.parametrize("arguments, reason", [
    ({"n_bins": 36}, "divided by more than two"),
    ({"res_type": "soxr_vhq"}, "another filter than soxr_hq's"),
])  # fmt: skip
def test_cqt_without_a_kernel(clips, arguments, reason):
    with metalmom.config_context(backend="cpu"):
        expected = metalmom.cqt(clips, **arguments)
    with metalmom.config_context(backend="auto"):
        np.testing.assert_array_equal(metalmom.cqt(clips, **arguments), expected)
    with pytest.raises(metalmom.DeviceError, match=f"^cqt: the GPU kernel.*{reason}"):
        metalmom.cqt(metalmom.to_device(clips), **arguments)


def test_cqt_resampled_by_scipy_has_no_kernel(clips):
    with pytest.raises(metalmom.DeviceError, match=r"^res_type='polyphase' has no kernel: pass y\.numpy\(\)$"):
        metalmom.cqt(metalmom.to_device(clips), res_type="polyphase")


def test_an_axis_of_one_is_of_either_order(clips):
    """A batch of one clip, a spectrum of one frame: both orders of axes are the same memory."""
    y = metalmom.to_device(clips[:1])
    assert not y.swapped
    D = metalmom.stft(y)
    assert D.shape == (1, 1025, 44)
    np.testing.assert_array_equal(D.numpy()[0], metalmom.stft(metalmom.to_device(clips[0])).numpy())
    one = metalmom.to_device(metalmom.stft(clips[0, :2048], center=False))
    assert one.shape == (1025, 1)
    np.testing.assert_allclose(
        metalmom.istft(one, center=False).numpy()[500:1500], clips[0, 500:1500], atol=1e-5
    )


@pytest.mark.parametrize("n_fft", [320, 400, 600, 800, 1200])
def test_frames_of_models_of_speech(n_fft, clips):
    """A window shorter than its frame is in the middle of it, as everywhere."""
    framing = {"n_fft": n_fft, "hop_length": 160, "win_length": n_fft - 40}
    calls = [
        lambda y: metalmom.stft(y, **framing),
        lambda y: metalmom.feature.melspectrogram(y=y, sr=16000, n_mels=80, **framing),
        lambda y: metalmom.feature.mfcc(y=y, sr=16000, n_mels=80, **framing),
    ]
    for call in calls:
        with metalmom.config_context(backend="cpu"):
            expected = call(clips)
        with metalmom.config_context(backend="gpu"):
            streamed = call(clips)
        assert np.abs(streamed - expected).max() <= 1e-5 * np.abs(expected).max()
        assert np.array_equal(call(metalmom.to_device(clips)).numpy(), streamed)
