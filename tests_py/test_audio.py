"""Reading files: what may be passed, what comes back, and what bad input gets."""

import io
import os
import pathlib
import resource
import shutil
import socket
import struct
import subprocess
import threading

import numpy as np
import pytest
from audio_files import SR, encode, needs_io, pcm_wave_bytes, sines, wave_bytes

import metalmom as mm
from metalmom import _native

pytestmark = needs_io


@pytest.fixture
def stereo(tmp_path):
    """A stereo WAVE file of one second, and its samples [shape=(n, 2)]."""
    samples = sines(channels=2)
    path = tmp_path / "stereo.wav"
    path.write_bytes(wave_bytes(samples))
    return path, samples


def open_every_way(path):
    """The same file as everything that load takes, each with a name."""
    content = path.read_bytes()
    late = io.BytesIO(b"before" + content)
    late.seek(6)
    return {
        "str": str(path),
        "Path": path,
        "path in bytes": os.fsencode(path),
        "descriptor": os.open(path, os.O_RDONLY),
        "file object": open(path, "rb"),
        "unbuffered": open(path, "rb", buffering=0),
        "BytesIO": io.BytesIO(content),
        "BytesIO, not at its beginning": late,
        "content": content,
        "bytearray": bytearray(content),
        "memoryview": memoryview(content),
    }


def test_every_kind_of_input_gives_the_same_samples(stereo):
    path, samples = stereo
    for name, source in open_every_way(path).items():
        y, sr = mm.load(source, sr=None, mono=False)
        assert sr == SR
        assert np.array_equal(y, samples.T), name


def test_every_kind_of_input_has_its_duration_and_rate(stereo):
    path, _ = stereo
    for name, source in open_every_way(path).items():
        assert mm.get_duration(path=source) == 1.0, name
    for name, source in open_every_way(path).items():
        assert mm.get_samplerate(source) == SR, name


@pytest.mark.parametrize("read", [mm.load, mm.get_duration, mm.get_samplerate])
def test_a_negative_descriptor_is_refused_and_closes_no_other(stereo, read):
    descriptor = os.open(stereo[0], os.O_RDONLY)
    arguments = {"path": descriptor - 2**32}  # in an int of C the descriptor
    with pytest.raises(mm.ParameterError, match=r"^path=-\d+ must be an open descriptor$"):
        read(**arguments)
    os.close(descriptor)


def test_a_descriptor_is_closed(stereo):
    descriptor = os.open(stereo[0], os.O_RDONLY)
    mm.load(descriptor)
    with pytest.raises(OSError):
        os.fstat(descriptor)


def test_a_pipe_is_read_to_its_end(stereo):
    path, samples = stereo
    reader, writer = os.pipe()

    def write():
        with open(writer, "wb") as file:
            file.write(path.read_bytes())

    thread = threading.Thread(target=write)
    thread.start()
    y, _ = mm.load(reader, sr=None, mono=False)
    thread.join()
    assert np.array_equal(y, samples.T)


def test_the_end_of_a_pipe_that_is_written_to_is_refused():
    for ends in (os.pipe(), tuple(end.detach() for end in socket.socketpair())):
        reader, writer = ends
        os.close(reader)
        with pytest.raises((OSError, mm.AudioError)):
            mm.load(writer)
    reader, writer = os.pipe()
    with pytest.raises(OSError, match="Bad file descriptor"):
        mm.load(writer)
    os.close(reader)


def test_soundfile_objects(stereo):
    soundfile = pytest.importorskip("soundfile")
    path, samples = stereo
    file = soundfile.SoundFile(str(path))
    assert mm.get_samplerate(file) == SR
    assert mm.get_duration(path=file) == 1.0
    y, sr = mm.load(file, sr=None, offset=0.25, duration=0.5)
    assert sr == SR
    assert np.array_equal(y, samples[2000:6000].mean(axis=1))
    assert file.closed
    with soundfile.SoundFile(str(path)) as file:
        blocks = list(
            mm.stream(file, block_length=1, frame_length=1000, hop_length=1000, sr=None)
        )
        assert not file.closed
    assert np.array_equal(np.concatenate(blocks), samples.mean(axis=1))


def test_the_layout_is_that_of_the_file_until_resampling_gives_rows(stereo):
    path, _ = stereo
    y, _ = mm.load(path, sr=None, mono=False)
    assert y.shape == (2, SR) and y.flags.f_contiguous
    assert mm.load(path, sr=SR, mono=False)[0].flags.f_contiguous
    y, sr = mm.load(path, sr=4000, mono=False)
    assert (y.shape, sr) == ((2, 4000), 4000) and y.flags.c_contiguous
    y, sr = mm.load(path)
    assert (y.shape, y.dtype, sr) == ((22050,), np.float32, 22050)


@pytest.mark.parametrize("channels", [1, 2, 3, 5, 8, 9, 16])
def test_mixing_has_the_bits_of_the_mean(tmp_path, rng, channels):
    samples = rng.standard_normal((40000, channels)).astype(np.float32)
    path = tmp_path / "noise.wav"
    path.write_bytes(wave_bytes(samples))
    for dtype in (np.float32, np.float64):
        y, _ = mm.load(path, sr=None, dtype=dtype)
        assert y.dtype == dtype
        assert np.array_equal(y, np.mean(samples.astype(dtype), axis=1))


def test_loading_is_mixing_and_resampling_what_is_decoded(tmp_path, rng):
    samples = rng.standard_normal((100001, 2)).astype(np.float32)
    path = tmp_path / "noise.wav"
    path.write_bytes(wave_bytes(samples, 44100))
    for kind in ("soxr_hq", "soxr_vhq", "soxr_qq"):
        y, _ = mm.load(path, res_type=kind)
        mixed = mm.to_mono(samples.T)
        assert np.array_equal(y, mm.resample(mixed, orig_sr=44100, target_sr=22050, res_type=kind))
        y, _ = mm.load(path, mono=False, sr=16000, res_type=kind)
        rows = mm.resample(samples.T, orig_sr=44100, target_sr=16000, res_type=kind)
        assert np.array_equal(y, rows)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shorts_become_the_values_that_libsndfile_makes_of_them(dtype, tmp_path, rng):
    samples = rng.integers(-32768, 32768, (20000, 2)).astype(np.int16)
    samples[:2] = [[-32768, 32767], [-1, 0]]
    path = tmp_path / "pcm.wav"
    path.write_bytes(pcm_wave_bytes(samples))
    y, _ = mm.load(path, sr=None, mono=False, dtype=dtype)
    assert y.dtype == dtype and np.array_equal(y, samples.T / 32768)
    y, _ = mm.load(path, sr=None, mono=False, dtype=dtype, offset=0.5, duration=0.3)
    assert np.array_equal(y, samples[SR // 2 : SR // 2 + int(0.3 * SR)].T / 32768)


def test_integer_samples(tmp_path, rng):
    samples = rng.integers(-32768, 32768, (500, 2)).astype(np.int16)
    path = tmp_path / "pcm.wav"
    path.write_bytes(pcm_wave_bytes(samples))
    y, _ = mm.load(path, sr=None, mono=False, dtype=np.int16)
    assert y.dtype == np.int16 and np.array_equal(y, samples.T)
    y, _ = mm.load(path, sr=None, mono=False, dtype="int32")
    assert y.dtype == np.int32 and np.array_equal(y, samples.T.astype(np.int32) << 16)
    with pytest.raises(mm.ParameterError, match="dtype"):
        mm.load(path, dtype=np.int16)
    with pytest.raises(mm.ParameterError, match="dtype=float16"):
        mm.load(path, dtype=np.float16)


def test_excerpts_are_exact_to_the_sample(tmp_path):
    ramp = (np.arange(3 * SR) / 2**15).astype(np.float32)[:, None]
    path = tmp_path / "ramp.wav"
    path.write_bytes(wave_bytes(ramp))
    y, _ = mm.load(path, sr=None, offset=1.2345, duration=0.5)
    start = int(1.2345 * SR)
    assert np.array_equal(y, ramp[start : start + 4000, 0])
    y, _ = mm.load(path, sr=None, offset=-0.25)
    assert np.array_equal(y, ramp[-2000:, 0])
    assert mm.load(path, sr=None, offset=3)[0].shape == (0,)
    assert mm.load(path, duration=0)[0].shape == (0,)
    assert mm.load(path, sr=None, duration=-1)[0].shape == (3 * SR,)
    assert mm.load(path, sr=None, duration=100)[0].shape == (3 * SR,)


@pytest.mark.parametrize("suffix", ["flac", "ogg", "mp3", "opus"])
def test_excerpts_of_compressed_files_equal_the_same_part_of_the_whole(tmp_path, suffix):
    rate = 48000
    path = encode(tmp_path / f"song.{suffix}", sines(3, 2, rate), rate)
    whole, sr = mm.load(path, sr=None)
    assert sr == rate
    start, length = int(1.2345 * sr), int(0.5 * sr)
    part, _ = mm.load(path, sr=None, offset=1.2345, duration=0.5)
    assert part.shape == (length,)
    if suffix == "flac":
        assert np.array_equal(part, whole[start : start + length])
    else:
        # Lossy decoders start anew with rounding of their own; a shift of one sample would be 0.01.
        assert np.abs(part - whole[start : start + length]).max() < 1e-3


@pytest.mark.parametrize("suffix", ["flac", "ogg"])
def test_any_number_of_threads_decodes_the_same_samples(tmp_path, rng, suffix):
    noise = rng.standard_normal((700_000, 2)).astype(np.float32) / 8
    path = encode(tmp_path / f"long.{suffix}", noise, 44100)
    settings = ({}, {"sr": None, "mono": False}, {"offset": 1.2345}, {"duration": 9.9})
    for source in (path, path.read_bytes()):
        for kwargs in settings:
            results = []
            for n in (1, 2, 5):
                with mm.config_context(threads=n):
                    results.append(mm.load(source, **kwargs)[0])
            assert np.array_equal(results[0], results[1]), kwargs
            assert np.array_equal(results[0], results[2]), kwargs
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 20000] = bytes(20000)
    path.write_bytes(content)
    for n in (1, 4):
        with mm.config_context(threads=n), pytest.raises(mm.AudioError, match=f"long.{suffix}"):
            mm.load(path)


def test_out_of_range_values_are_named(stereo):
    path, _ = stereo
    for name, value in (
        ("offset", np.nan), ("offset", np.inf),
        ("duration", np.nan), ("sr", 0), ("sr", -1), ("sr", np.nan), ("sr", np.inf),
        ("res_type", "soxr_x"),
    ):  # fmt: skip
        with pytest.raises(mm.ParameterError, match=name):
            mm.load(path, **{name: value})
    for offset in (2.0, -2.0):
        with pytest.raises(mm.AudioError, match=f"offset={offset:.0f}.*stereo.wav"):
            mm.load(path, offset=offset)


def test_missing_files_and_folders(tmp_path):
    for function in (mm.load, mm.get_samplerate, lambda path: mm.get_duration(path=path)):
        with pytest.raises(FileNotFoundError) as caught:
            function(tmp_path / "none.wav")
        assert caught.value.filename == str(tmp_path / "none.wav")
        with pytest.raises(IsADirectoryError):
            function(tmp_path)
    with pytest.raises(OSError):
        mm.load(987654)
    for wrong in (None, 1.5, ["a"], True):
        with pytest.raises(TypeError):
            mm.load(wrong)


def test_a_file_object_that_fails_tells_its_own_error(stereo):
    class Failing(io.BytesIO):
        def read(self, *args):
            raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        mm.load(Failing(stereo[0].read_bytes()))
    with pytest.raises(TypeError, match="binary mode"):
        mm.load(io.StringIO("text"))


def through_a_pipe(path):
    return subprocess.Popen(["cat", path], stdout=subprocess.PIPE)


def test_file_objects_that_cannot_seek_are_read_to_their_end(stereo):
    path, samples = stereo

    class Dribbling:
        """No more than an object with read(), which gives a little at a time."""

        def __init__(self):
            self.file = open(path, "rb")

        def read(self, count):
            return self.file.read(min(count, 1000))

    with through_a_pipe(path) as process:
        assert np.array_equal(mm.load(process.stdout, sr=None, mono=False)[0], samples.T)
    with through_a_pipe(path) as process:
        with open(process.stdout.fileno(), "rb", buffering=0, closefd=False) as unbuffered:
            assert np.array_equal(mm.load(unbuffered, sr=None, mono=False)[0], samples.T)
    assert np.array_equal(mm.load(Dribbling(), sr=None, mono=False)[0], samples.T)
    with through_a_pipe(path) as process:
        assert mm.get_duration(path=process.stdout) == 1.0
    with through_a_pipe(path) as process:
        blocks = mm.stream(process.stdout, block_length=4, frame_length=512, hop_length=512, sr=None)
        assert np.array_equal(np.concatenate(list(blocks)), mm.load(path, sr=None)[0])


def test_pipes_of_other_things_say_so(stereo):
    with subprocess.Popen(["echo", "no music"], stdout=subprocess.PIPE) as process:
        with pytest.raises(mm.AudioError, match="BufferedReader"):
            mm.load(process.stdout)
    with subprocess.Popen(["cat", stereo[0]], stdout=subprocess.PIPE, text=True,
                          encoding="latin-1") as process:  # fmt: skip
        with pytest.raises(TypeError, match="binary mode"):
            mm.load(process.stdout)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 5000, b"This is no music at all. " * 200, b"fLaC", b"OggS" + bytes(100), b"RIFF"],
    ids=["empty", "zeros", "text", "flac", "ogg", "riff"],
)
def test_what_is_no_audio_is_an_audio_error_with_the_name(tmp_path, content):
    path = tmp_path / "bad.wav"
    path.write_bytes(content)
    for function in (mm.load, mm.get_samplerate):
        with pytest.raises(mm.AudioError, match="bad.wav") as caught:
            function(path)
        assert isinstance(caught.value, RuntimeError)
        assert "\n" not in str(caught.value)


def flac_that_promises(samples):
    """A header of FLAC (one channel of 16 bits at 22,050 Hz) with that many samples, and 58 bytes more."""
    stream = struct.pack(">HH", 4096, 4096) + bytes(6) + struct.pack(">Q", 22050 << 44 | 15 << 36 | samples)
    return b"fLaC" + bytes([0x80, 0, 0, 34]) + stream + bytes(16 + 58)


def test_a_header_that_promises_more_than_its_file_can_hold_takes_no_memory():
    content = flac_that_promises(2**36 - 1)
    for ask in (mm.load, lambda path: mm.get_duration(path=path), lambda path: next(stream_of(path))):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(mm.AudioError, match="promises 68719476735 samples a channel, which 100 bytes"):
            ask(io.BytesIO(content))
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 10_000  # kB


@pytest.mark.parametrize("size", [0x7FFFFFE0, 0x7FFFFFF0, 0xFFFFFFF0])
def test_an_au_file_that_claims_more_than_there_is_breaks_off(size):
    samples = sines(0.1, 1)[:, 0]
    content = b".snd" + struct.pack(">5I", 24, size, 3, SR, 1) + (samples * 32767).astype(">i2").tobytes()
    with pytest.raises(mm.AudioError, match="its end is missing"):
        mm.load(io.BytesIO(content), sr=None)
    unknown = content[:8] + b"\xff\xff\xff\xff" + content[12:]  # as programs write it that write to a pipe
    assert len(mm.load(io.BytesIO(unknown), sr=None)[0]) == len(samples)


def stream_of(path):
    return mm.stream(path, block_length=1, frame_length=64, hop_length=64)


@pytest.mark.parametrize("suffix", ["wav", "aiff", "flac", "ogg", "mp3", "m4a"])
def test_half_a_file_is_an_audio_error(tmp_path, rng, suffix):
    noise = rng.standard_normal((2 * 44100, 2)).astype(np.float32) / 8
    content = encode(tmp_path / f"whole.{suffix}", noise, 44100).read_bytes()
    path = tmp_path / f"half.{suffix}"
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(mm.AudioError, match=f"half.{suffix}"):
        mm.load(path)
    path.write_bytes(content[:60])
    with pytest.raises(mm.AudioError, match=f"half.{suffix}"):
        mm.load(path)


def test_what_there_is_of_a_truncated_file_can_be_asked_for(stereo):
    path, samples = stereo
    path.write_bytes(path.read_bytes()[:-SR])
    y, _ = mm.load(path, sr=None, mono=False, duration=0.5)
    assert np.array_equal(y, samples[:4000].T)


def ogg_checksum(page):
    remainder = 0
    for byte in page:
        remainder ^= byte << 24
        for _ in range(8):
            remainder = (remainder << 1) ^ (0x04C11DB7 if remainder & 0x80000000 else 0)
    return remainder & 0xFFFFFFFF


@pytest.mark.parametrize("seconds", [1, 20])
def test_vorbis_whose_last_page_promises_a_little_too_much_is_whole(tmp_path, rng, seconds):
    # As tools write it that cut a stream without decoding it. librosa gives what there is, too.
    noise = rng.standard_normal((seconds * 44100, 1)).astype(np.float32) / 8
    path = encode(tmp_path / "cut.ogg", noise, 44100)
    content = path.read_bytes()
    whole = mm.load(path, sr=None)[0]
    last = content.rindex(b"OggS")
    # 6000: beyond the last block, of which the true page uses a part.
    for more, is_whole in ((6000, True), (20000, False)):
        page = bytearray(content[last:])
        promised = int.from_bytes(page[6:14], "little") + more
        page[6:14] = promised.to_bytes(8, "little")
        page[22:26] = bytes(4)
        page[22:26] = ogg_checksum(page).to_bytes(4, "little")
        cut = content[:last] + bytes(page)
        if is_whole:
            y = mm.load(cut, sr=None)[0]
            assert len(whole) <= len(y) < len(whole) + more
            assert np.array_equal(y[: len(whole)], whole)
        else:
            with pytest.raises(mm.AudioError, match="the data breaks off"):
                mm.load(cut, sr=None)


def test_a_wave_written_to_a_pipe_does_not_count_as_truncated(stereo):
    path, samples = stereo
    content = bytearray(path.read_bytes())
    content[40:44] = b"\xff\xff\xff\xff"
    y, _ = mm.load(bytes(content), sr=None, mono=False)
    assert np.array_equal(y, samples.T)


def test_audio_that_is_not_finite(tmp_path):
    samples = sines(channels=2)
    samples[4000, 1] = np.nan
    path = tmp_path / "nan.wav"
    path.write_bytes(wave_bytes(samples))
    with pytest.raises(mm.ParameterError, match="finite"):
        mm.load(path)
    y, _ = mm.load(path, sr=None, mono=False)  # nothing is computed
    assert np.isnan(y).sum() == 1


def test_a_tilde_that_no_shell_has_read_is_the_home_directory(tmp_path, monkeypatch):
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir(), here.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(here)
    mm.demo.write_wav(home / "song.wav", duration=0.5)
    for path in ("~/song.wav", pathlib.Path("~/song.wav")):
        assert mm.load(path, sr=None)[0].size == mm.get_duration(path=path) * mm.get_samplerate(path)
        (block,) = mm.stream(path, block_length=100, frame_length=2048, hop_length=512, sr=None)
        assert block.size == 22050
    with pytest.raises(FileNotFoundError, match="home/missing.wav"):
        mm.load("~/missing.wav")
    with pytest.raises(FileNotFoundError, match="~no such user/song.wav"):
        mm.load("~no such user/song.wav")
    (here / "~").mkdir()  # what is named so goes first
    mm.demo.write_wav(here / "~" / "song.wav", duration=0.25)
    mm.demo.write_wav(here / "~song.wav", duration=0.75)
    assert mm.get_duration(path="~/song.wav") == 0.25
    assert mm.get_duration(path="~song.wav") == 0.75


def test_names_that_look_like_something_else(stereo, tmp_path, monkeypatch):
    path, samples = stereo
    monkeypatch.chdir(tmp_path)
    for name in ("-y", "http:song.wav", "a b'\"$(c).wav", "müsic\n.wav", "%d.wav"):
        shutil.copy(path, tmp_path / name)
        assert np.array_equal(mm.load(name, sr=None, mono=False)[0], samples.T), name
    with pytest.raises(ValueError):
        mm.load("nul\0byte.wav")


@pytest.mark.parametrize("sr", [None, 4000, 16000])
@pytest.mark.parametrize("channels", [1, 2])
def test_blocks_put_together_are_the_signal(tmp_path, rng, channels, sr):
    samples = rng.standard_normal((SR + 123, channels)).astype(np.float32)
    path = tmp_path / "noise.wav"
    path.write_bytes(wave_bytes(samples))
    settings = {"block_length": 4, "frame_length": 256, "hop_length": 64}
    rate = sr or SR
    whole = samples.T if channels > 1 else samples[:, 0]
    if sr:
        whole = mm.resample(whole, orig_sr=SR, target_sr=rate, fix=False)
    blocks = list(mm.stream(path, sr=sr, mono=False, **settings))
    for i, block in enumerate(blocks):
        assert np.array_equal(block, whole[..., i * 256 : i * 256 + 448])
    assert len(blocks) == -(-whole.shape[-1] // 256)
    filled = list(mm.stream(path, sr=sr, mono=False, fill_value=7, **settings))
    assert {block.shape[-1] for block in filled} == {448}
    assert filled[-1][..., -1].max() == 7


def test_a_block_takes_no_more_room_than_the_file_has_samples(stereo):
    path, samples = stereo
    for sr in (None, 2 * SR):
        opened = _native.AudioStream(
            str(path), sr=sr, mono=True, offset=0.0, duration=None, dtype="float32", quality="soxr_hq")  # fmt: skip
        y = opened.read(1 << 60)
        assert np.array_equal(y, mm.load(path, sr=sr)[0])
        assert y.base is None
        assert opened.read(1 << 60).size == 0


def test_stream_refuses_what_it_cannot_do(stereo):
    settings = {"block_length": 2, "frame_length": 100, "hop_length": 50}
    for name in settings:
        with pytest.raises(mm.ParameterError, match=name):
            next(mm.stream(stereo[0], sr=None, **{**settings, name: 0}))
    with pytest.raises(mm.ParameterError, match="whole number"):
        next(mm.stream(stereo[0], sr=11025, **settings))
    with pytest.raises(mm.ParameterError, match="res_type"):
        next(mm.stream(stereo[0], sr=4000, res_type="fft", **settings))
    with pytest.warns(FutureWarning, match="'sr'"):
        list(mm.stream(stereo[0], **settings))


def test_resampling_is_the_same_for_every_axis_and_each_channel_alone(rng):
    y = rng.standard_normal((2, 3, 4410))
    rows = mm.resample(y, orig_sr=44100, target_sr=16000)
    assert rows.shape == (2, 3, 1600) and rows.dtype == np.float64
    for i, j in np.ndindex(2, 3):
        alone = mm.resample(y[i, j], orig_sr=44100, target_sr=16000)
        assert np.array_equal(rows[i, j], alone)
    moved = mm.resample(np.moveaxis(y, -1, 0), orig_sr=44100, target_sr=16000, axis=0)
    assert np.array_equal(np.moveaxis(moved, 0, -1), rows)


def test_resampling_lengths_and_edges():
    y = np.ones(1001, np.float32)
    assert mm.resample(y, orig_sr=44100, target_sr=44100) is y
    assert mm.resample(y, orig_sr=44100, target_sr=1000).shape == (23,)
    assert mm.resample(y, orig_sr=44100, target_sr=1000, mode="edge")[-1] != 0
    assert mm.resample(y[:0], orig_sr=44100, target_sr=1000).shape == (0,)
    assert mm.resample(y[:1], orig_sr=44100, target_sr=1000).shape == (1,)
    for wrong in ({"orig_sr": 0}, {"target_sr": -1}, {"target_sr": np.nan}):
        with pytest.raises(mm.ParameterError, match=next(iter(wrong))):
            mm.resample(y, **{"orig_sr": 44100, "target_sr": 1000, **wrong})
    with pytest.raises(mm.ParameterError, match="float16"):
        mm.resample(y.astype(np.float16), orig_sr=44100, target_sr=1000)


def test_threads_load_at_once(stereo):
    path, samples = stereo
    content = path.read_bytes()
    results = []

    def work():
        for _ in range(10):
            results.append(mm.load(io.BytesIO(content), sr=None, mono=False)[0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 40
    assert all(np.array_equal(y, samples.T) for y in results)


def test_spans_show_the_stages_of_a_block_in_order(stereo):
    path, samples = stereo
    with mm.trace.record() as recording:
        y, _ = mm.load(path, sr=4000)
    spans = [(span.cat, span.name) for span in recording.spans]
    assert spans[:2] == [("bridge", "load"), ("engine", "load")]
    assert spans[2:5] == [("engine", name) for name in ("decode", "mix", "resample")]
    decoded = [span.args for span in recording.spans if span.name == "decode"]
    assert sum(args["samples"] for args in decoded) == len(samples)
    assert sum(args["bytes"] for args in decoded) == samples.nbytes
    assert recording.spans[0].args == {"copied_bytes": 0, "output_bytes": y.nbytes}


def test_nothing_stays_open(stereo):
    folder = pathlib.Path("/proc/self/fd")
    if not folder.exists():
        pytest.skip("no /proc to count descriptors in")
    before = len(list(folder.iterdir()))
    for _ in range(5):
        mm.load(stereo[0])
        with pytest.raises(mm.AudioError):
            mm.load(b"\0nothing")
        next(mm.stream(stereo[0], block_length=1, frame_length=64, hop_length=64, sr=None))
    assert len(list(folder.iterdir())) == before


def test_a_path_may_be_numpy_text(tmp_path):
    mm.demo.write_wav(tmp_path / "a.wav", 0.1)
    y, _ = mm.load(np.str_(tmp_path / "a.wav"))
    np.testing.assert_array_equal(y, mm.load(tmp_path / "a.wav")[0])


@pytest.mark.parametrize("name, value", [("sr", "44100"), ("offset", "1"), ("duration", "1")])
def test_texts_are_no_numbers(tmp_path, name, value):
    mm.demo.write_wav(tmp_path / "a.wav", 0.1)
    with pytest.raises(mm.ParameterError, match=f"^{name}='{value}' must be"):
        mm.load(tmp_path / "a.wav", **{name: value})


@pytest.mark.parametrize("path", [np.zeros(5), np.zeros((2, 3)), [1.0], 10**18, 10**30])
def test_what_is_no_file_is_shown(path):
    with pytest.raises(mm.ParameterError, match="^path=.* must be"):
        mm.load(path)
