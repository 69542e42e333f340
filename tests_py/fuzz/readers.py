"""The engine's readers under AddressSanitizer and UndefinedBehaviorSanitizer: 4,000 mutated inputs a try.

The program is tests_cpp/attack, which `scripts/sanitize --build-only asan` builds; without it each try ends at once.
"""

import functools
import os
import pathlib
import shutil
import subprocess

import audio_files

from .draw import Lasted, expect

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = ROOT / "build-asan/bin/metalmom_attack"
INPUTS = 4000
LIMIT = 600.0
# libsndfile loses what it has read of an Ogg file or an MP3 that it refuses in the end.
SUPPRESSED = ("libvorbis", "libsndfile", "libmpg123", "libopus", "libogg", "libFLAC")
OF_MPG123 = ("[src/libmpg123", "Note: ", "Warning: ")
# Names, and options of ffmpeg's encoders.
ENCODED = {
    "s24.wav": ["-c:a", "pcm_s24le"],
    "u8.wav": ["-c:a", "pcm_u8"],
    "law.wav": ["-c:a", "pcm_mulaw"],
    "ms.wav": ["-c:a", "adpcm_ms"],
    "ima.wav": ["-c:a", "adpcm_ima_wav"],
    "rf64.wav": ["-rf64", "always"],
    "a.flac": [],
    "a.ogg": [],
    "flac.ogg": ["-c:a", "flac"],
    "a.opus": [],
    "a.mp3": [],
    "tags.mp3": ["-metadata", "title=A song of some words", "-id3v2_version", "3"],
    "a.aiff": [],
    "f.aiff": ["-c:a", "pcm_f32be"],
    "a.au": [],
    "a.w64": [],
    "a.caf": [],
    "alac.caf": ["-c:a", "alac"],
    "a.voc": [],
    "a.sf": [],
}
# Threads decode parts of long files. In silence they could not know that a part is missing between theirs.
LONG = {"long.flac": [], "long.ogg": []}


@functools.cache
def files():
    """Small files of the formats that libsndfile reads."""
    folder = pathlib.Path("files")
    folder.mkdir()
    samples = audio_files.sines(0.06, 2)
    (folder / "s16.wav").write_bytes(audio_files.pcm_wave_bytes(samples * 32767))
    (folder / "f32.wav").write_bytes(audio_files.wave_bytes(samples))
    for names, given in ((ENCODED, samples), (LONG, audio_files.sines(300_000 / audio_files.SR))):
        for name, options in names.items():
            try:
                audio_files.encode(folder / name, given, audio_files.SR, "-bitexact", *options)
            except subprocess.CalledProcessError:  # an encoder that this ffmpeg lacks
                (folder / name).unlink(missing_ok=True)
    # Each ordinary one several times, so that those which last are seldom drawn.
    ordinary = [path for path in sorted(folder.iterdir()) if path.name not in LONG]
    return [*ordinary * 4, *(folder / name for name in LONG if (folder / name).exists())]


def attempt(draw):
    if not PROGRAM.exists():
        raise Lasted
    first = draw.seed * INPUTS
    command = [PROGRAM, str(first), str(INPUTS), "given", *files()]
    suppressions = pathlib.Path("suppressed.txt")
    suppressions.write_text("".join(f"leak:{library}\n" for library in SUPPRESSED))
    environment = {
        **os.environ,
        "LSAN_OPTIONS": f"suppressions={suppressions.resolve()}:print_suppressions=0",
        "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=2048",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    done = subprocess.run(command, env=environment, text=True, errors="replace", capture_output=True, check=False)
    if done.returncode == 0:
        draw.say(done.stdout.strip())
        return draw.count(INPUTS)
    seed = pathlib.Path("given/seed").read_text()
    kept = ROOT / "build/fuzz" / seed
    shutil.copytree("files", kept / "files", dirs_exist_ok=True)
    shutil.copy("given/given", kept / "given")
    again = " ".join(map(str, [PROGRAM, seed, 1, "FOLDER", *(kept / path for path in files())]))
    words = [line for line in done.stderr.splitlines() if not line.startswith(OF_MPG123)]
    expect(False, "\n".join([f"ends with {done.returncode} at its seed {seed}; again: {again}", *words[-40:]]))
