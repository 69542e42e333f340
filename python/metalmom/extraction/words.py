"""Numbers of things in sentences."""

__all__ = ["counted", "first_of"]


def counted(number, noun):
    """``1 file``, ``2 files``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def first_of(names, most=3):
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
