"""Types of arguments on the command line, for argparse."""

__all__ = ["natural", "positive"]


def positive(text):
    """A positive integer."""
    value = int(text)
    if value < 1:
        raise ValueError
    return value


positive.__name__ = "positive integer"  # argparse names it in its error


def natural(text):
    """An integer that is not negative."""
    value = int(text)
    if value < 0:
        raise ValueError
    return value


natural.__name__ = "number, 0 or more,"
