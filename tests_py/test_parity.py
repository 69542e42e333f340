"""scripts/parity.py: the page says what the tables say."""

import types

import parity
import reference_cases
import tolerances


def test_a_page():
    library = types.SimpleNamespace(stft=len, feature=types.SimpleNamespace(mfcc=len))
    cases = [
        (reference_cases.Case(f"{function}/{label}", function, (), {}, "part"), {precision})
        for function in ("stft", "feature.mfcc", "missing", "feature.missing")
        for label, precision in (("default", "double"), ("loud", "single"))
        if (function, label) != ("feature.mfcc", "default")
    ]
    table = types.SimpleNamespace(
        row=lambda case_id: (
            ("stft/loud", 1e-3, 1e-6, "loud") if case_id == "stft/loud" else ("*", 1e-5, 1e-9, "sums")
        )
    )
    seen = {"stft double": 2e-11, "missing single": 1.0}
    text = parity.page(list(parity.rows(cases, seen, table, library)), ulps=4)
    assert text.splitlines()[-7:] == [
        "| `feature.mfcc` | 1 | exact |  | 1e-05 (1) | 1e-09 (1) |",
        "| `stft` | 2 | exact | 2e-11 | 1e-05 (1), 1e-03 (2) | 1e-09 (1), 1e-06 (2) |",
        "",
        "Why so much is allowed:",
        "",
        "1. sums",
        "2. loud",
    ]


def test_every_function_is_on_the_page():
    import metalmom

    found = list(parity.rows(parity.with_precisions(), parity.observed(), tolerances, metalmom))
    assert {row.function for row in found} >= {"stft", "feature.mfcc", "filters.wavelet"}
    for row in found:
        assert row.cases > 0
        for which, kind in enumerate(("single", "double")):
            assert (row.seen[kind] or 0) <= max(bounds[which] for bounds in row.allowed)
