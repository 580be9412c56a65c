"""Skinning of the human: memberships in the rest pose and fractions of twist."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.skeleton.figure import Twist
from writhe.skeleton.modelling.weights import smooth_over_mesh, soft_sign
from writhe.skeleton.skeleton import Skeleton

# joint: a point of the plane and its normal in the rest pose (left side), half-width of the blend
_PLANES: dict[str, tuple[tuple[float, float, float], tuple[float, float, float], float]] = {
    "spine": ((0, 1.065, 0), (0, 1, 0), 0.040),
    "chest": ((0, 1.218, 0), (0, 1, 0), 0.040),
    "head": ((0, 1.552, 0), (0, 0.82, 0.57), 0.024),
    "shoulder": ((0.188, 1.43, 0), (1, 0, 0), 0.060),
    "elbow": ((0.458, 1.43, 0), (1, 0, 0), 0.036),
    "wrist": ((0.735, 1.43, 0), (1, 0, 0), 0.024),
    "hip": ((0.088, 0.893, 0), (0.50, -0.84, 0.20), 0.055),
    "knee": ((0.088, 0.504, 0), (0, -1, 0), 0.045),
    "ankle": ((0.088, 0.085, -0.005), (0, -0.92, 0.38), 0.028),
    "toe": ((0.088, 0.02, 0.135), (0, 0, 1), 0.020),
}
_UNDERARM_M = 0.04  # by which the blend from chest to arm is longer below the arm than above it
# joint: where along the limb its twist begins and where it is complete (rest pose, left side)
_TWIST_SPANS: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {
    "shoulder": ((0.185, 1.43, 0), (0.42, 1.43, 0)),
    "wrist": ((0.48, 1.43, 0), (0.728, 1.43, 0)),
    "hip": ((0.088, 0.97, 0), (0.088, 0.91, 0)),
}


def _across(points: Floats, name: str) -> Floats:
    origin, normal, half_width = _PLANES[name]
    n = np.array(normal, dtype=float) / np.linalg.norm(normal)
    return soft_sign((points - np.array(origin)) @ n / half_width)


def _arm(points: Floats) -> Floats:
    """The upper arm's membership (v,) of points of the left side, before the flank is taken away.

    Below the arm the blend ends farther out: there the skin folds in the armpit, and skin that
    followed the arm alone would enter the chest.
    """
    (x, _, _), _, half_width = _PLANES["shoulder"]
    longer = _UNDERARM_M * soft_sign((1.41 - points[:, 1]) / 0.03)
    return soft_sign((points[:, 0] - x - 0.5 * longer) / (half_width + 0.5 * longer))


def human_memberships(vertices: Floats, triangles: Ints) -> dict[str, Floats]:
    """Each joint's membership (v,) of the rest-pose vertices (v, 3) of the skin's triangles."""
    x, y = np.abs(vertices[:, 0]), vertices[:, 1]
    sided = np.column_stack([x, y, vertices[:, 2]])
    out = {name: _across(vertices, name) for name in ("spine", "chest", "head")}
    # the neck begins above the trapezius, which slopes away from it
    neck = soft_sign((y - 1.485 - 0.9 * np.maximum(x - 0.045, 0.0)) / 0.035)
    out["head"] = np.where(y > 1.49, out["head"], 0.0)
    out["neck"] = np.maximum(neck, out["head"])
    # the flank below the armpit reaches as far out as the arm's root but does not follow it
    arm = _arm(sided) * soft_sign((y - 1.315) / 0.035)
    # the weight of the clavicle fades along a quarter of an ellipse, towards the sternum and the
    # flank
    away = np.hypot(np.maximum(0.168 - x, 0.0) / 0.112, np.maximum(1.400 - y, 0.0) / 0.108)
    girdle = soft_sign(1.0 - 2.0 * away)
    # the boundary of the thigh slopes from the crotch outwards and up to the hip centre
    inner = np.minimum(sided, [0.10, np.inf, np.inf])
    inner[:, 1] += 1.0 * np.maximum(0.05 - x, 0.0)
    leg = np.where(y < 1.05, _across(inner, "hip"), 0.0)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        here = sign * vertices[:, 0]
        # above the crotch the midline belongs to the pelvis; below it the legs are separate
        middle = np.clip((y - 0.79) * 0.7, 0.0005, 0.028)
        gate = soft_sign((here - middle) / middle)
        out[f"{side}_hip"] = leg * gate
        for name in ("knee", "ankle", "toe"):
            out[f"{side}_{name}"] = np.where((y < 0.7) & (here > 0), _across(sided, name), 0.0)
        on_side = (here > 0) & (y > 1.1)
        out[f"{side}_shoulder"] = np.where(on_side, arm, 0.0)
        out[f"{side}_clavicle"] = np.where(on_side, np.maximum(girdle, arm), 0.0)
        out[f"{side}_clavicle"] *= 1.0 - out["neck"]
        for name in ("elbow", "wrist"):
            out[f"{side}_{name}"] = np.where(on_side, _across(sided, name), 0.0)
    # between the legs, pelvis and thighs are very close: without smoothing, the skin tears in
    # sitting poses
    seat = (x < 0.09) & (y > 0.78) & (y < 0.93)
    left, right = (
        smooth_over_mesh(out[f"{side}_hip"], triangles, seat, 20) for side in ("left", "right")
    )
    share = 1.0 - 1.1 * np.minimum(left, right)  # belongs to the pelvis more than to either leg
    out["left_hip"], out["right_hip"] = left * share, right * share
    out["right_toe"] = np.minimum(out["right_toe"], out["right_ankle"])
    out["left_toe"] = np.minimum(out["left_toe"], out["left_ankle"])
    return out


def human_twist(skeleton: Skeleton, vertices: Floats, memberships: dict[str, Floats]) -> Twist:
    """Fractions of twist that rise gradually along upper arms, forearms and upper thighs."""
    joint = np.full(len(vertices), -1, dtype=np.int64)
    share = np.zeros(len(vertices))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        sided = vertices * np.array([sign, 1.0, 1.0])
        arms = (sided[:, 1] > 1.1) & (sided[:, 0] > 0.13)
        regions = {
            "shoulder": arms & (sided[:, 0] < 0.458),
            "wrist": arms & (sided[:, 0] >= 0.458),
            "hip": (sided[:, 1] < 1.0) & (sided[:, 0] > 0),
        }
        for name, region in regions.items():
            start, end = (np.array(p) for p in _TWIST_SPANS[name])
            along = (sided - start) @ (end - start) / ((end - start) @ (end - start))
            joint[region] = skeleton.index(f"{side}_{name}")
            whole = np.clip(along, 0.0, 1.0)
            if name != "wrist":  # the trunk does not twist with the limb
                whole = whole * memberships[f"{side}_{name}"]
            share[region] = whole[region]
    axis = np.zeros((len(skeleton), 3))
    for side, sign in (("left", 1.0), ("right", -1.0)):
        axis[skeleton.index(f"{side}_shoulder")] = axis[skeleton.index(f"{side}_wrist")] = (
            sign,
            0,
            0,
        )
        axis[skeleton.index(f"{side}_hip")] = (0, -1, 0)
    return Twist(joint, share, axis)
