"""Where a run writes: a folder, or a store that fsspec knows."""

import os

from .inputs import is_url
from .local_store import LocalStore

__all__ = ["open_store"]


def open_store(address):
    """The store at an address: a folder, or a URL that fsspec knows."""
    text = os.fspath(address)
    if is_url(text):
        from .remote_store import RemoteStore

        return RemoteStore(text)
    return LocalStore(text.removeprefix("file://"))
