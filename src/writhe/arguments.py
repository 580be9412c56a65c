"""Checks of arguments against their annotations, at the entry points of the library.

`@checked` wraps a public function, and `check_fields` is called by the `__post_init__` of a
dataclass: a value that does not match its annotation raises a `WritheError` that names it. Numbers
must be finite; ranges and shapes are checked by the function itself. Not for kernels, nor for
functions that are called many times per frame.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache, wraps
from inspect import signature
from types import UnionType
from typing import (
    Any,
    ForwardRef,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import number
from writhe.errors import WritheError

P = ParamSpec("P")
R = TypeVar("R")
_ARRAY_LIKE: Any = getattr(ArrayLike, "__value__", ArrayLike)


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of every call against the annotations."""
    layout = signature(function)
    names = list(layout.parameters)

    @cache
    def hints() -> dict[str, Any]:
        scope = sys.modules[function.__module__].__dict__
        return {
            name: _resolved(parameter.annotation, scope)
            for name, parameter in layout.parameters.items()
            if parameter.annotation is not parameter.empty
            and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        }

    @wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        known = hints()
        for name, value in (*zip(names, args, strict=False), *kwargs.items()):
            if name in known:
                check(value, known[name], f"{function.__name__}: {name}")
        return function(*args, **kwargs)

    return wrapper


def check_fields(data: object) -> None:
    """Check the fields of a dataclass against their annotations."""
    kind = type(data)
    for name, hint in _field_hints(kind).items():
        check(getattr(data, name), hint, f"{kind.__name__}: {name}")


@cache
def _field_hints(kind: type) -> dict[str, Any]:
    scope = sys.modules[kind.__module__].__dict__
    return {f.name: _resolved(f.type, scope) for f in fields(kind)}


def _resolved(annotation: Any, scope: dict[str, Any]) -> Any:
    """The type of an annotation; Any where it is not known at run time."""
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, scope)
    except (NameError, TypeError, AttributeError):
        return Any


def check(value: Any, hint: Any, what: str) -> None:
    """Raise WritheError, naming `what`, if the value does not match the type hint."""
    problem = _problem(value, hint, what)
    if problem:
        raise WritheError(problem)


def _problem(value: Any, hint: Any, what: str) -> str:
    """What is wrong with a value; empty if no problem is found."""
    hint = getattr(hint, "__value__", hint)  # NumPy 2.5 names ArrayLike and NDArray by `type`
    origin, arguments = get_origin(hint), get_args(hint)
    if hasattr(origin, "__value__"):
        origin = get_origin(origin.__value__)
    if hint == _ARRAY_LIKE or origin is np.ndarray:
        return _array_problem(value, what)
    if origin in (Union, UnionType):
        problems = [_problem(value, option, what) for option in arguments]
        return "" if "" in problems else next(p for p in reversed(problems) if p)
    if origin is Literal:
        return "" if value in arguments else f"{what} must be one of {arguments}, not {value!r}"
    if origin is type or hint is Any or hint is object or isinstance(hint, (str, ForwardRef)):
        return ""
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_problem(value, arguments, what)
    if origin is not None and issubclass(origin, Callable):  # type: ignore[arg-type]
        return "" if callable(value) else f"{what} must be callable, not {_named(value)}"
    if origin is not None and issubclass(origin, Iterable):
        return _sequence_problem(value, origin, arguments, what)
    if hint is float or hint is int:
        return _number_problem(value, whole=hint is int, what=what)
    if hint is None or hint is type(None):
        return "" if value is None else f"{what} must be None, not {_named(value)}"
    if hint is bool:
        return "" if isinstance(value, bool | np.bool_) else f"{what} must be True or False"
    if isinstance(hint, type) and not getattr(hint, "_is_protocol", False):
        fits = isinstance(value, hint)
        return "" if fits else f"{what} must be a {hint.__name__}, not {_named(value)}"
    return ""


def _named(value: Any) -> str:
    if value is None or isinstance(value, str | int | float):
        return repr(value)[:60]
    return f"a {type(value).__name__}"


def _number_problem(value: Any, *, whole: bool, what: str) -> str:
    if isinstance(value, str | bytes):
        return f"{what} must be a number, not {value!r}"
    try:
        found = number(value, what)
    except WritheError as error:
        return str(error)
    if whole and not (isinstance(value, int | np.integer) and abs(found) < 2**53):
        return f"{what} must be a whole number, not {_named(value)}"
    return ""


def _array_problem(value: Any, what: str) -> str:
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            array = array.astype(np.float64) if array.dtype.kind == "O" else None
    except (TypeError, ValueError, OverflowError):
        array = None
    if array is None:
        return f"{what} must be an array of numbers, not {_named(value)}"
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return f"{what} holds values that are not finite"
    return ""


def _mapping_problem(value: Any, arguments: tuple[Any, ...], what: str) -> str:
    if not isinstance(value, Mapping):
        return f"{what} must be a mapping, not {_named(value)}"
    for key, item in cast("Mapping[Any, Any]", value).items():
        if not arguments:
            break
        problem = _problem(key, arguments[0], f"a key of {what}")
        problem = problem or _problem(item, arguments[1], f"{what}[{key!r}]")
        if problem:
            return problem
    return ""


def _sequence_problem(value: Any, origin: Any, arguments: tuple[Any, ...], what: str) -> str:
    sized = issubclass(origin, Sequence | set | frozenset)
    fits = isinstance(value, Sequence | set | frozenset) if sized else isinstance(value, Iterable)
    scalar = isinstance(value, np.ndarray) and value.ndim == 0  # an Iterable without an iterator
    if not fits or scalar or isinstance(value, str | bytes):
        return f"{what} must be a sequence, not {_named(value)}"
    if not sized or not arguments:
        return ""
    items = list(cast("Iterable[Any]", value))
    if issubclass(origin, tuple) and arguments[-1] is not Ellipsis:
        if len(items) != len(arguments):
            return f"{what} must have {len(arguments)} entries, not {len(items)}"
        hints = list(arguments)
    else:
        hints = [arguments[0]] * len(items)
    return next(
        (
            problem
            for i, (item, hint) in enumerate(zip(items, hints, strict=True))
            if (problem := _problem(item, hint, f"{what}[{i}]"))
        ),
        "",
    )
