"""``metalmom verify OUT``: whether tables are whole, and a sample of their files computed again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from ..util._wording import counted
from ..util.files import expanded
from ._arguments import natural, printable

HELP = "check the tables of extract: compare their hashes, and compute a sample of files again"

USAGE = "OUT [--sample N]"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("out", type=expanded, metavar="OUT", help="a folder that metalmom extract has written")
    parser.add_argument("--sample", type=natural, default=20, metavar="N",
                        help="number of files to compute again (20)")


def run(args: Namespace) -> int:
    from ..extraction.verify import verify

    count = 0
    for fault in verify(args.out, args.sample, told=print):
        print(printable(fault))
        count += 1
    print(f"{counted(count, 'fault')} found" if count else "no fault found")
    return 1 if count else 0
