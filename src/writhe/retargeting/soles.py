"""The soles of a body: points under its feet that touch the ground, fixed to its joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.recognition import ESSENTIAL
from writhe.recognition.rest_alignment import RestBody, rest_body
from writhe.skeleton import Figure, Frames, Motion, forward
from writhe.skeleton.limbs import SIDES

_THICK_M = 0.012  # skin this far above the lowest point of a foot at rest belongs to its sole
_MAX_POINTS = 24


@dataclass(frozen=True)
class Sole:
    """Points of one sole in the frames of their joints."""

    joints: Ints  # (k,)
    points: Floats  # (k, 3)

    def lowest(self, frames: Frames) -> Floats:
        """(F,) the height of the lowest point in each frame, m."""
        rotated = np.einsum("fkc,kc->fk", frames.rotations[:, self.joints, 1], self.points)
        return (frames.positions[:, self.joints, 1] + rotated).min(axis=1)


def sole(figure: Figure, body: RestBody, side: str) -> Sole:
    """The sole of one foot: from the skin, else from the shapes, else from the joints.

    A foot stands flat in the rest pose, so its sole is what is lowest there.
    """
    skeleton = figure.skeleton
    rest = forward(skeleton, skeleton.rest_configuration)
    ankle = body.joint[f"{side}_ankle"]
    foot = np.arange(ankle, int(skeleton.tree.subtree_end[ankle]))
    joints, world = _foot_points(figure, foot, rest)
    low = world[:, 1] <= world[:, 1].min() + _THICK_M
    joints, world = joints[low], world[low]
    if len(world) > _MAX_POINTS:  # the lowest, and those farthest out in evenly spread directions
        flat = world[:, [0, 2]] - world[:, [0, 2]].mean(axis=0)
        turn = np.linspace(0.0, 2.0 * np.pi, _MAX_POINTS, endpoint=False)
        outer = (flat @ np.stack([np.cos(turn), np.sin(turn)])).argmax(axis=0)
        chosen = np.union1d(outer, np.argsort(world[:, 1])[:_MAX_POINTS])
        joints, world = joints[chosen], world[chosen]
    offset = world - rest.positions[joints]
    return Sole(joints, np.einsum("kba,kb->ka", rest.rotations[joints], offset))


def standing_height(figure: Figure, q: Floats) -> float | None:
    """The height of the lower sole in a configuration (nq), m; None for a body without feet."""
    roles = dict(figure.roles)
    if not all(role in roles for role in ESSENTIAL):
        return None
    body = rest_body(figure.skeleton, roles, set(roles))
    frames = Motion(figure.skeleton, q[None], 1.0).frames()
    return min(float(sole(figure, body, side).lowest(frames)[0]) for side in SIDES)


def _foot_points(figure: Figure, foot: Ints, rest: Frames) -> tuple[Ints, Floats]:
    """Points (k, 3) of a foot in the rest pose, in the world, and the joints that carry them."""
    if figure.skin is not None:
        mine = np.flatnonzero(np.isin(figure.skin.joints[:, 0], foot))
        if len(mine):
            return figure.skin.joints[mine, 0].astype(np.int64), figure.skin.vertices[mine]
    names = figure.skeleton.names
    joints, points = list[int](), list[Floats]()
    for capsule in figure.capsules:
        j = figure.skeleton.index(capsule.joint)
        if j in foot:
            for end in (capsule.start_in_joint, capsule.end_in_joint):
                joints.append(j)
                down = np.array([0.0, capsule.radius_m, 0.0])
                points.append(rest.point(names[j], end) - down)
    if not points:
        for j in foot:
            joints.append(int(j))
            points.append(rest.positions[j])
        for tip in figure.skeleton.tips:
            if figure.skeleton.index(tip.joint) in foot:
                joints.append(figure.skeleton.index(tip.joint))
                points.append(rest.tip(tip.name))
    return np.array(joints, dtype=np.int64), np.array(points)
