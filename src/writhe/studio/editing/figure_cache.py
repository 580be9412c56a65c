"""A cache decorator for functions of a figure, keyed by identity (figures hold arrays)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import TypeVar

from writhe.skeleton import Figure

Value = TypeVar("Value")
KEPT = 16


def per_figure(compute: Callable[[Figure], Value]) -> Callable[[Figure], Value]:
    """Cache the results of `compute` for the last few figures."""
    kept: OrderedDict[int, tuple[Figure, Value]] = OrderedDict()
    lock = Lock()

    @wraps(compute)
    def lookup(figure: Figure) -> Value:
        with lock:
            found = kept.get(id(figure))
            if found is None:
                found = kept[id(figure)] = (
                    figure,
                    compute(figure),
                )  # keeps the figure alive, so its id stays unique
                while len(kept) > KEPT:
                    kept.popitem(last=False)
            return found[1]

    return lookup
