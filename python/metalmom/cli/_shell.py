"""Shell completion and the man page, made from the parser of the command line."""

from __future__ import annotations

import re
import shlex
from argparse import SUPPRESS, Action, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator
from typing import Any

from ..util.files import expanded

__all__ = ["SHELLS", "Printed", "completion", "man"]


class Printed(Action):
    """An option that prints a text made from the parser and its value, and leaves."""

    def __init__(self, *args: Any, text: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self._text = text

    def __call__(self, parser: ArgumentParser, args: Namespace, value: Any, name: str | None = None) -> None:
        print(self._text(parser, value) if self.nargs is None else self._text(parser), end="")
        parser.exit()


def _commands(parser: ArgumentParser) -> Iterator[tuple[str, str, ArgumentParser]]:
    """Name, help and parser of each command."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for shown in action._choices_actions:
                yield shown.dest, shown.help or "", action.choices[shown.dest]


def _arguments(parser: ArgumentParser, *, options: bool) -> Iterator[Action]:
    for action in parser._actions:
        if bool(action.option_strings) == options and action.help != SUPPRESS:
            if not isinstance(action, _SubParsersAction):
                yield action


def _help(parser: ArgumentParser, action: Action) -> str:
    return " ".join(parser._get_formatter()._expand_help(action).split()) if action.help else ""


def _takes_path(action: Action) -> bool:
    return action.type is expanded


def _words(action: Action) -> str:
    return " ".join(map(str, action.choices or ()))


def completion(parser: ArgumentParser, shell: str) -> str:
    """The text that makes a shell complete the program's commands, options, values and files."""
    return SHELLS[shell](parser)


def _bash(parser: ArgumentParser) -> str:
    def names(of: ArgumentParser) -> str:
        return " ".join(name for action in _arguments(of, options=True) for name in action.option_strings)

    def values(command: str, of: ArgumentParser) -> Iterator[str]:
        for action in _arguments(of, options=True):
            if action.nargs != 0:
                patterns = "|".join(f'"{command} {name}"' for name in action.option_strings)
                yield f"        {patterns}) option= words={shlex.quote(_words(action))} ;;"

    commands = [*_commands(parser)]
    lines = [
        f"# Completion of {parser.prog} for bash.",
        f"_{parser.prog}() {{",
        '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
        "    local command= words= option=1",
        '    [[ $COMP_CWORD = 1 || ${COMP_WORDS[1]} = -* ]] || command="${COMP_WORDS[1]}"',
        '    case "$command $before" in  # the value of an option: its words, or files if it has none',
        *values("", parser),
    ]
    for name, _, command in commands:
        lines += values(name, command)
    lines += [
        "    esac",
        '    if [ -n "$option" ]; then',
        '        case "$command,$word" in',
        f"        ,-*) words={shlex.quote(names(parser))} ;;",
        f"        ,*) words={shlex.quote(' '.join(name for name, _, _ in commands))} ;;",
        *(f"        {name},-*) words={shlex.quote(names(command))} ;;" for name, _, command in commands),
        "        esac",
        "    fi",
        '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
        "}",
        f"complete -o default -F _{parser.prog} {parser.prog}",
    ]
    return "\n".join(lines) + "\n"


def _zsh(parser: ArgumentParser) -> str:
    def text(words: str) -> str:  # in brackets of a specification
        return re.sub(r"([\[\]\\:])", r"\\\1", words)

    def value(action: Action) -> str:
        what = f"({_words(action)})" if action.choices else "_files" if _takes_path(action) else " "
        return f":{text(str(action.metavar or action.dest))}:{what}"

    def specifications(of: ArgumentParser) -> Iterator[str]:
        for action in _arguments(of, options=True):
            others = f"({' '.join(action.option_strings)})" if len(action.option_strings) > 1 else ""
            repeated = "*" if type(action).__name__ == "_AppendAction" else others
            for name in action.option_strings:
                rest = "" if action.nargs == 0 else value(action)
                yield shlex.quote(f"{repeated}{name}[{text(_help(of, action))}]{rest}")
        for action in _arguments(of, options=False):
            yield shlex.quote(("*" if action.nargs in ("*", "+") else "") + value(action))

    def call(of: ArgumentParser, *more: str) -> str:
        return " \\\n        ".join(["_arguments", *more, *specifications(of)])

    commands, own = [*_commands(parser)], ("'1:command:->command'", "'*::argument:->argument'")
    shown = " ".join(shlex.quote(f"{name}:{about}") for name, about, _ in commands)
    lines = [
        f"#compdef {parser.prog}",
        f"# Completion of {parser.prog} for zsh.",
        f"_{parser.prog}() {{",
        "    local state line; local -a commands",
        f"    commands=({shown})",
        f"    {call(parser, '-C', *own)}",
        '    case "$state" in',
        "    command) _describe command commands ;;",
        '    argument) case "$words[1]" in',
        *(f"    {name})\n        {call(command)} ;;" for name, _, command in commands),
        "    esac ;;",
        "    esac",
        "}",
        f'if [ "$funcstack[1]" = _{parser.prog} ]; then _{parser.prog} "$@"',
        f"else compdef _{parser.prog} {parser.prog}; fi",
    ]
    return "\n".join(lines) + "\n"


SHELLS = {"bash": _bash, "zsh": _zsh}


def man(parser: ArgumentParser) -> str:
    """The man page, in roff."""
    def plain(words: str) -> str:
        words = words.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
        return "\\&" + words if words.startswith((".", "'")) else words

    def names(action: Action) -> str:
        shown = " " + str(action.metavar or f"{{{','.join(map(str, action.choices or ()))}}}")
        value = "" if action.nargs == 0 else shown
        if not action.option_strings:
            return f"\\fI{plain(shown.strip())}\\fR"
        bold = ", ".join(f"\\fB{plain(name)}\\fR" for name in action.option_strings)
        return bold + (f"\\fI{plain(value)}\\fR" if value else "")

    def entries(of: ArgumentParser) -> Iterator[str]:
        for options in (False, True):
            for action in _arguments(of, options=options):
                yield f".TP\n{names(action)}\n{plain(_help(of, action))}"

    name = parser.prog
    lines = [
        f".TH {name.upper()} 1",
        f".SH NAME\n{name} \\- {plain(parser.description or '')}",
        f".SH SYNOPSIS\n.B {name}\n.I COMMAND\n.RI [ options ]",
        ".SH OPTIONS",
        *entries(parser),
    ]
    for command, about, of in _commands(parser):
        usage = (of.usage or "").replace("%(prog)s", of.prog)
        about = about[:1].upper() + about[1:]
        lines += [f".SH {command.upper()}", f".B {plain(usage)}", f".PP\n{plain(about)}.", *entries(of)]
        lines += [f".PP\n{plain(' '.join(of.epilog.split()))}"] if of.epilog else []
    lines.append(f".SH SEE ALSO\nThe page of each command: \\fB{name} \\fICOMMAND\\fB \\-\\-help\\fR")
    return "\n".join(lines) + "\n"
