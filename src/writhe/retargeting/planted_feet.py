"""Planted feet: detected in the source, locked on the ground under the target by leg IK.

The ball of the foot (the toe joint, or a point of the sole if there is none) is locked, so that a
heel may still rise, and the sole lies on the ground (`soles`). The whole body is shifted first, and
leg IK makes the remaining correction. Cleaning has a simpler rule for when a foot is planted
(`cleaning/feet_of_source.py`). Corrections fade in and out over `BLEND_S`; where a leg would
not reach, the hips are lowered smoothly.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.recognition.rest_alignment import RestBody, shortest_rotation
from writhe.retargeting.soles import Sole
from writhe.skeleton import Frames, JointKind, Motion, forward, quaternions
from writhe.skeleton.limbs import SIDES
from writhe.time_filters import envelope, gaussian

PLANTED_SPEED_M_S = 0.15
PLANTED_DRIFT_M = 0.02  # a foot that drifts farther counts as a new plant
STEP_GAP_S = 0.1
PLANTED_HEIGHT_M = 0.07  # a foot whose ball is higher above its lowest height is not planted
SHORTEST_PLANT_S = 0.12
BLEND_S = 0.25
FULL_REACH = 0.9995  # maximum leg extension, as a fraction of the straight length


def lock_planted_feet(
    motion: Motion,
    source_balls: dict[str, Floats],
    target: RestBody,
    soles: dict[str, Sole],
    floor_m: float | None = None,
    *,
    same: bool = False,
) -> tuple[Motion, dict[str, Any]]:
    """The motion with planted feet locked on the ground, and a report.

    Soles that are planted in the source lie on the ground, and no sole sinks below it. The report
    has the planted frames, the slide before and after, the ground height, and the largest distance
    of a planted sole from the ground before and after, m.

    source_balls: positions (F, 3) of the balls of the source's feet, by side.
    floor_m: height of the ground; by default the median height of planted soles, so that the body
        keeps its mean height.
    same: the feet are where the source has them; the motion is then changed only if `floor_m` is
        not the height of its own ground.
    """
    frames = motion.frames()
    plants = {side: planted_spans(ball, motion.fps) for side, ball in source_balls.items()}
    low = {side: soles[side].lowest(frames) for side in SIDES}
    planted = [low[side][a:b] for side in SIDES for a, b in plants[side]]
    level = float(np.median(np.concatenate(planted))) if planted else None
    floor = level if floor_m is None else floor_m
    slide, apart = _slide(frames, plants, soles), _off_ground(low, plants, level)
    if floor is not None and not (same and floor == level):
        lift = _lift(low, plants, floor, motion.fps)
        motion = _with_hips_lowered(motion, -lift, target)
        frames = motion.frames()
        low = {side: height + lift for side, height in low.items()}
        shifts = {
            side: _corrections(
                soles[side].ball(frames), low[side] - floor, plants[side], motion.fps
            )
            for side in SIDES
        }
        drop = _hips_drop(frames, shifts, target, motion.fps)
        motion = _with_hips_lowered(motion, drop, target)
        for side in SIDES:
            motion = _with_ankle_moved(
                motion, side, shifts[side] + drop[:, None] * [0, 1, 0], target
            )
        tree = motion.skeleton.tree
        q = motion.q.copy()
        align_hemispheres(tree.kind, tree.q_start, q)
        motion = replace(motion, q=q)
    frames = motion.frames()
    low = {side: soles[side].lowest(frames) for side in SIDES}
    report = {
        "planted_frames": sum(b - a for spans in plants.values() for a, b in spans),
        "foot_slide_before_m": slide,
        "foot_slide_after_m": _slide(frames, plants, soles),
        "floor_m": floor,
        "off_ground_before_m": apart,
        "off_ground_after_m": _off_ground(low, plants, floor),
    }
    return motion, report


def _lift(
    low: dict[str, Floats], plants: dict[str, list[tuple[int, int]]], floor: float, fps: float
) -> Floats:
    """(F,) smooth upward shift of the whole body that brings its planted soles to the floor, m.

    The remaining correction of each foot is small, so that leg IK hardly changes the legs.
    """
    count = len(next(iter(low.values())))
    total, weight = np.zeros(count), np.zeros(count)
    for side, spans in plants.items():
        for a, b in spans:
            total[a:b] += floor - low[side][a:b]
            weight[a:b] += 1.0
    known = np.flatnonzero(weight)
    if len(known) == 0:
        return np.zeros(count)
    lift = np.interp(np.arange(count), known, total[known] / weight[known])
    return gaussian(lift, 0.5 * BLEND_S * fps)


def _off_ground(
    low: dict[str, Floats], plants: dict[str, list[tuple[int, int]]], floor: float | None
) -> float:
    """Largest distance of a planted sole from the ground, m."""
    if floor is None:
        return 0.0
    found = [np.abs(low[s][a:b] - floor).max() for s, spans in plants.items() for a, b in spans]
    return float(max(found, default=0.0))


def planted_spans(ball: Floats, fps: float) -> list[tuple[int, int]]:
    """Spans (first, last + 1) of frames in which the ball of a foot (F, 3) is low and at rest."""
    if len(ball) < 3:
        return []
    speed = np.linalg.norm(np.gradient(ball, axis=0), axis=1) * fps
    floor = float(np.percentile(ball[:, 1], 5.0))
    still: Bools = (speed < PLANTED_SPEED_M_S) & (ball[:, 1] < floor + PLANTED_HEIGHT_M)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], still.astype(np.int8), [0]])))
    minimum = max(2, int(np.ceil(SHORTEST_PLANT_S * fps)))
    gap = max(1, round(STEP_GAP_S * fps))
    spans: list[tuple[int, int]] = []
    for start, stop in zip(edges[::2], edges[1::2], strict=True):
        a = int(start)
        while a < stop:
            drifted = np.linalg.norm(ball[a:stop] - ball[a], axis=1) > PLANTED_DRIFT_M
            b = a + int(np.argmax(drifted)) if drifted.any() else int(stop)
            if b - a >= minimum:
                spans.append((a, b))
            a = b + gap
    return spans


def _corrections(ball: Floats, height: Floats, spans: list[tuple[int, int]], fps: float) -> Floats:
    """(F, 3) displacements that put a planted foot at its mean position and on the ground.

    height (F,): height of the lowest point of the sole above the ground; no correction makes it
    negative. Corrections fade in and out between the spans.
    """
    shift = np.zeros_like(ball)
    for a, b in spans:
        shift[a:b] = ball[a:b].mean(axis=0) - ball[a:b]
        shift[a:b, 1] = -height[a:b]
    blend = max(1, round(BLEND_S * fps))
    ends = [0, *(edge for span in spans for edge in span), len(ball)]
    for a, b in zip(ends[::2], ends[1::2], strict=True):
        if a >= b:
            continue
        reach = min(blend, b - a + 1)
        distance = np.arange(1, b - a + 1)
        if a > 0:
            shift[a:b] += _fade(distance / reach)[:, None] * shift[a - 1]
        if b < len(ball):
            shift[a:b] += _fade(distance[::-1] / reach)[:, None] * shift[b]
    shift[:, 1] = np.maximum(shift[:, 1], -height)
    return shift


def _fade(x: Floats) -> Floats:
    x = np.clip(x, 0.0, 1.0)
    return 1.0 - x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)


def _slide(
    frames: Frames, plants: dict[str, list[tuple[int, int]]], soles: dict[str, Sole]
) -> float:
    """Largest horizontal distance of a planted foot from where it is at the start of the plant, m.

    Only horizontal: the ball rises where the foot rolls over its toes.
    """
    farthest = 0.0
    for side, spans in plants.items():
        ball = soles[side].ball(frames)
        for a, b in spans:
            path = ball[a:b, [0, 2]]
            farthest = max(farthest, float(np.linalg.norm(path - path[0], axis=1).max()))
    return farthest


def _leg(frames: Frames, side: str, target: RestBody) -> tuple[Floats, Floats, Floats]:
    return (
        frames.positions[:, target.joint[f"{side}_hip"]],
        frames.positions[:, target.joint[f"{side}_knee"]],
        frames.positions[:, target.joint[f"{side}_ankle"]],
    )


def _hips_drop(frames: Frames, shifts: dict[str, Floats], target: RestBody, fps: float) -> Floats:
    """(F,) smooth lowering of the hips that keeps moved feet within reach, m."""
    required = np.zeros(len(frames.positions))
    for side, shift in shifts.items():
        hip, _, ankle = _leg(frames, side, target)
        reach = FULL_REACH * (target.length(f"{side}_hip") + target.length(f"{side}_knee"))
        hip_to_foot = ankle + shift - hip
        across = hip_to_foot[:, 0] ** 2 + hip_to_foot[:, 2] ** 2
        beyond = (hip_to_foot**2).sum(axis=1) > reach**2
        moved = np.abs(shift).max(axis=1) > 0
        height = np.sqrt(np.maximum(reach**2 - across, 0.0))
        required = np.maximum(
            required,
            np.where(beyond & moved & (hip_to_foot[:, 1] < 0), -hip_to_foot[:, 1] - height, 0),
        )
    if not required.any():
        return required
    return envelope(required, max(1, round(0.5 * BLEND_S * fps)))


def _with_hips_lowered(motion: Motion, drop: Floats, target: RestBody) -> Motion:
    if not drop.any():
        return motion
    skeleton = motion.skeleton
    chain = skeleton.ancestors(skeleton.names[target.joint["hips"]])
    free = next(j for j in chain if skeleton.joints[j].kind is JointKind.FREE)
    q = motion.q.copy()
    parent = int(skeleton.tree.parent[free])
    above = np.eye(3) if parent < 0 else motion.frames().rotations[:, parent]
    down = (above @ skeleton.tree.rest[free])[..., 1, :]
    at = int(skeleton.tree.q_start[free])
    q[:, at : at + 3] -= drop[:, None] * down
    return replace(motion, q=q)


def _with_ankle_moved(motion: Motion, side: str, shift: Floats, target: RestBody) -> Motion:
    """Flex the knee and swing the thigh such that the ankle moves by `shift` (F, 3).

    The foot keeps its orientation.

    With K = hip to knee, M = knee to ankle and h the knee's axis, flexing to angle f (from K to M
    about h) puts the ankle at the distance D of |K|^2 + |M|^2 + 2 (K.h)(M.h) + 2 |K'||M'| cos f,
    primes for the parts across h.
    """
    rows = np.flatnonzero(np.abs(shift).max(axis=1) > 1e-9)
    if len(rows) == 0:
        return motion
    skeleton = motion.skeleton
    frames = forward(skeleton, motion.q[rows])
    hip, knee, ankle = _leg(frames, side, target)
    upper, lower = knee - hip, ankle - knee
    axis = _knee_axis(frames, side, upper, lower, target)
    goal = ankle + shift[rows] - hip
    upper_across = upper - (upper * axis).sum(1, keepdims=True) * axis
    lower_across = lower - (lower * axis).sum(1, keepdims=True) * axis
    flexed = np.arctan2(
        (np.cross(upper_across, lower_across) * axis).sum(1), (upper_across * lower_across).sum(1)
    )
    fixed = (upper**2).sum(1) + (lower**2).sum(1)
    fixed += 2.0 * (upper * axis).sum(1) * (lower * axis).sum(1)
    swing = 2.0 * np.linalg.norm(upper_across, axis=1) * np.linalg.norm(lower_across, axis=1)
    cosine = ((goal**2).sum(1) - fixed) / np.maximum(swing, 1e-12)
    target_flexion = np.arccos(np.clip(cosine, -1.0, 1.0)) * np.where(flexed < -0.05, -1.0, 1.0)
    bend = quaternions.from_axis_angle(axis, target_flexion - flexed)
    reached = upper + quaternions.rotate(bend, lower)
    swing_leg = shortest_rotation(reached, goal)
    names = {
        part: skeleton.names[target.joint[f"{side}_{part}"]] for part in ("hip", "knee", "ankle")
    }
    q = motion.q.copy()
    old = {n: quaternions.from_matrices(frames.rotation(n)) for n in names.values()}
    new = {
        names["hip"]: quaternions.multiply(swing_leg, old[names["hip"]]),
        names["knee"]: quaternions.multiply(
            swing_leg, quaternions.multiply(bend, old[names["knee"]])
        ),
        names["ankle"]: old[names["ankle"]],
    }
    # helper joints between the three move with the one above them
    carried = {names["hip"]: swing_leg, names["knee"]: quaternions.multiply(swing_leg, bend)}
    for name, turn in new.items():
        j = skeleton.index(name)
        joint = skeleton.joints[j]
        parent = int(skeleton.tree.parent[j])
        above = np.array([[1.0, 0.0, 0.0, 0.0]])
        if parent >= 0:
            above = quaternions.from_matrices(frames.rotations[:, parent])
            carrier = next(
                (
                    skeleton.names[a]
                    for a in skeleton.ancestors(name)[1:]
                    if skeleton.names[a] in carried
                ),
                None,
            )
            if carrier is not None:
                above = quaternions.multiply(carried[carrier], above)
        base = quaternions.multiply(above, quaternions.normalised(np.asarray(joint.rest)))
        local = quaternions.multiply(quaternions.conjugate(base), turn)
        part = skeleton.q_slice(name)
        if joint.kind in (JointKind.BALL, JointKind.FREE):
            q[rows, part.stop - 4 : part.stop] = local
        elif joint.kind is JointKind.HINGE:
            q[rows, part.start] = quaternions.twist_angles(local, joint.axis)
    return replace(motion, q=q)


def _knee_axis(frames: Frames, side: str, upper: Floats, lower: Floats, target: RestBody) -> Floats:
    """(F, 3) unit axis in the world about which the knee flexes."""
    j = target.joint[f"{side}_knee"]
    joint = target.skeleton.joints[j]
    thigh = target.joint[f"{side}_hip"]
    left = target.positions[target.joint["left_hip"]] - target.positions[target.joint["right_hip"]]
    left /= np.linalg.norm(left)
    if joint.kind is JointKind.HINGE:
        axis = frames.rotations[:, j] @ joint.axis
        in_world = quaternions.rotate(target.rotations[j], joint.axis)
        return axis if float(in_world @ left) >= 0 else -axis
    lateral_in_thigh = quaternions.rotate(quaternions.conjugate(target.rotations[thigh]), left)
    lateral = frames.rotations[:, thigh] @ lateral_in_thigh
    normal = np.cross(upper, lower)
    # a bent knee defines its axis; a straight one flexes about the thigh's lateral axis
    bent = np.linalg.norm(normal, axis=1, keepdims=True)
    share = np.clip(bent / (0.1 * np.linalg.norm(upper, axis=1, keepdims=True) ** 2), 0.0, 1.0)
    normal = np.where((normal * lateral).sum(1, keepdims=True) < 0, -normal, normal)
    mixed = share * normal / np.maximum(bent, 1e-12) + (1.0 - share) * lateral
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
