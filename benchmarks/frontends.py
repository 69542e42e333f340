#!/usr/bin/env python3
"""Front-ends of models against the code that models come with: seconds of one thread, in one process.

    python benchmarks/frontends.py [--repeats N]

Run by a Python that has transformers and kaldi-native-fbank. Of 30 s of noise at 16 kHz: both of a pair are called three times
in turns, and of each the least processor time of all calls counts.
"""

import argparse
import os
import pathlib
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before NumPy is loaded

import kaldi_native_fbank  # noqa: E402
import numpy as np  # noqa: E402
import transformers  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import metalmom  # noqa: E402

Y = (0.1 * np.random.default_rng(0).standard_normal(30 * 16000)).astype(np.float32)


def whisper():
    """WhisperFeatureExtractor's NumPy path, which it takes without torch."""
    extractor = transformers.WhisperFeatureExtractor()
    return lambda: extractor(Y, sampling_rate=16000, return_tensors="np"), lambda: metalmom.frontend.whisper(Y)


def whisper_5s():
    """The same of 5 s, which both pad to 30 s."""
    extractor, short = transformers.WhisperFeatureExtractor(), Y[: 5 * 16000]
    return lambda: extractor(short, sampling_rate=16000, return_tensors="np"), lambda: metalmom.frontend.whisper(short)


def kaldi_fbank():
    """OnlineFbank of the whole signal, all frames taken out."""
    options = kaldi_native_fbank.FbankOptions()
    options.frame_opts.dither = 0
    options.mel_opts.num_bins = 80

    def theirs():
        bank = kaldi_native_fbank.OnlineFbank(options)
        bank.accept_waveform(16000, Y)
        bank.input_finished()
        return np.stack([bank.get_frame(k) for k in range(bank.num_frames_ready)])

    return theirs, lambda: metalmom.frontend.kaldi_fbank(Y, num_bins=80)


def wav2vec2():
    """Wav2Vec2FeatureExtractor."""
    extractor = transformers.Wav2Vec2FeatureExtractor()
    return lambda: extractor(Y, sampling_rate=16000, return_tensors="np"), lambda: metalmom.frontend.wav2vec2(Y)


def seconds(call):
    """The least of three calls."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        call()
        times.append(time.process_time() - begin)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    repeats = parser.parse_args().repeats
    print(f"transformers {transformers.__version__}, kaldi-native-fbank {kaldi_native_fbank.__version__}, NumPy {np.__version__}")
    with metalmom.config_context(threads=1):
        for pair in (whisper, whisper_5s, kaldi_fbank, wav2vec2):
            theirs, ours = pair()
            turns = [(seconds(theirs), seconds(ours)) for _ in range(repeats)]
            slow, fast = (1000 * min(times) for times in zip(*turns, strict=True))
            print(f"{pair.__name__:12} {slow:8.2f} ms {fast:8.2f} ms {slow / fast:6.1f} times as fast")


if __name__ == "__main__":
    main()
