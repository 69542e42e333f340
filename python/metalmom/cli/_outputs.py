"""Files that commands write: those that cannot be written are refused before the work."""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from typing import Any, NamedTuple

from ..util._output_files import require_writable, written_beside
from ..util._packages import needed_by, required


class Output(NamedTuple):
    """A file of an option, of a kind that `require_writable` knows; ``-`` is standard output."""

    option: str
    path: str
    kind: str

    def write(self, content: bytes) -> None:
        if self.path == "-":
            sys.stdout.write(content.decode())
            return
        with written_beside(self.path, self.kind, name=self.option) as beside, open(beside, "wb") as file:
            file.write(content)


def outputs_of(args: Namespace, *asked: Output) -> dict[str, Output]:
    """Those that are asked for, by option; `args.plot` is a picture, too."""
    given = [output for output in (*asked, Output("--plot", args.plot, "any")) if output.path]
    places = [os.path.realpath(output.path) for output in given]
    for output, place in zip(given, places, strict=True):
        if places.count(place) > 1:
            args.refuse(f"argument {output.option}: {output.path} is given for two outputs")
        if output.option == "--plot":
            if not output.path.lower().endswith(".png"):
                args.refuse("argument --plot: a name that ends in .png")
            with needed_by("--plot"):
                required("matplotlib")
        if output.path != "-":
            require_writable(output.path, output.kind, name=output.option)
    return {output.option: output for output in given}


def png_of(figure: Any) -> bytes:
    """A figure of matplotlib as a file."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=100)
    return out.getvalue()
