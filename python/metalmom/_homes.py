"""Where a public function says it lives."""


def adopt(home, *parts):
    """Make `home`, a module's name, the ``__module__`` of the functions that `parts` export.

    librosa's large modules are several files here; their functions still report librosa's place.
    """
    for part in parts:
        for name in part.__all__:
            vars(part)[name].__module__ = home
