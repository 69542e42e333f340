"""The benchmarks' own parts: the check before timing, alternating pairs, the callgrind reader."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import cases  # noqa: E402
import inject_faults  # noqa: E402
import names  # noqa: E402
import page  # noqa: E402
import problems  # noqa: E402
import report  # noqa: E402
import timing  # noqa: E402
import tracing  # noqa: E402
from adapters import metalmom_adapter  # noqa: E402
from gates import instructions  # noqa: E402


@pytest.mark.parametrize("name", problems.PROBLEMS)
def test_answers_are_right(name):
    problem = problems.PROBLEMS[name]
    answer = metalmom_adapter.SOLVE[name](*problems.check_input(problem))
    assert problems.error_of(problem, answer) <= problem.tolerance


def test_every_public_name_has_a_call():
    cases = names.first_cases()
    known = {*cases, *names.own.CALLS, *names.NOT_CALLED}
    assert [name for name in names.all_names() if name not in known] == []
    assert not {*names.own.CALLS} & {*names.NOT_CALLED}


def test_a_call_of_a_name_calls_the_function():
    call = names.prepare(metalmom_adapter.metalmom, "util.frame", names.first_cases())
    assert np.array_equal(call(), call())
    assert names.prepare(metalmom_adapter.metalmom, "util.Deprecated", {}) is None
    with pytest.raises(KeyError):
        names.prepare(metalmom_adapter.metalmom, "util.new_name", {})


def test_a_wrong_answer_is_not_timed():
    mel = problems.PROBLEMS["melspectrogram"]
    answer = metalmom_adapter.SOLVE["melspectrogram"](*problems.check_input(mel))
    answer[40, 100] += 1e-3 * answer.max()
    assert problems.error_of(mel, answer) > mel.tolerance
    beats = problems.PROBLEMS["beat_track"]
    tempo, frames = metalmom_adapter.SOLVE["beat_track"](*problems.check_input(beats))
    frames[1] += 1
    assert problems.error_of(beats, (tempo, frames)) == np.inf


class Peer:
    """A library that answers as metalmom does, or with FAULT in it."""

    NAME = "peer"
    LIKE_LIBROSA = frozenset({"rms"})

    def __init__(self, fault=lambda answer: answer):
        self.SOLVE = {
            name: lambda *inputs, name=name: fault(metalmom_adapter.SOLVE[name](*inputs))
            for name in ("rms", "melspectrogram")
        }

    def threads(self, n):
        pass


def measured(name, peer):
    runner = cases.Runner(problems.song, budget=0)
    case = cases.Case(problems.PROBLEMS[name], 1, metalmom_adapter, peer)
    return runner.row(case)


def test_a_row_has_both_times_their_ratio_and_our_error():
    row = measured("rms", Peer())
    assert (row.problem, row.seconds, row.threads, row.peer) == ("rms", 1, 1, "peer")
    assert row.ours.median > 0 and row.theirs.median > 0 and row.ratio.median > 0
    assert 0 <= row.error <= 1e-5
    assert "nan" not in report.line(row)


def test_a_peer_that_answers_wrongly_is_not_timed():
    with pytest.raises(cases.WrongAnswer, match="peer is off by 1.0e-03"):
        measured("rms", Peer(lambda answer: answer * np.float32(1.001)))


def test_an_answer_in_other_conventions_must_have_the_size():
    assert measured("melspectrogram", Peer(lambda answer: answer[:, :-3].T)).error >= 0
    for fault in (lambda a: a[:64], lambda a: a[:, ::2], np.zeros_like, lambda a: a * np.nan):
        with pytest.raises(cases.WrongAnswer):
            measured("melspectrogram", Peer(fault))


def test_two_threads_are_not_measured_beside_others(monkeypatch):
    monkeypatch.setattr(cases, "busy_share", lambda: 0.5)
    case = cases.Case(problems.PROBLEMS["rms"], 1, metalmom_adapter, Peer(), 2, 2)
    with pytest.raises(cases.Busy):
        cases.Runner(problems.song, budget=0).row(case)


def test_what_fails_is_a_row_too():
    case = cases.Case(problems.PROBLEMS["rms"], 1, metalmom_adapter, Peer())
    row = cases.failed_row(case, ValueError("no such thing\nand more"))
    assert row.failed and "ValueError: no such thing" in report.line(row)


def test_no_two_inputs_are_alike():
    several = list(problems.variants(problems.song(1), 6))
    for a, b in itertools.combinations(several, 2):
        assert not np.array_equal(a, b)


def test_solvers_take_turns_in_beginning_and_the_input_changes():
    calls = []
    first, second = (lambda x, who=who: calls.append((who, x)) for who in "ab")
    list(itertools.islice(timing.rounds((first, second), [(0,), (1,), (2,)]), 4))
    assert calls == [("a", 0), ("b", 0), ("b", 1), ("a", 1), ("a", 2), ("b", 2), ("b", 0), ("a", 0)]


def test_inclusive_costs(tmp_path):
    path = tmp_path / "callgrind.out"
    path.write_text(
        "version: 1\nevents: Ir\n\nob=/bin/x\nfl=a.cpp\nfn=outer\n10 5\n"
        "cfn=inner\ncalls=3 20\n11 300\n12 7\n\nfn=inner\n20 290\n* 10\n"
    )
    assert instructions.inclusive_costs(path) == {"outer": 312, "inner": 300}
    name = "void metalmom::ops::Stft::run_cpu<float>(metalmom::ops::FramePlan const&)"
    assert instructions.STAGE.match(name).group(1) == "Stft"


@pytest.mark.parametrize("name", inject_faults.FAULTS)
def test_faults_still_find_their_place(name):
    fault = inject_faults.FAULTS[name]
    assert (ROOT / fault.file).read_text().count(fault.old) == 1


def test_a_fault_is_out_again_whatever_happens(tmp_path):
    fault = inject_faults.Fault("a.txt", "good", "bad", "numerics")
    (tmp_path / "a.txt").write_text("all good")
    with pytest.raises(KeyboardInterrupt), inject_faults.put_in(tmp_path, fault):
        assert (tmp_path / "a.txt").read_text() == "all bad"
        raise KeyboardInterrupt
    assert (tmp_path / "a.txt").read_text() == "all good"


def test_the_table_of_faults_says_what_was_missed():
    fault = inject_faults.Fault("a.txt", "good", "bad", "numerics")
    caught = list(inject_faults.lines_of("x", fault, {"counters": ["c"], "numerics": ["n", "m"]}))
    assert caught == [("x", "numerics", "n (and 1 more)"), ("", "counters", "c")]
    missed = list(inject_faults.lines_of("x", fault, {"counters": ["c"]}))
    assert missed[0] == ("x", "MISSED", "gate numerics says nothing")


def test_the_page_has_a_line_per_problem_and_a_column_per_length():
    sample = timing.Sample(0.002, 0.0001)
    rows = [
        report.Row("rms", seconds, 1, "librosa", sample, sample, timing.Sample(ratio, 0.1), 1e-7)
        for seconds, ratio in ((1, 2.0), (30, 4.0), (600, 8.0))
    ]
    rows.append(report.Row("load", 60, 1, "librosa", sample, sample, timing.Sample(3.0, 0.1), 0.0))
    rows.append(report.Row("mfcc", 30, 1, "essentia", note="failed: no", failed=True))
    facts = report.machine(ROOT, [], 1, False)
    text = page.page(facts, rows, {"metalmom": {"import, ms": 1.0}, "librosa": {}})
    assert "| problem | librosa ms | metalmom ms | 1 s | 30 s | 10 min | error |" in text
    assert "| rms | 2 ± 0.1 | 2 ± 0.1 | 2 | 4 | 8 | 1e-07 |" in text
    assert "| load (60 s) | 2 ± 0.1 | 2 ± 0.1 |  | 3 |  | 0e+00 |" in text
    assert "| import, ms | 1.0 | nan |" in text
    assert "essentia" not in text


@pytest.mark.parametrize(
    "again, recording, detail, status",
    [(1.0, 1.009, 1.049, 0), (1.0, 1.02, 1.0, 1), (1.0, 1.0, 1.06, 1), (1.01, 1.02, 1.06, 2)],
)
def test_tracing_is_judged_by_its_growth(capsys, again, recording, detail, status):
    plain = [0.05, 0.06, 0.055, 0.07, 0.05]  # what the machine does to all four alike
    factors = dict(zip(tracing.RECORDERS, (1.0, again, recording, detail)))
    seconds = {name: [factor * s for s in plain] for name, factor in factors.items()}
    growth = tracing.report(seconds, dict.fromkeys(factors, 7))
    assert growth["recording"] == pytest.approx(recording - 1)
    assert tracing.verdict(growth)[0] == status
    assert f"{recording - 1:+.2%}" in capsys.readouterr().out


def test_a_plot_is_refused_before_the_measuring_where_it_cannot_be_drawn(tmp_path):
    code = f"""
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "matplotlib" else find(name, *rest)
sys.path.insert(0, {str(ROOT / "benchmarks")!r})
import run_benchmarks
run_benchmarks.measure_rows = lambda *_: sys.exit("measured")
sys.argv = ["run_benchmarks.py", "--plot", "out.svg"]
sys.exit(run_benchmarks.main())
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, text=True,
                          capture_output=True, timeout=120, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "need matplotlib" in done.stderr
