"""Encoded audio that tests make for themselves."""

import shutil
import struct
import subprocess

import numpy as np
import pytest

import metalmom

SR = 8000


def sines(seconds=1.0, channels=1, sr=SR):
    """Sines of 220 Hz, 440 Hz ..., one a channel, as float32 [shape=(n, channels)]."""
    t = np.arange(int(seconds * sr)) / sr
    waves = [0.5 * np.sin(2 * np.pi * 220 * (c + 1) * t) for c in range(channels)]
    return np.stack(waves, axis=-1).astype(np.float32)


def wave_bytes(samples, sr=SR):
    """A WAVE file of 32-bit float samples [shape=(n, channels)]."""
    channels = samples.shape[1]
    data = samples.astype("<f4").tobytes()
    fmt = struct.pack("<HHIIHH", 3, channels, sr, sr * channels * 4, channels * 4, 32)
    body = b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt
    body += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def pcm_wave_bytes(samples, sr=SR):
    """The same of 16-bit integers."""
    channels = samples.shape[1]
    data = samples.astype("<i2").tobytes()
    fmt = struct.pack("<HHIIHH", 1, channels, sr, sr * channels * 2, channels * 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", len(fmt)) + fmt
    body += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def encode(path, samples, sr=SR, *options):
    """Write `samples` in the format that the name of `path` says, by ffmpeg."""
    if shutil.which("ffmpeg") is None:
        pytest.skip("no ffmpeg to encode with")
    command = ["ffmpeg", "-v", "error", "-y", "-f", "wav", "-i", "pipe:0", *options]
    subprocess.run([*command, f"file:{path}"], input=wave_bytes(samples, sr), check=True)
    return path


def ffmpeg_samples(path, channels):
    """What ffmpeg decodes a file to, at its own rate [shape=(n, channels)]."""
    command = ["ffmpeg", "-v", "error", "-i", f"file:{path}", "-f", "f32le", "pipe:1"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    return np.frombuffer(done.stdout, dtype="<f4").reshape(-1, channels)


def _decodes():
    try:
        metalmom.load(wave_bytes(sines(0.01)))
    except metalmom.AudioError as error:
        return "METALMOM_IO=OFF" not in str(error)
    return True


needs_io = pytest.mark.skipif(not _decodes(), reason="built with METALMOM_IO=OFF")
