"""From keys to motion: in-betweens that keep pins, joint limits, the floor and contacts.

Names are loaded when first used: a document of the studio needs the blend of keys alone.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.animation.animate_keys import animate
    from writhe.animation.body.moving_hold import moving_hold
    from writhe.animation.carried_objects import Carry, animate_carrying
    from writhe.animation.clear_actor import ActorMotion
    from writhe.animation.clear_motion import ClearedMotion, clear_scene
    from writhe.animation.clip_operations import layer, loop, stretch, trim
    from writhe.animation.foot_contacts import detect_contacts
    from writhe.animation.key_file import KeyFile, load_keys
    from writhe.animation.key_interpolation import Key, KeyBlend
    from writhe.animation.mirror import mirrored_clip, mirrored_pose
    from writhe.animation.options import AnimateOptions
    from writhe.animation.pins import TimedPin
    from writhe.animation.refine_motion import RefinedMotion, refine_motion
    from writhe.animation.result import (
        Animation,
        AnimationStatus,
        Conflict,
        ConflictKind,
        MovedKey,
    )
    from writhe.animation.walking import walk
else:
    __getattr__ = lazy_names(
        __name__,
        dict.fromkeys(("KeyFile", "load_keys"), "writhe.animation.key_file")
        | dict.fromkeys(("Carry", "animate_carrying"), "writhe.animation.carried_objects")
        | dict.fromkeys(("Key", "KeyBlend"), "writhe.animation.key_interpolation")
        | dict.fromkeys(("layer", "loop", "stretch", "trim"), "writhe.animation.clip_operations")
        | dict.fromkeys(("mirrored_clip", "mirrored_pose"), "writhe.animation.mirror")
        | dict.fromkeys(
            ("Animation", "AnimationStatus", "Conflict", "ConflictKind", "MovedKey"),
            "writhe.animation.result",
        )
        | dict.fromkeys(("ClearedMotion", "clear_scene"), "writhe.animation.clear_motion")
        | dict.fromkeys(("RefinedMotion", "refine_motion"), "writhe.animation.refine_motion")
        | {
            "ActorMotion": "writhe.animation.clear_actor",
            "AnimateOptions": "writhe.animation.options",
            "TimedPin": "writhe.animation.pins",
            "animate": "writhe.animation.animate_keys",
            "detect_contacts": "writhe.animation.foot_contacts",
            "moving_hold": "writhe.animation.body.moving_hold",
            "walk": "writhe.animation.walking",
        },
    )

__all__ = [
    "ActorMotion",
    "AnimateOptions",
    "Animation",
    "AnimationStatus",
    "Carry",
    "ClearedMotion",
    "Conflict",
    "ConflictKind",
    "Key",
    "KeyBlend",
    "KeyFile",
    "MovedKey",
    "RefinedMotion",
    "TimedPin",
    "animate",
    "animate_carrying",
    "clear_scene",
    "detect_contacts",
    "layer",
    "load_keys",
    "loop",
    "mirrored_clip",
    "mirrored_pose",
    "moving_hold",
    "refine_motion",
    "stretch",
    "trim",
    "walk",
]
