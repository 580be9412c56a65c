"""The soles of a body: points of its feet that touch the ground, moved as its skin is.

They are measured here; `planted_feet` puts them on the ground.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.recognition import ESSENTIAL
from writhe.recognition.rest_alignment import RestBody, rest_body
from writhe.skeleton import Figure, Frames, Motion, forward
from writhe.skeleton.limbs import SIDES

_THICK_M = 0.012  # skin this far above the lowest point of a foot at rest is flat on the ground
_BALL = 0.7  # of the way from the ankle to the tip of a foot without a toe joint
_DIRECTIONS = 300  # in which the outermost points of a foot are looked for


@dataclass(frozen=True)
class Sole:
    """Points of one foot in the frames of the joints that move them, and their weights."""

    joints: Ints  # (k, 4)
    weights: Floats  # (k, 4)
    points: Floats  # (k, 4, 3)
    ball_joint: int
    ball_in_joint: Floats  # (3,) the ball of the foot

    def ball(self, frames: Frames) -> Floats:
        """(F, 3) positions of the ball of the foot."""
        turned = frames.rotations[:, self.ball_joint] @ self.ball_in_joint
        return frames.positions[:, self.ball_joint] + turned

    def lowest(self, frames: Frames) -> Floats:
        """(F,) the height of the lowest point in each frame, m."""
        heights = np.zeros((len(frames.positions), len(self.joints)))
        for c in range(self.joints.shape[1]):
            joint, weight = self.joints[:, c], self.weights[:, c]
            if weight.any():
                rotated = np.einsum("fkc,kc->fk", frames.rotations[:, joint, 1], self.points[:, c])
                heights += weight * (frames.positions[:, joint, 1] + rotated)
        return heights.min(axis=1)


def sole(figure: Figure, body: RestBody, side: str) -> Sole:
    """What of a foot can touch the ground: points of the skin, else of the shapes or joints.

    Heels and tips of toes belong to it as well as the flat part: on whichever a foot stands, that
    point is the lowest.
    """
    skeleton = figure.skeleton
    rest = forward(skeleton, skeleton.rest_configuration)
    ankle = body.joint[f"{side}_ankle"]
    foot = np.arange(ankle, int(skeleton.tree.subtree_end[ankle]))
    joints, weights, world = _foot_points(figure, foot, rest)
    if len(world) > _DIRECTIONS:
        outer = _outermost(world, joints[:, 0])
        joints, weights, world = joints[outer], weights[outer], world[outer]
    offset = world[:, None] - rest.positions[joints]
    in_joints = np.einsum("kjba,kjb->kja", rest.rotations[joints], offset)
    toe = body.joint.get(f"{side}_toe")
    if toe is not None:
        return Sole(joints, weights, in_joints, toe, np.zeros(3))
    low = world[world[:, 1] <= world[:, 1].min() + _THICK_M] - rest.positions[ankle]
    tip = low[np.argmax(low[:, 0] ** 2 + low[:, 2] ** 2)]
    ball = rest.rotations[ankle].T @ (_BALL * tip)
    return Sole(joints, weights, in_joints, ankle, ball)


def _outermost(points: Floats, joint: Ints) -> Ints:
    """Indices of the points (k, 3) that are farthest out in some direction, of each joint."""
    turn = np.arange(_DIRECTIONS) * np.pi * (3.0 - np.sqrt(5.0))  # evenly on the sphere
    height = np.linspace(-1.0, 1.0, _DIRECTIONS)  # who kneels may lie on the instep
    across = np.sqrt(1.0 - height**2)
    directions = np.stack([across * np.cos(turn), height, across * np.sin(turn)])
    chosen = [np.flatnonzero(joint == j) for j in np.unique(joint)]
    return np.unique(
        np.concatenate([mine[(points[mine] @ directions).argmax(axis=0)] for mine in chosen])
    )


def standing_height(figure: Figure, q: Floats) -> float | None:
    """The height of the lower sole in a configuration (nq), m; None for a body without feet."""
    roles = dict(figure.roles)
    if not all(role in roles for role in ESSENTIAL):
        return None
    body = rest_body(figure.skeleton, roles, set(roles))
    frames = Motion(figure.skeleton, q[None], 1.0).frames()
    return min(float(sole(figure, body, side).lowest(frames)[0]) for side in SIDES)


def _foot_points(figure: Figure, foot: Ints, rest: Frames) -> tuple[Ints, Floats, Floats]:
    """Joints (k, 4), weights (k, 4) and world positions (k, 3) of points of a foot at rest."""
    if figure.skin is not None:
        skin = figure.skin
        mine = np.flatnonzero(np.isin(skin.vertex_joint, foot))
        if len(mine):
            return skin.joints[mine].astype(np.int64), skin.weights[mine], skin.vertices[mine]
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
    rigid = np.tile(np.array(joints, dtype=np.int64)[:, None], (1, 4))
    return rigid, np.tile([1.0, 0.0, 0.0, 0.0], (len(joints), 1)), np.array(points)
