"""Which file is which row, and which shard computes it: fixed before the first file is read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..util._wording import counted, first_of
from ..util.exceptions import LibrosaError, ParameterError
from . import strict_json
from .fault_injection import files_of_a_shard
from .inputs import is_gone, shown
from .file_names import PLAN

if TYPE_CHECKING:
    from .inputs import Found
    from .receipts import Receipts
    from .store import Store

    Shards = dict[int, list["Entry"]]

__all__ = ["Entry", "Plan", "told_of_gone", "weight_of"]


# A shard is this part of what is left to be cut, so that the last ones are small and all workers
# end at about the same time. No shard is so large that repeating it after a crash hurts, or so small
# that syncing it to the disk takes as long as computing it.
_PART = 1 / 24
_LEAST_WEIGHT, _MOST_WEIGHT = 3 << 20, 64 << 20
_MOST_FILES = 1024

# The time to decode a byte of a format, relative to Vorbis and MP3.
_COST = {".wav": 0.12, ".wave": 0.12, ".aif": 0.12, ".aiff": 0.12, ".w64": 0.12, ".au": 0.12,
         ".flac": 0.25}  # fmt: skip

# What is left where nothing says any more which file is which.
_ANEW = "metalmom extract with --overwrite, or another folder, starts anew"


class Entry(NamedTuple):
    """A file of the plan."""

    file_id: int
    path: str
    size: int
    mtime: int
    shard: int


def weight_of(entry: Entry) -> float:
    """The work that a file is expected to be."""
    cost = _COST.get(os.path.splitext(entry.path)[1].lower(), 1.0)
    return max(entry.size, 0) * cost + 20_000


class Plan:
    """Entries in the order of their ids."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.entries = list(entries)

    @classmethod
    def load(cls, content: bytes) -> Plan:
        """The plan that `dump` wrote."""
        return cls(Entry(**json.loads(line)) for line in content.splitlines())

    @classmethod
    def read(cls, store: Store) -> Plan:
        """The plan of a store; a `LibrosaError` where it is missing or damaged."""
        content = store.read(PLAN)
        if not content:
            raise LibrosaError(f"{store}/{PLAN} is {'missing' if content is None else 'empty'}: {_ANEW}")
        try:
            plan = cls.load(content)
        except (ValueError, TypeError, KeyError, RecursionError):
            plan = None
        if plan is None or not plan._is_whole() or not content.endswith(b"\n"):
            raise LibrosaError(f"{store}/{PLAN} is damaged, or not written by metalmom.extract: {_ANEW}")
        return plan

    def _is_whole(self) -> bool:
        """Whether ids go up, and shards with them; those of files that were dropped are left out."""
        file_id, shard = -1, 0
        for entry in self.entries:
            numbers = entry.file_id, entry.size, entry.mtime, entry.shard
            if not all(type(number) is int for number in numbers) or not isinstance(entry.path, str):
                return False
            if entry.file_id <= file_id or entry.shard < shard:
                return False
            file_id, shard = entry.file_id, entry.shard
        return True

    def require(self, receipts: Receipts, store: Store) -> None:
        """Raise `LibrosaError` where a receipt has another number of files than its shard in the plan."""
        shards = self.shards
        for shard, receipt in receipts.items():
            if len(shards.get(shard, ())) != receipt["files"]:
                raise LibrosaError(f"{store}/{PLAN} is damaged: shard {shard} had {counted(receipt['files'], 'file')}: {_ANEW}")

    def dump(self) -> bytes:
        """The plan as bytes, one line of JSON a file."""
        return "".join(strict_json.dump(entry._asdict()) + "\n" for entry in self.entries).encode()

    @property
    def shards(self) -> Shards:
        """Entries by shard."""
        shards: Shards = {}
        for entry in self.entries:
            shards.setdefault(entry.shard, []).append(entry)
        return shards

    def changed(self, found: Iterable[Found]) -> list[Entry]:
        """Entries of files that are there and have another size or time now.

        What cannot be looked at now, as a store that does not answer, has not changed.
        """
        now = {each.path: each[1:] for each in found if each.is_known}
        return [entry for entry in self.entries if now.get(entry.path, entry[2:4]) != entry[2:4]]

    def require_unchanged(self, found: Iterable[Found]) -> None:
        """Raise `ParameterError` where files are not what they were when they were planned."""
        changed = self.changed(found)
        if changed:
            what = "file has changed since it was" if len(changed) == 1 else "files have changed since they were"
            raise ParameterError(
                f"{len(changed)} {what} planned: {first_of([shown(entry.path) for entry in changed])}; "
                "changed='recompute' computes them again"
            )

    def gone(self, found: Iterable[Found]) -> list[Entry]:
        """Entries of files that are not there any more."""
        known = {each.path for each in found if each.is_known}
        return [entry for entry in self.entries if entry.path not in known and is_gone(entry.path)]

    def without(self, entries: Iterable[Entry]) -> Plan:
        """The plan without some of its entries; all others keep their ids and shards."""
        ids = {entry.file_id for entry in entries}
        return Plan(entry for entry in self.entries if entry.file_id not in ids)

    def updated(self, found: Iterable[Found]) -> Plan:
        """The plan with the files as they are, and new ones in shards of their own."""
        now = {each.path: each for each in found if each.is_known}
        kept = [entry._replace(size=now[entry.path].size, mtime=now[entry.path].mtime) if entry.path in now else entry
                for entry in self.entries]  # fmt: skip
        known = {entry.path for entry in kept}
        new = [each for each in found if each.path not in known]
        first_id = kept[-1].file_id + 1 if kept else 0
        first_shard = kept[-1].shard + 1 if kept else 0
        return Plan([*kept, *_cut(new, first_id, first_shard)])


def _cut(found: list[Found], file_id: int, shard: int) -> Iterator[Entry]:
    """New files as entries: shards of about equal work, whatever computes them."""
    entries = [Entry(file_id + i, path, size, mtime, 0) for i, (path, size, mtime) in enumerate(found)]
    left = sum(map(weight_of, entries))
    most = files_of_a_shard(_MOST_FILES)
    weight, files = 0.0, 0
    for entry in entries:
        own = weight_of(entry)
        aim = min(max(left * _PART, _LEAST_WEIGHT), _MOST_WEIGHT)
        if files and (weight + own / 2 > aim or files >= most):
            left -= weight
            shard, weight, files = shard + 1, 0, 0
        weight, files = weight + own, files + 1
        yield entry._replace(shard=shard)


def told_of_gone(paths: Sequence[str], what: str = "gone") -> str:
    """Words on planned files that are not there any more."""
    return f"{counted(len(paths), 'planned file')} {'is' if len(paths) == 1 else 'are'} {what}: {first_of(paths)}"
