"""What a run computes, as OUT/manifest.json has it, and what keeps another run from continuing it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..util._checks import is_number
from ..util.exceptions import LibrosaError, ParameterError
from . import strict_json
from .file_names import MANIFEST, is_table_folder
from .recipes import Recipe
from .schema import Schema
from .tables import writer_of

if TYPE_CHECKING:
    from .store import Store

    Manifest = dict[str, Any]

__all__ = ["differences", "identity", "manifest_of", "read_manifest",
           "recipe_of", "refuse_difference", "refuse_other_numbers", "require_manifest", "unlike"]  # fmt: skip

LAYOUT = 1

# Entries of a manifest that describe the results but do not decide them, and the numbers, which are
# compared where there are any to be computed.
_DESCRIBING = ("schema", "fingerprint", "numbers")


def identity() -> dict[str, Any]:
    """What numbers depend on of this process."""
    from .._engine.runtime import build_info

    build = build_info()
    return {"metalmom": build["version"], "simd": build["simd"], "fft": build["fft"]}


def unlike(process: dict[str, Any], manifest: Manifest) -> list[str]:
    """Sentences on what keeps a process of that identity from computing for a manifest."""
    return [f"{name} is {value!r} and must be {manifest[name]!r}"
            for name, value in process.items() if value != manifest[name]]  # fmt: skip


def manifest_of(recipe: dict[str, Any], format: str, backend: str) -> Manifest:
    """The manifest of a run, without its schema."""
    manifest = {"layout": LAYOUT, "recipe": recipe, "format": format, "backend": backend, **identity()}
    content = strict_json.dump(manifest, sort_keys=True).encode()
    return {**manifest, "fingerprint": hashlib.sha256(content).hexdigest()}


def read_manifest(store: Store) -> Manifest | None:
    """The manifest of a store; None where there is none.

    Raises
    ------
    LibrosaError
        Where a file of that name is there, and is not whole or somebody else's.
    """
    content = store.read(MANIFEST)
    if content is None:
        return None
    try:
        manifest: Manifest = strict_json.load(content)
        layout = manifest["layout"]
        manifest.setdefault("numbers", "")  # older versions wrote none: they are equal to no others
    except (ValueError, TypeError, KeyError, RecursionError):
        manifest, layout = {}, LAYOUT
    if layout != LAYOUT:
        raise LibrosaError(f"{store}/{MANIFEST}: layout={layout!r} must be {LAYOUT}, the one that this version reads")
    if not _is_ours(manifest):
        raise LibrosaError(f"{store}/{MANIFEST} is damaged, or not written by metalmom.extract: take another folder")
    return manifest


def _is_ours(manifest: Manifest) -> bool:
    try:
        recipe = manifest["recipe"]
        schema = Schema.load(manifest["schema"])
        return (
            all(map(is_table_folder, schema.tables))
            and isinstance(recipe["features"], dict)
            and is_number(recipe["sr"])
            and writer_of(manifest["format"]) is not None
            and all(isinstance(manifest[name], str) for name in ("backend", "fingerprint", "numbers", *identity()))
        )
    except (KeyError, TypeError, ValueError):
        return False


def recipe_of(store: Store, manifest: Manifest) -> Recipe:
    """The recipe of a store's manifest, which is looked at as what anybody may have written."""
    try:
        return Recipe(manifest["recipe"])
    except ParameterError as error:
        raise LibrosaError(f"{store}/{MANIFEST}: {error}") from error


def require_manifest(store: Store) -> Manifest:
    """The manifest of a store that is to be read."""
    manifest = read_manifest(store)
    if manifest is None:
        raise ParameterError(f"out={str(store)!r} must be a folder that metalmom.extract has written")
    return manifest


def differences(old: Manifest, new: Manifest) -> Iterator[str]:
    """Sentences on what differs in what numbers depend on."""
    deciding = [{key: value for key, value in each.items() if key not in _DESCRIBING} for each in (old, new)]
    return _unequal("", *deciding)


def _unequal(place: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for key in dict.fromkeys([*old, *new]):
        name = place + key
        if key not in old or key not in new:
            value = (old if key in old else new)[key]
            shown = name if isinstance(value, dict) else f"{name}={value!r}"
            yield f"{shown} is {'gone' if key in old else 'new'}"
        elif isinstance(old[key], dict) and isinstance(new[key], dict):
            yield from _unequal(f"{name}.", old[key], new[key])
        elif old[key] != new[key]:
            yield f"{name} was {old[key]!r} and is {new[key]!r}"


def refuse_other_numbers(out: Store, old: Manifest, numbers: str) -> None:
    """Raise `ParameterError` where this process computes other numbers than what a run has computed."""
    if numbers != old["numbers"]:
        raise ParameterError(
            f"{out} holds the results of another build of metalmom {old['metalmom']}, or of other libraries "
            "beneath it, which give other numbers for the recipe. Take another folder, or start anew with "
            "overwrite=True"
        )


def refuse_difference(out: Store, old: Manifest, new: Manifest) -> None:
    """Raise `ParameterError` where a run cannot continue another."""
    found = list(differences(old, new))
    if found:
        more = f"; and {len(found) - 6} more" if len(found) > 6 else ""
        raise ParameterError(
            f"{out} holds the results of another run: {'; '.join(found[:6])}{more}. "
            "Take another folder, or start anew with overwrite=True"
        )
