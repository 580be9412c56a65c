"""A standing frame of a motion in place of a rest pose that says nothing about joint rotations.

In some files (Bandai-Namco, Rokoko) all bones lie along one axis at rest, and the other axes of
each joint are arbitrary. Aligned with such a rest pose, a spine is twisted against its hips in
every frame. There, the frame of the motion in which the body stands most like the target at rest
serves as rest pose.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from writhe.arrays import Floats, unit
from writhe.recognition.rest_alignment import CHAINS, RestBody, body_axes
from writhe.skeleton import Frames, quaternions
from writhe.skeleton.limbs import SIDES

_CONTORTED_RAD = np.radians(70.0)  # between neighbours of the trunk, in most frames
_LIKE_REST_RAD = np.radians(30.0)  # mean deviation of the bones of a frame that may be used
_TRUNK = (*pairwise(CHAINS[0]), *(("chest", f"{side}_clavicle") for side in SIDES))
_UPRIGHT = 3.0  # weight of the direction of the trunk, against that of one bone
_WEIGHTS = {"clavicle": 0.5, "shoulder": 0.3, "elbow": 0.3, "ankle": 0.5}


def is_contorted(turns: Mapping[str, Floats], target: RestBody) -> bool:
    """Whether neighbours in the trunk are turned against each other beyond anatomy, mostly.

    turns: (F, 4) world rotations of the target's joints, by role.
    """
    for first, second in _TRUNK:
        if first not in turns or second not in turns:
            continue
        rest = [target.rotations[target.joint[role]] for role in (first, second)]
        a, b = (
            quaternions.multiply(turns[role], quaternions.conjugate(at))
            for role, at in zip((first, second), rest, strict=True)
        )
        between = quaternions.multiply(quaternions.conjugate(a), b)
        angle = 2.0 * np.arccos(np.clip(np.abs(between[:, 0]), 0.0, 1.0))
        if float(np.median(angle)) > _CONTORTED_RAD:
            return True
    return False


def standing_body(frames: Frames, source: RestBody, target: RestBody) -> RestBody:
    """The source as it stands in the frame most like the target at rest; itself if there is none.

    Ends of limbs have no bones in it: they continue the bone before.
    """
    deviation = _deviations(frames, source, target)
    best = int(np.argmin(deviation))
    if deviation[best] > _LIKE_REST_RAD:
        return source
    return _at_frame(frames, source, best)


def _at_frame(frames: Frames, source: RestBody, frame: int) -> RestBody:
    positions = frames.positions[frame]
    bones = {
        role: positions[source.joint[after]] - positions[source.joint[role]]
        for role, after in source.next_role.items()
    }
    rotations = quaternions.from_matrices(frames.rotations[frame])
    return RestBody(
        source.skeleton, source.joint, positions, rotations, source.next_role, bones, on_soles=True
    )


def _deviations(frames: Frames, source: RestBody, target: RestBody) -> Floats:
    """(F,) weighted mean angle between the bones of a frame and the target's at rest, rad.

    Arms may also hang.
    """
    common = [role for role in source.next_role if role in target.bones and role in target.joint]
    wanted = {role: unit(body_axes(target).T @ target.bones[role]) for role in common}
    up = body_axes(target)[:, 1]
    out = np.empty(len(frames.positions))
    for f in range(len(out)):
        body = _at_frame(frames, source, f)
        axes = body_axes(body)
        total = weight = _UPRIGHT
        total *= float(np.arccos(np.clip(axes[:, 1] @ up, -1.0, 1.0)))
        for role in common:
            bone = unit(axes.T @ body.bones[role])
            cosine = float(bone @ wanted[role])
            kind = role.rsplit("_", 1)[-1]
            if kind in ("shoulder", "elbow"):
                cosine = max(cosine, float(-bone[1]))
            share = _WEIGHTS.get(kind, 1.0)
            total += share * float(np.arccos(np.clip(cosine, -1.0, 1.0)))
            weight += share
        out[f] = total / weight
    return out
