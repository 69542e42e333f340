"""Runs a program whose ``import librosa`` is to mean metalmom: ``python -m metalmom.as_librosa SCRIPT ARG ...``."""

import argparse
import os
import runpy
import sys
import types

from . import ON_PATH, install_as_librosa


def _run_code(code: str) -> None:
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), vars(main))


def _run_script(path: str) -> None:
    runpy.run_path(path, run_name="__main__")


def _run_module(name: str) -> None:
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def _main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m metalmom.as_librosa",
        usage="%(prog)s [-h] {SCRIPT | -m MODULE | -c CODE} [ARG ...]",
        description="Run a program in which librosa, wherever it is imported, is metalmom.",
    )
    of_kind = parser.add_mutually_exclusive_group()
    of_kind.add_argument("-m", dest="run", action="store_const", const=_run_module, help="run a module by its name")
    of_kind.add_argument("-c", dest="run", action="store_const", const=_run_code, help="run a text of Python")
    parser.add_argument("program", metavar="SCRIPT", help="a file or folder that Python can run, MODULE or CODE")
    parser.add_argument("arguments", metavar="ARG", nargs=argparse.REMAINDER, help="what the program finds in sys.argv")
    options = parser.parse_args()
    run = options.run or _run_script
    if run is _run_script:
        if not os.path.exists(options.program):
            parser.error(f"{options.program}: no such file")
        if not sys.flags.safe_path:
            sys.path[0] = os.path.dirname(os.path.abspath(options.program))
    sys.argv = ["-c" if run is _run_code else options.program, *options.arguments]
    paths = [ON_PATH, os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    install_as_librosa()
    run(options.program)


if __name__ == "__main__":
    _main()
