"""The three libraries: basic movement, the ladder, the chair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from writhe.database import PostureDatabase
from writhe.database.posture import object_seen_from
from writhe.postures.builtin import poses_action, poses_floor, poses_standing
from writhe.postures.builtin.gait import stride
from writhe.postures.builtin.key_pose import KeyPose
from writhe.postures.builtin.pose_setting import Place
from writhe.postures.builtin.poses_chair import chair_poses
from writhe.postures.builtin.poses_ladder import ladder_poses
from writhe.postures.builtin.posture_variants import Posture, Tally, Workshop, nearest
from writhe.postures.builtin.reaches import reaches
from writhe.skeleton import Figure

Progress = Callable[[float, str], None]  # the share done, and what is being made

KINDS = ("basic", "ladder", "chair")
# sums of squared joint distances below which one of two postures is left out, in square metres
LINKED_OTHERWISE = 0.25  # in one pair of strands
THRESHOLDS_M2 = {"basic": 0.113, "ladder": 0.053, "chair": 0.1}


def standing_poses() -> list[KeyPose]:
    """Key poses on two feet."""
    s, a = poses_standing, poses_action
    return [*s.IDLE, *s.GESTURES, *s.WORK, *s.STRETCHES, *a.FIGHT, *a.SPORT, *a.DANCE, *a.YOGA]


def low_poses() -> list[KeyPose]:
    """Key poses near the ground."""
    f = poses_floor
    return [*f.CROUCH, *f.KNEEL, *f.FOURS, *f.SIT, *f.LIE, *f.ROLLING]


def strides() -> list[KeyPose]:
    """Walking and running, slow to fast, phase by phase."""
    walks = [stride(p / 12, reach=r) for r in (0.6, 1.0, 1.35) for p in range(12)]
    return walks + [stride(p / 12, run=True, reach=r) for r in (0.75, 1.1) for p in range(12)]


def authored_poses(kind: str) -> list[KeyPose]:
    """What is authored for a library, before any of it is settled."""
    if kind == "chair":
        return chair_poses()
    if kind == "ladder":
        return ladder_poses()
    return [*standing_poses(), *low_poses(), *reaches(), *strides()]


class _Steps:
    """Reports progress over several stages of known size."""

    def __init__(self, progress: Progress | None, what: str, first: float, last: float) -> None:
        self.progress, self.what, self.first, self.last = progress, what, first, last

    def over(self, things: Sequence[object]) -> Iterable[int]:
        for i in range(len(things)):
            if self.progress and i % 8 == 0:
                share = self.first + (self.last - self.first) * i / len(things)
                self.progress(share, self.what)
            yield i


def make(
    kind: str, figure: Figure, progress: Progress | None = None
) -> tuple[PostureDatabase, Tally]:
    """Make a library from its key poses; the tally says what was tried and dropped."""
    place = Place(figure, "" if kind == "basic" else kind)
    shop = Workshop(place)
    poses = authored_poses(kind)
    keys: list[Posture] = []
    for i in _Steps(progress, "key poses", 0.0, 0.35).over(poses):
        settled = shop.authored(poses[i])
        if settled is not None:
            keys.append(settled)
    made = list(keys)
    pairs = nearest(place, keys, 2) + _from_hubs(kind, keys)
    for i in _Steps(progress, "movements", 0.35, 0.7).over(pairs):
        a, b = pairs[i]
        made += shop.movement(keys[a], keys[b], 3)
    wanted = _blends(keys) if kind == "basic" else []
    for i in _Steps(progress, "blends", 0.7, 0.85).over(wanted):
        blended = shop.blend(*wanted[i])
        if blended is not None:
            made.append(blended)
    for i in _Steps(progress, "variations", 0.85, 1.0).over(keys):
        for number in range(3 * i, 3 * i + (2 if kind == "basic" else 3)):
            varied = shop.changed(keys[i], number, 1.0 if kind == "basic" else 0.7)
            if varied is not None:
                made.append(varied)
    made += shop.mirrored(made)
    return _database(place, made, THRESHOLDS_M2[kind]), shop.tally


def _from_hubs(kind: str, keys: Sequence[Posture]) -> list[tuple[int, int]]:
    """Movements between the resting poses of a library and its other poses."""
    hubs = ("stand", "kneel", "all fours", "long sit", "lie on back") if kind == "basic" else ()
    at = {p.name: i for i, p in enumerate(keys)}
    out: list[tuple[int, int]] = []
    for hub in (at[h] for h in hubs if h in at):
        for i, p in enumerate(keys):
            share = set(keys[hub].support) & set(p.support)
            wanted = not p.name.startswith(("reach", "walk", "run"))
            if i != hub and wanted and len(share) >= min(2, len(keys[hub].support)):
                out.append((hub, i))
    return out


def _blends(keys: Sequence[Posture]) -> list[tuple[Posture, Posture]]:
    """Each standing posture's trunk and arms on some other postures' legs, evenly chosen."""
    on_feet = [p for p in keys if set(p.support) & {"left_foot", "right_foot"}]
    legs = [p for p in on_feet if not p.name.startswith("reach")]
    return [
        (above, legs[(7 * i + 29 * j + 11) % len(legs)])
        for i, above in enumerate(on_feet)
        for j in range(4)
    ]


def _database(place: Place, made: Sequence[Posture], threshold_m2: float) -> PostureDatabase:
    q = np.array([p.q for p in made])
    database = PostureDatabase.from_postures(place.figure, q, clip=[p.name for p in made])
    if place.thing:
        database = replace(
            database,
            object_linking=place.object_linking(q),
            object_pose=np.array([object_seen_from(row, np.zeros(3)) for row in q]),
            object_name=place.thing,
        )
    return _thinned(database, threshold_m2)


def _thinned(database: PostureDatabase, threshold_m2: float) -> PostureDatabase:
    """The paper's filter; what it takes for the same but is linked otherwise is put back.

    Arms folded left over right are near arms folded right over left, and must both be known.
    """
    kept = [int(i) for i in database.filtered(threshold_m2).frame]  # frames number the postures
    points = database.joint_positions().reshape(len(database), -1)
    for i in sorted(set(range(len(database))) - set(kept)):
        near = np.array(kept)[((points[kept] - points[i]) ** 2).sum(axis=1) < threshold_m2]
        if (
            np.abs(database.linking[near] - database.linking[i]).max(axis=1) > LINKED_OTHERWISE
        ).all():
            kept.append(i)
    return database.take(np.array(sorted(kept), dtype=np.int64))
