"""Generate the three libraries: basic movement, the ladder and the chair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from writhe.database import PostureDatabase
from writhe.database.posture import object_in_posture_frame
from writhe.postures.builtin import poses_action, poses_floor, poses_standing
from writhe.postures.builtin.gait import stride
from writhe.postures.builtin.key_pose import KeyPose
from writhe.postures.builtin.pose_setting import PoseSetting
from writhe.postures.builtin.poses_chair import chair_poses
from writhe.postures.builtin.poses_ladder import ladder_poses
from writhe.postures.builtin.posture_variants import (
    BuildTally,
    PostureBuilder,
    SolvedPosture,
    nearest_pairs,
)
from writhe.postures.builtin.reaching_poses import reaches
from writhe.progress import Progress
from writhe.skeleton import Figure

KINDS = ("basic", "ladder", "chair")
LINKED_OTHERWISE = 0.25  # postures whose linking differs by this in some strand pair are distinct
# sums of squared joint distances below which one of two postures is dropped, m^2
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
    """Walking and running key poses, by speed and phase."""
    walks = [stride(p / 12, reach=r) for r in (0.6, 1.0, 1.35) for p in range(12)]
    return walks + [stride(p / 12, run=True, reach=r) for r in (0.75, 1.1) for p in range(12)]


def authored_poses(kind: str) -> list[KeyPose]:
    """The authored key poses of a library, before settling."""
    if kind == "chair":
        return chair_poses()
    if kind == "ladder":
        return ladder_poses()
    return [*standing_poses(), *low_poses(), *reaches(), *strides()]


class _ProgressRange:
    """Maps the progress of one stage to the fractions from `first` to `last`."""

    def __init__(self, progress: Progress | None, what: str, first: float, last: float) -> None:
        self.progress, self.what, self.first, self.last = progress, what, first, last

    def over(self, items: Sequence[object]) -> Iterable[int]:
        for i in range(len(items)):
            if self.progress and i % 8 == 0:
                share = self.first + (self.last - self.first) * i / len(items)
                self.progress(share, self.what)
            yield i


def make(
    kind: str, figure: Figure, progress: Progress | None = None
) -> tuple[PostureDatabase, BuildTally]:
    """Generate a library from its key poses, with counts of what was tried and dropped."""
    setting = PoseSetting(figure, "" if kind == "basic" else kind)
    builder = PostureBuilder(setting)
    poses = authored_poses(kind)
    keys: list[SolvedPosture] = []
    for i in _ProgressRange(progress, "key poses", 0.0, 0.35).over(poses):
        solved = builder.authored(poses[i])
        if solved is not None:
            keys.append(solved)
    postures = list(keys)
    pairs = nearest_pairs(setting, keys, 2) + _from_hubs(kind, keys)
    for i in _ProgressRange(progress, "movements", 0.35, 0.7).over(pairs):
        a, b = pairs[i]
        postures += builder.movement(keys[a], keys[b], 3)
    blends = _blends(keys) if kind == "basic" else []
    for i in _ProgressRange(progress, "blends", 0.7, 0.85).over(blends):
        blended = builder.blend(*blends[i])
        if blended is not None:
            postures.append(blended)
    for i in _ProgressRange(progress, "variations", 0.85, 1.0).over(keys):
        for number in range(3 * i, 3 * i + (2 if kind == "basic" else 3)):
            varied = builder.perturbed(keys[i], number, 1.0 if kind == "basic" else 0.7)
            if varied is not None:
                postures.append(varied)
    postures += builder.mirrored(postures)
    return _database(setting, postures, THRESHOLDS_M2[kind]), builder.tally


def _from_hubs(kind: str, keys: Sequence[SolvedPosture]) -> list[tuple[int, int]]:
    """Pairs of a neutral pose and every other pose with the same supports."""
    hubs = ("stand", "kneel", "all fours", "long sit", "lie on back") if kind == "basic" else ()
    at = {p.name: i for i, p in enumerate(keys)}
    out: list[tuple[int, int]] = []
    for hub in (at[h] for h in hubs if h in at):
        for i, p in enumerate(keys):
            share = set(keys[hub].support) & set(p.support)
            is_pose = not p.name.startswith(("reach", "walk", "run"))
            if i != hub and is_pose and len(share) >= min(2, len(keys[hub].support)):
                out.append((hub, i))
    return out


def _blends(keys: Sequence[SolvedPosture]) -> list[tuple[SolvedPosture, SolvedPosture]]:
    """Pairs of standing postures to combine: trunk and arms of one, legs of the other."""
    on_feet = [p for p in keys if set(p.support) & {"left_foot", "right_foot"}]
    legs = [p for p in on_feet if not p.name.startswith("reach")]
    return [
        (above, legs[(7 * i + 29 * j + 11) % len(legs)])
        for i, above in enumerate(on_feet)
        for j in range(4)
    ]


def _database(
    setting: PoseSetting, postures: Sequence[SolvedPosture], threshold_m2: float
) -> PostureDatabase:
    q = np.array([p.q for p in postures])
    database = PostureDatabase.from_postures(setting.figure, q, clip=[p.name for p in postures])
    if setting.object_name:
        database = replace(
            database,
            object_linking=setting.object_linking(q),
            object_pose=np.array([object_in_posture_frame(row, np.zeros(3)) for row in q]),
            object_name=setting.object_name,
        )
    return _filtered(database, threshold_m2)


def _filtered(database: PostureDatabase, threshold_m2: float) -> PostureDatabase:
    """The paper's filter, except that postures whose linking differs from all kept neighbours stay.

    Arms folded left over right are near arms folded right over left; both must be in the database.
    """
    kept = [
        int(i) for i in database.filtered(threshold_m2).frame
    ]  # `frame` is the posture index here
    points = database.joint_positions().reshape(len(database), -1)
    for i in sorted(set(range(len(database))) - set(kept)):
        near = np.array(kept)[((points[kept] - points[i]) ** 2).sum(axis=1) < threshold_m2]
        if (
            np.abs(database.linking[near] - database.linking[i]).max(axis=1) > LINKED_OTHERWISE
        ).all():
            kept.append(i)
    return database.take(np.array(sorted(kept), dtype=np.int64))
