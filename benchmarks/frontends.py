#!/usr/bin/env python3
"""Front-ends of models against the code that models come with, both in one process.

    python benchmarks/frontends.py [--threads N] [--repeats N]
    python benchmarks/frontends.py --gpu

Run by a Python that has transformers and kaldi-native-fbank. Of 30 s of noise at 16 kHz: both of a pair are called three times
in turns, and of each the least time of all calls counts, by the wall clock. NumPy's libraries compute on one thread, and so does
metalmom unless --threads says otherwise.

--gpu: 64 such clips that lie on a GPU, beside torch and torchaudio on CUDA, which that Python must have; medians of 200
calls (20 of kaldi_fbank), each with a wait for the device, in three rounds.
"""

import argparse
import importlib.util
import os
import pathlib
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before NumPy is loaded

import numpy as np  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import metalmom  # noqa: E402

Y = (0.1 * np.random.default_rng(0).standard_normal(30 * 16000)).astype(np.float32)


def whisper():
    """WhisperFeatureExtractor: its NumPy path where torch is not installed."""
    import transformers

    extractor = transformers.WhisperFeatureExtractor()
    return lambda: extractor(Y, sampling_rate=16000, return_tensors="np"), lambda: metalmom.frontend.whisper(Y)


def whisper_5s():
    """The same of 5 s, which both pad to 30 s."""
    import transformers

    extractor, short = transformers.WhisperFeatureExtractor(), Y[: 5 * 16000]
    return lambda: extractor(short, sampling_rate=16000, return_tensors="np"), lambda: metalmom.frontend.whisper(short)


def kaldi_fbank():
    """OnlineFbank of the whole signal, all frames taken out."""
    import kaldi_native_fbank

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
    import transformers

    extractor = transformers.Wav2Vec2FeatureExtractor()
    return lambda: extractor(Y, sampling_rate=16000, return_tensors="np"), lambda: metalmom.frontend.wav2vec2(Y)


def seconds(call):
    """The least of three calls."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return min(times)


def show(name, theirs, ours):
    print(f"{name:12} {1e3 * theirs:8.3f} ms {1e3 * ours:8.3f} ms {theirs / ours:6.1f} times as fast", flush=True)


def on_cpu(threads, repeats):
    torch = "with" if importlib.util.find_spec("torch") else "without"  # transformers transforms by it
    print(f"NumPy {np.__version__}, {torch} torch, threads: {threads}")
    with metalmom.config_context(threads=threads, backend="cpu"):
        for pair in (whisper, whisper_5s, kaldi_fbank, wav2vec2):
            theirs, ours = pair()
            turns = [(seconds(theirs), seconds(ours)) for _ in range(repeats)]
            show(pair.__name__, *(min(times) for times in zip(*turns, strict=True)))


def on_gpu():
    import torch
    import torchaudio

    clips = np.stack([np.roll(Y, 1000 * i) for i in range(64)])
    device, waves = metalmom.to_device(clips), torch.from_numpy(clips).cuda()
    mel = torch.from_numpy(metalmom.filters.mel(sr=16000, n_fft=400, n_mels=80)).float().cuda()
    window = torch.hann_window(400, device="cuda")

    def whisper_by_torch():  # the formula of transformers' path for CUDA
        powers = torch.stft(waves, 400, 160, window=window, return_complex=True)[..., :-1].abs() ** 2
        levels = (mel @ powers).clamp(min=1e-10).log10()
        return (levels.maximum(levels.amax(dim=(1, 2), keepdim=True) - 8) + 4) / 4

    def kaldi_by_torchaudio():  # which takes a clip a call
        fbank = torchaudio.compliance.kaldi.fbank
        return [fbank(wave[None], num_mel_bins=80, sample_frequency=16000.0, dither=0.0) for wave in waves]

    def median(call, times):
        taken = []
        for _ in range(times + 3):
            begin = time.perf_counter()
            call()
            torch.cuda.synchronize()
            metalmom._native.finish_device_work()
            taken.append(time.perf_counter() - begin)
        return statistics.median(taken[3:])

    pairs = {
        "whisper": (whisper_by_torch, lambda: metalmom.frontend.whisper(device), 200),
        "kaldi_fbank": (kaldi_by_torchaudio, lambda: metalmom.frontend.kaldi_fbank(device, num_bins=80), 20),
    }
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name(0)}")
    for name, (theirs, ours, times) in pairs.items():
        for _ in range(3):
            show(name, median(theirs, times), median(ours, times))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1, help="of metalmom (1)")
    parser.add_argument("--repeats", type=int, default=10, help="rounds on the CPU (10)")
    parser.add_argument("--gpu", action="store_true", help="clips on a GPU, beside torch and torchaudio")
    given = parser.parse_args()
    on_gpu() if given.gpu else on_cpu(given.threads, given.repeats)


if __name__ == "__main__":
    main()
