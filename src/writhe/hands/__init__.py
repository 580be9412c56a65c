"""Hands of people: their fingers and palms, hand poses, and grips that close around objects."""

from writhe.hands.hand import Finger, Hand, hand_of, hands_of
from writhe.hands.poses import HAND_POSES, hand_pose

__all__ = ["HAND_POSES", "Finger", "Hand", "hand_of", "hand_pose", "hands_of"]
