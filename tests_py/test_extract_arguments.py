"""Arguments of extract that cannot be right: one sentence, status 2, and nothing written."""

import inspect
import os
import re
import shlex
import shutil

import pytest

import metalmom
from metalmom import cli
from metalmom.cli import _main
from metalmom.extraction.options import devices_of
from metalmom.extraction.recipes import feature_of_text
from test_extract import run, write_wav

pytestmark = pytest.mark.usefixtures("one_server")


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    path = tmp_path_factory.mktemp("song") / "a.wav"
    write_wav(path, 1.0)
    return path


@pytest.mark.parametrize("name", ["../../../esc", "/etc/x", "", ".x", "a b", "a\0", "a\n", "é", "x" * 101])
def test_names_of_features_are_no_paths(name):
    from metalmom.extraction.recipes import Recipe

    with pytest.raises(metalmom.ParameterError, match="must be a name"):
        Recipe({"features": {name: {"feature": "beat_track"}}})


def test_names_differ_in_more_than_case():
    from metalmom.extraction.recipes import Recipe

    with pytest.raises(metalmom.ParameterError, match="features.RMS must differ from rms"):
        Recipe({"features": {"rms": {}, "RMS": {"feature": "rms"}}})


WRONG = [
    # options beside those that are given in any case, and what is told of them
    ("--timeout inf", "--timeout=inf must be seconds from"),
    ("--timeout 1e300", "--timeout=1e+300 must be"),
    ("--timeout 0.0001", "--timeout=0.0001 must be"),
    ("--timeout -1", "argument --timeout: -1 must be a number > 0"),
    ("--cache-size x", "--cache-size='x' must be"),
    ("--aggregate=", "--aggregate='' must be"),
    ("--aggregate mode", "must be one of mean, std, min, max, median"),
    ("--aggregate mean --aggregate std,mean", "aggregate=['mean', 'std', 'mean'] must not name a statistic twice"),
    ("-F a.toml -F b.toml", "-F must be given once: a.toml, b.toml"),
    ("--features pyin", "--features='pyin' must be given with fmin and fmax: -f 'pyin fmin=65 fmax=2093'"),
    ("--features lpc", "--features='lpc' must be given with order: -f 'lpc order=...'"),
    ("--features mfcc chroma_stft", "unrecognized arguments: chroma_stft; --features takes names with commas between them"),
    ("-f 'mfcc n_mfcc=13, n_fft=1024'", "must have spaces, not commas, between arguments"),
    ("-f 'mfcc n_mfcc=13,n_fft=1024'", "must have spaces, not commas, between arguments"),
    ("-f \"m: mfcc window='a, b=c'\"", "window='a, b=c' must be a known window"),
    ("--aggregate mean,mean", "must not name a statistic twice"),
    ("--features rms,,mfcc", "'rms,,mfcc' must be names"),
    ("--features mfcc,rms,mfcc", "must name a feature once: mfcc, rms, mfcc"),
    ("-f 'mfcc: rms'", "must name a feature once: mfcc, mfcc"),
    ("--features mfc", "did you mean 'mfcc'"),
    ("--features nix", "error: feature='nix' must be"),
    ("--features split", "neither a row a frame nor a row a file"),
    ("-f nix", "--feature='nix' must be"),
    ("-f 'a mfcc'", "-f 'mfcc' must be like n_mfcc=40"),
    ("-f 'a: mfcc n_mfc=3'", "did you mean 'n_mfcc'"),
    ("-f 'rms:rms x'", "error: -f 'x' must be like"),
    ("-f 'r:rms hop_length=x'", "hop_length='x'"),
    ("-f 'rms_0:mfcc n_mfcc=2' -f rms_0_00:rms", "is already the name of a column"),
    ("-f '../../../esc: beat_track'", "must be a name"),
    ("--set y=1", "y=1 must not be given"),
    ("--set sr=3", "sr=3 must be given as --sr"),
    ("--set nix=3", "nix=3 is not a parameter of any"),
    ("--set x", "error: --set 'x' must be like n_mfcc=40"),
    ("--sr 0", "sr=0 must be a positive number"),
    ("--sr -1", "sr=-1"),
    ("--sr inf", "sr=inf must be a positive number"),
    ("--max-failures 101%", "--max-failures='101%' must be"),
    ("--max-failures 1.5", "--max-failures='1.5' must be"),
    ("--max-failures some", "--max-failures='some'"),
    ("--memory 0", "--memory='0' must be a size"),
    ("--memory lots", "--memory='lots'"),
    ("--backend gpu:9", "--backend='gpu:9' must be"),
    ("--backend nonsense", "argument --backend: 'nonsense' must be 'cpu', 'auto', 'gpu'"),
    ("--scheduler x", "--scheduler='x' must be like 'tcp://host:8786'"),
    ("--overwrite --retry-failed", "--retry-failed must not be given with --overwrite, which"),
    ("--path-column path", "--path-column='path' must go with tables"),
    ("--null", "--null must go with '-'"),
    ("--describe nix", "error: feature='nix' must be"),
    ("-j 0", "argument -j/--jobs: 0 must be an int > 0"),
    ("-j x", "argument -j/--jobs: x must be an int > 0"),
    ("--sr x", "argument --sr: x must be a number"),
    ("--keep-columns label,fold", "--keep-columns='label,fold' must go with tables"),
    ("-o ''", "--out='' must be a path"),
    ("--hop 3 --nix", "unrecognized arguments: --hop 3 --nix"),
]


def refused(capsys, *args):
    """What the command says of wrong usage: one line of how it is used, and one sentence."""
    with pytest.raises(SystemExit) as left:
        cli.main(["extract", *map(os.fspath, args)])
    assert left.value.code == 2
    usage, told = capsys.readouterr().err.splitlines()
    assert usage.startswith("usage: metalmom extract IN") and told.startswith("metalmom extract: error: ")
    assert len(usage) < 100
    return told


@pytest.mark.parametrize("options, told", WRONG)
def test_wrong_usage(song, tmp_path, monkeypatch, capsys, options, told):
    monkeypatch.chdir(tmp_path)
    options = shlex.split(options)
    if "--features" not in options:
        options += ["--features", "mfcc"]
    assert told in refused(capsys, song, "-o", "out", "--format", "npz", *options)
    assert not [each for each in tmp_path.rglob("*") if each.is_file() and each.name != ".lock"]


def test_what_a_recipe_says_is_not_called_by_an_option(song, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.json").write_text('{"features": {"mfcc": {"sr": 16000}}}')
    told = refused(capsys, song, "-o", "out", "-F", "recipe.json", "--sr", "22050")
    assert "features.mfcc: sr=16000 must be the recipe's rate, 22050" in told


@pytest.mark.parametrize("options, told", [
    ("-o out --features mfcc", "the following arguments are required: IN"),
    ("IN --features mfcc", "the following arguments are required: -o/--out"),
    ("IN -o out", "-F must say what to compute"),
    ("-o out", "-F must say what to compute: out contains no run that could be continued"),
    ("nowhere.wav -o out --features rms", "error: nowhere.wav: No such file"),
    ("-o out --features mfcc chroma_stft", "chroma_stft: No such file or directory; --features takes names with commas"),
    ("songs.csv -o out --features rms", "error: songs.csv is a table: path_column (--path-column) must name its column"),
])  # fmt: skip
def test_usage_that_lacks_something(song, tmp_path, monkeypatch, capsys, options, told):
    monkeypatch.chdir(tmp_path)
    assert told in refused(capsys, *(song if option == "IN" else option for option in options.split()))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("args, usage", [
    (["--nix"], "metalmom "), (["nix"], "metalmom "), ([], "metalmom "), (["verify"], "metalmom verify OUT"),
    (["verify", "x", "--nix"], "metalmom verify OUT"), (["profile", "--nix"], "metalmom profile [FILE ...]"),
    (["doctor", "nix"], "metalmom doctor"), (["--nix", "doctor"], "metalmom doctor"),
])  # fmt: skip
def test_wrong_usage_of_any_command_shows_its_own_usage_on_a_line(args, usage, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(args)
    assert left.value.code == 2
    shown, told = capsys.readouterr().err.splitlines()
    assert shown.startswith(f"usage: {usage}") and told.startswith("metalmom") and ": error: " in told


def test_options_have_the_defaults_of_the_function():
    arguments = vars(_main.build_parser().parse_args(["extract", "IN", "-o", "OUT"]))
    for name, parameter in inspect.signature(metalmom.extract).parameters.items():
        if parameter.default is not parameter.empty and name in arguments and name not in ("features", "progress"):
            assert arguments[name] == parameter.default, name


@pytest.mark.parametrize("ending, content", [
    ("csv", b'path\n"' + 200_000 * b"a"), ("csv", b'path\n"' + 200_000 * b"a" + b'"\n'), ("tsv", b"path\n" + 140_000 * b"a"),
    ("csv", b""), ("csv", b"\0\0"), ("parquet", b"PAR1 is no table"), ("parquet", b""),
], ids=["open quotes", "long", "long line", "empty", "zeros", "no parquet", "empty parquet"])  # fmt: skip
def test_tables_that_are_none(tmp_path, ending, content):
    table = tmp_path / f"table.{ending}"
    table.write_bytes(content)
    done = run("extract", table, "--path-column", "path", "-o", tmp_path / "out", "--features", "rms")
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    assert "--path-column='path' must be" in done.stderr or "needs pyarrow" in done.stderr


@pytest.mark.parametrize("ending", [".wav", ".toml", ".json"])
def test_recipes_that_are_no_text(song, tmp_path, capsys, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)  # a long path is shortened
    recipe = f"r{ending}"
    (tmp_path / recipe).write_bytes(b"RIFF\xff\xfe\x00\x80")
    assert f"recipe={recipe!r} must be" in refused(capsys, song, "-o", tmp_path / "out", "-F", recipe)


@pytest.mark.parametrize(
    "arguments",
    [{"aggregate": 3}, {"aggregate": ""}, {"out": "p\0"}, {"jobs": True}, {"timeout": float("inf")},
     {"overwrite": True, "retry_failed": True}, {"path_column": "path"}, {"max_failures": 1.5},
     {"backend": "gpu:9"}, {"backend": "nonsense"}, {"backend": ""}, {"client": "tcp://host:1"},
     {"scheduler": "host"}, {"memory": -1}, {"cache_size": None}, {"cache_audio": ""}],
)  # fmt: skip
def test_wrong_arguments_of_the_function(song, tmp_path, arguments):
    name = list(arguments)[-1]
    with pytest.raises(metalmom.ParameterError, match=f"^{name}="):
        metalmom.extract(song, **{"out": tmp_path / "out", "features": "rms", "format": "npz", **arguments})
    assert os.listdir(tmp_path) == []


def test_the_command_names_options_where_the_function_names_arguments(song, tmp_path):
    """The errors of a run are those of the function: what they name is an option here."""
    out = tmp_path / "out"
    assert run("extract", song, "-o", out, "--features", "rms", "--format", "npz").returncode == 0
    done = run("extract", song, "-o", out, "--features", "mfcc", "--format", "npz")
    assert done.returncode == 1 and "or start anew with --overwrite\n" in done.stderr
    with pytest.raises(metalmom.ParameterError, match="or start anew with overwrite=True$"):
        metalmom.extract(song, out, features="mfcc", format="npz")
    done = run("extract", song, "-o", os.path.dirname(song), "--features", "rms", "--format", "npz")
    assert done.returncode == 1 and done.stderr.startswith("metalmom: --out='")
    done = run("extract", song, "-o", song, "--features", "rms", "--format", "npz")
    assert done.returncode in (1, 2) and "--out=" in done.stderr and "must be a folder" in done.stderr
    done = run("verify", tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("metalmom: out='")  # which has no option there
    done = run("profile", song, "--backend", "nonsense")
    assert done.returncode == 2 and "argument --backend: 'nonsense' must be" in done.stderr


def test_parquet_without_pyarrow(monkeypatch):
    from metalmom.extraction.tables import pick_format

    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    for kind in (metalmom.ParameterError, ImportError):
        with pytest.raises(kind, match=missing("format='parquet'", "pyarrow", "pyarrow")):
            pick_format("parquet")
    assert pick_format(None) == "npz"


def missing(who, package, source):
    return f"^{re.escape(who)} needs {package}, which is not installed: pip install {source}( |$)"


@pytest.mark.parametrize("module, arguments, who, package", [
    ("pyarrow", {"inputs": "songs.parquet", "path_column": "path"}, "extract() with inputs='songs.parquet'", "pyarrow"),
    ("fsspec", {"inputs": "s3://songs/a.wav"}, "extract() with s3://songs/a.wav", "fsspec"),
    ("distributed", {"inputs": "a.wav", "scheduler": "tcp://localhost:1"}, "extract() with a scheduler", "Dask"),
])  # fmt: skip
def test_what_is_missing_is_said_in_one_way(module, arguments, who, package, song, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(song, "a.wav")
    (tmp_path / "songs.parquet").touch()
    for name in (module, "pyarrow.parquet"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(metalmom.util.exceptions.MissingPackageError, match=missing(who, package, module)):
        metalmom.extract(out="out", features=["rms"], **arguments)


@pytest.mark.parametrize("options", [["--aggregate", "mean,std"], ["--aggregate", "mean", "--aggregate", "std"]])
def test_statistics_add_up_and_a_dry_run_shows_their_columns(options, song, tmp_path, capsys):
    command = ["extract", os.fspath(song), "-o", os.fspath(tmp_path / "out"), "--features", "mfcc,tempo", *options]
    assert cli.main([*command, "--dry-run"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert listed[1:3] == ["  files: mfcc_00_mean ... mfcc_19_std (float32)", "  files: tempo (float32, beats per minute)"]
    assert cli.main([*command, "--format", "npz"]) == 0
    columns = metalmom.open_features(tmp_path / "out").files
    assert {"mfcc_00_mean", "mfcc_19_std", "tempo"} <= columns.keys() and "mfcc_00" not in columns


def test_a_summary_has_all_failures_and_the_report_the_first(tmp_path, capsys):
    for i in range(5):
        (tmp_path / f"{i}.wav").write_bytes(b"no audio")
    summary = metalmom.extract(tmp_path, tmp_path / "out", features=["rms"], format="npz", progress=None)
    assert [path for path, _ in summary.failures] == [str(tmp_path / f"{i}.wav") for i in range(5)]
    assert cli.main(["extract", os.fspath(tmp_path), "-o", os.fspath(tmp_path / "out"), "--features", "rms"]) == 4
    told = capsys.readouterr().err
    assert told.count("is no audio file") == 3 and "and 2 more" in told


def test_a_file_by_its_path(song, tmp_path):
    metalmom.extract(song, tmp_path / "out", features=["rms"], format="npz")
    features = metalmom.open_features(tmp_path / "out")
    path = str(features.files["path"][0])
    assert path in features and "mfcc" not in features
    assert features[path]["rms"].shape == next(iter(features))["rms"].shape
    with pytest.raises(KeyError, match=r"path='rms' must be that of a file: \.frames\('rms'\) gives a feature of all files"):
        features["rms"]
    with pytest.raises(metalmom.ParameterError, match="path='nowhere.wav' must be that of a file of "):
        features["nowhere.wav"]


def test_a_negative_sample_is_refused(tmp_path):
    result = run("verify", tmp_path, "--sample", "-1")
    assert result.returncode == 2 and "--sample" in result.stderr
    from metalmom.extraction.verify import verify

    with pytest.raises(metalmom.ParameterError, match="sample=-1 must be"):
        list(verify(tmp_path, sample=-1))


def test_differences_of_recipes_name_a_feature_once():
    from metalmom.extraction.records import differences

    def manifest(**features):
        return {"recipe": {"sr": 22050, "features": features}, "simd": "avx2", "schema": object()}

    found = list(differences(manifest(mfcc={"n_mfcc": 20, "sr": 22050}, rms={"center": True}),
                             manifest(mfcc={"n_mfcc": 13, "lifter": 0}, tempo={"sr": 22050})))  # fmt: skip
    assert found == ["recipe.features.mfcc.n_mfcc was 20 and is 13", "recipe.features.mfcc.sr=22050 is gone",
                     "recipe.features.mfcc.lifter=0 is new", "recipe.features.rms is gone",
                     "recipe.features.tempo is new"]  # fmt: skip


def test_features_may_be_given_one_after_the_other(song, tmp_path):
    done = run("extract", song, "-o", tmp_path / "out", "--features", "mfcc", "--features", "rms,zero_crossing_rate")
    assert done.returncode == 0, done.stderr
    assert metalmom.open_features(tmp_path / "out").names == ["mfcc", "rms", "zero_crossing_rate"]


@pytest.mark.parametrize("text, value", [
    ("8e3", 8000.0), ("inf", float("inf")), ("null", None), ("None", None), ("True", True), ("false", False),
    ("hann", "hann"), ("'hann'", "hann"), ('"a b"', "a b"), ('["kaiser",4.0]', ["kaiser", 4.0]),
    ("('kaiser',4.0)", ("kaiser", 4.0)), ("[1,'x']", [1, "x"]), ("don't", "don't"), ("", ""), ("f(1)", "f(1)"),
])  # fmt: skip
def test_values_are_written_as_in_json_or_python(text, value):
    assert feature_of_text(f"x: mfcc n_mfcc=13 a={text} b=2") == (
        "x", {"feature": "mfcc", "n_mfcc": 13, "a": value, "b": 2})  # fmt: skip


class _Found:
    """A device as `metalmom.devices` gives it, as far as a run asks."""

    def __init__(self, index, type="discrete", unusable=""):
        self.index, self.type, self.unusable = index, type, unusable


@pytest.mark.parametrize(
    "backend, found, taken",
    [
        ("cpu", [], ["cpu"]),
        ("gpu:1", [], ["gpu:1"]),
        ("gpu:1,0", [], ["gpu:1", "gpu:0"]),
        ("gpu:all", [_Found(0), _Found(1, "cpu"), _Found(2), _Found(3, unusable="old")], ["gpu:0", "gpu:2"]),
        ("auto:all", [_Found(0, "cpu")], ["auto:0"]),
        ("gpu:all", [], ["gpu"]),
    ],
)
def test_processes_take_the_devices_that_are_named(monkeypatch, backend, found, taken):
    monkeypatch.setattr("metalmom._engine.backend.devices", lambda: found)
    assert devices_of(backend) == taken


@pytest.mark.parametrize("backend", ["gpu:0,0", "gpu:0,00", "gpu:0,x", "gpu:0,", "cpu:all", "cpu:0,1", "cuda:all", "gpu:0,all"])
def test_devices_that_are_no_list_are_refused(monkeypatch, backend):
    monkeypatch.setattr("metalmom._engine.backend.devices", lambda: [])
    with pytest.raises(metalmom.ParameterError, match=f"^backend='{backend}' must be "):
        devices_of(backend)
