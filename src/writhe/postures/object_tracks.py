"""Placements of the object in each clip, read from a JSON file next to the clips.

The file lists placements by clip; each is valid from a frame on, for objects that are moved:

    {"places": {"13_01": [{"from_frame": 0, "at_m": [0.1, 0.0, -0.3], "turn_deg": 20.0}]}}

`at_m` is a point in the clip's world frame, `turn_deg` a rotation about the vertical; `point_m` is
the point of the object placed there (default: its origin). Estimates of seats and rungs from the
positions of hips, toes and hands ("seats", "ladders") are read as well: the built-in chair is then
placed under the hips and the built-in ladder under the toes, so that the contacts match even if the
recorded object had another height.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.scene.objects.ladder import RUNG_RADIUS_M, ladder
from writhe.scene.strict_json import Node, read_json
from writhe.skeleton.heading import yaw_matrix

_MAX_ENTRIES = 100_000
# hip centre of a person sitting on the built-in chair
HIPS_ON_CHAIR_M = (0.0, 0.583, 0.042)


@dataclass(frozen=True)
class ObjectPlacement:
    """From a frame of a clip on, `point_m` of the object is at `at_m` in the clip's world."""

    at_m: Floats  # (3,)
    turn_rad: float = 0.0  # about the vertical
    point_m: Floats | None = None  # (3,) of the object; its origin by default
    from_frame: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_m", floats(self.at_m, (3,), "the position of an object"))
        point = np.zeros(3) if self.point_m is None else self.point_m
        object.__setattr__(self, "point_m", floats(point, (3,), "the point of an object"))

    def origin_m(self, scale: float) -> Floats:
        """(3,) the object's origin in the clip scaled by `scale`; the object keeps its size."""
        assert self.point_m is not None
        return scale * self.at_m - yaw_matrix(self.turn_rad) @ self.point_m


ObjectTracks = Mapping[str, Sequence[ObjectPlacement]]  # by clip name without suffix


def placement_at(placements: Sequence[ObjectPlacement], frame: int) -> ObjectPlacement:
    """The placement at a frame; frames before the first placement use the first."""
    held = [placement for placement in placements if placement.from_frame <= frame]
    return held[-1] if held else placements[0]


def read_object_tracks(path: Path) -> ObjectTracks:
    """Read the placements of an object; errors name the file and the JSON path."""
    root = read_json(path)
    found: dict[str, list[ObjectPlacement]] = {}
    if "seats" in root:
        found |= {n.text("clip"): _chair_placements(n) for n in root.items("seats", _MAX_ENTRIES)}
    if "ladders" in root:
        found |= {
            n.text("clip"): _ladder_placements(n) for n in root.items("ladders", _MAX_ENTRIES)
        }
    for clip in root.entries("places", _MAX_ENTRIES):
        nodes = root.child("places").items(clip, _MAX_ENTRIES)
        found[clip] = [_place(node) for node in nodes]
    found = {clip: sorted(p, key=lambda x: x.from_frame) for clip, p in found.items() if p}
    if not found:
        raise root.error("no placements: one of 'places', 'seats' or 'ladders' is required here")
    return found


def _place(node: Node) -> ObjectPlacement:
    node.only("from_frame", "at_m", "turn_deg", "point_m")
    return ObjectPlacement(
        node.vector("at_m", 3),
        np.radians(node.number("turn_deg")) if "turn_deg" in node else 0.0,
        node.vector("point_m", 3) if "point_m" in node else None,
        node.integer("from_frame") if "from_frame" in node else 0,
    )


def _turn(facing_xz: Floats) -> float:
    """The rotation about the vertical that takes +Z to a ground direction (x, z), rad."""
    return float(np.arctan2(facing_xz[0], facing_xz[1]))


def _chair_placements(node: Node) -> list[ObjectPlacement]:
    """One placement per sitting phase, valid from halfway since the previous phase."""
    floor, out, before = node.number("floor_y_m"), list[ObjectPlacement](), 0.0
    for phase in node.items("phases", _MAX_ENTRIES):
        first, last = phase.vector("frames", 2)
        x, z = phase.vector("xz", 2)
        out.append(
            ObjectPlacement(
                np.array([x, floor + phase.number("hip_centre_height_m"), z]),
                _turn(phase.vector("facing_xz", 2)),
                np.array(HIPS_ON_CHAIR_M),
                int(0.5 * (before + first)) if out else 0,
            )
        )
        before = last
    return out


def _ladder_placements(node: Node) -> list[ObjectPlacement]:
    """The built-in ladder at the recorded rung whose height fits one of its own rungs best."""
    ahead, left = node.vector("facing_xz", 2), node.vector("left_xz", 2)
    x, z = node.vector("origin_xz", 2)
    rails = node.child("rails")
    across = [rails.child(side).number("lateral_at_1m") for side in ("left", "right")]
    own = [p.mean(axis=0) for name, p in ladder()[1].items() if name.startswith("rung")]
    best: tuple[float, Floats, Floats] | None = None
    for rung in node.items("rungs", _MAX_ENTRIES):
        height, forward = rung.number("height_m"), rung.number("toe_forward_m")
        for middle in own:
            apart = abs(height - RUNG_RADIUS_M - float(middle[1]))
            if best is None or apart < best[0]:
                on_ground = np.array([x, z]) + forward * ahead + 0.5 * sum(across) * left
                at = np.array([on_ground[0], height - RUNG_RADIUS_M, on_ground[1]])
                best = apart, at, middle
    if best is None:
        raise WritheError(f"{node.file}: at {node.location}: a ladder without rungs")
    return [ObjectPlacement(best[1], _turn(ahead), best[2])]
