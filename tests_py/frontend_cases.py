"""Calls of `metalmom.frontend` that are compared with the models' own code: audio, arguments, and what is kept of results.

scripts/make_frontend_reference.py, which runs that code, and test_frontend.py read the same table.
"""

from typing import Any, NamedTuple

import numpy as np

RATES = {"clap": 48000}


def sound(n, sr=16000, seed=0):
    """Tones that come and go, over noise that is 40 dB softer."""
    random = np.random.default_rng(seed)
    t = np.arange(n) / sr
    tones = sum(np.sin(2 * np.pi * f * t + f) * (1 + np.sin(2 * np.pi * (k + 1) * t)) for k, f in enumerate((220, 570, 1930)))
    return (0.08 * tones + 0.002 * random.standard_normal(n)).astype(np.float32)


SIGNALS = {
    "odd": lambda sr: sound(16013, sr),
    "long": lambda sr: sound(31 * 16000 + 7, sr, 1),
    "silence": lambda sr: np.zeros(9000, np.float32),
    "short": lambda sr: sound(150, sr, 2),
    "frame": lambda sr: sound(411, sr, 3),
    "offset": lambda sr: sound(12345, sr, 4) + np.float32(0.5),
    "int16": lambda sr: np.round(32767 * sound(12001, sr, 5)),
    "batch": lambda sr: np.stack([sound(9001, sr, 6), 0.1 * sound(9001, sr, 7)]),
    "double": lambda sr: sound(8009, sr, 8).astype(np.float64),
    "seconds": lambda sr: sound(3 * 16000 + 333, sr, 9),
    "eleven": lambda sr: sound(11 * sr + 17, sr, 10),
    "a bit": lambda sr: sound(10 * sr + 100, sr, 11),
}


class Case(NamedTuple):
    """A call: the front-end, its arguments, the name of its audio, and the part of the result that is kept."""

    name: str
    arguments: dict[str, Any]
    signal: str
    kept: Any = ...

    @property
    def title(self):
        arguments = "".join(f" {key}={value}" for key, value in self.arguments.items())
        return f"{self.name} {self.signal}{arguments}"

    @property
    def audio(self):
        return SIGNALS[self.signal](RATES.get(self.name, 16000))


CASES = [
    Case("whisper", {}, "odd", np.s_[:, :104:3]),
    Case("whisper", {"n_mels": 128}, "odd", np.s_[:, :104:5]),
    Case("whisper", {}, "long", np.s_[:, ::97]),
    Case("whisper", {}, "silence", np.s_[:, ::97]),
    Case("whisper", {}, "short", np.s_[:, :20]),
    Case("whisper", {}, "offset", np.s_[:, :80:4]),
    Case("whisper", {}, "int16", np.s_[:, :80:4]),
    Case("whisper", {}, "batch", np.s_[:, :, :60:4]),
    Case("whisper", {}, "double", np.s_[:, :52:4]),
    Case("whisper", {"chunk_length": 2}, "odd", np.s_[:, ::4]),
    Case("whisper", {"pad": False}, "odd", np.s_[:, 1::3]),
    Case("whisper", {"pad": False}, "frame"),
    *(Case(name, {}, signal, kept) for name, kept in (("nemo", np.s_[:, ::3]), ("wav2vec2", np.s_[::11]))
      for signal in ("silence", "short", "frame", "offset", "int16", "double")),
    Case("nemo", {}, "odd", np.s_[:, ::3]),
    Case("nemo", {"normalize": "all_features"}, "odd", np.s_[:, ::3]),
    Case("nemo", {"normalize": None, "n_mels": 128, "preemph": 0.0}, "odd", np.s_[:, ::3]),
    Case("nemo", {}, "batch", np.s_[..., ::3]),
    Case("wav2vec2", {}, "batch", np.s_[:, ::11]),
    *(Case(name, {}, signal, np.s_[..., ::13, :]) for name in ("yamnet", "vggish")
      for signal in ("odd", "silence", "short", "seconds", "offset", "int16", "batch", "double")),
    *(Case("musicnn", {}, signal, np.s_[..., ::17, :]) for signal in ("odd", "seconds")),
    Case("musicnn", {"overlap": 2}, "seconds", np.s_[..., ::31, :]),
    Case("torchaudio_mel", {"n_mels": 64}, "odd", np.s_[:, ::3]),
    Case("torchaudio_mel", {"n_fft": 1024, "win_length": 800, "n_mels": 80, "power": 1.0, "norm": "slaney",
                            "mel_scale": "slaney", "f_min": 40.0, "f_max": 7600.0}, "odd", np.s_[:, ::2]),
    Case("torchaudio_mel", {"n_fft": 512, "hop_length": 100, "n_mels": 40, "normalized": True, "center": False}, "offset", np.s_[:, ::3]),
    Case("torchaudio_mel", {"n_fft": 512, "n_mels": 40, "pad": 111, "pad_mode": "replicate",
                            "normalized": "frame_length"}, "frame"),
    Case("torchaudio_mel", {"n_fft": 512, "n_mels": 40, "pad_mode": "constant"}, "short"),
    Case("torchaudio_mel", {"n_fft": 512, "n_mels": 40, "sr": 11025}, "batch", np.s_[..., ::2]),
    Case("torchaudio_mel", {"n_fft": 512, "n_mels": 40}, "silence", np.s_[..., ::9]),
    Case("torchaudio_mel", {"n_fft": 512, "n_mels": 40}, "double", np.s_[..., ::2]),
    *(Case("clap", {"truncation": truncation}, signal, np.s_[..., ::71, :]) for truncation in ("fusion", "rand_trunc")
      for signal in ("odd", "silence", "short", "int16")),
    Case("clap", {"truncation": "rand_trunc", "padding": "repeat"}, "odd", np.s_[..., ::71, :]),
    Case("clap", {"padding": "pad", "frequency_min": 50}, "odd", np.s_[..., ::71, :]),
    Case("clap", {}, "eleven", np.s_[..., ::71, :]),
    Case("clap", {}, "a bit", np.s_[..., ::71, :]),
    *(Case("kaldi_fbank", {"num_bins": 80}, signal, np.s_[..., ::4, :]) for signal in ("silence", "short", "frame", "offset", "int16", "batch")),
    Case("kaldi_fbank", {}, "odd", np.s_[::2]),
    Case("kaldi_fbank", {}, "double", np.s_[::2]),
    *(Case("kaldi_fbank", {"window_type": window}, "odd", np.s_[::4])
      for window in ("hamming", "hanning", "hann", "sine", "blackman", "rectangular")),
    Case("kaldi_fbank", {"snip_edges": False, "preemph_coeff": 0.0}, "odd", np.s_[::3]),
    Case("kaldi_fbank", {"snip_edges": False, "remove_dc_offset": False}, "short"),
    Case("kaldi_fbank", {"use_energy": True, "energy_floor": 0.5, "snip_edges": False}, "offset", np.s_[::3]),
    Case("kaldi_fbank", {"use_energy": True, "raw_energy": False, "htk_compat": True}, "odd", np.s_[::3]),
    Case("kaldi_fbank", {"use_log_fbank": False, "use_power": False, "round_to_power_of_two": False}, "odd", np.s_[::3]),
    Case("kaldi_fbank", {"frame_length_ms": 32.0, "frame_shift_ms": 12.5, "low_freq": 60.0, "high_freq": -400.0}, "odd", np.s_[::3]),
    Case("kaldi_fbank", {"sr": 8000}, "odd", np.s_[::3]),
    *(Case("ast", {}, signal, np.s_[..., :80:5, :]) for signal in ("odd", "short", "batch")),
    Case("ast", {"num_mel_bins": 64, "max_length": 40, "mean": -5.0, "std": 3.0}, "odd", np.s_[::4]),
    Case("ast", {"do_normalize": False}, "odd", np.s_[:110:5]),
]  # fmt: skip
