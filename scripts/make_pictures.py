#!/usr/bin/env python3
"""Let librosa 1.0.0 draw the pictures of tests_py/display_cases.py and keep them.

    python scripts/make_pictures.py

Run by a Python that has librosa 1.0.0 and matplotlib. Writes tests_py/reference/pictures/*.png and
pictures.json: what they look like without text, and what is on their axes.
"""

import json
import pathlib
import sys
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests_py"))

import display_cases  # noqa: E402

KEPT = ROOT / "tests_py" / "reference" / "pictures"


def main():
    import librosa
    import matplotlib

    if librosa.__version__ != "1.0.0":
        sys.exit(f"the reference is librosa 1.0.0, this Python has {librosa.__version__}")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    KEPT.mkdir(exist_ok=True)
    known = {}
    for name in display_cases.PICTURES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fig = display_cases.drawn(librosa, name)
            known[name] = display_cases.facts(fig)
            plt.imsave(KEPT / f"{name}.png", display_cases.render(fig))
        plt.close(fig)
    lines = (f"{json.dumps(name)}: {json.dumps(facts)}" for name, facts in known.items())
    (KEPT / "pictures.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(known)} pictures by librosa {librosa.__version__}, matplotlib {matplotlib.__version__}")


if __name__ == "__main__":
    main()
