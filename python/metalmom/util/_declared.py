"""What a public function is, declared beside it."""

import functools

__all__ = ["as_feature"]


def as_feature(function=None, *, listed=True):
    """Declare a function a feature: recipes, which may be other people's data, can name it.

    It computes arrays from arrays and numbers, and neither opens nor changes anything else.

    Parameters
    ----------
    listed : bool
        Whether ``metalmom extract --list-features`` shows it. What gives audio, a row a sample or other
        units is no column that one asks for by itself.
    """
    if function is None:
        return functools.partial(as_feature, listed=listed)
    function.is_feature, function.is_listed = True, listed
    return function
