"""The pipes of the chair, and forearms hooked around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, vector3
from writhe.hands.holds import hold_terms
from writhe.research.experiments.topology_coordinates.scene_setup import place
from writhe.solvers.posing import Hold
from writhe.solvers.tangling import Tangle
from writhe.terms import Term
from writhe.topology import Strand

PIPE_RADIUS_M = 0.014
_W, _D, _SEAT, _TOP = 0.23, 0.22, 0.45, 0.95
_HOOKED = 0.36  # writhe of an arm with the pipe that it holds


def pipes() -> dict[str, Floats]:
    """The eighteen pipes by name; a person sitting on the chair faces +Z."""
    w, d, seat, top = _W, _D, _SEAT, _TOP
    low, foot = 0.16, PIPE_RADIUS_M
    lines = {
        "left_front_leg": [(w, foot, d), (w, seat, d)],
        "right_front_leg": [(-w, foot, d), (-w, seat, d)],
        "left_back_leg": [(w, foot, -d), (w, seat, -d)],
        "right_back_leg": [(-w, foot, -d), (-w, seat, -d)],
        "left_stretcher": [(w, low, -d), (w, low, d)],
        "right_stretcher": [(-w, low, -d), (-w, low, d)],
        "front_stretcher": [(-w, low, d), (w, low, d)],
        "back_stretcher": [(-w, low, -d), (w, low, -d)],
        "left_seat_edge": [(w, seat, -d), (w, seat, d)],
        "right_seat_edge": [(-w, seat, -d), (-w, seat, d)],
        "front_seat_edge": [(-w, seat, d), (w, seat, d)],
        "back_seat_edge": [(-w, seat, -d), (w, seat, -d)],
        "seat_slat_1": [(-w, seat, -d / 3), (w, seat, -d / 3)],
        "seat_slat_2": [(-w, seat, d / 3), (w, seat, d / 3)],
        "left_upright": [(w, seat, -d), (w, top, -d)],
        "right_upright": [(-w, seat, -d), (-w, top, -d)],
        "top_rail": [(-w, top, -d), (w, top, -d)],
        "middle_rail": [(-w, 0.68, -d), (w, 0.68, -d)],
    }
    return {name: np.array(points) for name, points in lines.items()}


@dataclass(frozen=True)
class Hook:
    """A forearm hooked around a pipe: which way it passes, and where along the pipe."""

    side: str
    pipe: str
    way: str  # over or under a rail, outside an upright
    along_m: float  # x of a rail, y of an upright, in the chair

    @property
    def _towards(self) -> Floats:
        """(3,) from the pipe to the forearm, in the chair."""
        out = 1.0 if self.side == "left" else -1.0
        return {
            "over": np.array([0.0, 1.0, 0.0]),
            "under": np.array([0.0, -1.0, 0.0]),
            "outside": np.array([out, 0.0, 0.0]),
        }[self.way]

    @property
    def _upright(self) -> bool:
        return self.way == "outside"

    @property
    def writhe(self) -> float:
        """The writhe of the arm with the pipe."""
        turned = self._towards[0] if self._upright else self._towards[1]
        return _HOOKED * float(turned)

    @property
    def _share_along(self) -> float:
        """Where along a rail the arm is, from -1 (its start) to 1 (its end)."""
        start, end = pipes()[self.pipe][:, 0]
        return float(2.0 * (self.along_m - start) / (end - start) - 1.0)

    def tangle(self, arm: Strand, pipe: Strand, *, centred: bool = False) -> Tangle:
        """The goal of the arm with the pipe; `centred`, the forearm crosses a rail at its place.

        Density is free: where an arm of three bones crosses a straight pipe it is not defined. So
        is the centre of the other holds: a sloping forearm is not centred where it crosses.
        """
        return Tangle(
            arm,
            pipe,
            self.writhe,
            (0.0, self._share_along) if centred else (None, None),
            name=f"{self.side} arm around the {self.pipe}".replace("_", " "),
            tolerance=(0.03, 0.3, 0.3, 1.0),
        )

    @property
    def _crossing(self) -> Floats:
        """(3,) the point of the pipe that the forearm crosses, in the chair."""
        point = pipes()[self.pipe].mean(axis=0)
        point[1 if self._upright else 0] = self.along_m
        return point

    def approach(self) -> Term:
        """The term that brings the hand behind the pipe, on the side on which it will pass."""
        before = self._crossing + 0.13 * self._towards + np.array([0.0, 0.0, -0.14])
        return place(f"a.{self.side}_wrist", "chair", vector3(before), 4.0)

    def places(self) -> tuple[Term, ...]:
        """Terms that lay the forearm against the pipe: elbow behind it, wrist in front."""
        middle = self._crossing
        fall = 0.08 if self._upright else 0.0
        elbow = middle + 0.09 * self._towards + np.array([0.0, fall, -0.13])
        wrist = middle + 0.01 * self._towards + np.array([0.0, -fall, 0.11])
        hand = Hold(f"{self.side}_wrist", "chair", vector3(wrist))
        return (
            place(f"a.{self.side}_elbow", "chair", vector3(elbow), 6.0),
            *hold_terms("a", hand, weight=8.0),
        )
