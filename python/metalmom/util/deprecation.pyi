# Written by scripts/make_stubs.py from the docstrings.

__all__ = [
    "Deprecated",
    "rename_kw",
]

class Deprecated: ...
def rename_kw(
    *,
    old_name: str,
    old_value: object,
    new_name: str,
    new_value: object,
    version_deprecated: str,
    version_removed: str,
) -> object: ...
