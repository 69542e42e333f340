"""Completion and man page, as shells and `man` read them, are made of the parser."""

import shutil
import subprocess

import pytest
from metalmom.cli import _main, _shell, extract


@pytest.fixture(scope="module")
def parser():
    return _main.build_parser()


def bash(parser, *words, there=()):
    """What bash offers for the last word, in a folder with these files."""
    text = _shell.completion(parser, "bash")
    code = text + 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _metalmom; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", code, "bash", *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_commands_options_and_values(parser):
    assert bash(parser, "metalmom", "") == [*_main.COMMANDS]
    assert bash(parser, "metalmom", "pro") == ["profile"]
    assert bash(parser, "metalmom", "--ver") == ["--version"]
    assert bash(parser, "metalmom", "extract", "songs", "--for") == ["--format"]
    assert bash(parser, "metalmom", "extract", "--format", "") == ["parquet", "npz"]
    assert bash(parser, "metalmom", "separate", "--format", "") == ["wav", "flac", "ogg"]
    assert bash(parser, "metalmom", "--completion", "z") == ["zsh"]
    assert bash(parser, "metalmom", "extract", "--out", "--for") == []  # a file, which bash offers itself
    assert bash(parser, "metalmom", "extract", "") == []


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_offers_every_option_of_every_command(parser):
    for name, _, command in _shell._commands(parser):
        options = [each for action in command._actions for each in action.option_strings]
        assert bash(parser, "metalmom", name, "-") == options


@pytest.mark.skipif(not shutil.which("zsh"), reason="needs zsh")
def test_zsh_takes_the_specifications(parser, tmp_path):
    (tmp_path / "_metalmom").write_text(_shell.completion(parser, "zsh"))
    code = """
autoload -Uz compinit && compinit -u -d $PWD/dump
_arguments() { print -l -- "$@" >>specifications; state=argument; }
_describe() { print described }
words=(extract --format)
autoload -Uz _metalmom; _metalmom; print ${_comps[metalmom]}
"""
    code = f"fpath=({tmp_path} $fpath)\n{code}"
    done = subprocess.run(["zsh", "-f", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("_metalmom\n", "")
    given = (tmp_path / "specifications").read_text().splitlines()
    assert "(-o --out)--out[the folder to write to]:OUT:_files" in given
    assert [each for each in given if each.startswith("--format[") and each.endswith("(parquet npz)")]
    assert "*:IN:_files" in given


def test_the_man_page_has_each_option_with_its_help(parser):
    page = _shell.man(parser)
    for name, about, command in _shell._commands(parser):
        assert f".SH {name.upper()}\n" in page
        for action in command._actions:
            assert all(each.replace("-", "\\-") in page for each in action.option_strings)
    assert "the folder to write to" in page and "%(" not in page
    assert extract.HELP[1:] in page


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
def test_the_man_page_has_no_faults_of_roff(parser):
    command = ["groff", "-man", "-Tutf8", "-ww", "-z"]
    done = subprocess.run(command, input=_shell.man(parser), capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("option, begins", [
    (["--completion", "bash"], "# Completion"), (["--man"], ".TH METALMOM 1"),
])  # fmt: skip
def test_the_program_prints_them(option, begins, capsys):
    with pytest.raises(SystemExit) as left:
        _main.main(option)
    assert left.value.code == 0 and capsys.readouterr().out.startswith(begins)
