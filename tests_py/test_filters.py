"""Windows and filter banks beyond the reference cases: kinds of arguments, warnings, errors."""

import subprocess
import sys
import warnings

import metalmom
import numpy as np
import pytest
from metalmom import ParameterError, filters

NATIVE = "barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann nuttall"
NATIVE = [*NATIVE.split(), "parzen", "triang", ("kaiser", 8.6), ("gaussian", 7.0), 14]


@pytest.mark.parametrize("window", NATIVE, ids=str)
@pytest.mark.parametrize("fftbins", [True, False])
def test_windows_are_scipys(window, fftbins):
    signal = pytest.importorskip("scipy.signal")
    for length in (1, 2, 3, 24, 25, 400, 2048):
        with np.errstate(invalid="ignore"):
            expected = signal.get_window(window, length, fftbins=fftbins)
        # Both round a few times; SciPy's own Bessel function is good to about 4e-16.
        error = np.abs(filters.get_window(window, length, fftbins=fftbins) - expected).max()
        assert error <= 1e-15, length


FORMULAS = [
    "tukey", "tuk", *(("tukey", share) for share in (0.0, 0.25, 0.9, 1.0)), "exponential", "poisson", "lanczos", "sinc",
    ("general_gaussian", 1.5, 7), ("general gaussian", 0.5, 3), ("ggs", 0.3, 2), ("general_cosine", [1, 0.5, 0.1]),
    ("general cosine", (0.5, 0.5)), ("general_hamming", 0.6), ("general hamming", 0.54),
]  # fmt: skip


@pytest.mark.parametrize("window", [*FORMULAS, ("chebwin", 60), ("dpss", 0.4), "taylor"], ids=str)
@pytest.mark.parametrize("fftbins", [True, False])
def test_further_windows_are_scipys_bit_for_bit(window, fftbins):
    signal = pytest.importorskip("scipy.signal")
    for length in (1, 2, 3, 24, 25, 400, 2048):
        expected = signal.get_window(window, length, fftbins=fftbins)
        np.testing.assert_array_equal(filters.get_window(window, length, fftbins=fftbins), expected, strict=True)


def test_kinds_of_windows():
    hann = filters.get_window("hann", 8)
    assert hann.dtype == np.float64
    hann[0] = 5  # a copy: the next caller gets the window
    assert filters.get_window("hann", 8)[0] == 0
    assert filters.get_window("hann_symmetric", 8)[-1] == 0
    assert filters.get_window("hann_periodic", 8, fftbins=False)[-1] > 0.1
    np.testing.assert_array_equal(filters.get_window(4.0, 9), filters.get_window(("kaiser", 4), 9))
    assert filters.get_window([1, 2, 3], 3).tolist() == [1, 2, 3]
    assert filters.get_window(np.ones, 3).tolist() == [1, 1, 1]
    given = np.ones(4, np.float32)
    assert filters.get_window(given, 4) is given


@pytest.mark.parametrize(
    "window",
    ["nonsense", "kaiser", ("hann", 3), ("kaiser",), (), (3, 4), 3 + 4j, None, {}, b"hann"],
    ids=repr,
)
def test_no_window(window):
    pytest.importorskip("scipy")
    with pytest.raises(ParameterError, match="window="):
        filters.get_window(window, 16)


@pytest.mark.parametrize("length", [0, -3, 16.0])
def test_no_length(length):
    with pytest.raises(ParameterError, match=f"Nx={length} must be a positive integer"):
        filters.get_window("hann", length)
    with pytest.raises(ParameterError, match="window of 3 samples must have 16"):
        filters.get_window([1, 2, 3], 16)


def test_common_windows_and_filters_do_without_scipy():
    """A process in which SciPy cannot be imported."""
    code = (
        "import sys; sys.modules['scipy'] = None; import metalmom.filters as f;"
        f"[f.get_window(window, 8) for window in {FORMULAS}];"
        "f.get_window('hann', 8); f.get_window(('kaiser', 4.0), 8);"
        "f.mel(sr=22050, n_fft=512, n_mels=20); f.chroma(sr=22050, n_fft=512);"
        "f.window_sumsquare(window='hann', n_frames=3); f.window_bandwidth('hamming')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_mel_warns_of_empty_filters_every_time():
    for _ in range(2):
        with pytest.warns(UserWarning, match="Empty filters detected in mel frequency basis"):
            filters.mel(sr=22050, n_fft=256, n_mels=128)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filters.mel(sr=22050, n_fft=2048)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"norm": "max"}, "norm='max' must be 'slaney'"),
        ({"norm": -1}, "norm=-1 must be 'slaney'"),
        ({"norm": True}, "norm=True must be 'slaney'"),
        ({"n_fft": 512.0}, "n_fft=512.0 must be an integer"),
        ({"n_fft": 0}, "n_fft=0 must be a positive integer"),
        ({"n_mels": -1}, "n_mels=-1 must be non-negative"),
        ({"sr": 0}, "sr=0 must be a number > 0"),
        ({"fmin": np.nan}, "fmin=nan must be finite"),
    ],
)
def test_mel_refuses(arguments, message):
    with pytest.raises(ParameterError, match=message):
        filters.mel(**({"sr": 22050, "n_fft": 512} | arguments))


@pytest.mark.parametrize("n_mels", [10**12, 2**62, 2**63 - 1])
def test_more_than_memory_holds(n_mels):
    with pytest.raises(MemoryError):
        filters.mel(sr=22050, n_fft=2048, n_mels=n_mels)


def test_dtypes_of_filters():
    for make in (filters.mel, filters.chroma):
        double = make(sr=22050, n_fft=512, dtype=np.float64)[:, :200]
        for dtype in (np.float32, np.float16, np.complex64):
            found = make(sr=22050, n_fft=512, dtype=dtype)
            assert found.dtype == dtype
            assert found.flags.c_contiguous
            resolution = np.finfo(dtype).resolution
            np.testing.assert_allclose(found[:, :200], double, atol=resolution)


def test_chroma_refuses():
    for arguments in ({"n_fft": 1}, {"n_chroma": 0}, {"tuning": np.inf}, {"norm": "max"}):
        name = next(iter(arguments))
        with pytest.raises(ParameterError, match=f"{name}="):
            filters.chroma(**({"sr": 22050, "n_fft": 512} | arguments))


def test_bandwidths():
    assert filters.window_bandwidth("hann") == 1.50018310546875
    assert filters.window_bandwidth(np.ones(16), 16) == pytest.approx(1)
    # Two functions of the same name are two windows.
    assert filters.window_bandwidth(lambda n: np.ones(n)) == pytest.approx(1)
    assert filters.window_bandwidth(lambda n: np.arange(n)) == pytest.approx(4 / 3, rel=1e-2)


def test_wavelets_of_integers_are_those_of_floats():
    whole, real = np.array([100, 200, 300]), np.array([100.0, 200.0, 300.0])
    np.testing.assert_array_equal(
        filters.wavelet(freqs=whole, sr=2000)[0], filters.wavelet(freqs=real, sr=2000)[0]
    )
    lengths, _ = filters.wavelet_lengths(freqs=[100, 200, 300])
    assert lengths[1] == pytest.approx(22050 / 200 * (300 + 100) / (300 - 100))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"freqs": 100.0}, r"freqs.shape=\(\) must be"),
        ({"freqs": [[1.0, 2.0]]}, r"freqs.shape=\(1, 2\) must be"),
        ({"freqs": [100.0, np.nan]}, "freqs=.* must be finite numbers > 0"),
        ({"freqs": [100.0, 100.0]}, "freqs=.* must be in strictly ascending order"),
        ({"sr": 0}, "sr=0 must be positive"),
        ({"filter_scale": np.nan}, "filter_scale=nan must be positive"),
        ({"gamma": np.inf}, "gamma=inf must be non-negative"),
        ({"gamma": np.ones(2)}, "gamma=.* must be non-negative"),
        ({"alpha": 0}, "alpha=0 must be finite numbers > 0"),
        ({"alpha": [0.1, np.inf]}, r"alpha=\[0.1 inf\] must be finite numbers > 0"),
    ],
)
def test_wavelets_refuse(arguments, message):
    """librosa answers some of these with NaN and others with errors from NumPy's depths."""
    for function in (filters.wavelet, filters.wavelet_lengths):
        with pytest.raises(ParameterError, match=message):
            function(**({"freqs": [100.0, 200.0]} | arguments))


def test_pitch_filters_refuse():
    for arguments, message in [
        ({"bins_per_octave": 0}, "bins_per_octave=0 must be a multiple of n_chroma=12"),
        ({"n_chroma": 12.0}, "n_chroma=12.0 must be a positive integer"),
        ({"fmin": np.nan}, "fmin=nan must be a number > 0"),
    ]:
        with pytest.raises(ParameterError, match=message):
            filters.cq_to_chroma(84, **arguments)
    with pytest.raises(ParameterError, match="n_input=-1 must be a non-negative integer"):
        filters.cq_to_chroma(-1)
    for window in (10**400, [1, None], np.array([1, 2], dtype=object)):
        with pytest.raises(ParameterError, match="^window="):
            filters.cq_to_chroma(84, window=window)
    pytest.importorskip("scipy")
    with pytest.raises(ParameterError, match=r"center_freqs.shape=\(2, 1\) must be \(n,\)"):
        filters.semitone_filterbank(center_freqs=np.ones((2, 1)), sample_rates=np.ones((2, 1)))


def test_diagonals_refuse():
    for arguments, message in [
        ({"slope": np.nan}, "slope=nan must be a number"),
        ({"angle": np.inf}, "angle=inf must be finite"),
    ]:
        with pytest.raises(ParameterError, match=message):
            filters.diagonal_filter("hann", 5, **arguments)
    with pytest.raises(ParameterError, match="window='hann' with n=2 must have a positive sum"):
        filters.diagonal_filter("hann", 2)


def test_sum_of_squares_inverts_what_istft_overlaps():
    sums = filters.window_sumsquare(window="hann", n_frames=9, hop_length=8, n_fft=32)
    assert sums.shape == (32 + 8 * 8,)
    assert sums.dtype == np.float32
    np.testing.assert_allclose(sums[24:-24], 1.5, rtol=1e-6)
    short = filters.window_sumsquare(window="boxcar", n_frames=1, win_length=2, n_fft=6)
    assert short.tolist() == [0, 0, 1, 1, 0, 0]
    with pytest.raises(ParameterError, match="hop_length=-1 must be non-negative"):
        filters.window_sumsquare(window="hann", n_frames=3, hop_length=-1, n_fft=16)
    with pytest.raises(ParameterError, match="n_fft=16 must be at least"):
        filters.window_sumsquare(window="hann", n_frames=1, win_length=20, n_fft=16)


def test_a_bandwidth_is_that_of_its_length_whatever_was_asked_before():
    """Of a window that no table knows."""
    short, default = filters.window_bandwidth(("kaiser", 3.25), 10), filters.window_bandwidth(("kaiser", 3.25))
    samples = filters.get_window(("kaiser", 3.25), 1000)
    assert default == pytest.approx(1000 * np.sum(samples**2) / np.sum(samples) ** 2) and short != default


def test_bases_are_kept():
    """The handles of the feature functions: equal arguments share one."""
    one = filters._mel_basis(sr=22050, n_fft=2048, n_mels=64)
    assert one is filters._mel_basis(sr=22050, n_fft=2048, n_mels=64)
    assert one.shape == (64, 1025)
    assert one is not filters._mel_basis(sr=22050, n_fft=2048, n_mels=64, htk=True)
    assert filters._chroma_basis(sr=22050, n_fft=2048).shape == (12, 1025)
    assert metalmom.filters is filters
