"""A store of fsspec: local files at ``store://``, where nothing is renamed to a name that is taken."""

import os
import pathlib

from fsspec import register_implementation
from fsspec.implementations.local import LocalFileSystem


class OtherStore(LocalFileSystem):
    """As some stores are; others replace files."""

    protocol = "store"

    @classmethod
    def _strip_protocol(cls, path):
        return super()._strip_protocol(path.removeprefix("store://"))

    def mv(self, path1, path2, **options):
        """Rename a file."""
        os.link(path1, path2)  # which fails where there is one
        os.unlink(path1)


def known_here_and_in_processes(folder, monkeypatch):
    """Have fsspec know it in this process, and in those that are started: as an installed package that lies in `folder`."""
    information = folder / "other_store-1.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: other-store\nVersion: 1\n")
    (information / "entry_points.txt").write_text("[fsspec.specs]\nstore = other_store:OtherStore\n")
    here = pathlib.Path(__file__).parent
    monkeypatch.setenv("PYTHONPATH", f"{os.environ['PYTHONPATH']}:{folder}:{here}")
    register_implementation("store", OtherStore, clobber=True)
