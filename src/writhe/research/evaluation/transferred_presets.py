"""How well preset poses of the human stand, sit and touch on another person's body."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.postures.builtin import builtin_database
from writhe.postures.hand_contacts import contact_gaps, hand_contacts
from writhe.postures.preset_poses import LIBRARIES, preset_names, relative_to_object
from writhe.postures.retarget_posture import (
    BodySetting,
    posture_on_body,
    sole_depth,
    standing_sides,
)
from writhe.postures.seats import SEAT, is_seated, seat_gap
from writhe.recognition.body_map import BodyMap
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure

_HANDS_TOUCH_M = 0.01  # hands nearer than this still touch
_REACH_M = 0.5  # larger gaps count as this
_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


@dataclass
class PresetFigures:
    """Lengths of all poses on one body or on several, metres."""

    poses: int = 0
    penetrating: list[str] = field(default_factory=list[str])
    soles: list[float] = field(default_factory=list[float])  # off the floor
    seats: list[float] = field(default_factory=list[float])  # buttocks off the seat
    hands: list[float] = field(default_factory=list[float])  # gaps of hands that touch the body
    apart: list[str] = field(default_factory=list[str])  # poses with hands that no longer touch

    def add(self, other: PresetFigures) -> None:
        """Count the poses of another body too."""
        self.poses += other.poses
        for name in ("penetrating", "soles", "seats", "hands", "apart"):
            getattr(self, name).extend(getattr(other, name))

    def summary(self) -> dict[str, Any]:
        """Keys of `bench characters`."""
        return {
            "poses": self.poses,
            "penetrating": len(self.penetrating),
            "soles_mean_mm": _mm(np.mean(self.soles)) if self.soles else None,
            "soles_worst_mm": _mm(max(self.soles)) if self.soles else None,
            "seat_worst_mm": _mm(max(self.seats)) if self.seats else None,
            "hands": len(self.hands),
            "hands_apart": sum(gap > _HANDS_TOUCH_M for gap in self.hands),
        }


def transferred_presets(body: Figure, every: int) -> PresetFigures:
    """Every n-th preset pose of each library, on a recognised person."""
    human, found = figure("human"), PresetFigures()
    mapping = BodyMap(body, human)
    for name, object_name, authored in _poses(every):
        q = posture_on_body(mapping, authored, object_name)
        found.poses += 1
        if not BodySetting(body, object_name, sole_depth(body)).clear(q)[0]:
            found.penetrating.append(name)
        for side in standing_sides(mapping, authored, object_name):
            found.soles.append(abs(_sole_height(body, q, side)))
        if object_name == SEAT and is_seated(mapping, authored):
            found.seats.append(abs(seat_gap(body, q)))
        contacts = hand_contacts(mapping, authored, body)
        gaps = contact_gaps(contacts, body, q, _REACH_M)
        found.hands += gaps
        if any(gap > _HANDS_TOUCH_M for gap in gaps):
            found.apart.append(name)
    return found


def _poses(every: int) -> Iterator[tuple[str, str, Floats]]:
    """Name, object and configuration of the human, with the object at the origin."""
    for library in LIBRARIES:
        database = builtin_database(library)
        for name in preset_names(library)[::every]:
            number = database.clip.index(name)
            if database.object_name:
                yield name, database.object_name, relative_to_object(database, number, _ORIGIN)
            else:
                yield name, "", database.q[number]


def _sole_height(body: Figure, q: Floats, side: str) -> float:
    """The height of the lowest point of a foot's skin (its shapes, if there is none), metres."""
    skeleton = body.skeleton
    foot = skeleton.index(body.joint_of(f"{side}_ankle"))
    inside = range(foot, int(skeleton.tree.subtree_end[foot]))
    frames = forward(skeleton, q)
    if body.skin is not None:
        mine = np.isin(body.skin.vertex_joint, inside)
        if mine.any():
            heights = body.skin.deform(skeleton, frames.positions, frames.rotations)[:, 1]
            return float(heights[mine].min())
    names = {skeleton.names[j] for j in inside}
    return min(
        float(frames.point(c.joint, end)[1]) - c.radius_m
        for c in body.capsules
        if c.joint in names
        for end in (c.start_in_joint, c.end_in_joint)
    )


def _mm(length_m: Any) -> float:
    return round(1e3 * float(length_m), 1)
