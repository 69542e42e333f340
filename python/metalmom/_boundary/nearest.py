"""The known name that a mistyped one is nearest to."""

__all__ = ["did_you_mean"]


def did_you_mean(name, known):
    """A clause for the end of an error: ``"; did you mean 'hann'?"``, or nothing."""
    if not isinstance(name, str):
        return ""
    import difflib  # a millisecond that an import of the package need not spend

    known = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), known, n=1)
    if not found:  # `hop`, where one name alone begins so
        longer = [each for each in known if each.startswith(f"{name.lower()}_")]
        found = longer if len(longer) == 1 else []
    return f"; did you mean '{known[found[0]]}'?" if found else ""
