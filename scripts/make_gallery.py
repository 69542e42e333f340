#!/usr/bin/env python3
"""Draw the pictures of docs/gallery/README.md, each by the script of its name.

    .venv/bin/python scripts/make_gallery.py [NAME...]
"""

import pathlib
import runpy
import sys
import warnings

GALLERY = pathlib.Path(__file__).resolve().parent.parent / "docs" / "gallery"


def draw(name, out):
    """Run a script of the gallery and save its figure."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        warnings.simplefilter("error", FutureWarning)
        plt.close("all")
        runpy.run_path(str(GALLERY / f"{name}.py"), run_name="__main__")
    plt.gcf().savefig(out, dpi=64)


if __name__ == "__main__":
    for each in sys.argv[1:] or sorted(path.stem for path in GALLERY.glob("*.py")):
        draw(each, GALLERY / f"{each}.png")
