#!/usr/bin/env python3
"""List what a wheel ships: the libraries of other people inside it, and the packages that it asks for.

    scripts/shipped.py WHEEL

The list of libraries is the wheel's bill of materials, which scripts/wheels makes here: CycloneDX's JSON in
`.dist-info/sboms` (PEP 770), which tools that look for known faults read.
"""

import json
import pathlib
import re
import sys
import zipfile

# Part of a file's name -> what lies in it: name, licence, address, and how the file says which version it is. Where
# it does not say it, the one who makes the wheel may know it.
INSIDE = {
    "metalmom.libs/libsndfile": (
        ("libsndfile", "LGPL-2.1-or-later", "pkg:github/libsndfile/libsndfile", rb"libsndfile-(\d+\.\d+\.\d+)"),
        ("flac", "BSD-3-Clause", "pkg:github/xiph/flac", rb"libFLAC (\d+\.\d+\.\d+)"),
        ("ogg", "BSD-3-Clause", "pkg:github/xiph/ogg", None),
        ("vorbis", "BSD-3-Clause", "pkg:github/xiph/vorbis", rb"libVorbis (\d+\.\d+\.\d+)"),
        ("opus", "BSD-3-Clause", "pkg:github/xiph/opus", rb"libopus (\d+\.\d+(?:\.\d+)?)"),
        ("mpg123", "LGPL-2.1-only", "pkg:generic/mpg123", None),
        ("lame", "LGPL-2.0-or-later", "pkg:generic/lame", rb"LAME(\d+\.\d+)"),
    ),
    "metalmom.libs/libsoxr": (
        ("libsoxr", "LGPL-2.1-or-later", "pkg:generic/libsoxr", rb"libsoxr-(\d+\.\d+\.\d+)"),
    ),
    "metalmom/_native": (
        ("pybind11", "BSD-3-Clause", "pkg:pypi/pybind11", None),
        ("libstdc++", "GPL-3.0-or-later WITH GCC-exception-3.1", "pkg:generic/gcc", rb"GCC: \([^)]*\) (\d+\.\d+\.\d+)"),
    ),
}  # fmt: skip
PLACE = "sboms/metalmom.cdx.json"  # in .dist-info


def bill(version, licence, files, known):
    """The bill of materials of a wheel: the same bytes for the same files.

    Parameters
    ----------
    version, licence : str
        Of the wheel.
    files : dict of bytes
        What it has, by name.
    known : dict of str
        Versions that no file says, by the names of libraries.
    """
    components = []
    for part, libraries in INSIDE.items():
        for place, content in sorted(files.items()):
            if place.startswith(part) and ".so" in place:
                components += [component(place, content, known, *library) for library in libraries]
    own = {"type": "library", "bom-ref": "metalmom", "name": "metalmom", "version": version,
           "purl": f"pkg:pypi/metalmom@{version}", "licenses": [{"expression": licence}]}  # fmt: skip
    depends = [{"ref": "metalmom", "dependsOn": [each["bom-ref"] for each in components]}]
    made = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": own},
            "components": components, "dependencies": depends}  # fmt: skip
    return (json.dumps(made, indent=1) + "\n").encode()


def component(place, content, known, name, licence, address, pattern):
    """A library in a file of the wheel."""
    found = re.search(pattern, content) if pattern else None
    version = found[1].decode() if found else known.get(name)
    made = {"type": "library", "bom-ref": name, "name": name, "licenses": [{"expression": licence}],
            "evidence": {"occurrences": [{"location": place}]}}  # fmt: skip
    return made | ({"version": version, "purl": f"{address}@{version}"} if version else {"purl": address})


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    with zipfile.ZipFile(pathlib.Path(sys.argv[1])) as wheel:
        (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        made = json.loads(wheel.read(metadata.replace("METADATA", PLACE)))
        asked = [line for line in wheel.read(metadata).decode().partition("\n\n")[0].splitlines()
                 if line.startswith("Requires-")]  # fmt: skip
    for each in made["components"]:
        (where,) = each["evidence"]["occurrences"]
        print(f"{each['name']} {each.get('version', '')}  {each['licenses'][0]['expression']}  in {where['location']}")
    print(*asked, sep="\n")


if __name__ == "__main__":
    main()
