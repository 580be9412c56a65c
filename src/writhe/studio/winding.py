"""Winding in the studio: who moves, what stays as it is, and steps from frame to frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d

from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable, Gate, certify
from writhe.quantities import Place, Posture
from writhe.quantities.quantity import vector
from writhe.scene import Layout
from writhe.skeleton import Motion, Skeleton, forward
from writhe.skeleton.kinematics import difference, integrate
from writhe.solvers.tangling import TangleOptions, TangleSetup, motion_cost
from writhe.studio.document import Actor
from writhe.studio.stage import Stage
from writhe.studio.surroundings import label
from writhe.terms import Term, joint_limits, keep_centre_over, reach

PIN_WEIGHT, LOOSE_PIN_WEIGHT = 60.0, 4.0
_BALANCE_M = 0.08
# how much the trunk of someone whose feet are pinned prefers to stay as it is
_TRUNK = {"hips": 2.0, "spine": 1.0, "chest": 1.0, "neck": 0.7, "head": 0.5}
_SMOOTH_FRAMES = 2.0


def variables_of(layout: Layout, actors: Iterable[int]) -> Bools:
    """(nv,) the degrees of freedom of some actors."""
    out = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
    for actor in actors:
        out[layout.actor_v[label(actor)]] = True
    return out


def setup_of(stage: Stage, movers: Sequence[int], q: Floats, *, loose: bool = False) -> TangleSetup:
    """What all winding of these actors shares; with `loose` pins give way to the tangle."""
    layout = stage.scene.layout
    terms: list[Term] = []
    for number in movers:
        actor = stage.document.actor(number)
        terms += joint_limits(layout.skeleton, only_under=label(number))
        terms += _pins(actor, LOOSE_PIN_WEIGHT if loose else PIN_WEIGHT)
        if not loose:
            terms += _composure(stage, actor, q)
    return TangleSetup(
        layout.table,
        tuple(terms),
        TangleOptions(writhe_stride=0.03),
        variables_of(layout, movers),
        motion_cost(layout.skeleton),
    )


def _pins(actor: Actor, weight: float) -> list[Term]:
    return [
        reach(f"{label(actor.id)}.{pin.joint}", pin.position_in_world, weight=weight)
        for pin in actor.pins
    ]


def _composure(stage: Stage, actor: Actor, q: Floats) -> list[Term]:
    """Who stands on pinned feet keeps balance, and the trunk more or less as it is."""
    layout, figure = stage.scene.layout, stage.document.figure(actor.figure)
    roles, who = dict(figure.roles), label(actor.id)
    feet = [roles.get("left_ankle"), roles.get("right_ankle")]
    if not {foot for foot in feet if foot} <= {pin.joint for pin in actor.pins} or None in feet:
        return []
    frames = forward(layout.skeleton, q)
    middle = np.mean([frames.position(f"{who}.{foot}") for foot in feet], axis=0)
    out = [keep_centre_over(who, middle, within_m=_BALANCE_M, weight=20.0)]
    for role, weight in _TRUNK.items():
        if role in roles:
            joint = f"{who}.{roles[role]}"
            numbers = vector(q[layout.skeleton.q_slice(joint)])
            quantity = Place(joint, numbers) if role == "hips" else Posture(joint, numbers)
            out.append(Term(quantity, 0.0, 0.0, weight, label=f"composure {joint}"))
    return out


def timed(table: CollisionTable, path: Floats, frames: int, fps: float) -> Floats:
    """A certified path as frames + 1 postures: a slow start and end, smoothed where that is clear.

    Few frames cut the corners of a winding path. The last resort puts a frame at every corner that
    matters; that there are more of these than frames is for the certificate to say.
    """
    skeleton = table.skeleton
    even = _along(skeleton, path, np.linspace(0.0, 1.0, 4 * frames + 1))
    u = np.linspace(0.0, 1.0, frames + 1)
    eased = u * u * (3.0 - 2.0 * u)
    smooth = _smoothed(skeleton, even, 4.0 * _SMOOTH_FRAMES)
    out = path[:1]
    for rows, share in ((smooth, eased), (even, eased), (even, u)):
        out = _along(skeleton, rows, share)
        if certify(table, out, fps).certified:
            return out
    corners = _corners(table, path)
    return out if len(corners) > frames + 1 else _between_corners(skeleton, path[corners], frames)


def _corners(table: CollisionTable, path: Floats) -> list[int]:
    """Rows of a certified path that can be joined by straight pieces, each certified too."""
    gate, found = Gate(table), [0]
    while found[-1] < len(path) - 1:
        start = here = found[-1]
        reach = len(path) - 1 - start
        while reach:  # as far as a straight piece leads, by halving
            if gate.fraction(path[start], path[here + reach]) >= 1.0:
                here += reach
            reach = min(reach // 2, len(path) - 1 - here)
        found.append(max(here, start + 1))
    return found


def _between_corners(skeleton: Skeleton, corners: Floats, frames: int) -> Floats:
    """frames + 1 postures along straight pieces, one at every corner, the long pieces with more."""
    lengths = [float(np.linalg.norm(difference(skeleton, a, b))) for a, b in pairwise(corners)]
    counts = np.ones(len(lengths), dtype=int)
    for _ in range(frames - len(lengths)):
        counts[int(np.argmax(np.array(lengths) / counts))] += 1
    share = [k + i / n for k, n in enumerate(counts) for i in range(n)]
    return Motion(skeleton, corners, 1.0).at(np.array([*share, len(lengths)], dtype=float))


def _along(skeleton: Skeleton, path: Floats, share: Floats) -> Floats:
    """The postures at shares (0 to 1) of the path's length."""
    if len(path) < 2:
        return np.tile(path[:1], (len(share), 1))
    steps = [float(np.linalg.norm(difference(skeleton, a, b))) for a, b in pairwise(path)]
    along = np.concatenate([[0.0], np.cumsum(np.maximum(steps, 1e-9))])
    index = np.interp(share * along[-1], along, np.arange(len(path), dtype=float))
    return Motion(skeleton, path, 1.0).at(index)


def _smoothed(skeleton: Skeleton, path: Floats, width: float) -> Floats:
    """Each posture moved to the weighted mean of its neighbours, the ends kept."""
    middle = path[len(path) // 2]
    flat = np.array([difference(skeleton, middle, row) for row in path])
    soft = gaussian_filter1d(flat, width, axis=0, mode="nearest")
    away = np.minimum(np.arange(len(path)), np.arange(len(path))[::-1])
    share = np.clip(away / (3.0 * width), 0.0, 1.0)[:, None]
    return np.array([integrate(skeleton, middle, v) for v in (1.0 - share) * flat + share * soft])
