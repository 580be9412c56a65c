"""Hands of people: their fingers and palms, hand poses, and grips that close around objects."""

from writhe.hands.clasp import Clasp, clasp
from writhe.hands.closing import Touch, close_fingers
from writhe.hands.grasp import Grasp, find_grasps
from writhe.hands.grip import Grip, grip
from writhe.hands.hand import Finger, Hand, hand_of, hands_of
from writhe.hands.holds import HoldState, hold_on, hold_state
from writhe.hands.poses import HAND_POSES, hand_pose

__all__ = [
    "HAND_POSES",
    "Clasp",
    "Finger",
    "Grasp",
    "Grip",
    "Hand",
    "HoldState",
    "Touch",
    "clasp",
    "close_fingers",
    "find_grasps",
    "grip",
    "hand_of",
    "hand_pose",
    "hands_of",
    "hold_on",
    "hold_state",
]
