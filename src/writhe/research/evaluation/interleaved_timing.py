"""Median timings of alternately called functions, without compilation."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from statistics import median

REPEATS = 51
# Duration of one repetition of one function: shorter than a scheduler time slice, so that most
# repetitions are not interrupted.
SLICE_S = 0.002


def interleaved(contenders: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Median seconds of one call of each contender.

    They are called in random order, so that noise affects all equally.
    """
    counts: dict[str, int] = {}
    for name, call in contenders.items():
        call()
        once = _seconds(call, 1)
        counts[name] = max(1, int(SLICE_S / max(once, 1e-9)))
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    order, shuffler = list(contenders), random.Random(1)
    for _ in range(REPEATS):
        shuffler.shuffle(order)
        for name in order:
            taken[name].append(_seconds(contenders[name], counts[name]) / counts[name])
    return {name: median(values) for name, values in taken.items()}


def first_call(call: Callable[[], object]) -> float:
    """Seconds of one call, which compiles or loads kernels that are not loaded yet."""
    return _seconds(call, 1)


def _seconds(call: Callable[[], object], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - start
