"""Files: audio files in folders, example recordings, and the citation."""

from __future__ import annotations

import functools
import os
import pathlib
import stat
from typing import Any

from .. import _native
from ._checks import is_one_of, require
from ._public import public
from ._types import Int
from ._output_files import write_wav
from .exceptions import ParameterError, ParameterTypeError, TypeOf

__all__ = ["cite", "ex", "example", "example_info", "find_files", "list_examples"]

_AUDIO = ("aac", "au", "flac", "m4a", "mp3", "ogg", "wav")

_DEMO = "demo"
_DEMO_SECONDS = 30.0
_DEMO_TITLE = "The song that metalmom synthesises: drums, bass and chords"
_URL = "https://librosa.org/data/audio/"

# librosa's DOI for all versions, and the DOIs of those versions whose record is known.
_DOI = "10.5281/zenodo.591533"
_DOIS = {"0.10.1": "10.5281/zenodo.8252662", "0.11.0": "10.5281/zenodo.15006942"}


def expanded(path: Any) -> Any:
    """A path with the home directory for ``~``, which a shell leaves where it is quoted or follows ``--out=``.

    What is there under that very name stays, and so does what is no path (a file object).
    """
    if not isinstance(path, (str, os.PathLike)):
        return path
    name = os.fspath(path)
    if name[:1] != "~" or os.path.lexists(name.partition(os.sep)[0]):
        return path
    return os.path.expanduser(name)


def absolute(path: str | os.PathLike[str]) -> str:
    """A path from the root on, without what it does not need.

    After the name of a link to a folder, ``..`` is what lies above that folder, as for the operating system.
    """
    parts = os.fspath(path).split(os.sep)
    if os.pardir not in parts:
        return os.path.abspath(path)
    end = len(parts) - parts[::-1].index(os.pardir)
    return os.path.abspath(os.path.join(os.path.realpath(os.sep.join(parts[:end])), *parts[end:]))


def checked_path(name: str, path: Any) -> str:
    """The path that an argument is, `expanded`; what no file system has is refused."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterTypeError(name, TypeOf(path), "a str or os.PathLike")
    found = os.fsdecode(expanded(path))
    try:
        is_path = b"\0" not in os.fsencode(found)
    except UnicodeEncodeError:
        is_path = False
    require(is_path, name, found, "a path that a file can have")
    return found


@public
def find_files(
    directory: str | os.PathLike[str],
    *,
    ext: str | list[str] | None = None,
    recurse: bool = True,
    case_sensitive: bool = False,
    limit: Int | None = None,
    offset: Int = 0,
) -> list[str]:
    """List the audio files of a folder, sorted.

    Parameters
    ----------
    directory : str or os.PathLike
        The folder; ``~`` is the home directory.
    ext : str or list of str, optional
        Extensions to look for; aac, au, flac, m4a, mp3, ogg and wav if not given.
    recurse : bool
        Look into folders within it, too.
    case_sensitive : bool
        Take extensions as they are written; otherwise all lower or all upper case.
    limit : int, optional
        How many files at most.
    offset : int
        How many to leave out before; a negative one counts from the end.

    Returns
    -------
    list of str
        Absolute paths, without files whose names begin with a dot; empty for no such folder.

    Raises
    ------
    ParameterError
        If `directory` is not a path.

    Examples
    --------
    >>> import os
    >>> [os.path.basename(path) for path in metalmom.util.find_files(".")]
    ['song.ogg']
    """
    try:
        folder = os.path.abspath(os.path.expanduser(os.fspath(directory)))
    except TypeError as error:
        raise ParameterError("directory", directory, "a path") from error
    wanted = {ext} if isinstance(ext, str) else set(_AUDIO if ext is None else ext)
    if not case_sensitive:
        wanted = {word.lower() for word in wanted} | {word.upper() for word in wanted}
    found = []
    for parent, folders, names in os.walk(folder):
        if not recurse:
            folders.clear()
        found += [
            os.path.join(parent, name)
            for name in names
            if not name.startswith(".") and "." in name and name.rpartition(".")[2] in wanted
        ]
    found = sorted(found)[offset:]
    return found if limit is None else found[:limit]


@functools.cache
def _examples() -> dict[str, dict[str, str]]:
    import json

    path = pathlib.Path(__file__).with_name("examples.json")
    return json.loads(path.read_text(encoding="utf-8"))


def _example(key: str) -> dict[str, str]:
    try:
        return _examples()[key]
    except (KeyError, TypeError):
        known = ", ".join([_DEMO, *_examples()])
        raise ParameterError("key", key, f"one of {known}") from None


def _caches() -> pathlib.Path:
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")


def _folders() -> list[pathlib.Path]:
    """Where examples are looked for, the first one being where they are put."""
    named = [os.environ.get(name) for name in ("METALMOM_DATA_DIR", "LIBROSA_DATA_DIR")]
    return [pathlib.Path(name) for name in named if name] + [_caches() / "librosa"]


def _is_ours(path: pathlib.Path) -> bool:
    """Whether a regular file of this user is there, and not what somebody else has put there, such as a link."""
    try:
        found = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()


def _demo() -> str:
    """Path of the demo song, which is written when it is first asked for."""
    import tempfile

    name = f"metalmom-demo-{_native.build_info()['version']}.wav"
    everybodys = pathlib.Path(tempfile.gettempdir())
    for folder in (*_folders()[:-1], _caches() / "metalmom", everybodys):
        path = folder / name
        if path.exists() if folder is not everybodys else _is_ours(path):
            return str(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Written under another name and renamed, since two processes may do this at the same
            # time.
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                write_wav(pathlib.Path(scratch) / name, _native.demo_song(_DEMO_SECONDS), _native.demo_rate)
                os.replace(pathlib.Path(scratch) / name, path)
        except OSError:
            continue
        return str(path)
    raise OSError(f"there is no folder to which {name} can be written: set METALMOM_DATA_DIR")


@public
def example(key: str, *, hq: bool = False, url: bool = False) -> str:
    """Path of an example recording.

    ``"demo"`` is a song that metalmom synthesises. librosa's recordings are looked for in the
    folders that METALMOM_DATA_DIR and LIBROSA_DATA_DIR name and in librosa's cache, and fetched
    into the first of them where pooch is installed.

    Parameters
    ----------
    key : str
        Name of the recording (see `list_examples`).
    hq : bool
        In high quality: stereo at 44,100 Hz where there is such; otherwise mono at 22,050 Hz. The
        demo song is the same in both.
    url : bool
        Return where the recording can be fetched from.

    Returns
    -------
    str
        The path, or the address.

    Raises
    ------
    ParameterError
        If there is no such recording, or with `url` it has no address.
    FileNotFoundError
        If the recording is in no folder and cannot be fetched.

    Examples
    --------
    >>> metalmom.ex("trumpet", url=True)
    'https://librosa.org/data/audio/sorohanro_-_solo-trumpet-06.ogg'
    """
    if is_one_of(key, [_DEMO]):
        if url:
            raise ParameterError(
                "url", True, "used with key='demo', which is synthesised", verb="must not be"
            )
        return _demo()
    entry = _example(key)
    name = f"{entry['file']}.hq.ogg" if hq else f"{entry['file']}.ogg"
    if url:
        return _URL + name
    for folder in _folders():
        if (folder / name).is_file():
            return str(folder / name)
    return _fetch(key, name, entry["sha256 hq" if hq else "sha256"])


def _fetch(key: str, name: str, sha256: str) -> str:
    try:
        import pooch
    except ImportError:
        raise FileNotFoundError(
            f"example {key!r} is not here: put {name} into the folder that LIBROSA_DATA_DIR names, "
            f"or install pooch, which fetches it from {_URL}"
        ) from None
    try:
        return pooch.retrieve(
            _URL + name, known_hash=f"sha256:{sha256}", fname=name, path=_folders()[0]
        )
    except OSError as error:
        raise FileNotFoundError(
            f"example {key!r} cannot be fetched from {_URL}{name}: {error}"
        ) from error


ex = example
"""Short for `example`."""


@public
def list_examples() -> None:
    """Print the names and descriptions of the example recordings.

    Examples
    --------
    >>> metalmom.util.list_examples()  # doctest: +ELLIPSIS
    AVAILABLE EXAMPLES
    ...
    """
    print("AVAILABLE EXAMPLES")
    print("-" * 68)
    for key, title in [(_DEMO, _DEMO_TITLE)] + [(k, e["title"]) for k, e in _examples().items()]:
        print(f"{key:10}\t{title}")


@public
def example_info(key: str, *, html: bool = False) -> str | None:
    """Print the title, the place and the author of an example recording.

    Parameters
    ----------
    key : str
        Name of the recording (see `list_examples`).
    html : bool
        Return the text as a definition list in HTML instead of printing it.

    Returns
    -------
    str or None
        With `html` the text.

    Raises
    ------
    ParameterError
        If there is no such recording.

    Notes
    -----
    Makers and licences are in a file beside the recording, which is read where it is at hand.

    Examples
    --------
    >>> metalmom.util.example_info("demo")
    title: The song that metalmom synthesises: drums, bass and chords
    """
    facts = {"title": _DEMO_TITLE}
    if not is_one_of(key, [_DEMO]):
        entry = _example(key)
        facts = {"title": entry["title"], "address": f"{_URL}{entry['file']}.ogg"}
        facts |= _read_facts(entry["file"])
    if not html:
        for name, value in facts.items():
            print(f"{name}: {value}")
        return None
    from html import escape

    rows = (f"<dt>{escape(str(k))}</dt><dd>{escape(str(v))}</dd>" for k, v in facts.items())
    return f"<dl>{''.join(rows)}</dl>"


def _read_facts(name: str) -> dict[str, Any]:
    import tomllib

    for folder in _folders():
        try:
            return tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
    return {}


@public
def cite(version: str | None = None, *, bib: bool = False) -> str:
    """Return the DOI to cite: that of librosa, whose interface and numbers metalmom has.

    Parameters
    ----------
    version : str, optional
        A version of librosa; if not given, the DOI is that of all versions.
    bib : bool
        Return an entry for BibTeX in place of the DOI.

    Returns
    -------
    str
        The DOI as an address, or the entry.

    Raises
    ------
    ParameterError
        If the DOI of that version is not known here.

    Notes
    -----
    librosa looks versions up in an index that it downloads; here few are known, and nothing is
    downloaded.

    Examples
    --------
    >>> metalmom.cite("0.10.1")
    'https://doi.org/10.5281/zenodo.8252662'
    """
    doi = _DOI if version is None else _DOIS.get(version)
    if doi is None:
        known = ", ".join(_DOIS)
        raise ParameterError(
            "version", version, f"one of {known}, or None; others are listed at https://doi.org/{_DOI}"
        )
    address = f"https://doi.org/{doi}"
    if not bib:
        return address
    title = "librosa/librosa" + (f": {version}" if version else "")
    fields = {"doi": doi, "url": address, "title": title, "publisher": "Zenodo"}
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{{doi},\n{lines}}}"
