"""Folders of `extract` that others may have changed, recipes and lists of files of strangers.

What may come out is a table, or a LibrosaError that says what is wrong.
"""

import functools
import importlib.util
import json
import pathlib
import shutil
import warnings

import metalmom
from metalmom.extraction.recipes import Recipe
from test_extract import write_wav

from .draw import expect, lasting_at_most
from .mutations import changed_json, mutated

SECONDS = 30.0
RECIPE = {
    "features": {
        "mfcc": {"n_mfcc": 3},
        "rms": {},
        "m": {"feature": "melspectrogram", "n_mels": 4, "window": "hann"},
        "delta": {"of": "mfcc", "width": 3},
        "beats": {"feature": "beat_track"},
        "tempo": {},
    },
    "defaults": {"hop_length": 1024, "n_fft": 2048},
    "sr": 22050,
}
FEATURES = {"rms": {}, "mfcc": {"n_mfcc": 3}, "tempo": {}}
LISTED = b'path,label,n\n0.wav,"a, b",1\n1.wav,c,2\n'


FORMATS = ["npz", "parquet"] if importlib.util.find_spec("pyarrow") else ["npz"]


@functools.cache
def run_of(format):
    """A folder that `extract` has written of two files, one of which is none, and what it was made of."""
    shutil.rmtree(format, ignore_errors=True)  # of a try that lasted too long
    pathlib.Path("songs").mkdir(exist_ok=True)
    write_wav("songs/0.wav", 0.3)
    pathlib.Path("songs/1.wav").write_bytes(b"no audio")
    metalmom.extract("songs", format, features=FEATURES, format=format, progress="none", jobs=1)
    return pathlib.Path(format)


@functools.cache
def listed_parquet():
    """The table of LISTED in Parquet."""
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv(pyarrow.BufferReader(LISTED)), "listed.parquet")
    return pathlib.Path("listed.parquet").read_bytes()


def attempt(draw):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lasting_at_most(SECONDS, lambda: (folder, folder, recipe, listed)[draw.below(4)](draw))


def recipe(draw):
    changed = changed_json(draw, RECIPE)
    if isinstance(changed, str):
        return  # it would be the name of a file
    draw.say(f"a recipe: {json.dumps(changed)}")
    try:
        Recipe(changed)
        metalmom.Extractor.from_recipe(changed)
    except metalmom.LibrosaError as error:
        expect(str(error), "an error without a text")


def listed(draw):
    """A table of files and their labels, as `extract` reads it."""
    from metalmom.extraction.inputs import find

    path = pathlib.Path(draw.one(["list.csv", "list.tsv", "list.parquet"]))
    is_parquet = path.suffix == ".parquet" and "parquet" in FORMATS
    content = mutated(draw, listed_parquet() if is_parquet else LISTED)
    path.write_bytes(content)
    draw.say(f"{path}: {content!r}")
    try:
        find([str(path)], path_column="path", keep_columns=["label"])
    except (metalmom.LibrosaError, OSError) as error:
        expect(str(error), "an error without a text")


def folder(draw):
    """A run's folder one of whose files is another."""
    copy = pathlib.Path("changed")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(run_of(draw.one(FORMATS)), copy)
    names = sorted(path.relative_to(copy) for path in copy.rglob("*") if path.is_file())
    weights = [name for name in names for _ in range(6 if name.suffix in (".json", ".jsonl") else 2)]
    name = draw.one(weights)
    path = copy / name
    content = path.read_bytes()
    if name.suffix == ".json" and draw.chance(0.8):
        content = json.dumps(changed_json(draw, json.loads(content))).encode()
    elif name.suffix == ".jsonl" and draw.chance(0.8):
        lines = [json.dumps(changed_json(draw, json.loads(line))) for line in content.splitlines()]
        content = "".join(line + "\n" for line in lines).encode()
    elif content:
        content = mutated(draw, content)
    path.write_bytes(content)
    draw.say(f"{name} is {content[:3000]!r}")
    for what in (read, verified, *([again] if draw.chance(0.1) else [])):
        try:
            what(copy)
        except (metalmom.LibrosaError, MemoryError) as error:
            expect(str(error), "an error without a text")


def read(copy):
    features = metalmom.open_features(copy)
    repr(features)
    for file in features:
        for name in features.names:
            file.get(name) if hasattr(file, "get") else file[name]
    for name in features.names:
        try:
            features.frames(name)
        except metalmom.ParameterError:  # a value has no frames
            pass


def verified(copy):
    from metalmom.extraction.verify import verify

    for sentence in verify(copy, sample=1):
        expect(isinstance(sentence, str), f"{sentence!r}")


def again(copy):
    """A run that goes on there."""
    format = "parquet" if any(copy.rglob("*.parquet")) else "npz"
    metalmom.extract("songs", copy, features=FEATURES, format=format, progress="none", jobs=1)
