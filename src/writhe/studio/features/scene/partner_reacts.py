"""A partner who reacts: while one character is dragged, the nearest other one answers.

The partner takes an offered hand, steadies itself when it is pushed, and so on, as the pairs of a
database do (`writhe.solvers.partners`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.postures.preset_poses import is_person
from writhe.skeleton import forward
from writhe.solvers.partners import PartnerReaction
from writhe.studio.document.history import Edit
from writhe.studio.editing import held_joints
from writhe.studio.editing.editor import Editor
from writhe.studio.feature import Feature
from writhe.studio.features.scene.partner_follows import PartnerTangle
from writhe.studio.protocol import ActorPose, Command, MessagePart

feature = Feature("partner_reacts")
_SETTING = "partner_reacts"
_WITHIN_M = 1.6  # horizontal distance of the hips of two who interact
_FRAMES = 2  # solver frames of the partner for each step of a drag


class SetPartnerReacts(Command):
    """Whether the nearest character reacts while another one is dragged."""

    on: bool


class PartnerReactsState(MessagePart):
    """Whether partners react."""

    on: bool


class Reacted(MessagePart):
    """The poses of the characters that reacted to a drag step."""

    actors: list[ActorPose]


@dataclass
class _Session:
    """The partner of the drag in progress, and the setting in a revision of the document."""

    revision: int = -1
    on: bool = False
    gesture: int = -1
    key: object = None
    partner: int = 0  # 0: none
    reaction: PartnerReaction | None = None


@feature.state
def state(editor: Editor) -> PartnerReactsState:
    """The setting of the document."""
    return PartnerReactsState(editor.document.setting(_SETTING, bool, False))


@feature.command("Partner reacts")
def change(editor: Editor, edit: Edit, message: SetPartnerReacts) -> None:
    """Store the setting; the pairs are read now, so that no drag waits for them."""
    if message.on:
        _ = editor.posers.pairs
    edit.setting(_SETTING, message.on)


@feature.drag_follower
def react(editor: Editor, actor: int) -> Reacted | None:
    """After a drag step of one actor, move its partner."""
    session, document = editor.session_data(_Session), editor.document
    if session.revision != document.revision:
        session.revision, session.on = document.revision, state(editor).on
    if not session.on:
        return None
    if session.gesture != editor.gestures:
        session.gesture = editor.gestures
        session.partner = _partner(editor, actor)
        if session.reaction is not None:
            session.reaction.reset()
    if not session.partner:
        return None
    reaction = _reaction(editor, session, actor)
    row = document.actor(session.partner)
    posed, leader = editor.posed_actor(row), editor.posed_actor_by_number(actor)
    editor.update_environment(posed)
    targets, feet = reaction.handles(leader.q, posed.q)
    pins = editor.pins_now(row, posed)
    pinned = {pin.joint for pin in pins}
    holds = held_joints.on_own_tree(document, row.id, editor.time_s)
    if row.id not in editor.followers:
        posed.begin_drag({target.joint for target in targets})
    posed.step(
        [target for target in targets if target.joint not in pinned],
        [*pins, *(pin for pin in feet if pin.joint not in pinned), *holds],
        _FRAMES,
    )
    editor.followers.add(row.id)
    return Reacted([ActorPose(row.id, posed.q.astype("<f4").tobytes())])


def _reaction(editor: Editor, session: _Session, actor: int) -> PartnerReaction:
    """The reaction of the session's partner to an actor; kept while both stay the same."""
    leader, partner = (editor.posed_actor_by_number(n).figure for n in (actor, session.partner))
    key = leader.name, partner.name
    if session.reaction is None or session.key != key:
        session.reaction = PartnerReaction(editor.posers.pairs, leader, partner)
        session.key = key
    return session.reaction


def _partner(editor: Editor, actor: int) -> int:
    """The nearest other person who is free to react; 0 for none."""
    if editor.session_data(PartnerTangle).goal is not None:
        return 0  # the partner keeps the tangle
    joined = {end.actor for _, *ends in editor.holds_now for end in ends}
    places = {
        row.id: _hips(editor, row.id)
        for row in editor.document.actors()
        if is_person(editor.document.figure(row.figure)) and row.id not in joined - {actor}
    }
    if actor not in places:
        return 0
    here = places.pop(actor)
    apart = {n: float(np.hypot(*(place - here)[[0, 2]])) for n, place in places.items()}
    nearest = min(apart, key=lambda n: apart[n], default=0)
    return nearest if nearest and apart[nearest] < _WITHIN_M else 0


def _hips(editor: Editor, actor: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    posed = editor.posed_actor_by_number(actor)
    return forward(posed.figure.skeleton, posed.q).position(posed.figure.joint_of("hips"))
