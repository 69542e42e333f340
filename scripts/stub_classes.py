"""Classes, and what the extension holds, as text of a stub."""

import functools
import inspect
import re
import sys

import stub_types
from metalmom import _native
from metalmom._boundary import documented
from stub_functions import annotation_text, argument_type, function_text, written

__all__ = ["class_text", "native_text"]


def attributes(cls):
    """Names and types that the class's section Attributes declares."""
    head, _, section = (inspect.getdoc(cls) or "").partition("Attributes\n----------\n")
    doc = f"Parameters\n----------\n{section}"
    for names, phrase, _ in documented._entries(doc):
        kinds = [part.strip() for part in phrase.split(", ")]
        kinds = kinds if len(kinds) == len(names) else [phrase] * len(names)
        for name, kind in zip(names, kinds, strict=True):
            if kind:
                yield name, kind


def members(cls):
    """Name -> what a class has by that name, with what it has of bases that users do not see."""
    found = {}
    for base in reversed(cls.__mro__):
        if base is cls or base.__module__.startswith("metalmom.") and not is_shown(base):
            found.update(vars(base))
    return found


def is_shown(cls):
    module = sys.modules[cls.__module__]
    return cls.__name__ in getattr(module, "__all__", ())


_SPECIAL = ("__init__", "__call__", "__enter__", "__exit__", "__array__", "__len__", "__iter__", "__getitem__")


def class_text(cls, name):
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        lines = [f"{field}: {annotation_text(hint)}" for field, hint in cls.__annotations__.items()]
        return indented(f"class {name}(NamedTuple):", lines)
    bases = ", ".join(map(base_text, shown_bases(cls)))
    known = dict(attributes(cls))
    found = members(cls)
    hints = getattr(cls, "__annotations__", {})  # of a dataclass
    lines = [f"{each}: {annotation_text(hint)}" for each, hint in hints.items()]
    lines += [f"{each}: {field_type(known, each)}" for each in known if each not in {*found, *hints}]
    for member, value in found.items():
        if member.startswith("_") and member not in _SPECIAL:
            continue
        if isinstance(value, (property, functools.cached_property)):
            getter = getattr(value, "fget", None) or value.func
            hint = getter.__annotations__.get("return")
            kind = annotation_text(hint) if hint else field_type(known, member)
            lines.append(f"@property\ndef {member}(self) -> {kind}: ...")
        elif isinstance(value, classmethod):
            lines.append("@classmethod\n" + function_text(value.__func__, member))
        elif inspect.isfunction(value):
            if member == "__init__":
                lines.append(init_text(cls, value))
            elif member == "__iter__" and not value.__annotations__:
                lines.append("def __iter__(self) -> Iterator[Any]: ...")
            else:
                lines.append(function_text(value, member))
    return indented(f"class {name}({bases}):" if bases else f"class {name}:", lines)


def shown_bases(cls):
    """The nearest bases that users see."""
    for base in cls.__bases__:
        if base is not object:
            yield from [base] if is_outside(base) else shown_bases(base)


def is_outside(base):
    """Whether users see a base: of another package, or shown by its own module."""
    return not base.__module__.startswith("metalmom.") or is_shown(base) or base.__name__.endswith("Formatter")


def init_text(cls, function):
    phrases = documented.phrases(cls)
    parameters = inspect.signature(function).parameters
    if "__signature__" in vars(cls):
        own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        parameters = {"self": own.replace(kind=own.POSITIONAL_OR_KEYWORD), **cls.__signature__.parameters}
    values = list(parameters.values())[1:]
    known = {*phrases, *stub_types.SHARED}
    types = {
        p.name: argument_type(cls, p, phrases) if p.name in known or p.annotation is not p.empty else "Any"
        for p in values
    }
    return written("__init__", parameters, types, {}, "None")


def field_type(known, field):
    phrase = known.get(field, "object")
    lists = re.fullmatch(r"list of ([A-Z]\w*)", phrase)
    return f"list[{lists[1]}]" if lists else stub_types.of_result(phrase).replace("object", "Any")


def base_text(base):
    if base.__module__ == "builtins":
        return base.__name__
    if base.__module__.startswith("metalmom") and base.__name__.startswith("_"):
        return "matplotlib.ticker.Formatter"
    if base.__module__.startswith("metalmom"):
        return base.__name__
    return f"{base.__module__}.{base.__name__}"


def indented(head, lines):
    if not lines:
        return f"{head} ..."
    return head + "\n" + "\n".join("    " + row for text in lines for row in text.split("\n"))


_NATIVE_TYPES = {
    "object": "Any", "handle": "Any", "list": "list[Any]", "dict": "dict[str, Any]", "tuple": "tuple[Any, ...]",
    "dtype": "np.dtype[Any]",
}  # fmt: skip


def native_type(text):
    text = re.sub(r"metalmom(\._native|::bridge|)(\.|::)", "", text.strip())
    text = re.sub(r"numpy\.ndarray\[numpy\.(\w+)\]", r"npt.NDArray[np.\1]", text)
    text = text.replace("numpy.ndarray", "npt.NDArray[Any]").replace("numpy.dtype", "dtype")
    text = re.sub(r"Optional\[(\w+(?:\[[\w, ]+\])?)\]", r"\1 | None", text)
    text = re.sub(r"\b(List|Dict|Tuple)\[", lambda m: m[0].lower(), text)
    return _NATIVE_TYPES.get(text, text)


def native_signature(doc, name):
    """A signature of pybind11's as that of a stub."""
    first = doc.strip().split("\n")[0]
    match = re.match(r"\w*\((.*)\) -> (.*)$", first)
    if not match:
        return f"def {name}(*args: Any, **kwargs: Any) -> Any: ..."
    parts = []
    for part in re.split(r", (?![^\[]*\])", match[1]) if match[1] else []:
        head, colon, kind = part.partition(": ")
        kind, equals, default = kind.partition(" = ")
        if head == "self":
            parts.append("self")
        elif colon:
            kind = native_type(kind)
            parts.append(f"{head}: {kind}" + (" = ..." if equals else ""))
        else:
            parts.append(f"{head}: Any" if head.startswith("*") and head != "*" else head)
    if any(part.startswith("arg0") for part in parts):  # without names: by position alone
        last = max(i for i, part in enumerate(parts) if re.match(r"arg\d", part))
        parts = [re.sub(r"^arg", "_", part) for part in parts]
        parts.insert(last + 1, "/")
    return f"def {name}({', '.join(parts)}) -> {native_type(match[2])}: ..."


def native_class(cls):
    lines = []
    for name, value in sorted(vars(cls).items()):
        if isinstance(value, property):
            kind = native_type(value.fget.__doc__.strip().split(" -> ")[-1].split("\n")[0])
            if name == "shape":
                kind = "tuple[int, ...]"
            lines.append(f"@property\ndef {name}(self) -> {kind}: ...")
        elif inspect.isfunction(value) and not name.startswith("_"):
            lines.append(function_text(value, name))
        elif type(value).__name__ == "instancemethod" and value.__doc__ and (
            not name.startswith("_") or name in _SPECIAL and name != "__iter__"  # which refuses
        ):
            lines.append(native_signature(value.__doc__, name))
    return indented(f"class {cls.__name__}:", lines)


def native_text():
    blocks = []
    for name, value in sorted(vars(_native).items()):
        if name.startswith("__"):
            continue
        if inspect.isclass(value):
            blocks.append(native_class(value))
        elif callable(value):
            blocks.append(native_signature(value.__doc__, name))
        else:
            kind = "list[str]" if isinstance(value, list) else type(value).__name__
            blocks.append(f"{name}: {kind}")
    return "\n".join(blocks)
