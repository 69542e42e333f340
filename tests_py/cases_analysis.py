"""Reference cases of onset, beat, decompose and effects."""

import numpy as np
import reference_signals as s


def add(case):
    add_onset(case)
    add_beat(case)
    add_separation(case)


def add_onset(case):
    strength = "onset.onset_strength"
    case(strength, "default", y=s.music)
    case(strength, "clicks", y=s.clicks)
    case(strength, "float64", y=s.music64)
    case(strength, "lag", y=s.music, lag=2, max_size=3)
    case(strength, "even max_size", y=s.music, max_size=4)
    case(strength, "detrend", y=s.music, detrend=True)
    case(strength, "not centred", y=s.music, center=False)
    case(strength, "median", y=s.music, aggregate=np.median)
    case(strength, "small", y=s.music, n_fft=1024, hop_length=256, n_mels=64, fmax=8000)
    case(strength, "S", S=s.decibels)
    case(strength, "ref", S=s.decibels, ref=s.decibels)
    case(strength, "stereo", y=s.stereo)
    case(strength, "fading", y=s.fading)
    case(strength, "silence", y=s.silence)
    case(strength, "short", y=s.short)
    case(strength, "nothing")
    case(strength, "zero lag", y=s.music, lag=0)
    case(strength, "zero max_size", y=s.music, max_size=0)
    multi = "onset.onset_strength_multi"
    case(multi, "default", y=s.music)
    case(multi, "channels", y=s.music, channels=[0, 32, 64, 96, 128])
    case(multi, "slices", S=s.decibels, channels=[slice(0, 16), slice(16, 40)])
    case(multi, "not aggregated", S=s.decibels, aggregate=False)
    case(multi, "stereo", y=s.stereo, channels=[0, 64, 128])
    case(multi, "float64", y=s.music64, lag=2)
    detect = "onset.onset_detect"
    case(detect, "clicks", y=s.clicks)
    case(detect, "music", y=s.song)
    case(detect, "float64", y=s.song64)
    case(detect, "time", y=s.clicks, units="time")
    case(detect, "samples", y=s.clicks, units="samples")
    case(detect, "backtrack", y=s.clicks, backtrack=True)
    case(detect, "energy", onset_envelope=s.envelope, backtrack=True, energy=s.envelope)
    case(detect, "envelope", onset_envelope=s.envelope)
    case(detect, "not normalised", onset_envelope=s.envelope, normalize=False, delta=0.5)
    case(detect, "dense", onset_envelope=s.envelope, sparse=False)
    case(detect, "stereo dense", onset_envelope=s.envelope_stereo, sparse=False)
    case(detect, "stereo sparse", onset_envelope=s.envelope_stereo)
    case(detect, "options", onset_envelope=s.envelope, wait=30, pre_max=5, post_max=5)
    case(detect, "no onsets", onset_envelope=s.no_onsets)
    case(detect, "silence", y=s.silence)
    case(detect, "unknown units", y=s.clicks, units="nonsense")
    case(detect, "nothing")
    back = "onset.onset_backtrack"
    case(back, "default", np.array([7, 45, 88, 301]), s.envelope)
    case(back, "before any minimum", np.array([0, 1]), s.envelope)


def add_beat(case):
    beat = "beat.beat_track"
    case(beat, "song", y=s.song)
    case(beat, "float64", y=s.song64)
    case(beat, "stereo dense", y=s.stereo_song, sparse=False)
    case(beat, "stereo sparse", y=s.stereo_song)
    case(beat, "envelope", onset_envelope=s.envelope)
    case(beat, "envelope float64", onset_envelope=s.envelope64)
    case(beat, "untrimmed", onset_envelope=s.envelope, trim=False)
    case(beat, "time", onset_envelope=s.envelope, units="time")
    case(beat, "samples", onset_envelope=s.envelope, units="samples", hop_length=256)
    case(beat, "bpm", onset_envelope=s.envelope, bpm=100)
    case(beat, "bpm array", onset_envelope=s.envelope, bpm=np.linspace(100, 140, 600))
    case(beat, "stereo bpm", onset_envelope=s.envelope_stereo, bpm=np.array([120.0, 90.0]), sparse=False)
    case(beat, "loose", onset_envelope=s.envelope, tightness=10)
    case(beat, "tight", onset_envelope=s.envelope, tightness=800, start_bpm=60)
    case(beat, "dense", onset_envelope=s.envelope, sparse=False)
    case(beat, "no onsets", onset_envelope=s.no_onsets)
    case(beat, "silence", y=s.silence)
    case(beat, "zero tightness", onset_envelope=s.envelope, tightness=0)
    case(beat, "zero bpm", onset_envelope=s.envelope, bpm=0)
    case(beat, "unknown units", onset_envelope=s.envelope, units="nonsense")
    case(beat, "nothing")


def add_separation(case):
    hpss = "decompose.hpss"
    case(hpss, "default", s.ridges)
    case(hpss, "complex", s.spectrum, kernel_size=11)
    case(hpss, "masks", s.ridges, mask=True)
    case(hpss, "kernels", s.ridges, kernel_size=(13, 21))
    case(hpss, "even kernel", s.ridges, kernel_size=12)
    case(hpss, "margin", s.ridges, margin=2.0)
    case(hpss, "margins", s.ridges, margin=(1.5, 3.0))
    case(hpss, "power 1", s.ridges, power=1.0)
    case(hpss, "hard", s.ridges, power=np.inf)
    case(hpss, "float64", s.power64, kernel_size=9)
    case(hpss, "stereo", s.power_stereo, kernel_size=9)
    case(hpss, "small margin", s.ridges, margin=0.5)
    case("effects.hpss", "default", s.music)
    case("effects.hpss", "float64", s.music64, kernel_size=15, n_fft=512)
    case("effects.hpss", "stereo", s.stereo, n_fft=512, margin=1.5)
    case("effects.hpss", "silence", s.silence)
    for name in ("effects.harmonic", "effects.percussive"):
        case(name, "default", s.music)
        case(name, "margin", s.music, margin=3.0, n_fft=1024)
        case(name, "stereo", s.stereo, n_fft=512)
        case(name, "short", s.short)
