"""The names that a run gives in OUT: nothing else there is ever removed."""

from __future__ import annotations

import re
import uuid
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .schema import Schema

__all__ = ["MANIFEST", "PLAN", "QUARANTINE", "folders_of", "is_own", "is_table_folder", "is_temporary",
           "receipt_name", "table_name", "temporary_prefix", "written_name"]  # fmt: skip

MANIFEST, PLAN, QUARANTINE = "manifest.json", "plan.jsonl", "quarantine.csv"

# How the names of files begin that are not whole yet.
_TEMPORARY = ".writing-"
_TEMPORARY_NAME = re.escape(_TEMPORARY) + "([0-9a-f]{32})-(.+)"
_DIGITS_OF_DIGEST = 16

_OWN = {
    "": "|".join(map(re.escape, (MANIFEST, PLAN, QUARANTINE))),
    "receipts": r"\d{5,}\.json",
    "runs": r"\d{8}-\d{6}-.+-\d+\.json",
}
_TABLE_FOLDER = r"(frames|events)(-[^/\\\0]+)?"
_TABLE = r"part-\d{5,}\.(parquet|npz)"


def receipt_name(shard: int) -> str:
    """Where the receipt of a shard lies in OUT."""
    return f"receipts/{shard:05}.json"


def table_name(folder: str, shard: int, format: str) -> str:
    """Where the part of a table that a shard makes lies in OUT."""
    return f"{folder}/part-{shard:05}.{format}"


def folders_of(schema: Schema) -> list[str]:
    """Names of the folders of a run in OUT; receipts come first, which vouch for the others."""
    return ["receipts", "files", *schema.tables, "runs"]


def is_table_folder(name: str) -> bool:
    """Whether a table of frames or events may lie in a folder of that name."""
    return re.fullmatch(_TABLE_FOLDER, name) is not None


def is_own(folder: str, name: str) -> bool:
    """Whether a file of one of these folders ("" is OUT itself) has a name that runs give."""
    return re.fullmatch(_OWN.get(folder, _TABLE), name) is not None


def temporary_prefix(digest: str = "") -> str:
    """How the name of a file begins that is not whole yet.

    It is unique, since two hosts of a cluster may run the same task with the same process number. With a
    digest of the file, `written_name` tells by it whether the file is whole.
    """
    known = digest[:_DIGITS_OF_DIGEST]
    return f"{_TEMPORARY}{known}{uuid.uuid4().hex[len(known):]}-"


def is_temporary(name: str) -> bool:
    """Whether `temporary_prefix` began a name."""
    return re.fullmatch(_TEMPORARY_NAME, name) is not None


def written_name(temporary: str, digest: str) -> str | None:
    """The name that a temporary file was to have, where it is whole: where its name began with this digest."""
    found = re.fullmatch(_TEMPORARY_NAME, temporary)
    return found[2] if found and digest.startswith(found[1][:_DIGITS_OF_DIGEST]) else None
