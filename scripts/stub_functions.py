"""The signature of a function, or its overloads, as text of a stub."""

import ast
import inspect
import itertools
import re
import textwrap

import stub_types
from metalmom._boundary import documented
from metalmom.util import Deprecated

__all__ = ["annotation_text", "argument_type", "function_text", "written"]

WIDTH = 100


def default_text(value):
    if isinstance(value, (bool, int, str, type(None))):
        return repr(value).replace("'", '"')
    if isinstance(value, float) and value == value and abs(value) != float("inf"):
        return repr(value)
    if isinstance(value, tuple) and all(isinstance(each, (int, float, str)) for each in value):
        return repr(value).replace("'", '"')
    return "..."


def argument_type(function, parameter, phrases, only=None):
    if parameter.annotation is not inspect.Parameter.empty:
        return annotation_text(parameter.annotation)
    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
        return "Any"
    name = parameter.name
    if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
        name = f"*{name}"
    phrase = phrases.get(name) or stub_types.SHARED.get(name)
    if phrase is None and "." in function.__qualname__:  # a method
        return "Any"
    if phrase is None:
        raise stub_types.Unknown(f"{function.__qualname__}: {name} is not documented")
    try:
        found = stub_types.of_argument(phrase, only=only)
    except stub_types.Unknown as unknown:
        said = f"{function.__qualname__}: {name}: {unknown} in {phrase!r}"
        raise stub_types.Unknown(said) from None
    if isinstance(parameter.default, Deprecated):
        return f"{found} | Deprecated"
    if parameter.default is None and not re.search(r"\bNone$", found):
        return f"{found} | None"
    return found


def annotation_text(annotation):
    if annotation is None:
        return "None"
    annotation = getattr(annotation, "__forward_arg__", annotation)  # of a NamedTuple
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return {"dict": "dict[str, Any]", "list": "list[Any]"}.get(text, text)


def results(function):
    """(phrase, condition) of each alternative of each thing that a function returns."""
    section = re.search(
        r"^(Returns|Yields)\n-+\n(.*?)(?=\n\n[A-Z][A-Za-z ]*\n-+\n|\Z)",
        inspect.getdoc(function) or "", re.M | re.S,
    )  # fmt: skip
    if not section:
        return False, []
    things = []
    for line in section[2].splitlines():
        if line and not line.startswith(" "):
            names, colon, phrase = line.rpartition(" : ")
            for _ in names.split(",") if colon else [""]:
                things.append([stub_types.split_condition(p) for p in by_condition(phrase)])
    return section[1] == "Yields", things


def by_condition(phrase):
    """The parts of "X, or Y if `flag`"; a phrase without a condition is one part."""
    *before, (separator, last) = stub_types.split(phrase)
    if " if " in last and separator.endswith("or"):
        end = phrase.rindex(f"{separator} {last}")
        return [phrase[:end].rstrip(), last]
    return [phrase]


def flag_values(parameters, conditions):
    """Each way in which the flags that the results depend on may be set."""
    for values in itertools.product(*([parameters[name].default, not parameters[name].default]
                                      for name in conditions)):  # fmt: skip
        yield dict(zip(conditions, values, strict=True))


def result_type(function, things, flags, only, device):
    types = []
    for alternatives in things:
        holds = [
            phrase for phrase, condition in alternatives
            if condition and (condition[0] not in flags or flags[condition[0]] == condition[1])
        ]  # fmt: skip
        plain = [phrase for phrase, condition in alternatives if not condition]
        decided = all(c[0] in flags for _, c in alternatives if c)
        phrases = holds if holds and decided else plain + holds
        if not phrases:
            continue
        try:
            found = [stub_types.of_result(phrase, only=only) for phrase in phrases]
        except stub_types.Unknown as unknown:
            said = f"{function.__qualname__}: returns {unknown}"
            raise stub_types.Unknown(said) from None
        types.append(placed(stub_types.union([each for each in found if each]), device, phrases))
    if not types:
        return "Any" if gives_something(function) else "None"
    return types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"


def placed(type_, device, phrases=()):
    """The part of a type that is on a device, or that is not.

    What is on a device sometimes only ("DeviceArray without `channels`") may be anywhere.
    """
    parts = list(stub_types.members(type_))
    if "DeviceArray" not in parts or len(parts) == 1 or re.search(r"DeviceArray \w", " ".join(phrases)) and device:
        return type_
    return "DeviceArray" if device else stub_types.union([part for part in parts if part != "DeviceArray"])


def placements(types, things):
    """(types, arguments that must be given, whether on a device) of each place where arrays may be.

    Those of results are told apart only if they depend on it.
    """
    there = [name for name, type_ in types.items() if placed(type_, False) != type_]
    phrases = [phrase for alternatives in things for phrase, _ in alternatives]
    if not there or not any(re.search(r"or DeviceArray\b", phrase) for phrase in phrases):
        yield types, set(), False
        return
    yield {**types, **{name: _not_array_like(placed(types[name], False)) for name in there}}, set(), False
    for name in there:
        yield {**types, name: "DeviceArray"}, {name}, True


def _not_array_like(type_):
    """A type without arrays of other libraries, which a DeviceArray would be one of to type checkers."""
    return type_.replace("npt.ArrayLike", stub_types.NOT_ONE["npt.ArrayLike"])


def gives_something(function):
    """Whether a function without a section Returns has a ``return`` with a value."""
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
    return any(isinstance(node, ast.Return) and node.value for node in ast.walk(ast.parse(source)))


def like_argument(things, parameters):
    """The argument whose dtype all results have, as far as the docstring says so."""
    found = {
        match[1]
        for alternatives in things
        for phrase, _ in alternatives
        if (match := re.search(r"\bdtype of `(\w+)`", phrase))
    }
    return next(iter(found)) if len(found) == 1 and found <= set(parameters) else None


def one_or_many(things, parameters, phrases):
    """The first argument, if it and the result may both be one thing or an array of them."""
    first = next(iter(parameters), None)
    if first is None or first not in phrases or len(things) != 1:
        return None
    phrase = things[0][0][0]
    try:
        both = [stub_types.of_result(phrase, only=o) for o in ("one", "many")]
        both += [stub_types.of_argument(phrases[first], only=o) for o in ("one", "many")]
    except stub_types.Unknown:
        return None
    return first if all(both) else None


def signatures(function, name):
    """The signatures of a function in a stub: one, or its overloads."""
    signature = inspect.signature(function)
    phrases = documented.phrases(function)
    parameters = signature.parameters
    bound = next(iter(parameters), None) in ("self", "cls")
    types = {p.name: argument_type(function, p, phrases) for p in [*parameters.values()][bound:]}
    yields, things = results(function)
    annotated = signature.return_annotation
    if annotated is not inspect.Signature.empty:
        return [written(name, parameters, types, {}, annotation_text(annotated))]

    conditions = sorted({c[0] for alternatives in things for _, c in alternatives if c})
    scalar = one_or_many(things, parameters, phrases)
    like = like_argument(things, parameters)
    texts = []

    def add(types, required, flags, only=None, device=False):
        answer = result_type(function, things, flags, only, device)
        if like and "_Scalar" in types[like]:
            answer = answer.replace("npt.NDArray[Any]", "npt.NDArray[_Scalar]")
        if yields:
            answer = f"Iterator[{answer}]"
        texts.append(written(name, parameters, types, required, answer))

    if like and "NDArray" in types[like]:
        types[like] = re.sub(r"npt\.NDArray\[.*?\](?=$| \|)", "npt.NDArray[_Scalar]", types[like])
    for types, required, device in placements(types, things):
        if scalar and not device:
            for only in ("one", "many"):
                narrowed = placed(argument_type(function, parameters[scalar], phrases, only), device)
                add({**types, scalar: narrowed}, required, {}, only)
        elif conditions:
            alone = len(texts)
            for flags in flag_values(parameters, conditions):
                narrowed = {flag: f"Literal[{value}]" for flag, value in flags.items()}
                chosen = {flag for flag, value in flags.items() if value != parameters[flag].default}
                add({**types, **narrowed}, required | chosen, flags, device=device)
            either = stub_types.union([text.rpartition(" -> ")[2][:-5] for text in texts[alone:]])
            texts.append(written(name, parameters, types, required, either))
        else:
            add(types, required, {}, "many" if scalar else None, device)
    return texts


def written(name, parameters, types, required, answer):
    """A signature as text, on one line if it fits."""
    parts, keyword_only, positional = [], False, False
    for p in parameters.values():
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            if not any(q.kind is q.VAR_POSITIONAL for q in parameters.values()):
                parts.append("*")
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        text = star + p.name
        if p.name in types:
            text += f": {types[p.name]}"
        if positional and p.kind is not p.POSITIONAL_ONLY:
            parts.append("/")
            positional = False
        positional = positional or p.kind is p.POSITIONAL_ONLY
        if p.default is not p.empty and p.name not in required:
            default = default_text(p.default)
            text += f" = {default}" if ":" in text else f"={default}"
        parts.append(text)
    line = f"def {name}({', '.join(parts)}) -> {answer}: ..."
    if len(line) <= WIDTH - 4:
        return line
    return "\n".join([f"def {name}(", *(f"    {part}," for part in parts), f") -> {answer}: ..."])


def function_text(function, name):
    texts = signatures(function, name)
    if len(texts) == 1:
        return texts[0]
    return "\n".join(f"@overload\n{text}" for text in texts)
