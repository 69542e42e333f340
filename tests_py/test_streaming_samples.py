"""Streams of samples and of rhythm: joined, bitwise the offline result, however they are cut."""

import sys

import metalmom
import numpy as np
import pytest
from metalmom import beat, feature, onset, streaming, util
from metalmom.util.exceptions import ParameterError
from test_streaming import RATE, blocks, cuts, log_mel, noise, streamed


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize(
    "arguments",
    [
        {"n_fft": 512},
        {"n_fft": 512, "hop_length": 100, "win_length": 300},
        {"n_fft": 600, "hop_length": 150, "center": False},
        {"n_fft": 600, "hop_length": 400, "window": "hamming"},
        {"n_fft": 64, "hop_length": 64, "window": "boxcar"},
        {"n_fft": 64, "hop_length": 90, "center": False, "window": "boxcar"},
    ],
)
def test_istft(arguments, dtype, seed):
    y = noise(8000, dtype=np.float32 if dtype == np.complex64 else np.float64)
    D = metalmom.stft(y, **arguments)
    stream = streaming.ISTFT(dtype=dtype, **arguments)
    stream.warmup()
    value = streamed(stream, D, cuts(D.shape[-1], seed))
    np.testing.assert_array_equal(value, metalmom.istft(D, **arguments))
    assert stream.position == D.shape[-1]


def test_istft_of_channels_and_of_few_frames():
    D = metalmom.stft(noise(3000, channels=2), n_fft=256)
    for n in (1, 2, 3, D.shape[-1]):
        stream = streaming.ISTFT(n_fft=256, channels=2)
        if n == 1:
            with pytest.raises(ParameterError, match="enough frames"):
                streamed(stream, D[..., :n], [1])
            continue
        value = streamed(stream, D[..., :n], [1] * n)
        np.testing.assert_array_equal(value, metalmom.istft(D[..., :n], n_fft=256))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(
    "rates", [(22050, 16000), (8000, 44100), (44100, 22050), (48000, 44100.5), (16000, 16000)]
)
def test_resample(rates, seed):
    orig_sr, target_sr = rates
    y = noise(6001, channels=2)
    for arguments in ({}, {"res_type": "soxr_vhq"}, {"fix": False}, {"scale": True}):
        arguments |= {"orig_sr": orig_sr, "target_sr": target_sr}
        whole = metalmom.resample(y, **arguments)
        stream = streaming.Resample(channels=2, **arguments)
        value = streamed(stream, y, cuts(6001, seed))
        np.testing.assert_array_equal(value, whole)
        stream.reset()
        np.testing.assert_array_equal(streamed(stream, y, cuts(6001, 3)), whole)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_pcen(seed):
    S = feature.melspectrogram(y=noise(30000, channels=2), n_mels=21)
    stream = streaming.PCEN(channels=2, sr=RATE, time_constant=0.2)
    value = streamed(stream, S, cuts(S.shape[-1], seed), last_by_flush=False)
    np.testing.assert_array_equal(value, metalmom.pcen(S, sr=RATE, time_constant=0.2))


def song(n=120000):
    """Clicks on a regular beat over noise."""
    times = np.arange(0.1, n / RATE, 0.47)
    return (metalmom.clicks(times=times, sr=RATE, length=n) + 0.01 * noise(n)).astype(np.float32)


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("arguments", [{}, {"wait": 20, "pre_avg": 3.2, "post_avg": 9, "post_max": 4}])
def test_onset_detect(arguments, seed):
    y = song()
    envelope = onset.onset_strength(S=log_mel(y, sr=RATE, fmax=RATE / 2, hop_length=160), hop_length=160)
    whole = onset.onset_detect(
        onset_envelope=envelope, sr=RATE, hop_length=160, normalize=False, delta=0.5, **arguments
    )
    assert len(whole) > 20
    stream = streaming.OnsetDetect(sr=RATE, hop_length=160, normalize=False, delta=0.5, **arguments)
    np.testing.assert_array_equal(streamed(stream, y, cuts(len(y), seed)), whole)


def test_the_default_threshold_finds_what_the_whole_file_has():
    """Each click, and nothing else, as offline; with the normalised function's threshold it is twice as many."""
    y, at = song(), {"sr": RATE, "hop_length": 160}
    whole = onset.onset_detect(y=y, **at)
    found = streaming.OnsetDetect(**at).process(y, last=True)
    assert len(found) == len(whole) == 32 and np.abs(found - whole).max() <= 1
    assert len(streaming.OnsetDetect(delta=0.07, **at).process(y, last=True)) > 50


@pytest.mark.parametrize("arguments", [{}, {"post_max": 9}, {"post_avg": 1}])
def test_onsets_come_after_the_latency(arguments):
    y = song()
    stream = streaming.OnsetDetect(sr=RATE, hop_length=160, delta=0.5, units="samples", **arguments)
    waited = [
        stream.position - at for block in blocks(y, [64] * (len(y) // 64)) for at in stream.process(block)
        if stream.position > 10000  # frames before the first sample are known at once
    ]
    # what a greedy search passes over may be decided later, but not before
    assert min(waited) in range(stream.latency, stream.latency + 64) and len(waited) > 10
    assert max(waited) < stream.latency + 64


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_tempo_and_beats_end_with_the_offline_answer(seed):
    y = song()
    S = log_mel(y, sr=RATE, fmax=RATE / 2)
    tempo = feature.tempo(onset_envelope=onset.onset_strength(S=S), sr=RATE)
    bpm, beats = beat.beat_track(
        onset_envelope=onset.onset_strength(S=S, aggregate=np.median), sr=RATE, units="time"
    )
    one, other = streaming.Tempo(sr=RATE), streaming.BeatTrack(sr=RATE, units="time")
    provisional = []
    for block in blocks(y, cuts(len(y), seed)):
        one.process(block)
        provisional.append(other.process(block))
    np.testing.assert_array_equal(one.flush().tempo, tempo)
    value = other.flush()
    np.testing.assert_array_equal(value.tempo, bpm)
    np.testing.assert_array_equal(value.beats, beats)
    told = [each for each in provisional if each.tempo.size]
    assert told and all(np.all(each.beats <= each.time + 0.1) for each in told)
    assert abs(told[-1].tempo - bpm) < 5


def test_the_envelope_of_an_hour_stays_under_a_megabyte():
    stream = streaming.BeatTrack(sr=22050, update=1e9)
    follower = stream._requests[0].follower
    for n_blocks in range(1, 37):
        follower.taken(np.zeros(4307, dtype=np.float32), False)  # 100 s of frames
        assert sys.getsizeof(follower._kept) < 4 * 4307 * n_blocks * 1.1 + 100  # 4 bytes a frame
    assert sys.getsizeof(follower._kept) < 1e6


@pytest.mark.parametrize(
    "make, complaint",
    [
        (lambda: streaming.OnsetDetect(normalize=True), "normalize=True must be False"),
        (lambda: streaming.OnsetDetect(sr=RATE, normalize=False, delta=0), "delta=0 must be"),
        (lambda: streaming.OnsetDetect(sr=RATE, normalize=False, backtrack=True), "backtrack=True"),
        (lambda: streaming.OnsetDetect(sr=RATE, normalize=False, units="s"), "units='s' must be"),
        (lambda: streaming.Resample(orig_sr=2, target_sr=3, res_type="fft"), "whole signal"),
        (lambda: streaming.Resample(orig_sr=0, target_sr=3), "orig_sr=0 must be"),
        (lambda: streaming.ISTFT(n_fft=0), "n_fft=0 must be"),
        (lambda: streaming.ISTFT(dtype=np.float32), "must be complex64"),
        (lambda: streaming.PCEN(power=-1), "power=-1"),
        (lambda: streaming.PCEN(axis=0), "axis=0"),
        (lambda: streaming.Tempo(update=0), "update=0 must be"),
        (lambda: streaming.BeatTrack(units="s"), "units='s' must be"),
    ],
)
def test_what_is_refused(make, complaint):
    with pytest.raises(ParameterError, match=complaint):
        make()


def test_the_end_is_the_end():
    for stream, block in [
        (streaming.Resample(orig_sr=2, target_sr=3), noise(100)),
        (streaming.Resample(orig_sr=2, target_sr=2), noise(100)),
        (streaming.ISTFT(n_fft=64), metalmom.stft(noise(1000), n_fft=64)),
        (streaming.PCEN(), np.ones((4, 3))),
        (streaming.OnsetDetect(normalize=False), noise(4000)),
        (streaming.BeatTrack(), noise(4000)),
    ]:
        stream.process(block)
        stream.flush()
        with pytest.raises(ParameterError, match="reset"):
            stream.process(block)
        stream.reset()
        stream.process(block)
    assert util.is_positive_int(stream.position)


@pytest.mark.parametrize("out", [np.zeros((2, 2, 2)), np.zeros(9, dtype=np.int16), [0.0] * 9])
def test_an_array_that_nothing_fits_into_is_refused_before_the_stream_moves(out):
    for make, block in [
        (lambda: streaming.Resample(orig_sr=2, target_sr=3), noise(3000)),
        (lambda: streaming.Resample(orig_sr=2, target_sr=2), noise(3000)),
        (lambda: streaming.ISTFT(n_fft=64), metalmom.stft(noise(1000), n_fft=64)),
        (lambda: streaming.PCEN(), np.ones((4, 30))),
    ]:
        stream = make()
        with pytest.raises(ParameterError, match="out"):
            stream.process(block, out=out)
        np.testing.assert_array_equal(stream.process(block), make().process(block))


def test_past_31_bits_of_samples_a_frame_has_the_same_bits():
    """A signal that repeats every 43 hops: no position wraps, and nothing drifts."""
    y = noise(43 * 512)
    stream = streaming.Extractor({"rms": {}, "zero_crossing_rate": {}}, hop_length=512)
    early = [stream.process(y) for _ in range(4)][-1]
    long = np.tile(y, 200)
    rounds = 2**31 // len(long) + 1
    for _ in range(rounds):
        stream.process(long)
    assert stream.position == (4 + 200 * rounds) * len(y) > 2**31
    late = stream.process(y)
    for name, value in early.items():
        np.testing.assert_array_equal(late[name], value)
