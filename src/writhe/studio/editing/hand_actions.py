"""What characters of a document do with their hands: lift what they hold, let go of others.

A character stands up with an object; one that leaves a handshake opens its hand and draws it back,
and lowers its arm.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.easing import smoothstep
from writhe.hands import hands_of, lift, unclasp
from writhe.skeleton import Figure, Motion
from writhe.skeleton.configuration_paths import path_at
from writhe.studio.document.history import Edit
from writhe.studio.document.holds import HoldRow, all_holds, carriers, put_hold, remove_hold
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing import edits, held_joints, starting_poses
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import scene_objects
from writhe.studio.editing.scene.scene_builder import (
    SceneKey,
    actor_in_scene,
    actor_label,
    build_scene,
)

LIFT_S = 1.0  # time in which a character stands up
_STEP_S = 0.25  # from one pose of hands that let go to the next
_LOWER_S = 0.8  # in which a hand that was let go of is lowered

LettingGo = dict[int, tuple[Floats, ...]]  # poses by character, one after the other


def letting_go(editor: Editor, actor: int, q: Floats) -> LettingGo:
    """How a character and the one whose hand it shakes let go; empty if it shakes no hand.

    q: configuration of `editor.scene` at the playhead.
    """
    document = editor.document
    for _, part, other in held_joints.joints_held_at(document, editor.time_s):
        mine, theirs = (part, other) if part.actor == actor else (other, part)
        if mine.actor != actor or theirs.actor in (0, actor):
            continue
        sides = [_side(editor, anchor.actor, anchor.joint) for anchor in (mine, theirs)]
        if "" in sides:
            continue
        names = [actor_label(anchor.actor) for anchor in (mine, theirs)]
        database = editor.posers.postures(SolverSettings.of(document))
        rows = unclasp(editor.scene, names[0], names[1], (sides[0], sides[1]), q, database=database)
        own = editor.scene.layout.actor_q
        return {
            anchor.actor: tuple(row[own[name]].copy() for row in rows)
            for anchor, name in zip((mine, theirs), names, strict=True)
        }
    return {}


def seconds(poses: LettingGo) -> float:
    """How long it takes to let go."""
    return _STEP_S * max((len(rows) for rows in poses.values()), default=0)


def leave(editor: Editor, edit: Edit, actor: int, time_s: float, poses: LettingGo) -> None:
    """End the holds that join a character to others and to what stays; key how hands let go."""
    document = editor.document
    left: dict[int, str] = {}
    for hold, part, other in held_joints.joints_held_at(document, time_s):
        numbers = {part.actor, other.actor}
        if actor in numbers and numbers != {actor}:
            begun = 0.0 if hold.start_s is None else hold.start_s
            if time_s > begun:
                put_hold(document, edit, msgspec.structs.replace(hold, end_s=time_s))
            else:
                remove_hold(document, edit, hold.id)
            left |= {a.actor: a.joint for a in (part, other) if a.actor not in (0, actor)}
    for number, rows in poses.items():
        edits.put_key(document, edit, number, time_s, editor.posed_actor_by_number(number).q)
        for k, row in enumerate(rows):
            edits.put_key(document, edit, number, time_s + _STEP_S * (k + 1), row)
    for number, hand in left.items():
        _lower_arm(editor, edit, number, hand, time_s, poses.get(number, ()))


def _lower_arm(
    editor: Editor, edit: Edit, number: int, hand: str, time_s: float, before: tuple[Floats, ...]
) -> None:
    """A character whose hand was let go of lowers the arm, unless it has later keys."""
    document = editor.document
    begin_s = time_s + _STEP_S * len(before)
    if document.timeline(number).end_s > begin_s + _LOWER_S:
        return
    actor = document.actor(number)
    figure = document.figure(actor.figure)
    q = before[-1] if before else editor.posed_actor(actor).q
    edits.put_key(document, edit, number, begin_s, q)
    lowered = starting_poses.limb_reset(figure, q, hand)
    edits.put_key(document, edit, number, begin_s + _LOWER_S, lowered)


def _side(editor: Editor, number: int, joint: str) -> str:
    """The side of a hand with fingers, empty for another joint."""
    figure = editor.document.figure(editor.document.actor(number).figure)
    found = (side for side, hand in hands_of(figure).items() if hand.wrist == joint)
    return next(found, "")


def carried_by(editor: Editor, number: int) -> list[HoldRow]:
    """The holds of objects in the hands of a character at the playhead."""
    document, now = editor.document, editor.time_s
    found = carriers(all_holds(document), now, now).values()
    mine = [hold for hold in found if hold.other.actor == number]
    if not mine:
        return []
    hands = hands_of(document.figure(document.actor(number).figure)).values()
    wrists = {hand.wrist for hand in hands}
    return [hold for hold in mine if hold.other.joint in wrists]


def plan_lift(editor: Editor, number: int, hold: HoldRow) -> Callable[[], Floats | None]:
    """Computes how a character comes to stand upright with an object that it carries.

    Everything is read from the document now; the function that is returned does not use the editor.
    It returns the poses (k, nq) of the path, only the first and the last one if no clear path is
    known, and None if there is no room.
    """
    document, now = editor.document, editor.time_s
    scene = build_scene(document, SceneKey.of(document, (now, now)))
    actor = document.actor(number)
    posed = editor.posed_actor(actor)
    q = actor_in_scene(document, number, scene, editor.poses()).state
    label = actor_label(number)
    own = scene.layout.actor_q[label]
    q[own] = posed.q
    name = scene_objects.object_label(document.object_row(hold.part.object))
    holds = held_joints.on_own_tree(document, number, now)
    database = editor.posers.postures(SolverSettings.of(document))

    def lifted() -> Floats | None:
        for begin in (posed.q, _standing(posed.figure, posed.q)):
            q[own] = begin
            found = lift(scene, label, name, q, holds=holds, database=database)
            if found.upright and found.certified:
                path = found.path[:, own]
                return path if begin is posed.q else np.array([posed.q, path[-1]])
        return None

    return lifted


def put_lift(editor: Editor, edit: Edit, actor: int, start_s: float, path: Floats) -> None:
    """Add the motion of a character along the path of `plan_lift`, which lasts `LIFT_S`."""
    document = editor.document
    if len(path) == 2:
        edits.put_key(document, edit, actor, start_s, path[0])
        edits.put_key(document, edit, actor, start_s + LIFT_S, path[1])
        return
    skeleton = document.figure(document.actor(actor).figure).skeleton
    frames = max(1, round(LIFT_S * document.fps))
    eased = path_at(skeleton, path, smoothstep(np.arange(frames + 1) / frames))
    motion = Motion(skeleton, eased, frames / LIFT_S, "Lift")
    edits.put_sampled_track(document, edit, actor, motion, start_s)


def _standing(figure: Figure, q: Floats) -> Floats:
    """The starting pose where a character stands, with the fingers as they are."""
    out, skeleton = starting_poses.standing_here(figure, q), figure.skeleton
    for joint in (joint for hand in hands_of(figure).values() for joint in hand.joints):
        out[skeleton.q_slice(joint)] = q[skeleton.q_slice(joint)]
    return out
