"""Moves fingers out of what they overlap in postures made for the human without fingers.

A posture that clears the human's hands may put fingers into the floor, the object or the body:
fingers keep the pose that they have, whatever is there. They give way first, then the arms.
"""

from __future__ import annotations

from writhe.arrays import Floats
from writhe.postures.builtin.pose_setting import ACTOR, PoseSetting
from writhe.postures.builtin.pose_solver import PoseSolver
from writhe.skeleton import Figure
from writhe.terms import stay_near

# weights of the angles of fingers, of arms and of the rest of the body, which stands as it does
_FINGERS, _ARMS, _BODY = 0.02, 0.5, 30.0
_ARM = ("shoulder", "elbow", "wrist")


def with_clear_fingers(
    figure: Figure, reference: Figure, q: Floats, object_name: str = ""
) -> Floats:
    """(nq,) the posture q of a figure that extends the reference, moved out of overlaps.

    q stands on the floor y = 0, with the built-in object `object_name`, if any, at the origin. A
    posture without overlaps, or whose overlaps cannot be reduced, is returned as it is.
    """
    fingers = set(figure.skeleton.names) - set(reference.skeleton.names)
    if not fingers or not figure.capsules:
        return q
    setting = PoseSetting(figure, object_name)
    if setting.clear(q)[0]:
        return q
    weight_of = {f"{ACTOR}.{joint}": _FINGERS for joint in fingers} | {
        f"{ACTOR}.{joint}": _ARMS for role, joint in figure.roles if role.rsplit("_", 1)[-1] in _ARM
    }
    near = stay_near(setting.skeleton, q, weight=_BODY, weight_of=weight_of)
    solved = PoseSolver(setting).solve(q, near)
    return solved if setting.clearance(solved)[0] > setting.clearance(q)[0] else q
