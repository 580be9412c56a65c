"""Setup of the tangle solver for a document: movable actors, pins, balance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from writhe.arrays import Bools, Floats
from writhe.quantities import FreeJointPose, JointPosture
from writhe.quantities.quantity import vector
from writhe.scene import Layout
from writhe.skeleton import forward
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.tangling import TangleOptions, TangleSetup, motion_metric
from writhe.studio.document import ActorRow
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene_builder import actor_label
from writhe.terms import Term, joint_limits, keep_centre_over, reach

PIN_WEIGHT, LOOSE_PIN_WEIGHT = 60.0, 4.0
_BALANCE_M = 0.08
# weights that keep the trunk of an actor with pinned feet in place
_TRUNK = {"hips": 2.0, "spine": 1.0, "chest": 1.0, "neck": 0.7, "head": 0.5}


def variables_of(layout: Layout, actors: Iterable[int]) -> Bools:
    """Mask (nv,) of the degrees of freedom of these actors."""
    out = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
    for actor in actors:
        out[layout.actor_v[actor_label(actor)]] = True
    return out


def tangle_setup_of(
    editor: Editor, movers: Sequence[int], q: Floats, *, loose: bool = False
) -> TangleSetup:
    """The tangle setup for moving these actors; with `loose`, pins have a low weight."""
    layout = editor.scene.layout
    terms: list[Term] = []
    for number in movers:
        actor = editor.document.actor(number)
        terms += joint_limits(layout.skeleton, only_under=actor_label(number))
        terms += _pins(actor, LOOSE_PIN_WEIGHT if loose else PIN_WEIGHT)
        if not loose:
            terms += _balance_terms(editor, actor, q)
    return TangleSetup(
        layout.table,
        tuple(terms),
        TangleOptions(writhe_stride=0.03),
        variables_of(layout, movers),
        motion_metric(layout.skeleton),
    )


def _pins(actor: ActorRow, weight: float) -> list[Term]:
    return [
        reach(f"{actor_label(actor.id)}.{pin.joint}", pin.position_in_world, weight=weight)
        for pin in actor.pins
    ]


def _balance_terms(editor: Editor, actor: ActorRow, q: Floats) -> list[Term]:
    """Terms that keep balance and the trunk's posture of an actor whose feet are pinned."""
    layout, figure = editor.scene.layout, editor.document.figure(actor.figure)
    roles, who = dict(figure.roles), actor_label(actor.id)
    feet = [roles.get(ankle) for ankle in ANKLES]
    if not {foot for foot in feet if foot} <= {pin.joint for pin in actor.pins} or None in feet:
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
