"""OUT on a store that fsspec knows: an object store, another machine.

Nothing is renamed there but what was uploaded whole under a temporary name, and the receipt of a
shard comes last, so that the rule of `store` holds here, too: what a receipt vouches for is whole. Such
stores have no locks: that only one run at a time writes into OUT is for the user to see to.

Nor does every store replace a file in one step: some refuse to rename to a name that is taken, some
rename by copying. So a file that is replaced may be missing, or half there, when its process is killed. No
receipt vouches for what lies in OUT itself, the plan above all. Its upload bears a digest of its content in
its temporary name: one that is whole is what the file is to be, and is read in its place; the next run
renames it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

from .fault_injection import step
from .inputs import filesystem_of
from .file_names import is_own, is_temporary, temporary_prefix, written_name

__all__ = ["RemoteStore"]


class RemoteStore:
    """As `store.LocalStore`, for a URL."""

    spool = None
    has_locks = False

    def __init__(self, url: str) -> None:
        self.address = url
        self.filesystem, self.root = filesystem_of(url)

    def __str__(self) -> str:
        return self.address

    def _at(self, name: str) -> str:
        return f"{self.root}/{name}" if name else self.root

    def make(self, *folders: str) -> None:
        """Make the folders, where the store has such."""
        for folder in ("", *folders):
            self.filesystem.makedirs(self._at(folder), exist_ok=True)

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[pathlib.Path]:
        """Give a local path to write to, which is uploaded as `name` when the block has ended well."""
        folder, _, last = name.rpartition("/")
        with tempfile.TemporaryDirectory(prefix="metalmom-") as scratch:
            path = pathlib.Path(scratch, last)
            yield path
            step("written", name)
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            if not folder:
                self._settle(name)  # else an older upload might pass for what the file is to be
            beside = self._at(f"{folder}/{temporary_prefix(digest)}{last}".lstrip("/"))
            self.filesystem.put_file(os.fspath(path), beside)
            step("synced", name)
            self._rename(beside, name)

    def _rename(self, beside: str, name: str) -> None:
        if self.filesystem.exists(self._at(name)):
            self.remove(name)
        self.filesystem.mv(beside, self._at(name))
        step("renamed", name)

    def _settle(self, name: str | None = None) -> None:
        """Rename what was uploaded whole into OUT itself, of one name or of all."""
        for each, (beside, _) in self._whole_uploads(self._listed("")).items():
            if name in (None, each):
                self._rename(beside, each)

    def write(self, name: str, content: bytes) -> None:
        """Write bytes as the whole of `name`."""
        with self.writing(name) as path, open(path, "wb") as file:
            file.write(content)

    def read(self, name: str) -> bytes | None:
        """The bytes of `name`; None if there is no such file."""
        uploads = {} if "/" in name else self._whole_uploads(self._listed(""))
        if name in uploads:
            return uploads[name][1]
        try:
            content: bytes = self.filesystem.cat_file(self._at(name))
        except FileNotFoundError:
            return None
        return content

    def _whole_uploads(self, listed: list[dict[str, Any]]) -> dict[str, tuple[str, bytes]]:
        """Paths and contents of what was uploaded whole into OUT itself and not renamed, by name."""
        uploads = {}
        for each in listed:
            last = each["name"].rpartition("/")[2]
            if is_temporary(last) and each["type"] == "file":
                with contextlib.suppress(FileNotFoundError):  # it has its name by now
                    content = self.filesystem.cat_file(each["name"])
                    name = written_name(last, hashlib.sha256(content).hexdigest())
                    if name is not None:
                        uploads[name] = each["name"], content
        return uploads

    def _listed(self, folder: str) -> list[dict[str, Any]]:
        try:
            self.filesystem.invalidate_cache()
            listed: list[dict[str, Any]] = self.filesystem.ls(self._at(folder), detail=True)
        except FileNotFoundError:
            return []
        return listed

    def names(self) -> set[str]:
        """Names of what lies in it, files and folders."""
        listed = self._listed("")
        return {each["name"].rstrip("/").rpartition("/")[2] for each in listed} | self._whole_uploads(listed).keys()

    def sizes(self, folder: str) -> dict[str, int | None]:
        """Sizes of the files of a folder, by their names inside it; temporary ones left out."""
        found = {each["name"].rpartition("/")[2]: each["size"]
                 for each in self._listed(folder) if each["type"] == "file"}  # fmt: skip
        return {name: size for name, size in found.items() if not is_temporary(name)}

    def require_own(self, files: Iterable[str], folders: Iterable[str]) -> None:
        """Such stores have nothing but files and folders."""

    def remove(self, name: str) -> None:
        """Remove a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self.filesystem.rm_file(self._at(name))
            step("removed", name)

    @contextlib.contextmanager
    def local(self, name: str) -> Iterator[str]:
        """The path of a copy of a file for reading."""
        with tempfile.TemporaryDirectory(prefix="metalmom-") as scratch:
            path = os.path.join(scratch, name.rpartition("/")[2])
            self.filesystem.get_file(self._at(name), path)
            yield path

    def sweep(self, folders: Iterable[str]) -> None:
        """Remove what killed runs left half uploaded into the store and these folders of it."""
        self._settle()
        for folder in ("", *folders):
            for each in self._listed(folder):
                if is_temporary(each["name"].rpartition("/")[2]) and each["type"] == "file":
                    self.filesystem.rm_file(each["name"])

    def clear(self, folders: Iterable[str]) -> None:
        """Remove what runs have written into these folders."""
        for folder in folders:
            for name in self.sizes(folder):
                if is_own(folder, name):
                    self.remove(f"{folder}/{name}")

    @contextlib.contextmanager
    def in_work(self) -> Iterator[None]:
        """There is no lock to be had."""
        yield

    at_rest = in_work

    def hold(self) -> contextlib.nullcontext[None]:
        """There is no lock to be had."""
        return contextlib.nullcontext()
