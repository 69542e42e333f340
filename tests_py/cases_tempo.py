"""Reference cases of tempo beyond the tempogram, and of pulses and beats at given tempi."""

import numpy as np
import reference_signals as s


class Prior:
    """A distribution of tempi around 90 beats per minute, as SciPy's have it."""

    def logpdf(self, bpm):
        with np.errstate(divide="ignore"):
            return -0.5 * (np.log2(bpm) - np.log2(90)) ** 2


def add(case):
    add_fourier(case)
    add_ratios(case)
    add_pulse(case)
    add_beats(case)


def add_fourier(case):
    for name in ("fourier_tempogram", "hybrid_tempogram"):
        f = f"feature.{name}"
        case(f, "default", y=s.music)
        case(f, "envelope", onset_envelope=s.envelope, win_length=100)
        case(f, "float64", onset_envelope=s.envelope64, win_length=64)
        case(f, "odd window", onset_envelope=s.envelope, win_length=101)
        case(f, "not centred", onset_envelope=s.envelope, center=False, window="hamming")
        case(f, "stereo", onset_envelope=s.envelope_stereo, win_length=64)
        case(f, "no onsets", onset_envelope=s.no_onsets, win_length=64)
        case(f, "short", onset_envelope=s.single)
        case(f, "zero window", onset_envelope=s.envelope, win_length=0)
        case(f, "nothing")
    f = "feature.hybrid_tempogram"
    case(f, "extrapolated", onset_envelope=s.envelope, win_length=50, fill_value="extrapolate")
    case(f, "rates", onset_envelope=s.envelope, win_length=64, sr=16000, hop_length=160)
    case(f, "fill", onset_envelope=s.envelope, win_length=64, fill_value=0.5)
    case(f, "cubic", onset_envelope=s.envelope, win_length=64, kind="cubic")


def add_ratios(case):
    tempi = np.linspace(300, 10, 120)
    f = "feature.metrogram"
    case(f, "default", tg=s.tempogram, freqs=tempi)
    case(f, "factors", tg=s.tempogram, freqs=tempi, factors=[0.5, 2])
    case(f, "not aggregated", tg=s.tempogram, freqs=tempi, aggregate=None)
    case(f, "mean", tg=s.mel_stereo, freqs=np.linspace(20, 200, 40), aggregate=np.mean)
    case(f, "complex", tg=s.spectrum, freqs=np.linspace(20, 200, 257))
    case(f, "fill", tg=s.tempogram, freqs=tempi, fill_value=0.5)
    case(f, "complex fill", tg=s.spectrum, freqs=np.linspace(20, 200, 257), fill_value=0.5)
    case(f, "nearest", tg=s.tempogram, freqs=tempi, kind="nearest")
    case(f, "other freqs", tg=s.tempogram, freqs=tempi[:10])
    f = "feature.tempogram_ratio"
    case(f, "envelope", onset_envelope=s.envelope)
    case(f, "float64", onset_envelope=s.envelope64, win_length=100)
    case(f, "aggregated", onset_envelope=s.envelope, aggregate=np.median)
    case(f, "tempogram", tg=s.tempogram)
    case(f, "tempi", tg=s.tempogram, freqs=tempi, bpm=s.tempo_curve, factors=[0.5, 1, 2])
    case(f, "one tempo", tg=s.tempogram, freqs=tempi, bpm=120.0)
    case(f, "fill", tg=s.tempogram, freqs=tempi, bpm=120.0, fill_value=np.nan)
    case(f, "nearest", tg=s.tempogram, bpm=s.tempo_curve, kind="nearest")
    case(f, "prior", onset_envelope=s.envelope, prior=Prior())
    case(f, "start", onset_envelope=s.envelope, start_bpm=60, std_bpm=0.5, max_tempo=100.0)
    case(f, "other freqs", tg=s.tempogram, freqs=tempi[:10])
    case(f, "nothing")


def add_pulse(case):
    f = "beat.plp"
    case(f, "song", y=s.song)
    case(f, "envelope", onset_envelope=s.envelope)
    case(f, "float64", onset_envelope=s.envelope64, win_length=192)
    case(f, "stereo", onset_envelope=s.envelope_stereo)
    case(f, "prior", onset_envelope=s.envelope, prior=Prior())
    case(f, "range", onset_envelope=s.envelope, tempo_min=60, tempo_max=110)
    case(f, "no bounds", onset_envelope=s.envelope, tempo_min=None, tempo_max=None)
    case(f, "one bin", onset_envelope=s.envelope, win_length=16)
    case(f, "no onsets", onset_envelope=s.no_onsets)
    case(f, "short", onset_envelope=s.single)
    case(f, "no range", onset_envelope=s.envelope, tempo_min=100, tempo_max=100)
    case(f, "nothing")


def add_beats(case):
    f = "beat.beat_track"
    moving = np.linspace(110, 150, 600)
    case(f, "tempo per frame", onset_envelope=s.envelope, bpm=moving)
    case(f, "tempo per frame float64", onset_envelope=s.envelope64, bpm=moving, tightness=40)
    case(f, "mask", onset_envelope=s.envelope, sparse=False)
    case(f, "masks", onset_envelope=s.envelope_stereo, sparse=False)
    case(f, "tempo per channel", onset_envelope=s.envelope_stereo, sparse=False,
         bpm=np.array([[129.0], [103.0]]))  # fmt: skip
    case(f, "tempo per channel and frame", onset_envelope=s.envelope_stereo, sparse=False,
         bpm=np.stack([moving[:500], moving[99:599]]))  # fmt: skip
    case(f, "stereo song", y=s.stereo_song, sparse=False)
    case(f, "prior", onset_envelope=s.envelope, prior=Prior())
    case(f, "prior of channels", onset_envelope=s.envelope_stereo, prior=Prior(), sparse=False)
    case(f, "not trimmed", onset_envelope=s.envelope, trim=False, bpm=moving, units="time")
    case(f, "other frames of tempo", onset_envelope=s.envelope, bpm=moving[:100])
    case(f, "zero tempo", onset_envelope=s.envelope, bpm=moving * 0)
