"""Types of arguments on the command line, for argparse."""

__all__ = ["positive"]


def positive(text):
    """A positive integer."""
    value = int(text)
    if value < 1:
        raise ValueError
    return value


positive.__name__ = "positive integer"  # argparse names it in its error
