"""From keys to motion: in-betweens that keep pins, joint limits, the floor and contacts."""

from writhe.animation.animate import animate
from writhe.animation.detect_contacts import detect_contacts
from writhe.animation.key_file import KeyFile, load_keys
from writhe.animation.keys import Key, KeyBlend
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import TimedPin
from writhe.animation.result import Animation, AnimationStatus, Conflict, ConflictKind, MovedKey

__all__ = [
    "AnimateOptions",
    "Animation",
    "AnimationStatus",
    "Conflict",
    "ConflictKind",
    "Key",
    "KeyBlend",
    "KeyFile",
    "MovedKey",
    "TimedPin",
    "animate",
    "detect_contacts",
    "load_keys",
]
