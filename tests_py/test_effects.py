"""Effects beyond their reference cases: what they undo, keep, and refuse."""

import metalmom
import numpy as np
import pytest
import reference_signals as s
from metalmom import effects


def test_deemphasis_undoes_preemphasis():
    y = s.music.get()
    restored = effects.deemphasis(effects.preemphasis(y))
    np.testing.assert_allclose(restored, y, atol=1e-5)


def test_emphasis_goes_on_where_a_block_ended():
    y = s.music64.get()
    for effect in (effects.preemphasis, effects.deemphasis):
        whole = effect(y, zi=[0.1])
        first, state = effect(y[:4001], zi=[0.1], return_zf=True)
        second = effect(y[4001:], zi=state)
        np.testing.assert_allclose(np.concatenate([first, second]), whole, atol=1e-12)


def test_parts_of_a_signal_are_loud_and_the_rest_is_not():
    y = s.gappy.get()
    parts = effects.split(y, top_db=30, frame_length=512, hop_length=128)
    heard = np.zeros(y.shape[-1], dtype=bool)
    for start, end in parts:
        heard[start:end] = True
    assert np.abs(y[:, ~heard]).max() < 0.05 < np.abs(y[:, heard]).max()
    trimmed, (start, end) = effects.trim(y, top_db=30, frame_length=512, hop_length=128)
    assert (start, end) == (parts[0, 0], parts[-1, 1])
    assert np.shares_memory(trimmed, y)


def test_remix_takes_any_iterable_of_pairs():
    y = s.noise.get()
    pairs = [(5000, 9000), (100, 2000)]
    expected = effects.remix(y, np.array(pairs))
    np.testing.assert_array_equal(effects.remix(y, pairs), expected)
    np.testing.assert_array_equal(effects.remix(y, (pair for pair in pairs)), expected)


def test_remix_takes_one_pair_that_is_filled_again():
    def pairs():
        pair = [0, 0]
        for start in (0, 10, 20):
            pair[:] = start, start + 2
            yield pair

    y = np.arange(100, dtype=np.float32)
    assert effects.remix(y, pairs(), align_zeros=False).tolist() == [0, 1, 10, 11, 20, 21]


def test_boundaries_of_remix_are_zero_crossings():
    y = s.chirp.get()
    part = effects.remix(y, [(3000, 7000)])
    start = np.flatnonzero(y == part[0])[0]
    assert metalmom.zero_crossings(y)[start]


def test_stretched_audio_keeps_its_pitch():
    y = metalmom.tone(1000.0, sr=22050, length=44100)
    for rate in (0.5, 1.5):
        stretched = effects.time_stretch(y, rate=rate)[4096:-4096]
        frequencies = np.fft.rfftfreq(stretched.size, 1 / 22050)
        peak = frequencies[np.abs(np.fft.rfft(stretched * np.hanning(stretched.size))).argmax()]
        assert abs(peak - 1000) < 2


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda y: effects.time_stretch(y, rate=1e-9), "rate=1e-09 must be larger"),
        (lambda y: effects.time_stretch(y, rate=float("inf")), "rate=inf must be"),
        (lambda y: effects.time_stretch(y, rate=1e-320), "must be larger"),
        (lambda y: effects.time_stretch(y[:100], rate=1.5), "y.shape[-1]=100 must be"),
        (lambda y: effects.pitch_shift(y, sr=22050, n_steps=300), "n_steps=300 must be smaller"),
        (lambda y: effects.pitch_shift(y, sr=0, n_steps=1), "sr=0 must be"),
        (lambda y: effects.pitch_shift(y, sr=22050, n_steps=np.nan), "n_steps=nan must be"),
        (lambda y: effects.trim(y, top_db=None), "top_db=None must be"),
        (lambda y: effects.split(y, frame_length=0), "frame_length=0 must be"),
        (lambda y: effects.split(y, ref=None), "ref=None must be"),
        (lambda y: effects.remix(y, [(0, 1, 2)]), "intervals.shape=(1, 3) must be"),
        (lambda y: effects.deemphasis(y, coef=None), "coef=None must be"),
        (lambda y: effects.preemphasis([1.0, 2.0]), "y=list must be"),
    ],
)
@pytest.mark.filterwarnings("ignore:n_fft=2048")
def test_refusals_name_what_was_given(call, words):
    with pytest.raises(metalmom.ParameterError) as refused:
        call(s.noise.get())
    assert words in str(refused.value)


@pytest.mark.parametrize("separate", [effects.hpss, lambda y, **k: metalmom.decompose.hpss(y[None], **k)])
@pytest.mark.parametrize("kernel_size", [10**11, (10**11, 3), (3, 10**11)])
def test_medians_of_windows_that_no_memory_holds(separate, kernel_size):
    with pytest.raises(metalmom.ParameterError, match=r"^kernel_size=.* must be smaller: \d+ GiB"):
        separate(np.ones(4000, np.float32), kernel_size=kernel_size)


def test_numbers_may_be_arrays_without_dimensions():
    y = np.sin(np.arange(6000) * 0.1)
    assert np.array_equal(
        metalmom.effects.time_stretch(y, rate=np.array(1.5)),
        metalmom.effects.time_stretch(y, rate=1.5),
    )
    assert np.array_equal(
        metalmom.effects.pitch_shift(y, sr=8000, n_steps=np.array(2)),
        metalmom.effects.pitch_shift(y, sr=8000, n_steps=2),
    )
    assert np.array_equal(effects.trim(y, top_db=np.array(3.0))[1], effects.trim(y, top_db=3.0)[1])
    assert np.array_equal(
        metalmom.vqt(y, sr=8000, n_bins=12, gamma=np.array(2.0), norm=np.array(2)),
        metalmom.vqt(y, sr=8000, n_bins=12, gamma=2.0, norm=2),
    )
    assert np.array_equal(effects.deemphasis(y, coef=np.array(0.5)), effects.deemphasis(y, coef=0.5))
