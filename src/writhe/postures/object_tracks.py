"""Where the object of a clip stood: read from a file beside the clips.

A file of ours says it by clip, and, where somebody moved the object, from which frame on:

    {"places": {"13_01": [{"from_frame": 0, "at_m": [0.1, 0.0, -0.3], "turn_deg": 20.0}]}}

`at_m` is a point of the clip's world in metres, `turn_deg` a turn about the vertical; `point_m` is
the point of the object that is there (by default its origin). Estimates of seats and rungs made
from where hips, toes and hands dwell ("seats", "ladders") are read as well: the built-in chair is
then put under the hips, the built-in ladder under the toes, so that bodies touch them where they
touched the real ones, however high those were.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import FileFormatError, WritheError
from writhe.scene.objects.ladder import RUNG_RADIUS_M, ladder
from writhe.scene.strict_json import Node

_MOST = 100_000
# where the hips of somebody sitting on the built-in chair are
HIPS_ON_CHAIR_M = (0.0, 0.583, 0.042)


@dataclass(frozen=True)
class ObjectPlace:
    """From a frame of a clip on, a point of an object is at a place of the clip's world."""

    at_m: Floats  # (3,)
    turn_rad: float = 0.0  # about the vertical
    point_m: Floats | None = None  # (3,) of the object; its origin by default
    from_frame: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_m", floats(self.at_m, (3,), "the place of an object"))
        point = np.zeros(3) if self.point_m is None else self.point_m
        object.__setattr__(self, "point_m", floats(point, (3,), "the point of an object"))

    def origin_m(self, scale: float) -> Floats:
        """(3,) where the object's origin is once the clip has been scaled, but not the object."""
        assert self.point_m is not None
        c, s = np.cos(self.turn_rad), np.sin(self.turn_rad)
        x, y, z = self.point_m
        return scale * self.at_m - np.array([c * x + s * z, y, c * z - s * x])


Places = Mapping[str, Sequence[ObjectPlace]]  # by the name of the clip, without its ending


def place_at(places: Sequence[ObjectPlace], frame: int) -> ObjectPlace:
    """The last place that holds from this frame or one before it; the first before all."""
    held = [place for place in places if place.from_frame <= frame]
    return held[-1] if held else places[0]


def read_places(path: Path) -> Places:
    """Read where an object stood; every error names the file and the place in its JSON."""
    try:
        root = Node(path, json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise FileFormatError(path, f"cannot be opened: {error.strerror or error}") from None
    except json.JSONDecodeError as error:
        raise FileFormatError(path, f"not JSON: {error.msg}", line=error.lineno) from None
    except (UnicodeDecodeError, RecursionError) as error:
        raise FileFormatError(path, f"not JSON: {error}") from None
    found: dict[str, list[ObjectPlace]] = {}
    if "seats" in root:
        found |= {n.text("clip"): _under_the_hips(n) for n in root.items("seats", _MOST)}
    if "ladders" in root:
        found |= {n.text("clip"): _under_the_toes(n) for n in root.items("ladders", _MOST)}
    for clip in root.entries("places", _MOST):
        nodes = root.child("places").items(clip, _MOST)
        found[clip] = [_place(node) for node in nodes]
    found = {clip: sorted(p, key=lambda x: x.from_frame) for clip, p in found.items() if p}
    if not found:
        raise root.error("it tells no places: 'places', 'seats' or 'ladders' are wanted here")
    return found


def _place(node: Node) -> ObjectPlace:
    node.only("from_frame", "at_m", "turn_deg", "point_m")
    return ObjectPlace(
        node.vector("at_m", 3),
        np.radians(node.number("turn_deg")) if "turn_deg" in node else 0.0,
        node.vector("point_m", 3) if "point_m" in node else None,
        node.integer("from_frame") if "from_frame" in node else 0,
    )


def _turn(facing_xz: Floats) -> float:
    """The turn about the vertical that takes +Z to a direction on the ground."""
    return float(np.arctan2(facing_xz[0], facing_xz[1]))


def _under_the_hips(node: Node) -> list[ObjectPlace]:
    """A seat is faced anew at each phase of sitting: from halfway between it and the last."""
    floor, out, before = node.number("floor_y_m"), list[ObjectPlace](), 0.0
    for phase in node.items("phases", _MOST):
        first, last = phase.vector("frames", 2)
        x, z = phase.vector("xz", 2)
        out.append(
            ObjectPlace(
                np.array([x, floor + phase.number("hip_centre_height_m"), z]),
                _turn(phase.vector("facing_xz", 2)),
                np.array(HIPS_ON_CHAIR_M),
                int(0.5 * (before + first)) if out else 0,
            )
        )
        before = last
    return out


def _under_the_toes(node: Node) -> list[ObjectPlace]:
    """The rung that is nearest in height to one of the built-in ladder's, between the rails."""
    ahead, left = node.vector("facing_xz", 2), node.vector("left_xz", 2)
    x, z = node.vector("origin_xz", 2)
    rails = node.child("rails")
    across = [rails.child(side).number("lateral_at_1m") for side in ("left", "right")]
    own = [p.mean(axis=0) for name, p in ladder()[1].items() if name.startswith("rung")]
    best: tuple[float, Floats, Floats] | None = None
    for rung in node.items("rungs", _MOST):
        height, forward = rung.number("height_m"), rung.number("toe_forward_m")
        for middle in own:
            apart = abs(height - RUNG_RADIUS_M - float(middle[1]))
            if best is None or apart < best[0]:
                on_ground = np.array([x, z]) + forward * ahead + 0.5 * sum(across) * left
                at = np.array([on_ground[0], height - RUNG_RADIUS_M, on_ground[1]])
                best = apart, at, middle
    if best is None:
        raise WritheError(f"{node.file}: at {node.place}: a ladder without rungs")
    return [ObjectPlace(best[1], _turn(ahead), best[2])]
