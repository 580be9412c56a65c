"""Rates of the current device, measured: arithmetic and memory, for lower bounds of run times."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias, cast

import jax
import jax.numpy as jnp
import numpy as np

Array: TypeAlias = Any
ARITHMETIC = frozenset(
    {"add", "sub", "mul", "div", "neg", "max", "min", "sqrt", "floor", "abs", "clamp"}
    | {"select_n", "lt", "le", "gt", "ge", "and", "or", "not"}
)


def median_ms(call: Callable[[], Any], repeats: int) -> float:
    """Median duration of a call, after one that is not counted."""
    jax.block_until_ready(call())
    taken: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        jax.block_until_ready(call())
        taken.append(time.perf_counter() - start)
    return 1e3 * float(np.median(taken))


def _compiled(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return cast("Callable[[Array], Array]", jax.jit(function))


def flop_rate(dtype: Any, on_gpu: bool) -> float:
    """Measured operations per second of multiply-adds in registers, eight chains per thread."""
    count, length = (1 << 24 if on_gpu else 1 << 16), 256
    x = jnp.linspace(0.1, 0.9, count, dtype=dtype)

    def chains(x: Array) -> Array:
        a, b = x, x + 0.5
        for _ in range(length):
            a, b = a * x + 0.25, b * x + 0.125
        return a + b

    return 4.0 * length * count / (1e-3 * median_ms(partial(_compiled(chains), x), 10))


def copy_rate(dtype: Any, on_gpu: bool) -> float:
    """Bytes read and written per second by a large copy."""
    count = (1 << 28 if on_gpu else 1 << 23) // np.dtype(dtype).itemsize * 4
    x = jnp.ones(count, dtype=dtype)

    def copy(x: Array) -> Array:
        return x + 1

    return (
        2.0 * count * np.dtype(dtype).itemsize / (1e-3 * median_ms(partial(_compiled(copy), x), 10))
    )
