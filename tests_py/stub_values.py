"""Whether values are what a stub says: its types, read as text and compared with values."""

import ast
import functools
import inspect

import numpy as np

__all__ = ["accepted", "annotations", "fits", "signatures"]

_NAMES = {
    "str": str, "bytes": bytes, "bool": (bool, np.bool_), "int": int, "float": (int, float),
    "complex": (int, float, complex), "Int": (int, np.integer), "slice": slice,
    "Number": (int, float, np.floating, np.integer), "dict": dict,
}  # fmt: skip
_METHODS = {"SparseArray": "toarray", "Readable": "read", "Distribution": "logpdf", "Callable": "__call__"}


@functools.lru_cache(maxsize=None)
def signatures(path):
    """Name -> definitions (one, or overloads) of the functions in a stub."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def _scalar_types(node):
    """The NumPy scalar types that the inside of ``NDArray[...]`` names."""
    if isinstance(node, ast.BinOp):
        return (*_scalar_types(node.left), *_scalar_types(node.right))
    if isinstance(node, ast.Subscript):  # np.floating[Any]
        node = node.value
    if isinstance(node, ast.Name):  # Any, or a type variable
        return (np.generic,)
    return (getattr(np, node.attr),)


def _members(node):
    inside = node.slice
    return inside.elts if isinstance(inside, ast.Tuple) else [inside]


def _fits_generic(value, node):
    name = ast.unparse(node.value)
    if name == "npt.NDArray":
        return isinstance(value, np.ndarray) and issubclass(value.dtype.type, _scalar_types(node.slice))
    if name == "Literal":
        return any(value == m.value and type(value) is type(m.value) for m in _members(node))
    if name == "tuple":
        members = _members(node)
        if not isinstance(value, tuple):
            return False
        if ast.unparse(members[-1]) == "...":
            return all(fits(each, members[0]) for each in value)
        return len(value) == len(members) and all(map(fits, value, members))
    if name == "list":
        return isinstance(value, list) and all(fits(each, node.slice) for each in value)
    if name in ("dict", "Mapping"):
        return isinstance(value, dict)
    if name == "Sequence":
        return isinstance(value, (list, tuple, range)) and all(fits(v, node.slice) for v in value)
    if name == "Iterable":
        return hasattr(value, "__iter__")
    if name == "Iterator":
        return hasattr(value, "__next__")
    if name == "Callable":
        return callable(value)
    if name.startswith("np."):
        return isinstance(value, getattr(np, node.value.attr))
    raise ValueError(f"no rule for {ast.unparse(node)}")


def fits(value, node):
    """Whether a value is of the type that a node of a stub's syntax tree names."""
    if isinstance(node, ast.BinOp):
        return fits(value, node.left) or fits(value, node.right)
    if isinstance(node, ast.Subscript):
        return _fits_generic(value, node)
    if isinstance(node, ast.Constant):
        return value is node.value
    name = ast.unparse(node)
    if name in ("Any", "object", "npt.ArrayLike", "npt.DTypeLike"):
        return True
    if name in _NAMES:
        return isinstance(value, _NAMES[name])
    if name in _METHODS:
        return hasattr(value, _METHODS[name])
    return any(each.__name__ == name.rpartition(".")[2] for each in type(value).__mro__)


def annotations(node):
    """Name -> annotation; what takes the rest has its stars."""
    arguments = node.args
    found = {a.arg: a.annotation for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for star, rest in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if rest:
            found[star + rest.arg] = rest.annotation
    return found


def accepted(function, args, kwargs, definitions):
    """The first definition that takes these arguments of a function, or None."""
    given = inspect.signature(function).bind(*args, **kwargs).arguments
    kinds = {p.name: p.kind for p in inspect.signature(function).parameters.values()}
    for node in definitions:
        parameters = annotations(node)
        if all(_takes(parameters, name, value, kinds[name]) for name, value in given.items()) and (
            not _lacks(node, given)
        ):
            return node
    return None


def _takes(parameters, name, value, kind):
    if kind is inspect.Parameter.VAR_KEYWORD:
        return all(fits(each, parameters[f"**{name}"]) for each in value.values())
    if kind is inspect.Parameter.VAR_POSITIONAL:
        return all(fits(each, parameters[f"*{name}"]) for each in value)
    return name in parameters and fits(value, parameters[name])


def _lacks(node, given):
    """Whether a keyword that has no default is not given."""
    pairs = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return any(default is None and a.arg not in given for a, default in pairs)
