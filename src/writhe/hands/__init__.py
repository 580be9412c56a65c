"""Hands of people: their fingers and palms, hand poses, and grips that close around objects."""

from writhe.hands.both_hands import BothHands, grip_with_both
from writhe.hands.clasp import Clasp, clasp, unclasp
from writhe.hands.closing import Touch, close_fingers
from writhe.hands.grasp import Grasp, find_grasps
from writhe.hands.grip import Grip, grip
from writhe.hands.hand import Finger, Hand, hand_of, hands_of
from writhe.hands.holds import HoldState, hold_on, hold_state
from writhe.hands.lift import Lift, lift
from writhe.hands.poses import HAND_POSES, hand_pose
from writhe.hands.standing import stand_before, stand_opposite

__all__ = [
    "HAND_POSES",
    "BothHands",
    "Clasp",
    "Finger",
    "Grasp",
    "Grip",
    "Hand",
    "HoldState",
    "Lift",
    "Touch",
    "clasp",
    "close_fingers",
    "find_grasps",
    "grip",
    "grip_with_both",
    "hand_of",
    "hand_pose",
    "hands_of",
    "hold_on",
    "hold_state",
    "lift",
    "stand_before",
    "stand_opposite",
    "unclasp",
]
