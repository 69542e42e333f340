#!/usr/bin/env python3
"""Run the cases of tests_py/frontend_cases.py through the models' own front-ends, and keep what these answer.

    python scripts/make_frontend_reference.py

Run by a Python that has transformers and kaldi-native-fbank, of which the versions are printed. What they have no NumPy path for
(torchaudio, NeMo, AST, YAMNet, VGGish, musicnn, and how CLAP fuses long audio) is worked out here from formulas, in double
precision and by no function of metalmom. Writes tests_py/reference/frontend.npz.
"""

import pathlib
import sys

import kaldi_native_fbank
import numpy as np
import transformers
from transformers import audio_utils
from transformers.models.clap.feature_extraction_clap import ClapFeatureExtractor  # that of transformers asks for torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests_py"))

from frontend_cases import CASES  # noqa: E402


def hann(size, periodic=True):
    return 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / (size if periodic else size - 1))


def magnitudes(y, window, n_fft, hop, pad_mode=None, is_middle=True):
    """|X| of frames (bins, frames); the window is in the middle of a transform or at its beginning."""
    y = np.asarray(y, np.float64)
    if pad_mode:
        y = np.pad(y, n_fft // 2, mode=pad_mode)
    size = n_fft if is_middle else len(window)
    shift = (n_fft - len(window)) // 2 if is_middle else 0
    rows = [y[at + shift : at + shift + len(window)] * window for at in range(0, len(y) - size + 1, hop)]
    return np.abs(np.fft.rfft(np.array(rows).reshape(len(rows), len(window)), n_fft, axis=1)).T


def librosa_mel(sr, n_fft, n_mels, scale="slaney", norm="slaney", low=0.0, high=None):
    return audio_utils.mel_filter_bank(
        1 + n_fft // 2, n_mels, low, high or sr / 2, 2 * (sr // 2), norm=norm, mel_scale=scale
    ).T  # fmt: skip


def whisper(y, n_mels=80, chunk_length=30, pad=True):
    extractor = transformers.WhisperFeatureExtractor(feature_size=n_mels, chunk_length=chunk_length)
    padding = "max_length" if pad else "do_not_pad"
    return extractor(y, sampling_rate=16000, padding=padding, return_tensors="np")["input_features"][0]


def nemo(y, n_mels=80, preemph=0.97, normalize="per_feature"):
    y = y.astype(np.float64)
    y = np.concatenate([y[:1], y[1:] - preemph * y[:-1]])
    window = hann(400, periodic=False)
    levels = np.log(librosa_mel(16000, 512, n_mels) @ magnitudes(y, window, 512, 160, "constant") ** 2 + 2.0**-24)
    n = len(y) // 160
    if normalize and n:
        axis = 1 if normalize == "per_feature" else None
        heard = levels[:, :n]
        deviation = heard.std(axis=axis, ddof=1, keepdims=True) if n > 1 else 0
        levels = (levels - heard.mean(axis=axis, keepdims=True)) / (deviation + 1e-5)
    levels[:, n:] = 0
    return levels


def wav2vec2(y):
    extractor = transformers.Wav2Vec2FeatureExtractor()
    return extractor(y, sampling_rate=16000, return_tensors="np")["input_values"][0]


def mel_triangles(n_bands, low, high, sr=16000, n_fft=512):
    """Triangles over mels; nothing of bin 0."""

    def mels(hz):
        return 1127 * np.log(1 + hz / 700)

    edges = np.linspace(mels(low), mels(high), n_bands + 2)
    at = mels(np.linspace(0, sr / 2, n_fft // 2 + 1)[1:])
    filters = np.zeros((n_bands, n_fft // 2 + 1))
    for k in range(n_bands):
        left, middle, right = edges[k : k + 3]
        filters[k, 1:] = np.maximum(0, np.minimum((at - left) / (middle - left), (right - at) / (right - middle)))
    return filters


def audioset_bands(y):
    return mel_triangles(64, 125, 7500) @ magnitudes(y, hann(400), 512, 160, is_middle=False)


def patches(levels, size, hop):
    cut = [levels[:, at : at + size].T for at in range(0, levels.shape[1] - size + 1, hop)]
    return np.array(cut).reshape(len(cut), size, len(levels))


def yamnet(y):
    more = max(len(y) - 15600, 0)
    y = np.pad(y, (0, max(15600 - len(y), 0) + -(-more // 7680) * 7680 - more))
    return patches(np.log(audioset_bands(y) + 0.001), 96, 48)


def vggish(y):
    return patches(np.log(audioset_bands(y) + 0.01), 96, 96)


def musicnn(y, overlap=187):
    power = magnitudes(y, hann(512), 512, 256, "constant") ** 2
    return patches(np.log10(10000 * (librosa_mel(16000, 512, 96) @ power) + 1), 187, overlap)


def torchaudio_mel(
    y, sr=16000, n_fft=400, win_length=None, hop_length=None, f_min=0.0, f_max=None, pad=0, n_mels=128, power=2.0,
    normalized=False, center=True, pad_mode="reflect", norm=None, mel_scale="htk",
):  # fmt: skip
    win_length = win_length or n_fft
    window = hann(win_length)
    mode = {"replicate": "edge"}.get(pad_mode, pad_mode) if center else None
    found = magnitudes(np.pad(y, pad), window, n_fft, hop_length or win_length // 2, mode)
    if normalized:
        found /= np.sqrt(n_fft if normalized == "frame_length" else np.sum(window**2))
    return librosa_mel(sr, n_fft, n_mels, mel_scale, norm, f_min, f_max or sr // 2) @ found**power


def clap(y, truncation="fusion", padding="repeatpad", frequency_min=0):
    extractor = ClapFeatureExtractor(frequency_min=frequency_min)
    if len(y) <= 480000:
        found = extractor(y, truncation=truncation, padding=padding, sampling_rate=48000, return_tensors="np")
        return found["input_features"][0]
    levels = extractor._np_extract_fbank_features(y, extractor.mel_filters)  # (frames, bands)
    if len(levels) == 1001:
        return np.stack([levels] * 4)
    starts = [part[0] for part in np.array_split(np.arange(len(levels) - 1000), 3)]
    at = np.maximum((np.arange(1001) + 0.5) * len(levels) / 1001 - 0.5, 0)  # bilinear, corners not aligned
    shrunk = np.stack([np.interp(at, np.arange(len(levels)), band) for band in levels.T], axis=1)
    return np.stack([shrunk, *(levels[start : start + 1001] for start in starts)])


def kaldi_fbank(y, sr=16000, **arguments):
    options = kaldi_native_fbank.FbankOptions()
    options.frame_opts.samp_freq, options.frame_opts.dither = sr, 0
    for key, value in arguments.items():
        owner = next(each for each in (options, options.frame_opts, options.mel_opts) if hasattr(each, key))
        setattr(owner, key, value)
    bank = kaldi_native_fbank.OnlineFbank(options)
    bank.accept_waveform(sr, y.tolist())
    bank.input_finished()
    rows = [bank.get_frame(k).copy() for k in range(bank.num_frames_ready)]
    return np.array(rows, np.float32).reshape(len(rows), bank.dim)


def kaldi_in_double(
    y, sr=16000, frame_length_ms=25.0, frame_shift_ms=10.0, num_bins=23, low_freq=20.0, high_freq=0.0, preemph_coeff=0.97,
    remove_dc_offset=True, window_type="povey", round_to_power_of_two=True, snip_edges=True, use_energy=False, raw_energy=True,
    energy_floor=0.0, htk_compat=False, use_log_fbank=True, use_power=True,
):  # fmt: skip
    """What `kaldi_fbank` computes in float32."""
    size, shift = int(sr * frame_length_ms / 1000), int(sr * frame_shift_ms / 1000)
    n_fft = 2 ** int(np.ceil(np.log2(size))) if round_to_power_of_two else size
    window = {
        "povey": hann(size, False) ** 0.85, "hamming": 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(size) / (size - 1)),
        "hanning": hann(size, False), "hann": hann(size), "sine": np.sin(np.pi * np.arange(size) / (size - 1)),
        "blackman": np.blackman(size), "rectangular": np.ones(size),
    }[window_type]  # fmt: skip
    mirrored, first = y.astype(np.float64), 0
    if not snip_edges:
        mirrored, first = np.pad(mirrored, 2 * size, mode="symmetric"), 2 * size + shift // 2 - size // 2
    count = max(1 + (len(y) - size) // shift, 0) if snip_edges else (len(y) + shift // 2) // shift
    filters = mel_triangles(num_bins, low_freq, high_freq if high_freq > 0 else sr / 2 + high_freq, sr, n_fft)
    rows = []
    for k in range(count):
        frame = mirrored[first + k * shift : first + k * shift + size].copy()
        frame -= frame.mean() if remove_dc_offset else 0
        energy = frame @ frame
        frame -= preemph_coeff * np.concatenate([frame[:1], frame[:-1]])
        frame *= window
        energy = np.log(max(energy if raw_energy else frame @ frame, 2.0**-23))
        bands = filters @ np.abs(np.fft.rfft(frame, n_fft)) ** (2 if use_power else 1)
        bands = np.log(np.maximum(bands, 2.0**-23)) if use_log_fbank else bands
        energy = [max(energy, np.log(energy_floor)) if energy_floor else energy] * use_energy
        rows.append([*bands, *energy] if htk_compat else [*energy, *bands])
    return np.array(rows).reshape(count, num_bins + use_energy)


def ast(y, num_mel_bins=128, max_length=1024, mean=-4.2677393, std=4.5689974, do_normalize=True):
    # kaldi-native-fbank refuses filters without a bin, of which 128 bands have some
    features = kaldi_in_double(y, num_bins=num_mel_bins, window_type="hanning")[:max_length]
    features = np.pad(features, [(0, max_length - len(features)), (0, 0)])
    return (features - mean) / (2 * std) if do_normalize else features


def run(function, case):
    y = case.audio
    if y.ndim == 1:
        return np.asarray(function(y, **case.arguments))
    return np.stack([function(each, **case.arguments) for each in y])


def main():
    print(f"transformers {transformers.__version__}, kaldi-native-fbank {kaldi_native_fbank.__version__}")
    kept = {}
    for case in CASES:
        whole = run(globals()[case.name], case)
        if case.name == "kaldi_fbank":
            kept[f"{case.title}: float32"] = whole[case.kept]
            whole = run(kaldi_in_double, case)
        kept[case.title] = whole[case.kept].astype(np.float32)
        kept[f"{case.title}: shape"] = np.array(whole.shape)
    path = ROOT / "tests_py" / "reference" / "models" / "frontend.npz"
    np.savez_compressed(path, **kept)
    print(f"{len(CASES)} cases, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
