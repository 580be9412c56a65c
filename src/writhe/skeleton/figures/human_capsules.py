"""The human's collision capsules, fitted around its skin by `tools/fit_human_capsules.py`.

Each row: start and end in the joint's frame, radius, in metres. The right side is mirrored.
"""

from __future__ import annotations

import numpy as np

from writhe.skeleton.figure import Capsule

Point = tuple[float, float, float]

_ROWS: dict[str, tuple[tuple[Point, Point, float], ...]] = {
    "hips": (
        ((-0.0687, -0.0347, -0.0108), (0.0687, -0.0347, -0.0108), 0.1252),
        ((-0.0564, 0.0540, -0.0005), (0.0564, 0.0540, -0.0005), 0.1128),
    ),
    "spine": (
        ((-0.0437, 0.0630, 0.0036), (0.0437, 0.0630, 0.0036), 0.1090),
        ((-0.0432, 0.1320, 0.0006), (0.0432, 0.1320, 0.0006), 0.1137),
    ),
    "chest": (
        ((-0.0360, 0.0620, -0.0034), (0.0360, 0.0620, -0.0034), 0.1180),
        ((-0.0260, 0.1150, 0.0011), (0.0260, 0.1150, 0.0011), 0.1165),
        ((-0.0600, 0.1950, -0.0356), (0.0600, 0.1950, -0.0356), 0.0740),
    ),
    "neck": (((0.0000, 0.0280, -0.0080), (0.0000, 0.0850, 0.0050), 0.0575),),
    "head": (
        ((0.0000, 0.0983, -0.0141), (0.0000, 0.1016, 0.0031), 0.0884),
        ((0.0000, 0.0218, 0.0140), (0.0000, 0.0937, 0.0238), 0.0829),
        ((0.0000, 0.0972, 0.0813), (0.0000, 0.0532, 0.0854), 0.0327),
    ),
    "clavicle": (
        ((0.1550, 0.0250, -0.0150), (0.1550, 0.0250, -0.0150), 0.0620),
        ((0.1080, 0.0270, -0.0455), (0.1400, 0.0250, 0.0143), 0.0500),
    ),
    "shoulder": (((0.0550, 0.0000, 0.0000), (0.2691, 0.0000, 0.0000), 0.0490),),
    "elbow": (
        ((0.0000, 0.0000, 0.0000), (0.1300, 0.0000, 0.0000), 0.0443),
        ((0.1323, 0.0000, 0.0000), (0.2597, 0.0000, 0.0000), 0.0359),
    ),
    "wrist": (
        ((-0.0028, 0.0010, -0.0124), (0.1313, -0.0060, -0.0211), 0.0224),
        ((-0.0122, 0.0048, 0.0244), (0.1655, -0.0095, -0.0104), 0.0208),
        ((0.0310, 0.0011, 0.0393), (0.1702, -0.0091, 0.0170), 0.0182),
        ((0.0021, -0.0125, 0.0047), (0.0920, -0.0104, 0.0736), 0.0197),
    ),
    "hip": (
        ((0.0085, -0.0730, 0.0030), (0.0080, -0.2000, 0.0050), 0.0885),
        ((0.0080, -0.2458, 0.0075), (0.0025, -0.3707, 0.0036), 0.0761),
    ),
    "knee": (
        ((0.0001, 0.0004, -0.0021), (-0.0001, -0.2318, -0.0170), 0.0600),
        ((0.0001, -0.2197, -0.0079), (0.0000, -0.4279, -0.0052), 0.0436),
    ),
    "ankle": (
        ((-0.0001, -0.0251, -0.0188), (-0.0001, -0.0195, 0.0088), 0.0468),
        ((-0.0005, -0.0276, 0.0298), (0.0042, -0.0474, 0.1290), 0.0400),
    ),
    "toe": (((-0.0113, -0.0063, 0.0319), (0.0196, -0.0062, 0.0314), 0.0317),),
}
# Left side: a capsule for the pectoral muscle in front of the armpit, which the capsules above do
# not cover; it keeps the upper arm out of the chest. The skin is not clipped to it. (A capsule at
# the top of the thigh was tried: it prevented penetration at the groin but made squats
# unreachable.)
_FOLDS: dict[str, tuple[Point, Point, float]] = {
    "chest": ((0.0666, 0.1867, -0.0045), (0.0678, 0.1553, 0.0323), 0.0643),
}
_MIDDLE = ("hips", "spine", "chest", "neck", "head")


def human_capsules(*, folds: bool = True) -> tuple[Capsule, ...]:
    """All capsules of the human; each joint is one body part.

    The skin is clipped to the capsules without those in `folds`.
    """
    capsules: list[Capsule] = []
    for name, rows in _ROWS.items():
        for side, sign in (("", 1.0),) if name in _MIDDLE else (("left_", 1.0), ("right_", -1.0)):
            mirror = np.array([sign, 1.0, 1.0])
            for start, end, radius_m in rows:
                capsules.append(
                    Capsule(side + name, np.array(start) * mirror, np.array(end) * mirror, radius_m)
                )
        if folds and name in _FOLDS:
            start, end, radius_m = _FOLDS[name]
            for side, sign in (("left_", 1.0), ("right_", -1.0)):
                mirror = np.array([sign, 1.0, 1.0])
                joint = name if name in _MIDDLE else side + name
                capsules.append(
                    Capsule(joint, np.array(start) * mirror, np.array(end) * mirror, radius_m)
                )
    return tuple(capsules)
