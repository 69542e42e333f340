#!/usr/bin/env python3
"""Hold the rules of the tree: who may include whom, and who may import what.

    scripts/check_tree.py [--sizes] [ROOT]

Prints one line per breach and exits 1 if there is any. The tests run it. --sizes prints how large the package is.
"""

import argparse
import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

# Folder of cpp/ -> the folders whose headers it may include beside its own.
LAYERS = {
    "base": set(),
    "trace": {"base"},
    "io": {"base", "trace", "dsp"},
    "dsp": {"base"},
    "ops": {"base", "dsp"},
    "gpu": {"base", "trace", "ops"},
    "dispatch": {"base", "trace", "dsp", "ops", "gpu"},
    "graph": {"base", "trace", "ops", "gpu", "dispatch"},
    "stream": {"base", "dsp", "ops"},
    "c_api": {"base", "dsp", "ops", "stream"},
    "bridge": {"base", "trace", "io", "dsp", "ops", "gpu", "dispatch", "graph", "stream"},
    "tools": {"base", "trace", "io", "dsp", "ops", "dispatch", "graph"},
}

# What a folder's headers bring along, for whoever includes them: ops are made of dsp's types, and the
# dispatcher's templates name the kernels (which see no Vulkan). Nothing else may come in by this way.
BRINGS_ALONG = {"ops": {"dsp"}, "gpu": {"dsp"}, "dispatch": {"dsp", "gpu"}, "graph": {"dsp", "gpu"}}

# Room of cpp/gpu -> the rooms whose headers its headers may include beside its own; "" is the folder itself.
# Sources may call further up: a device owns its sessions, and a table is uploaded as arrays are.
GPU_ROOMS = {
    "vk": {""},
    "record": {"", "vk"},
    "kernels": {"", "record"},
    "run": {"", "vk", "record"},
}

# Headers that one folder alone may see, be it by way of others.
OWNED_HEADERS = {
    r"vulkan/|vk_": "gpu",
    r"pybind11/|Python\.h|numpy/": "bridge",
    r"sndfile": "io",
    r"soxr": "dsp",
    r"fftw3": "dsp",
}

# Modules that a function may import when it is called, and no module when it is loaded.
LAZY_ONLY = {
    "matplotlib", "soundfile", "soxr", "pandas", "pyarrow", "fsspec", "dask", "distributed", "tqdm",
}  # fmt: skip
# Modules that `util._packages.required` alone imports, which says who needs them and how to get them.
BY_REQUIRED = {"scipy", "samplerate", "resampy", "onnx", "onnxruntime"}
# Files that are made of matplotlib's classes: metalmom.display imports them when it needs one.
WITH_MATPLOTLIB = {"display/_artists.py", "display/_axes.py", "display/_ticks.py"}
# Modules that nothing may import: whoever needs them would bring seconds of start-up with them.
FORBIDDEN = {"librosa", "numba", "torch", "torchaudio"}

# The floors of the package, from the ground up: a module or folder of python/metalmom imports from floors
# below its own alone, be it inside a function.
FLOORS = (
    "util _cache _program",
    "_engine demo filters trace",
    "_extractor as_librosa convolution core nn segment sequence version",
    "decompose display frontend onset",
    "feature",
    "_warmup beat effects",
    "_self_test streaming",
    "extraction separation",
    "cli _facade",
    "__init__ __main__",
)
MOST_FLOORS = 10
MOST_IN_ROOT = 20  # Python files

# What is written by hand, in which nothing may be left over from a merge.
SOURCES = {".cpp", ".hpp", ".comp", ".glsl", ".py"}

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


class Includes:
    """What the files of cpp/ include, and what comes along with it."""

    def __init__(self, root):
        self._folder = root / "cpp"
        self._own = {}
        self._brought = {}

    def own(self, path):
        """[(line, target)] of a file."""
        if path not in self._own:
            lines = enumerate(path.read_text().splitlines(), 1)
            found = ((number, INCLUDE.match(line)) for number, line in lines)
            self._own[path] = [(number, match.group(2)) for number, match in found if match]
        return self._own[path]

    def brought(self, target):
        """{header: how it comes in} of what including `target` brings along."""
        if target not in self._brought:
            self._brought[target] = result = {}
            path = self._folder / target
            for _, each in self.own(path) if path.is_file() else ():
                result.setdefault(each, target)
                for header, way in self.brought(each).items():
                    result.setdefault(header, f"{target} > {way}")
        return self._brought[target]


def breach_of(layer, target, allowed):
    """Why a file of a layer must not see a header, or None."""
    folder = target.split("/")[0]
    if folder in LAYERS and folder != layer and folder not in allowed:
        return f"cpp/{layer} must not include {target}"
    for pattern, owner in OWNED_HEADERS.items():
        if re.match(pattern, target) and layer != owner:
            return f"{target} belongs to cpp/{owner} alone"
    return None


def layer_breaches(root):
    includes = Includes(root)
    for path in sorted((root / "cpp").rglob("*.[hc]pp")):
        layer = path.relative_to(root / "cpp").parts[0]
        if layer not in LAYERS:
            yield path, 0, f"cpp/{layer} is no layer: give it a row in LAYERS"
            continue
        allowed = LAYERS[layer]
        in_all = allowed.union(*(BRINGS_ALONG.get(each, ()) for each in allowed))
        for number, target in includes.own(path):
            if text := breach_of(layer, target, allowed):
                yield path, number, text
                continue
            for header, way in includes.brought(target).items():
                if text := breach_of(layer, header, in_all):
                    yield path, number, f"{text}, which comes along with {way}"


def room_breaches(root):
    includes = Includes(root)
    for room, allowed in GPU_ROOMS.items():
        for path in sorted((root / "cpp" / "gpu" / room).glob("*.hpp")):
            for number, target in includes.own(path):
                folder = str(pathlib.PurePath(target).parent).removeprefix("gpu")
                if target.startswith("gpu/") and folder.strip("/") not in {room, *allowed}:
                    yield path, number, f"headers of cpp/gpu/{room} must not include {target}"


def may_import_native(module):
    """The glue calls the engine; conventions, tables and exceptions do without it."""
    return not module.startswith(("util/exceptions", "core/convert", "core/notation", "version"))


def for_type_checkers(tree):
    """What type checkers alone read, which is no import: the nodes' identities."""
    return {
        id(node)
        for guard in ast.walk(tree)
        if isinstance(guard, ast.If) and "TYPE_CHECKING" in ast.unparse(guard.test)
        for inside in guard.body
        for node in ast.walk(inside)
    }


def imports(tree):
    """(line, top-level module name, at module level) of every absolute import of a file."""
    lazy = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
    }
    unread = for_type_checkers(tree)
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, id(node) not in lazy
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            if node.level == 0:
                yield node.lineno, node.module, id(node) not in lazy
            elif "_native" in names or (node.module or "").endswith("_native"):
                yield node.lineno, "._native", id(node) not in lazy


def own_imports(path, package):
    """(line, module of the package) of every import of the package in a file, inside functions too.

    A module is a tuple of names, () the facade. What type checkers alone read is no import.
    """
    tree = ast.parse(path.read_text())
    unread = for_type_checkers(tree)
    here = path.relative_to(package).parts[:-1]
    for node in ast.walk(tree):
        if id(node) in unread:
            continue
        if isinstance(node, ast.Import):
            found = [alias.name.split(".") for alias in node.names]
            found = [tuple(names[1:]) for names in found if names[0] == package.name]
        elif isinstance(node, ast.ImportFrom):
            module = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                module = here[: len(here) - node.level + 1] + module
            elif module[0] == package.name:
                module = module[1:]
            else:
                continue
            found = [module + (alias.name,) for alias in node.names]
        else:
            continue
        for names in found:
            if names[:1] != ("_native",):
                yield node.lineno, module_of(names, package)


def module_of(names, package):
    """The innermost module of a dotted name, whose last names may be those of functions."""
    while names:
        path = package.joinpath(*names)
        if path.with_suffix(".py").is_file() or (path / "__init__.py").is_file():
            return names
        names = names[:-1]
    return names


def circle_of(arrows):
    """Some of `arrows` (from -> set of to) that lead back to where they began, or None."""
    while arrows:
        ends = {each for each in arrows if not arrows[each] & arrows.keys()}
        if not ends:
            way = [min(arrows)]
            while way[-1] not in way[:-1]:
                way.append(min(arrows[way[-1]] & arrows.keys()))
            return way[way.index(way[-1]) :]
        arrows = {each: to for each, to in arrows.items() if each not in ends}
    return None


def floor_breaches(root):
    package = root / "python" / "metalmom"
    files = sorted(package.rglob("*.py"))
    in_root = sorted(package.glob("*.py"))
    if len(in_root) > MOST_IN_ROOT:
        yield package, 0, f"{len(in_root)} Python files are more than {MOST_IN_ROOT}: give them a folder"
    if len(FLOORS) > MOST_FLOORS:
        yield package, 0, f"{len(FLOORS)} floors are more than {MOST_FLOORS}"
    floors = {name: number for number, names in enumerate(FLOORS) for name in names.split()}
    within = {}  # folder -> which of its modules imports which
    for path in files:
        *folder, name = path.relative_to(package).with_suffix("").parts
        own = folder[0] if folder else name
        if own not in floors:
            yield path, 0, f"{own} is on no floor: give it one in FLOORS"
            continue
        for line, target in own_imports(path, package):
            other = target[0] if target else "__init__"
            if not target:
                yield path, line, "nothing may import the facade: import what it shows from where it is"
            elif other != own and floors.get(other, -1) >= floors[own]:
                yield path, line, f"{own} must not import {other}, which is on no floor below"
            for depth in range(1, len(folder) + 1):
                if target[:depth] == tuple(folder[:depth]):
                    ours = (*folder, name)[depth]
                    theirs = (*target, "__init__")[depth]
                    if ours != theirs:
                        arrows = within.setdefault(target[:depth], {})
                        arrows.setdefault(ours, set()).add(theirs)
    for folder, arrows in within.items():
        if way := circle_of(arrows):
            yield package.joinpath(*folder), 0, f"imports go round: {' > '.join(way)}"


def import_breaches(root):
    package = root / "python" / "metalmom"
    for path in sorted(package.rglob("*.py")):
        module = str(path.relative_to(package))
        for number, name, at_load in imports(ast.parse(path.read_text())):
            top = name.split(".")[0]
            if top in FORBIDDEN:
                yield path, number, f"nothing of metalmom may import {top}"
            elif top == "matplotlib" and module in WITH_MATPLOTLIB:
                continue
            elif top in BY_REQUIRED:
                yield path, number, f"import {top} by util._packages.required, inside the function that needs it"
            elif at_load and top in LAZY_ONLY:
                yield path, number, f"{top} may be imported only inside the function that needs it"
            elif name in ("._native", "metalmom._native") and not may_import_native(module):
                yield path, number, f"{module} must do without _native"


def warning_breaches(root):
    """One helper knows which frame is the caller's."""
    package = root / "python" / "metalmom"
    for path in sorted(package.rglob("*.py")):
        if path.name == "_warnings.py":
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.search(r"\bwarnings\.warn(_explicit)?\(|import warn\b", line) and (
                "_warnings import warn" not in line
            ):
                yield path, number, "warn by way of _warnings.warn, which names the caller's line"


MOST_COLUMNS = 100  # of C++, as .clang-format says
FOLDERS = ("cpp", "shaders", "python", "tests_cpp", "tests_py", "scripts", "benchmarks")
TOP_LEVEL = {
    *FOLDERS, "cmake", "docs", "CMakeLists.txt", "CMakePresets.json", "pyproject.toml",
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE",
}  # fmt: skip


def top_level_breaches(root):
    """Of what git tracks: beside it lie build folders, and what somebody tried out."""
    listing = ("git", "-C", str(root), "ls-files", "-z")
    try:
        tracked = subprocess.run(listing, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return  # no checkout
    for name in sorted({path.split("/")[0] for path in tracked.split("\0") if path}):
        if name not in TOP_LEVEL and not name.startswith("."):
            yield root / name, 0, "nothing of the top level: give it a folder, or a row in TOP_LEVEL"


def text_breaches(root):
    """What an editor left: lines of a merge, and lines of C++ that .clang-format would break."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.match(r"(<{7}|>{7}|\|{7}) ", line):
                    yield path, number, "left over from a merge"
                if path.suffix in (".cpp", ".hpp") and len(line) > MOST_COLUMNS:
                    yield path, number, f"more than {MOST_COLUMNS} columns: clang-format -i breaks the line"


def breaches(root):
    """Every breach under ROOT, as one sentence each."""
    root = pathlib.Path(root)
    rules = (top_level_breaches, layer_breaches, room_breaches, import_breaches, floor_breaches,
             warning_breaches, text_breaches)  # fmt: skip
    for rule in rules:
        for path, number, text in rule(root):
            place = f"{path.relative_to(root)}:{number}" if number else path.relative_to(root)
            yield f"{place}: {text}"


NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
}  # fmt: skip


def lines_of_code(path):
    """How many lines of a Python file are code: neither blank, nor a comment, nor of a docstring."""
    text = path.read_text()
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
            lines.difference_update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def sizes(root):
    """What CONTRIBUTING.md says of the package's size."""
    package = pathlib.Path(root) / "python" / "metalmom"
    code = sum(map(lines_of_code, package.rglob("*.py")))
    stubs = sum(len(path.read_text().splitlines()) for path in package.rglob("*.pyi"))
    in_root = len([*package.glob("*.py")])
    return f"{code} lines of Python code, {stubs} of stubs; {in_root} files in the root; {len(FLOORS)} floors"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", action="store_true", help="print how large the package is, in place of breaches")
    parser.add_argument("root", nargs="?", metavar="ROOT", default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    if options.sizes:
        print(sizes(options.root))
        return 0
    found = list(breaches(options.root))
    print("\n".join(found) if found else "the tree holds its rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
