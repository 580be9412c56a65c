"""Limbs that are posed joint by joint (forward kinematics) instead of by inverse kinematics.

A drag of a part of such a limb turns that part alone about its joint; what is below it follows
rigidly and the rest of the body stays. The turn is certified like every other step.
"""

from __future__ import annotations

from writhe.skeleton import Figure, Skeleton
from writhe.studio.document.history import Edit
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.protocol import Command, MessagePart

feature = Feature("limb_modes")
_SETTING = "forward_limbs"


class SetLimbMode(Command):
    """Pose the limb of a joint joint by joint (`forward`), or by inverse kinematics."""

    actor: int
    joint: int
    forward: bool


class ForwardLimb(MessagePart):
    """The joints of a limb of an actor that is posed joint by joint."""

    actor: int
    joints: list[int]


class LimbModes(MessagePart):
    """The limbs that are posed joint by joint."""

    limbs: list[ForwardLimb]


@feature.state
def state(editor: Editor) -> LimbModes:
    """The limbs that are posed joint by joint."""
    figures = {a.id: editor.document.figure(a.figure) for a in editor.document.actors()}
    limbs: list[ForwardLimb] = []
    for number, first in _stored(editor):
        if number in figures and first in figures[number].skeleton:
            skeleton = figures[number].skeleton
            names = _limb(figures[number], first)
            limbs.append(ForwardLimb(number, [skeleton.index(name) for name in names]))
    return LimbModes(limbs)


@feature.command("IK or FK")
def set_limb_mode(editor: Editor, edit: Edit, message: SetLimbMode) -> None:
    """Switch a limb between inverse and forward kinematics."""
    actor = editor.document.actor(message.actor)
    figure = editor.document.figure(actor.figure)
    entry = (actor.id, _limb(figure, figure.skeleton.joint_name(message.joint))[0])
    others = [one for one in _stored(editor) if one != entry]
    edit.setting(_SETTING, [*others, entry] if message.forward else others)


def _stored(editor: Editor) -> list[tuple[int, str]]:
    """The limbs by actor and first joint."""
    return editor.document.setting(_SETTING, list[tuple[int, str]], [])


def _limb(figure: Figure, joint: str) -> tuple[str, ...]:
    """The joints of a limb with its fingers; of the trunk those of its strand."""
    skeleton = figure.skeleton
    chains = {name: tuple(n for n in chain if n in skeleton) for name, chain in figure.strands}
    torso = chains.pop("torso", ())
    for chain in chains.values():
        limb = _below(skeleton, chain[0]) if chain else ()
        if joint in limb:
            return limb
    return torso if joint in torso else _below(skeleton, joint)


def _below(skeleton: Skeleton, joint: str) -> tuple[str, ...]:
    at = skeleton.index(joint)
    return skeleton.names[at : int(skeleton.tree.subtree_end[at])]
