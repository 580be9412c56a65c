"""The tangle setup of actors in a scene: joint limits, pins, balance on pinned feet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats, Vector3
from writhe.quantities import FreeJointPose, JointPosture
from writhe.quantities.quantity import vector
from writhe.scene import Layout
from writhe.skeleton import Figure, forward
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.tangling.keyframes import TangleSetup, motion_metric
from writhe.solvers.tangling.options import TangleOptions
from writhe.terms import Term, joint_limits, keep_centre_over, reach

PIN_WEIGHT, LOOSE_PIN_WEIGHT = 60.0, 4.0
_BALANCE_M = 0.08
# weights that keep the trunk of an actor with pinned feet in place
_TRUNK = {"hips": 2.0, "spine": 1.0, "chest": 1.0, "neck": 0.7, "head": 0.5}


@dataclass(frozen=True)
class TangleMover:
    """An actor of the scene that may move, and its pinned joints with their positions."""

    actor: str
    figure: Figure
    pins: tuple[tuple[str, Vector3], ...] = ()


def variables_of(layout: Layout, actors: Iterable[str]) -> Bools:
    """Mask (nv,) of the degrees of freedom of these actors."""
    out = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
    for actor in actors:
        out[layout.actor_v[actor]] = True
    return out


def actor_setup(
    layout: Layout, movers: Sequence[TangleMover], q: Floats, *, loose: bool = False
) -> TangleSetup:
    """The tangle setup for moving these actors from q; with `loose`, pins have a low weight."""
    terms: list[Term] = []
    for mover in movers:
        terms += joint_limits(layout.skeleton, only_under=mover.actor)
        weight = LOOSE_PIN_WEIGHT if loose else PIN_WEIGHT
        terms += [reach(f"{mover.actor}.{joint}", at, weight=weight) for joint, at in mover.pins]
        if not loose:
            terms += _balance_terms(layout, mover, q)
    return TangleSetup(
        layout.table,
        tuple(terms),
        TangleOptions(writhe_stride=0.03),
        variables_of(layout, (mover.actor for mover in movers)),
        motion_metric(layout.skeleton),
    )


def _balance_terms(layout: Layout, mover: TangleMover, q: Floats) -> list[Term]:
    """Terms that keep balance and the trunk's posture of an actor whose feet are pinned."""
    roles, who = dict(mover.figure.roles), mover.actor
    feet = [roles.get(ankle) for ankle in ANKLES]
    if None in feet or not set(feet) <= {joint for joint, _ in mover.pins}:
        return []
    frames = forward(layout.skeleton, q)
    middle = np.mean([frames.position(f"{who}.{foot}") for foot in feet], axis=0)
    out = [keep_centre_over(who, middle, within_m=_BALANCE_M, weight=20.0)]
    for role, weight in _TRUNK.items():
        if role in roles:
            joint = f"{who}.{roles[role]}"
            numbers = vector(q[layout.skeleton.q_slice(joint)])
            quantity = (
                FreeJointPose(joint, numbers) if role == "hips" else JointPosture(joint, numbers)
            )
            out.append(Term(quantity, 0.0, 0.0, weight, label=f"trunk {joint}"))
    return out
