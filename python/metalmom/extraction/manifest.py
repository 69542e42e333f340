"""What a run computes, as OUT/manifest.json has it, and what keeps another run from continuing it."""

import hashlib
import json

from ..util.exceptions import ParameterError

__all__ = ["NAME", "Different", "differences", "identity", "manifest_of", "refuse_difference", "unlike"]

NAME = "manifest.json"
LAYOUT = 1

# Entries of a manifest that describe the results but do not decide them.
_DESCRIBING = ("schema", "fingerprint")


class Different(ParameterError):
    """OUT holds the results of something else."""


def identity():
    """What numbers depend on of this process."""
    from .. import build_info

    build = build_info()
    return {"metalmom": build["version"], "simd": build["simd"], "fft": build["fft"]}


def unlike(process, manifest):
    """Sentences on what keeps a process of that identity from computing for a manifest."""
    return [f"{name} is {value!r} and must be {manifest[name]!r}"
            for name, value in process.items() if value != manifest[name]]  # fmt: skip


def manifest_of(recipe, format, backend):
    """The manifest of a run, without its schema."""
    manifest = {
        "layout": LAYOUT,
        "recipe": recipe,
        "format": format,
        "backend": backend,
        **identity(),
    }
    content = json.dumps(manifest, sort_keys=True).encode()
    return {**manifest, "fingerprint": hashlib.sha256(content).hexdigest()}


def _flat(value, name=""):
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _flat(each, f"{name}.{key}" if name else key)
    else:
        yield name, value


def differences(old, new):
    """Sentences on what differs in what numbers depend on."""
    old, new = (dict(_flat({k: v for k, v in each.items() if k not in _DESCRIBING}))
                for each in (old, new))  # fmt: skip
    missing = object()
    for name in dict.fromkeys([*old, *new]):
        before, now = old.get(name, missing), new.get(name, missing)
        if before is missing:
            yield f"{name}={now!r} is new"
        elif now is missing:
            yield f"{name}={before!r} is gone"
        elif before != now:
            yield f"{name} was {before!r} and is {now!r}"


def refuse_difference(out, old, new):
    """Raise `Different` where a run cannot continue another."""
    found = list(differences(old, new))
    if found:
        more = f"; and {len(found) - 6} more" if len(found) > 6 else ""
        raise Different(
            f"{out} holds the results of another run: {'; '.join(found[:6])}{more}. "
            "Take another folder, or start anew with overwrite=True (--overwrite)"
        )
