"""32 threads of mixed calls, bit for bit those of one; forks of the process before, between and after them.

A forked child makes some of the calls, too, and must end.
"""

import functools
import threading
import warnings

import audio_files
import metalmom
import numpy as np
from metalmom import feature, streaming
from test_extractor import assert_same, song

from .draw import expect, in_a_child

N_THREADS = 32
CHILD_SECONDS = 60


@functools.cache
def signals():
    return song(0.5, seed=1), song(0.4, channels=2, seed=2), audio_files.wave_bytes(audio_files.sines(0.2, 2))


def extracted(y):
    values = metalmom.Extractor(["mfcc", "rms", "chroma_stft", "onset_strength"])(y)
    return tuple(values.values())


def streamed(y):
    stream = streaming.MelSpectrogram(n_mels=20)
    return np.concatenate([stream.process(y[:3000]), stream.process(y[3000:]), stream.flush()], axis=-1)


def forgetting(y):
    metalmom.release_caches()
    return feature.rms(y=y)


CALLS = {
    "stft": lambda mono, stereo, wav: metalmom.stft(stereo),
    "mfcc": lambda mono, stereo, wav: feature.mfcc(y=mono),
    "chroma_cqt": lambda mono, stereo, wav: feature.chroma_cqt(y=mono, n_octaves=3),
    "hpss": lambda mono, stereo, wav: metalmom.effects.hpss(mono),
    "resample": lambda mono, stereo, wav: metalmom.resample(mono, orig_sr=22050, target_sr=16000),
    "yin": lambda mono, stereo, wav: metalmom.yin(mono, fmin=65, fmax=2000),
    "beat_track": lambda mono, stereo, wav: metalmom.beat.beat_track(y=mono),
    "mel": lambda mono, stereo, wav: metalmom.filters.mel(sr=22050, n_fft=1024 + 2 * (len(mono) % 7)),
    "load": lambda mono, stereo, wav: metalmom.load(wav, sr=22050)[0],
    "pyin": lambda mono, stereo, wav: metalmom.pyin(mono[:4000], fmin=100, fmax=1000),
    "Extractor": lambda mono, stereo, wav: extracted(mono),
    "map": lambda mono, stereo, wav: tuple(
        each["rms"] for each in metalmom.Extractor(["rms"]).map([mono, mono[:9000], stereo])
    ),
    "stream": lambda mono, stereo, wav: streamed(mono),
    "submit": lambda mono, stereo, wav: metalmom.submit(feature.spectral_centroid, y=mono).result(),
    "release_caches": lambda mono, stereo, wav: forgetting(mono),
    "convolve": lambda mono, stereo, wav: metalmom.convolve(mono, mono[:2000]),
    "griffinlim": lambda mono, stereo, wav: metalmom.griffinlim(
        np.abs(metalmom.stft(mono, n_fft=512)), n_iter=2, random_state=0
    ),
}


@functools.cache
def serial():
    with metalmom.config_context(threads=1):
        return {name: call(*signals()) for name, call in CALLS.items()}


def called_in_a_child(names):
    """Make these calls in a fork of this process; what is wrong there, or None."""

    def call():
        for name in names:
            assert_same(CALLS[name](*signals()), serial()[name], name)

    fault = in_a_child(call, CHILD_SECONDS)
    return fault and f"a forked child that calls {names} {fault}"


def attempt(draw):
    warnings.simplefilter("ignore")
    names = sorted(CALLS)
    wanted = [[draw.one(names) for _ in range(1 + draw.below(5))] for _ in range(N_THREADS)]
    forks = [
        [draw.one(names) for _ in range(1 + draw.below(2))] if draw.chance(0.03) else None
        for _ in range(N_THREADS)
    ]
    threads = draw.one([1, 2, 4])
    draw.say(f"threads={threads}, {wanted}, forks {forks}")
    serial()
    faults = []

    def work(mine, fork):
        try:
            for i, name in enumerate(mine):
                if fork and i == len(mine) // 2 and (fault := called_in_a_child(fork)):
                    faults.append(fault)
                assert_same(CALLS[name](*signals()), serial()[name], name)
        except BaseException as error:  # noqa: BLE001
            faults.append(f"{type(error).__name__}: {error}")

    with metalmom.config_context(threads=threads):
        workers = [threading.Thread(target=work, args=each) for each in zip(wanted, forks, strict=True)]
        for each in workers:
            each.start()
        for each in workers:
            each.join()
    if draw.chance(0.1) and (fault := called_in_a_child([draw.one(names)])):
        faults.append(fault)
    expect(not faults, "; ".join(faults))
