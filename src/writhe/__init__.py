"""writhe: pose characters and create motion without body parts passing through each other.

Names are loaded when first used, so that `import writhe` stays quick. Their types are in
`__init__.pyi`.
"""

from __future__ import annotations

from writhe.lazy import lazy_names

__version__ = "0.1.0"

_HOMES = {
    "Actor": "writhe.scene",
    "AnimateOptions": "writhe.animation",
    "Animation": "writhe.animation",
    "Carry": "writhe.animation",
    "Certificate": "writhe.collision",
    "CollisionTable": "writhe.collision",
    "Controls": "writhe.solvers.posing",
    "Figure": "writhe.skeleton",
    "Grip": "writhe.hands",
    "Hold": "writhe.solvers.posing",
    "Key": "writhe.animation",
    "Motion": "writhe.skeleton",
    "PairDatabase": "writhe.database",
    "PartnerReaction": "writhe.solvers.partners",
    "Pin": "writhe.solvers.posing",
    "Plan": "writhe.planning",
    "PoseResult": "writhe.solvers.posing",
    "Poser": "writhe.solvers.posing",
    "PosedPair": "writhe.solvers.partners",
    "PostureDatabase": "writhe.database",
    "Progress": "writhe.progress",
    "Recognition": "writhe.recognition",
    "Scene": "writhe.scene",
    "Skeleton": "writhe.skeleton",
    "Target": "writhe.solvers.posing",
    "TimedPin": "writhe.animation",
    "Timing": "writhe.planning",
    "WritheError": "writhe.errors",
    "animate": "writhe.animation",
    "animate_carrying": "writhe.animation",
    "builtin_database": "writhe.postures.builtin",
    "builtin_pairs": "writhe.postures.pairs",
    "certify": "writhe.collision",
    "certify_file": "writhe.scene",
    "clasp": "writhe.hands",
    "clean": "writhe.cleaning.clean",
    "detect_contacts": "writhe.animation",
    "figure": "writhe.skeleton.figures",
    "figure_of": "writhe.io",
    "film_strip": "writhe.render",
    "forward": "writhe.skeleton",
    "grip": "writhe.hands",
    "grip_with_both": "writhe.hands",
    "hand_pose": "writhe.hands",
    "hold_here": "writhe.solvers.posing",
    "hold_on": "writhe.hands",
    "hold_state": "writhe.hands",
    "lift": "writhe.hands",
    "linking_vector": "writhe.topology",
    "load": "writhe.io",
    "load_figure": "writhe.io",
    "load_keys": "writhe.animation",
    "make_poser": "writhe.solvers.posing",
    "pin_here": "writhe.solvers.posing",
    "plan": "writhe.planning",
    "recognise": "writhe.recognition",
    "render_pose": "writhe.render",
    "retarget": "writhe.retargeting.retarget",
    "save": "writhe.io",
    "save_characters": "writhe.io.characters",
    "save_figure": "writhe.io",
    "stand_before": "writhe.hands",
    "stand_opposite": "writhe.hands",
    "to_motion": "writhe.planning",
}

__all__ = ["__version__", *sorted(_HOMES)]  # pyright: ignore[reportUnsupportedDunderAll]
__getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
