"""The rules of the Trace Event format that Perfetto and chrome://tracing rely on."""

import collections
import json
import numbers

PHASES = {"X", "i", "C", "s", "f", "M"}
METADATA = {"process_name": ("name", str), "thread_name": ("name", str),
            "thread_sort_index": ("sort_index", int)}


def check(text):
    """Raises AssertionError where TEXT breaks a rule; the events by phase."""
    data = json.loads(text, parse_constant=no_constants)
    assert data["displayTimeUnit"] in ("ms", "ns")
    assert all(isinstance(value, str) for value in data["otherData"].values())
    events = collections.defaultdict(list)
    for event in data["traceEvents"]:
        check_event(event)
        events[event["ph"]].append(event)
    tracks = collections.defaultdict(list)
    for event in events["X"]:
        tracks[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for intervals in tracks.values():
        check_nesting(intervals)
    check_arrows(events["s"], events["f"], tracks)
    named = {(e["pid"], e["tid"]) for e in events["M"] if e["name"] == "thread_name"}
    assert named >= {(e["pid"], e["tid"]) for phase in "XiC" for e in events[phase]}
    return events


def no_constants(name):
    raise AssertionError(f"JSON has no {name}")


def check_event(event):
    assert event["ph"] in PHASES, event
    assert isinstance(event["name"], str) and event["name"], event
    assert isinstance(event["pid"], int) and isinstance(event["tid"], int), event
    if event["ph"] == "M":
        key, kind = METADATA[event["name"]]
        assert isinstance(event["args"][key], kind), event
        return
    assert isinstance(event["ts"], numbers.Real) and event["ts"] >= 0, event
    assert isinstance(event["cat"], str) and event["cat"], event
    if event["ph"] == "X":
        assert event["dur"] >= 0, event
    elif event["ph"] == "i":
        assert event["s"] in ("t", "p", "g"), event
    elif event["ph"] == "C":  # every argument is a line of the counter
        assert event["args"], event
        assert all(isinstance(v, numbers.Real) for v in event["args"].values()), event


def check_nesting(intervals):
    """Complete events of one track lie beside or inside each other."""
    ends = []
    for begin, end in sorted(intervals, key=lambda i: (i[0], -i[1])):
        while ends and ends[-1] <= begin:
            ends.pop()
        assert not ends or end <= ends[-1] + 1e-6, (begin, end, ends[-1])
        ends.append(end)


def check_arrows(starts, ends, tracks):
    """An arrow is a pair of one id and category, and binds to the spans that hold its ends."""
    assert [e["id"] for e in starts] == [e["id"] for e in ends]
    assert len({e["id"] for e in starts}) == len(starts)
    for start, end in zip(starts, ends):
        assert (start["cat"], start["name"]) == (end["cat"], end["name"])
        assert end["bp"] == "e"
        assert start["ts"] <= end["ts"]
        for event in (start, end):
            held = tracks[event["pid"], event["tid"]]
            assert any(begin <= event["ts"] <= finish for begin, finish in held), event
