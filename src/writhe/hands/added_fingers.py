"""Fingers for motions that were made without them: the built-in human with closed hands.

The wrists stay where they are. A hand that is near something closes until its fingers meet it
(`close_fingers`), the others are relaxed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from writhe.arrays import Floats
from writhe.collision import CollisionTable, NearPairs
from writhe.hands.closing import close_fingers
from writhe.hands.hand import Hand, hands_of
from writhe.hands.poses import set_hand
from writhe.scene import Scene
from writhe.skeleton import Figure, Skeleton, forward
from writhe.skeleton.figures import figure

CLOSED = "closed"
NEAR_M = 0.03  # a hand this near to something holds it
_BODY = "human"


def with_fingers(body: Figure, q: Floats, poses: Mapping[str, str]) -> tuple[Figure, Floats]:
    """The built-in human with fingers, and its configurations (n, nq) for those (n, nq) of `body`.

    poses: the hand pose (`HAND_POSES`) of "left" and "right"; hands without one are relaxed.
    """
    fingered = figure("human_with_fingers")
    out = _copied(body.skeleton, fingered.skeleton, np.atleast_2d(q))
    for row in out:
        for side, hand in hands_of(fingered).items():
            set_hand(fingered, row, hand, poses.get(side, "relaxed"))
    return fingered, out


def scene_with_fingers(scene: Scene) -> Scene:
    """The scene whose built-in humans have fingers; its objects and contacts are the same."""
    fingered = figure("human_with_fingers")
    actors = tuple(
        replace(actor, figure=fingered) if actor.figure.name == _BODY else actor
        for actor in scene.actors
    )
    return replace(scene, actors=actors)


def set_hands(scene: Scene, fingered: Scene, q: Floats, pose: str = CLOSED) -> Floats:
    """(nq,) the configuration of `scene_with_fingers(scene)` at q of `scene`, its hands posed.

    pose: a hand pose, or `CLOSED`: each hand within 3 cm of something closes, around an object
    until its fingers meet it, on a body as far as a grip; the other hands are relaxed.
    """
    layout = fingered.layout
    out = _copied(scene.layout.skeleton, layout.skeleton, q[None])[0]
    for actor, bare in zip(fingered.actors, scene.actors, strict=True):
        if actor.figure is bare.figure:
            continue
        rows = layout.actor_q[actor.name]
        own = out[rows].copy()
        for hand in hands_of(actor.figure).values():
            set_hand(actor.figure, own, hand, "relaxed" if pose == CLOSED else pose)
        out[rows] = own
        for hand in hands_of(actor.figure).values() if pose == CLOSED else ():
            prefix = f"{actor.name}."
            grasp = _grasp(layout.table, out, hand, prefix)
            if grasp is not None:
                out = close_fingers(layout.table, out, hand, grasp, prefix=prefix).q
    return out


def _grasp(table: CollisionTable, q: Floats, hand: Hand, prefix: str) -> str | None:
    """How the hand closes: around an object or on a body that it is near, or not at all."""
    skeleton = table.skeleton
    frames = forward(skeleton, q)
    wrist = skeleton.index(prefix + hand.wrist)
    mine = range(wrist, int(skeleton.tree.subtree_end[wrist]))
    arm = (wrist - 1, wrist - 2)
    near = NearPairs(table)
    near.find(frames.positions, frames.rotations, NEAR_M)
    found = None
    for a, b in near.rows.joints[: near.count]:
        other = int(b if a in mine else a)
        if (a in mine) == (b in mine) or other in arm:
            continue
        if "." not in skeleton.names[other]:
            return "around"
        found = "grip"
    return found


def _copied(source: Skeleton, target: Skeleton, q: Floats) -> Floats:
    """(n, nq) rest configurations of `target` with the joints that both skeletons have."""
    out = np.tile(target.rest_configuration, (len(q), 1))
    for name in source.names:
        out[:, target.q_slice(name)] = q[:, source.q_slice(name)]
    return out
