"""OUT on a store that fsspec knows: an object store, another machine.

Nothing is renamed there but what was uploaded whole under a temporary name, and the receipt of a
shard comes last, so that the rule is the one of `local_store`: what a receipt vouches for is whole. Such
stores have no locks: that only one run at a time writes into OUT is for the user to see to.
"""

import contextlib
import os
import tempfile

from .faults import step
from .inputs import filesystem_of
from .layout import is_own, is_temporary, temporary_prefix

__all__ = ["RemoteStore"]


class RemoteStore:
    """As `local_store.LocalStore`, for a URL."""

    spool = None
    has_locks = False

    def __init__(self, url):
        self.address = url
        self.filesystem, self.root = filesystem_of(url)

    def __str__(self):
        return self.address

    def _at(self, name):
        return f"{self.root}/{name}" if name else self.root

    def make(self, *folders):
        """Make the folders, where the store has such."""
        for folder in ("", *folders):
            self.filesystem.makedirs(self._at(folder), exist_ok=True)

    @contextlib.contextmanager
    def writing(self, name):
        """Give a local path to write to, which is uploaded as `name` when the block has ended well."""
        folder, _, last = name.rpartition("/")
        beside = self._at(f"{folder}/{temporary_prefix()}{last}".lstrip("/"))
        with tempfile.TemporaryDirectory(prefix="metalmom-") as scratch:
            path = os.path.join(scratch, last)
            yield path
            step("written", name)
            self.filesystem.put_file(path, beside)
            step("synced", name)
            if self.filesystem.exists(self._at(name)):
                self.filesystem.rm_file(self._at(name))
            self.filesystem.mv(beside, self._at(name))
            step("renamed", name)

    def write(self, name, content):
        """Write bytes as the whole of `name`."""
        with self.writing(name) as path, open(path, "wb") as file:
            file.write(content)

    def read(self, name):
        """The bytes of `name`; None if there is no such file."""
        try:
            return self.filesystem.cat_file(self._at(name))
        except FileNotFoundError:
            return None

    def _listed(self, folder):
        try:
            self.filesystem.invalidate_cache()
            return self.filesystem.ls(self._at(folder), detail=True)
        except FileNotFoundError:
            return []

    def names(self):
        """Names of what lies in it, files and folders."""
        return {each["name"].rstrip("/").rpartition("/")[2] for each in self._listed("")}

    def sizes(self, folder):
        """Sizes of the files of a folder, by their names inside it; temporary ones left out."""
        found = {each["name"].rpartition("/")[2]: each["size"]
                 for each in self._listed(folder) if each["type"] == "file"}  # fmt: skip
        return {name: size for name, size in found.items() if not is_temporary(name)}

    def links(self, folders):
        """Such stores have none."""
        return []

    def remove(self, name):
        """Remove a file, if it is there."""
        with contextlib.suppress(FileNotFoundError):
            self.filesystem.rm_file(self._at(name))

    @contextlib.contextmanager
    def local(self, name):
        """The path of a copy of a file for reading."""
        with tempfile.TemporaryDirectory(prefix="metalmom-") as scratch:
            path = os.path.join(scratch, name.rpartition("/")[2])
            self.filesystem.get_file(self._at(name), path)
            yield path

    def sweep(self, folders):
        """Remove what killed runs left half uploaded into the store and these folders of it."""
        for folder in ("", *folders):
            for each in self._listed(folder):
                if is_temporary(each["name"].rpartition("/")[2]) and each["type"] == "file":
                    self.filesystem.rm_file(each["name"])

    def clear(self, folders):
        """Remove what runs have written into these folders."""
        for folder in folders:
            for name in self.sizes(folder):
                if is_own(folder, name):
                    self.remove(f"{folder}/{name}")

    @contextlib.contextmanager
    def in_work(self):
        """There is no lock to be had."""
        yield

    at_rest = in_work

    def hold(self):
        """There is no lock to be had."""
        return None

    def release(self):
        """There is no lock to let go."""
