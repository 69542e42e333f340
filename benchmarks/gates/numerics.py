"""The error against librosa's answers may not double, even where it stays inside the tolerance."""

from gates import baseline, write_baseline

GROWTH = 2
# Four units in the last place of a float32: below that, growth means nothing.
FLOOR = 4 * 2.0**-23


def check(record):
    import adapters
    import problems

    ours = adapters.load("metalmom")
    observed = {
        problem.name: problems.error_of(
            problem, ours.SOLVE[problem.name](*problems.check_input(problem))
        )
        for problem in problems.EVERYDAY.values()
    }
    if record:
        # The table holds the largest error of every instruction set it was recorded on.
        known = baseline("numerics")
        worst = {name: max(error, known.get(name, 0)) for name, error in observed.items()}
        write_baseline("numerics", {name: float(f"{error:.2e}") for name, error in worst.items()})
    known = baseline("numerics")
    for name, error in observed.items():
        if name not in known:
            yield f"{name}: its error has not been recorded"
            continue
        allowed = max(GROWTH * known[name], FLOOR)
        if error > problems.EVERYDAY[name].tolerance:
            yield f"{name}: {error:.2e} of the peak is over the tolerance"
        elif error > allowed:
            yield f"{name}: {error:.2e} of the peak, allowed {allowed:.2e}"
