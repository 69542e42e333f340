"""The command line: tables, files, exit codes; on the demo song, whose tempo is known."""

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np
import pytest

import metalmom
from metalmom import cli, demo

STAGES = ["load", "stft", "mel", "mfcc", "chroma", "onset", "beat"]


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    path = tmp_path_factory.mktemp("song") / "demo song.wav"
    demo.write_wav(path, duration=10)
    return str(path)


def run(*args, **environment):
    """`python -m metalmom` in a process of its own, as a shell starts it."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    return subprocess.run([sys.executable, "-m", "metalmom", *args], env=env, text=True,
                          capture_output=True, timeout=120)


def profile(tmp_path, *args):
    out = tmp_path / "out.json"
    assert cli.main(["profile", *args, "--json", str(out)]) == 0
    return json.loads(out.read_text())


def test_table(song, capsys):
    assert cli.main(["profile", song]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = {line.split()[0]: line for line in lines[:4]}
    assert song in head["file"] and "10.0 s" in head["file"]
    assert set(head) == {"file", "CPU", "backend", "GPU"}
    rows = [line.split() for line in lines[6:]]
    assert [row[0] for row in rows] == [*STAGES, "total"]
    times = [float(row[1]) for row in rows]
    assert sum(times[:-1]) == pytest.approx(times[-1], rel=0.02)
    beat = " ".join(rows[6][2:])
    assert beat.startswith("112.3 BPM, ") and beat.endswith(" beats")
    assert "220500 samples at 22050 Hz" in lines[6]


def test_json(song, tmp_path):
    result = profile(tmp_path, song)
    assert result["file"] == song
    assert (result["sr"], result["samples"]) == (22050, 220500)
    assert [stage["name"] for stage in result["stages"]] == STAGES
    shapes = {stage["name"]: stage["shape"] for stage in result["stages"]}
    assert shapes == {"load": [220500], "stft": [1025, 431], "mel": [128, 431],
                      "mfcc": [13, 431], "chroma": [12, 431], "onset": [431],
                      "beat": [len(result["beats"])]}
    assert sum(s["ms"] for s in result["stages"]) == pytest.approx(result["total_ms"], rel=0.02)
    assert isinstance(result["backend"], str) and isinstance(result["device"], str)


def test_beats_of_the_demo_song(song, tmp_path):
    result = profile(tmp_path, song)
    # The estimate is a whole number of frames a beat: 23 frames are 112.35 BPM.
    assert result["tempo"] == pytest.approx(demo.TEMPO, rel=0.01)
    period = 60 / demo.TEMPO
    away = np.abs(np.array(result["beats"]) / period - np.round(np.array(result["beats"]) / period))
    assert np.max(away * period) < 0.07  # within three frames of the beats that were played
    assert len(result["beats"]) >= 10 / period - 3


def test_graph_shows_what_the_stages_share(song, capsys):
    assert cli.main(["profile", song, "--graph", "--backend", "cpu"]) == 0
    _, table, graph = capsys.readouterr().out.split("\n\n")
    assert [line.split()[0] for line in table.splitlines()[1:]] == [*STAGES, "total"]
    first, head, *lines, last = graph.splitlines()
    assert first.split()[0] == "graph" and float(first.split()[1]) > 0
    assert head.split() == ["ms", "share"] and last.split()[:2] == [first.split()[1], "100.0%"]
    nodes = [line[19:] for line in lines]
    assert any(line[17] == "*" for line in lines)
    levels = nodes.index("        levels")
    assert [node.split()[0] for node in nodes[levels + 1 : levels + 4]] == ["mfcc", "onset", "beat"]
    for name in ("stft", "mel (", "mfcc (", "chroma (chroma_spectrogram", "beat (beat_track"):
        assert any(node.strip().startswith(name) for node in nodes), name
    assert nodes.count("  frames of 2048 samples, one every 512") == 2  # chroma's tuning decides


def test_stream_shows_what_blocks_cost(song):
    done = run("profile", song, "--stream")
    assert (done.returncode, done.stderr) == (0, "")
    table = done.stdout[done.stdout.index("blocks of 50 ms") :].splitlines()
    assert table[0].split("(us)")[1].split()[:4] == ["mean", "p50", "p99", "max"]
    rows = {line[:22].strip(): [float(cell) for cell in line[22:].split()] for line in table[1:]}
    assert set(rows) == {"mel", "mfcc", "chroma", "onset", "rms", "beat", "all but beat"}
    for mean, p50, p99, most, share, late, _ in rows.values():
        assert 0 < p50 <= p99 <= most and 0 < mean <= most
        # The engine counts its own time, within what is measured around it; a block lasts 50,000 us, but the last
        # one is shorter, so that it is late sooner and the mean block lasts a little less.
        assert 0 <= share <= 1.05 * mean / 500 + 0.01 and (late <= 1 or most > 50_000)
    assert rows["beat"][4] > 0
    assert rows["mel"][-1] == 1024  # samples of half a frame, which the first frame waits for


def test_a_tilde_that_no_shell_has_read_is_the_home_directory(tmp_path):
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir(), here.mkdir()
    demo.write_wav(home / "song.wav", duration=1)

    def done(*args):
        return subprocess.run(
            [sys.executable, "-m", "metalmom", *args], cwd=here, text=True, capture_output=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "HOME": str(home)})

    shown = done("profile", "~/song.wav", "--json=~/out.json", "--trace=~/trace.json", "--html", "~/page.html")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert json.loads((home / "out.json").read_text())["file"] == str(home / "song.wav")
    assert (home / "trace.json").exists() and (home / "page.html").exists()
    recipe = {"features": {"rms": {}}}
    (home / "recipe.json").write_text(json.dumps(recipe))
    ran = done("extract", "~/song.wav", "-o", "~/tables", "-F", "~/recipe.json", "--cache-audio=~/cache", "--format=npz")
    assert ran.returncode == 0, ran.stderr
    assert (home / "tables" / "manifest.json").exists() and list((home / "cache").iterdir())
    assert done("verify", "~/tables").returncode == 0
    assert list(here.iterdir()) == []


def test_json_has_what_the_table_shows(song, tmp_path, capsys):
    result = profile(tmp_path, song, "--graph", "--stream", "--backend", "cpu")
    shown = capsys.readouterr().out
    assert f"{result['graph']['ms']:10.3f}  all stages but load" in shown
    for node in result["graph"]["nodes"]:
        assert f"({node['op']})" in shown or node["stage"] == node["op"] == "stft"
        assert node["frames"] in shown and f"wave {node['wave']}" in shown
    assert {node["stage"] for node in result["graph"]["nodes"]} == {*STAGES} - {"load"}
    assert [each["name"] for each in result["stream"]] == [
        "mel", "mfcc", "chroma", "onset", "rms", "beat", "all but beat"]
    for each in result["stream"]:
        figures = "".join(f"{each[name]:9.1f}" for name in ("mean_us", "p50_us", "p99_us", "max_us"))
        report = each["report"]
        assert report["blocks"] == sum(report["histogram"].values()) > 0 and report["budget"] == pytest.approx(0.05, rel=0.2)
        in_time = f"{100 * report['share']:9.2f}{report['late']:7}"
        assert f"{each['name']:22}{figures}{in_time}  {each['latency']}" in shown
    assert cli.main(["profile", song, "--graph", "--stream", "--json", "-"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert len(alone["graph"]["nodes"]) == len(result["graph"]["nodes"]) and len(alone["stream"]) == 7


def test_plot(song, tmp_path, capsys, monkeypatch):
    pytest.importorskip("matplotlib")
    from matplotlib import image

    out = tmp_path / "song.png"
    assert cli.main(["profile", song, "--plot", str(out)]) == 0
    pixels = image.imread(out)
    assert pixels.shape[:2] == (900, 1200)
    for quarter in np.split(pixels[..., :3], 4):  # something is drawn in each of the four
        assert quarter.std() > 0.05
    with pytest.raises(SystemExit):
        cli.main(["profile", song, "--plot", song])
    assert "ends in .png" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert cli.main(["profile", song, "--plot", str(tmp_path / "b.png")]) == 1
    assert "--plot needs matplotlib" in capsys.readouterr().err
    assert not (tmp_path / "b.png").exists()


def test_json_on_standard_output(song, capsys):
    assert cli.main(["profile", song, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["samples"] == 220500


def test_repeat_gives_a_median_and_a_spread(song, tmp_path, capsys):
    result = profile(tmp_path, song, "--repeat", "3")
    assert result["repeat"] == 3
    assert all(stage["spread_ms"] >= 0 for stage in result["stages"])
    assert sum(s["ms"] for s in result["stages"]) == pytest.approx(result["total_ms"], rel=0.02)
    assert "+-" in capsys.readouterr().out


def test_compare_tells_what_became_slower(song, tmp_path, capsys):
    result = profile(tmp_path, song, "--repeat", "3")
    assert result["about"]["numpy"] == np.__version__

    def compared(factor, *more):
        before = json.loads(json.dumps(result))
        for each in (before, *before["stages"]):
            for name in ("ms", "total_ms", "spread_ms", "total_spread_ms"):
                if name in each:
                    each[name] = 0.0 if "spread" in name else each[name] * factor
        (tmp_path / "before.json").write_text(json.dumps([before]))
        status = cli.main(["profile", song, "--repeat", "3", "--compare", str(tmp_path / "before.json"), *more])
        return status, capsys.readouterr().out

    status, shown = compared(1e-3)
    assert status == 3 and re.search(r"^total .* slower$", shown, re.M)
    status, shown = compared(1e3, "--json", "-")
    assert status == 0
    told = json.loads(shown)["compared"]
    assert [each["name"] for each in told] == [*STAGES, "total"] and {each["verdict"] for each in told} == {"faster"}


def test_compare_needs_spreads(song, tmp_path, capsys):
    without = profile(tmp_path, song)
    (tmp_path / "before.json").write_text(json.dumps(without))
    assert cli.main(["profile", song, "--repeat", "3", "--compare", str(tmp_path / "before.json")]) == 1
    assert "--repeat 3 or more" in capsys.readouterr().err
    (tmp_path / "before.json").write_text("[]")
    assert cli.main(["profile", song, "--repeat", "3", "--compare", str(tmp_path / "before.json")]) == 1
    assert "--repeat 3 or more" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["profile", song, "--compare", str(tmp_path / "before.json")])


def test_trace_and_page(song, tmp_path):
    args = ["--trace", str(tmp_path / "t.json"), "--html", str(tmp_path / "t.html")]
    result = profile(tmp_path, song, "--threads", "1", *args)
    spans = [e for e in json.loads((tmp_path / "t.json").read_text())["traceEvents"]
             if e["ph"] == "X"]
    stages = {e["name"]: e for e in spans if e["cat"] == "user"}
    assert list(stages) == STAGES
    # Times on two clocks agree: the spans of the stages are the stages of the report.
    for stage in result["stages"]:
        assert stages[stage["name"]]["dur"] / 1e3 == pytest.approx(stage["ms"], rel=0.02, abs=0.2)
    for name, e in stages.items():
        inside = {s["cat"] for s in spans
                  if e["ts"] <= s["ts"] and s["ts"] + s["dur"] <= e["ts"] + e["dur"]}
        assert {"bridge", "engine"} <= inside, name
    assert "timeline" in (tmp_path / "t.html").read_text()


def stage_spans(path):
    events = json.loads(path.read_text())["traceEvents"]
    return [e for e in events if e["ph"] == "X" and e["cat"] == "user"]


def stages_fill_the_total(run_once):
    """The spans of the stages, on their own clock, add up to the total and to the time from the
    first to the last, within 2 %. A process that loses its core between two readings is no failure
    of the sums: one of three runs has to agree.
    """
    for _ in range(3):
        spans, total_ms = run_once()
        assert [e["name"] for e in spans] == STAGES
        inside = sum(e["dur"] for e in spans) / 1e3
        whole = (spans[-1]["ts"] + spans[-1]["dur"] - spans[0]["ts"]) / 1e3
        if inside == pytest.approx(total_ms, rel=0.02) == whole:
            return True
    return False


def test_spans_add_up_to_the_total(song, tmp_path):
    def run_once():
        result = profile(tmp_path, song, "--trace", str(tmp_path / "t.json"))
        return stage_spans(tmp_path / "t.json"), result["total_ms"]

    assert stages_fill_the_total(run_once)


def test_the_trace_has_the_job_alone(tmp_path, monkeypatch):
    traced = {}

    def told(name, function):
        def call(*args):
            traced[name] = bool(metalmom._native.trace_stamp())
            return function(*args)
        return call

    profiling = sys.modules["metalmom.cli.profile"]
    monkeypatch.setattr(demo, "write_wav", told("set-up", functools.partial(demo.write_wav, duration=5)))
    for name in ("run_job", "run_graph", "report"):
        monkeypatch.setattr(profiling, name, told(name, getattr(profiling, name)))
    profile(tmp_path, "--graph", "--trace", str(tmp_path / "t.json"))
    assert traced == {"set-up": False, "run_job": True, "run_graph": True, "report": False}


def test_results_are_those_of_the_library(song, tmp_path):
    y, sr = metalmom.load(song)
    tempo, beats = metalmom.beat.beat_track(y=y, sr=sr, units="time")
    result = profile(tmp_path, song)
    assert result["tempo"] == float(np.ravel(tempo)[0])
    assert result["beats"] == beats.tolist()


@pytest.mark.parametrize("make", ["missing", "folder", "empty", "garbage", "silent header"])
def test_what_cannot_be_decoded_is_one_sentence(make, tmp_path, song):
    path = tmp_path / "input.wav"
    if make == "folder":
        path.mkdir()
    elif make == "empty":
        path.write_bytes(b"")
    elif make == "garbage":
        path.write_bytes(b"no audio at all " * 100)
    elif make == "silent header":
        demo.write_wav(path, duration=0)
    done = run("profile", str(path))
    assert done.returncode == 1
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("metalmom: ") and "input.wav" in done.stderr


@pytest.mark.parametrize("args", [
    [], ["nonsense"], ["profile", "--nonsense"], ["doctor", "--device", "x"],
    ["profile", "--repeat", "0"], ["profile", "--repeat", "x"], ["profile", "--threads", "-1"],
])
def test_wrong_usage_is_status_2(args):
    done = run(*args)
    assert done.returncode == 2
    assert "usage" in done.stderr and "Traceback" not in done.stderr


def test_version():
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"metalmom {metalmom.__version__}\n")


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["doctor", "--quick"]])
def test_a_reader_that_has_gone_is_no_traceback(args):
    command = shlex.join([sys.executable, "-m", "metalmom", *args])
    done = subprocess.run(["sh", "-c", f"{command} | true"], text=True, capture_output=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, timeout=120)
    assert done.stderr == ""


def test_a_device_that_is_not_there():
    done = run("doctor", "--device", "99")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("metalmom: --device=99 must be ")


def test_several_files(song, tmp_path, capsys):
    second = str(tmp_path / "second.wav")
    demo.write_wav(second, duration=5)
    out = tmp_path / "out.json"
    args = ["profile", song, str(tmp_path / "missing.wav"), second, "--json", str(out)]
    assert cli.main([*args, "--trace", str(tmp_path / "t.json")]) == 1
    told = capsys.readouterr()
    assert [line for line in told.out.splitlines() if line.startswith("file")] == [
        f"file     {song} (10.0 s)", f"file     {second} (5.0 s)"]
    assert told.err.startswith("metalmom: ") and "missing.wav" in told.err
    first, missing, last = json.loads(out.read_text())
    assert (first["samples"], last["samples"]) == (220500, 110250)
    assert set(missing) == {"file", "error"} and "missing.wav" in missing["error"]
    spans = stage_spans(tmp_path / "t.json")
    assert [e["name"] for e in spans if e["name"] not in STAGES] == [
        "demo song.wav", "missing.wav", "second.wav"]
    assert cli.main(["profile", song, second]) == 0


@pytest.mark.parametrize("args", [["--help"], ["profile", "--help"]])
def test_help(args):
    done = run(*args)
    assert done.returncode == 0
    assert "profile" in done.stdout and done.stderr == ""


def test_an_unwritable_result_is_one_sentence(song, tmp_path):
    done = run("profile", song, "--json", str(tmp_path / "nowhere" / "out.json"))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1 and "nowhere" in done.stderr


def test_a_short_file_is_analysed(tmp_path):
    path = tmp_path / "short.wav"
    demo.write_wav(path, duration=0.01)
    done = run("profile", str(path))
    assert (done.returncode, done.stderr) == (0, "")


def test_the_demo_song_is_the_same_everywhere():
    y, sr = demo.song(2.0)
    assert (y.shape, y.dtype, sr) == ((2, 88200), np.float32, 44100)
    assert np.abs(y).max() <= 1
    again, _ = demo.song(3.0)
    np.testing.assert_array_equal(y, again[:, : y.shape[1]])


@pytest.fixture
def native_tool(root):
    path = shutil.which("metalmom-profile", path=str(root / "build" / "bin"))
    if path is None:
        pytest.skip("build/bin/metalmom-profile has not been built")
    return path


def test_the_job_without_python_gives_the_same(native_tool, song, tmp_path):
    out = tmp_path / "native.json"
    done = subprocess.run([native_tool, song, "--json", str(out)], text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    native, python = json.loads(out.read_text()), profile(tmp_path, song)
    for key in ("file", "sr", "samples", "tempo", "beats"):
        assert native[key] == python[key], key
    assert [(s["name"], s["shape"]) for s in native["stages"]] == [
        (s["name"], s["shape"]) for s in python["stages"]]
    assert done.stdout.splitlines()[-1].startswith("total")


def test_the_graph_without_python_is_the_same(native_tool, song):
    """Wave by wave the ops of the Extractor's graph; what they found is what the stages found."""
    done = subprocess.run([native_tool, song, "--graph", "--json", "-"], text=True,
                          capture_output=True)
    result = json.loads(done.stdout)
    shapes = {stage["name"]: stage["shape"] for stage in result["stages"]}
    nodes = result["graph"]["nodes"]
    for node in nodes:
        if node["shape"] and node["stage"] != "beat":
            assert node["shape"] == shapes[node["stage"]]
    done = subprocess.run([native_tool, song, "--graph"], text=True, capture_output=True)
    shown = run("profile", "--graph", song).stdout
    ops = {op for op in re.findall(r"\((\w+)\)", shown[shown.index("wave 1"):])}
    assert {node["op"] for node in nodes} == ops | {"stft"}
    ours = json.loads(run("profile", "--graph", "--json", "-", song).stdout)["graph"]["nodes"]
    for key in ("wave", "stage", "op"):
        assert sorted(node[key] for node in nodes) == sorted(node[key] for node in ours)
    for wave in ("wave 1", "wave 2", "wave 3"):
        assert wave in done.stdout and wave in shown
    assert [n["op"] for n in nodes if n["wave"] == 3] == ["beat_track"]


def test_the_graph_without_python_has_its_times(native_tool, song):
    command = [native_tool, song, "--graph", "--backend", "cpu"]
    graph = json.loads(subprocess.run([*command, "--json", "-"], text=True, capture_output=True, check=True).stdout)["graph"]
    times = [*graph["nodes"], *graph["values"]]
    assert all(each["ms"] >= 0 and each["share"] == pytest.approx(each["ms"] / graph["ms"]) for each in times)
    assert {each["name"] for each in graph["values"]} >= {"frames", "128 bands of power", "levels of 128 bands of power"}
    path = [each for each in graph["nodes"] if each["critical"]]
    waves = [each["wave"] for each in path]
    assert waves == [*range(1, len(path) + 1)]
    # a wave takes no longer than what is told of it, and the path is a part of that
    assert sum(each["ms"] for each in path) <= graph["critical_ms"] * (1 + 1e-9) <= sum(each["ms"] for each in times) * (1 + 1e-6)
    table = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    lines = table[table.index("wave 1") :].splitlines()
    assert 1 <= sum(line[20:24] == " *  " for line in lines) <= 3  # another run may have another path
    assert all(re.match(r" +\d+\.\d{3} +\d+\.\d% ", line) for line in lines if not line.startswith("wave"))


def test_spans_add_up_to_the_total_without_python(native_tool, song, tmp_path):
    trace, out = tmp_path / "t.json", tmp_path / "out.json"

    def run_once():
        subprocess.run([native_tool, song, "--json", str(out), "--trace", str(trace)], check=True,
                       capture_output=True)
        return stage_spans(trace), json.loads(out.read_text())["total_ms"]

    assert stages_fill_the_total(run_once)


def test_outputs_without_python(native_tool, song, tmp_path):
    """The rules of test_outputs.py, in the same place of the engine."""
    for option in ("--json", "--trace"):
        done = subprocess.run([native_tool, song, option, song], text=True, capture_output=True)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"{option}='{song}' must be no name of an audio file" in done.stderr
        done = subprocess.run([native_tool, song, option, "-"], text=True, capture_output=True,
                              cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert {"beats", "traceEvents"} & set(json.loads(done.stdout))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("args, status", [(["/no/such/song.wav"], 1), (["--nonsense"], 2),
                                          (["--repeat", "0"], 2), (["--json"], 2)])
def test_exit_codes_without_python(native_tool, args, status):
    done = subprocess.run([native_tool, *args], text=True, capture_output=True)
    assert done.returncode == status
    assert done.stderr and (status == 2 or len(done.stderr.splitlines()) == 1)


def test_a_software_device_is_said_to_be_one():
    from types import SimpleNamespace

    from metalmom.cli.profile import gpu_text

    device = {"name": "a", "driver": "b", "memory": 1 << 30, "max_storage_buffer": 1 << 20, "shared_memory": 1 << 10}
    hardware, software = (SimpleNamespace(**device, type=kind) for kind in ("discrete", "cpu"))
    assert gpu_text([software]) == f"{gpu_text([hardware])}, software"


def test_an_unknown_command_is_told_with_the_nearest(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["extrct"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "COMMAND='extrct' must be one of profile, " in told and told.endswith("; did you mean 'extract'?\n")
