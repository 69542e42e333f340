"""What the documentation of a function says of its parameters.

The `Parameters` section of a docstring is the one declaration of what an argument may be: people
read it, and errors are explained by it.
"""

import ast
import functools
import inspect
import itertools
import re
import sys
import textwrap

__all__ = ["phrases"]

_SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?=\n\n[A-Z][A-Za-z ]*\n-+\n|\Z)", re.M | re.S)
_QUOTED = re.compile(r"`([A-Za-z_][\w.]*)`")


@functools.lru_cache(maxsize=None)
def phrases(function):
    """A dict from each parameter's name to its type in words, as far as they are documented.

    Entries that hand over to other functions ("As in `stft` and `istft`.") are followed there, and
    parameters that take the rest by keyword into the functions that they name.
    """
    return _phrases(function, ())


def _phrases(function, on_the_way):
    on_the_way = (*on_the_way, inspect.unwrap(function))
    said, of_the_rest = {}, {}
    for names, phrase, text in _entries(_docstring(function)):
        if phrase:
            said.update(dict.fromkeys(names, phrase))
            continue
        quoted = _QUOTED.findall(text)
        theirs = {}
        for other in (_find(each, function) for each in quoted):
            if other and inspect.unwrap(other) not in on_the_way:
                theirs = {**_phrases(other, on_the_way), **theirs}
        for name in names:
            if name.startswith("**"):
                of_the_rest.update(dict.fromkeys(filter(str.isidentifier, quoted), "object"))
                of_the_rest.update(theirs)
            elif name in theirs:
                said[name] = theirs[name]
            else:  # e.g. "Deprecated name of `rng`."
                said.update({name: said[each] for each in quoted if each in said})
    return {**of_the_rest, **said}


def _docstring(function):
    """A function's docstring; from its source where the interpreter keeps none (``python -OO``)."""
    if sys.flags.optimize < 2:
        return inspect.getdoc(function) or ""
    try:
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body
    except (OSError, TypeError):  # there is no source
        return ""
    return ast.get_docstring(definition) or ""


def _entries(doc):
    """(names, phrase or empty, text) of each entry of the section."""
    section = _SECTION.search(doc)
    lines = section[1].splitlines() if section else []
    heads = [i for i, line in enumerate(lines) if line and not line.startswith(" ")]
    for head, end in itertools.pairwise([*heads, len(lines)]):
        names, _, phrase = lines[head].partition(" : ")
        yield [name.strip() for name in names.split(",")], phrase, " ".join(lines[head + 1 : end])


def _find(name, function):
    """The function that a docstring quotes: by its full name, or as a neighbour."""
    package = sys.modules[__name__.partition(".")[0]]
    if name.startswith(package.__name__ + "."):
        start, path = package, name.split(".")[1:]
    else:
        start, path = sys.modules.get(function.__module__, package), name.split(".")
    for part in path:
        start = getattr(start, part, None)
    return start if inspect.isfunction(start) else None
