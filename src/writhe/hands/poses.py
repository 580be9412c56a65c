"""Hand poses by name: flexion and spread of every finger, on any recognised hand.

Angles are those of an adult's hand at rest, in a fist and in the grips of Napier (1956), "The
prehensile movements of the human hand", Journal of Bone and Joint Surgery 38-B. The last hinge
follows the middle one by two thirds, as the tendons of a finger do (Leijnse et al. 2010, "The
hand's DIP and PIP joints", Journal of Biomechanics 43).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Floats
from writhe.collision import CollisionTable
from writhe.errors import UnknownNameError
from writhe.hands.hand import Finger, Hand, hand_of, set_finger
from writhe.skeleton import Figure
from writhe.skeleton.configurations import configuration

DIP_FOLLOWS_PIP = 2.0 / 3.0


class Bend(NamedTuple):
    """Degrees: flexion of knuckle and middle hinge, spread towards the thumb's side.

    `last` is the flexion of the last hinge, if it does not follow the middle one.
    """

    knuckle: float
    middle: float
    spread: float = 0.0
    last: float | None = None

    def angles(self, joints: int) -> Floats:
        """(joints,) flexion in radians."""
        last = DIP_FOLLOWS_PIP * self.middle if self.last is None else self.last
        return np.radians([self.knuckle, self.middle, last][:joints])


_FINGERS = ("index", "middle", "ring", "pinky")


def _all(bend: Bend) -> dict[str, Bend]:
    return dict.fromkeys(_FINGERS, bend)


HAND_POSES: dict[str, dict[str, Bend]] = {
    "flat": {"thumb": Bend(0, 0, 10, 0), **_all(Bend(0, 0))},
    "relaxed": {
        "thumb": Bend(16, 16, 0, 20),
        "index": Bend(26, 34, -5),
        "middle": Bend(32, 40),
        "ring": Bend(36, 44, 5),
        "pinky": Bend(38, 46, 9),
    },
    "fist": {"thumb": Bend(40, 45, -8, 55), **_all(Bend(85, 100))},
    "point": {"thumb": Bend(38, 40, -8, 45), **_all(Bend(82, 98)), "index": Bend(2, 4)},
    "grip": {"thumb": Bend(34, 25, -14, 20), **_all(Bend(52, 58))},
    "pinch": {
        "thumb": Bend(36, 16, -7, 14),
        "index": Bend(51, 52, 0, 28),
        "middle": Bend(34, 40),
        "ring": Bend(30, 36),
        "pinky": Bend(28, 34),
    },
}
# the hand that approaches an object, its thumb out of the way
OPEN: dict[str, Bend] = {"thumb": Bend(-22, -5, 10, -8), **_all(Bend(-8, 0))}
# finger goals of a grasp: the thumb around the object, or across the palm
GRASPS: dict[str, dict[str, Bend]] = {
    "around": {"thumb": Bend(42, 45, -22, 55), **_all(Bend(88, 102))},
    "across": {"thumb": Bend(45, 50, -4, 60), **_all(Bend(88, 102))},
}


def finger_goal(finger: Finger, name: str) -> tuple[Floats, float]:
    """Flexion (k,) and spread of a finger in a named hand pose, in radians."""
    bend = ({"open": OPEN} | HAND_POSES | GRASPS)[name].get(finger.name, Bend(0, 0))
    return bend.angles(len(finger.joints)), float(np.radians(bend.spread))


def set_hand(figure: Figure, q: Floats, hand: Hand, name: str) -> None:
    """Set the fingers of a hand in q to a named pose, whatever is in the way."""
    for finger in hand.fingers:
        set_finger(figure.skeleton, q, finger, *finger_goal(finger, name))


@checked
def hand_pose(
    figure: Figure, q: Floats, side: str, name: str, table: CollisionTable | None = None
) -> Floats:
    """The configuration q with the fingers of a hand (`left`, `right`) in a named pose.

    Names are the keys of `HAND_POSES`. Fingers that meet the palm, each other or the body stop
    there. table: the figure's collision table, if there is one already.
    """
    if name not in HAND_POSES:
        raise UnknownNameError("hand pose", name, sorted(HAND_POSES))
    from writhe.hands.closing import close_fingers

    own = configuration(figure.skeleton, q)
    shapes = table or CollisionTable.of_figure(figure)
    return close_fingers(shapes, own, hand_of(figure, side), name).q
