"""``metalmom separate FILE... -m MODEL -o DIR``: files of audio to files of their sources."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterable

from ..extraction.inputs import find
from ..extraction.options import options_of
from ..separation import Model, separate_file
from ..util._output_files import tell
from ..util._wording import counted, names_in
from ..util.exceptions import AudioError, LibrosaError, ParameterError
from ..util.files import expanded
from ._arguments import any_number, natural, positive_number, printable, sentence, stopped

HELP = "separate audio files into their sources with a model"
USAGE = "FILE... -m MODEL -o DIR [options]"

SOME_FAILED = 4

_ABOUT = """\
The stems of song.mp3 are DIR/song/vocals.wav and so on. For files in a folder, DIR gets the same
subfolders. ONNX Runtime runs MODEL.onnx. MODEL.json beside it describes it:

  {"kind": "waveform", "sr": 44100, "channels": 2, "stems": ["drums", "bass", "other", "vocals"],
   "segment": 7.8}

help(metalmom.separation.Description) lists all keys. After a stop, the same command continues where it
was, and leaves finished files alone. The exit status is 0; 3 if the command was stopped; 4 if some
files failed."""


def add_arguments(parser: ArgumentParser) -> None:
    options = options_of(separate_file)
    parser.epilog, parser.formatter_class = _ABOUT, RawDescriptionHelpFormatter
    parser.add_argument("files", nargs="+", type=expanded, metavar="FILE",
                        help="files, folders, or '-' for names from standard input")
    parser.add_argument("-m", "--model", type=expanded, required=True, metavar="MODEL.onnx",
                        help="the model, with MODEL.json beside it")
    parser.add_argument("-o", "--out", type=expanded, required=True, metavar="DIR",
                        help="the folder to write to")
    parser.add_argument("--stems", metavar="A,B", help="stems to write (all)")
    parser.add_argument("--format", choices=options["format"].choices, default=options["format"].default,
                        help="format of the stems: wav in float32, flac with 24 bits, ogg with Vorbis "
                             "(%(default)s)")
    parser.add_argument("--mode", choices=options["mode"].choices, default=options["mode"].default,
                        help="preview: without overlap and shifts (%(default)s)")
    parser.add_argument("--segment", type=positive_number, metavar="SECONDS",
                        help="length of a segment (the model's)")
    parser.add_argument("--overlap", type=any_number, default=options["overlap"].default, metavar="SHARE",
                        help="how much of a segment the next one covers (%(default)s)")
    parser.add_argument("--shifts", type=natural, default=options["shifts"].default, metavar="N",
                        help="separate N times with random shifts, and take the mean (%(default)s)")
    parser.add_argument("--seed", type=natural, default=options["seed"].default, metavar="N",
                        help="seed of the shifts (%(default)s)")
    parser.add_argument("--overwrite", action="store_true", help="begin anew, also where stems are complete")
    parser.add_argument("--progress", choices=("auto", "none"), default="auto",
                        help="auto: a bar on a terminal (%(default)s)")


def run(args: Namespace) -> int:
    try:
        return separated(args)
    except KeyboardInterrupt:
        return stopped("interrupted: the same command continues")


def separated(args: Namespace) -> int:
    """Separate all files; the status."""
    try:
        folders = folders_of(args.files, args.out)
    except (FileNotFoundError, ParameterError) as error:
        args.refuse(sentence(error, args))
    if not folders:
        args.refuse("there is no audio in the folders")
    model = Model(args.model)
    names = ("segment", "overlap", "shifts", "mode", "seed", "format", "overwrite")
    options = {name: getattr(args, name) for name in names}
    options["stems"] = None if args.stems is None else names_in(args.stems)
    options["progress"] = args.progress
    failed = 0
    for path, folder in folders.items():
        try:
            files = separate_file(path, model, folder, **options)
            print(printable(f"{path}: {', '.join(files.values())}"), flush=True)
        except (LibrosaError, OSError) as error:
            if not is_of_file(error, path):
                raise
            failed += 1
            said = sentence(error, args)
            tell(f"metalmom: {said if path in said else f'{path}: {said}'}")
    if failed:
        tell(f"metalmom: {counted(len(folders), 'file')}, of which {failed} failed")
    return SOME_FAILED if failed else 0


def is_of_file(error: Exception, path: str) -> bool:
    """Whether an error is one of a file, after which others may go well."""
    if isinstance(error, ParameterError):
        return error.argument == "y" or str(error.name).startswith("model(segment)[")
    return isinstance(error, AudioError) or (isinstance(error, OSError) and error.filename == path)


def folders_of(inputs: Iterable[str], out: str) -> dict[str, str]:
    """The folder of each file's stems: its name without the ending, unless another one has that, too."""
    places = {}
    for name in inputs:
        top = os.path.abspath(name) if os.path.isdir(name) else None
        for found in find([name]):
            path = found.path
            if top is not None and os.path.abspath(path).startswith(os.path.join(os.path.abspath(out), "")):
                continue  # the stems of a run before
            places[path] = os.path.basename(path) if top is None else os.path.relpath(path, top)
    short = Counter(os.path.splitext(place)[0] for place in places.values())
    folders: dict[str, str] = {}
    for path, place in places.items():
        name = os.path.splitext(place)[0]
        folder = os.path.join(out, name if short[name] == 1 else place)
        if folder in folders:
            told = f"{folders[folder]} and {path} would both go to {folder}: run each by itself"
            raise ParameterError(told, argument="inputs")
        folders[folder] = path
    return {path: folder for folder, path in folders.items()}
