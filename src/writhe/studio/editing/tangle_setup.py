"""What all winding in the studio shares: who moves, what stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.quantities import Place, Posture
from writhe.quantities.quantity import vector
from writhe.scene import Layout
from writhe.skeleton import forward
from writhe.solvers.tangling import TangleOptions, TangleSetup, motion_cost
from writhe.studio.document import Actor
from writhe.studio.editing.editor import Stage
from writhe.studio.editing.scene_builder import label
from writhe.terms import Term, joint_limits, keep_centre_over, reach

PIN_WEIGHT, LOOSE_PIN_WEIGHT = 60.0, 4.0
_BALANCE_M = 0.08
# how much the trunk of someone whose feet are pinned prefers to stay as it is
_TRUNK = {"hips": 2.0, "spine": 1.0, "chest": 1.0, "neck": 0.7, "head": 0.5}


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
