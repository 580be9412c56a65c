"""writhe's own posers, through the same door as the peers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

import numpy as np

from benchmarks.body import Body
from writhe.motion.library import builtin_database
from writhe.skeleton.figures import figure
from writhe.solvers.posing import Pin, Target, make_poser


def make(body: Body, variant: str) -> Writhe:
    """`default`, or another of writhe's methods."""
    return Writhe(variant or "default")


class Writhe:
    """A poser with the built-in database."""

    def __init__(self, method: str) -> None:
        database = builtin_database("basic")
        self._poser = make_poser(method, figure("human"), database)
        options = getattr(self._poser, "options", None)
        self.settings: dict[str, Any] = {"method": method, "database": f"built in, {len(database)}"}
        if is_dataclass(options) and not isinstance(options, type):
            self.settings["options"] = asdict(options)
        self._q = np.zeros(0)
        self._pins: list[Pin] = []

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """Take over the configuration."""
        self._q = q
        self._pins = [Pin(name, _place(place)) for name, place in pins.items()]

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """One frame of the poser, gate included."""
        wanted = [Target(name, _place(place)) for name, place in targets.items()]
        self._q = self._poser.step(self._q, wanted, self._pins).q
        return self._q


def _place(point: np.ndarray) -> tuple[float, float, float]:
    return float(point[0]), float(point[1]), float(point[2])
