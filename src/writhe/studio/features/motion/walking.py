"""Walks of a character to a place on the floor, or to a chair."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from msgspec import Meta

from writhe.animation.mirror import heading_of, yaw_matrix
from writhe.animation.walking import walk
from writhe.arrays import Floats, Vector3, vector3
from writhe.errors import WritheError
from writhe.hands import stand_before
from writhe.skeleton import Figure, forward
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import rotation_matrix
from writhe.studio.document.history import Edit
from writhe.studio.document.holds import all_holds, carriers
from writhe.studio.editing import edits, held_joints, placements, scene_objects, starting_poses
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.hand_actions import (
    LIFT_S,
    carried_by,
    leave,
    letting_go,
    lifted,
    seconds,
)
from writhe.studio.editing.scene_builder import SceneKey, actor_label, build_scene, only_actor
from writhe.studio.feature import Feature, Outcome, Work
from writhe.studio.features.tangling.tangles import current_configuration
from writhe.studio.protocol import Message, Task
from writhe.studio.server.jobs import Job

feature = Feature("walking")

Metres = Annotated[float, Meta(ge=-100, le=100)]
_ROOM_S = 4.0  # that the timeline goes on after a walk, for the next poses
_AS_CARRIED = 0.1  # entries of q this near the upright carrying posture are left as they are
_THERE_M, _THERE_RAD = 0.08, 0.2  # nobody walks nearer than this
SEATS = ("chair",)
BEFORE_SEAT_M = 0.42  # from the middle of a seat to the feet of a character about to sit down


class WalkTo(Task):
    """Walk from the pose at the playhead to (x, z) on the floor, or to stand before an object."""

    actor: int
    x: Metres = 0.0
    z: Metres = 0.0
    object: int = 0


class Walked(Message):
    """A walk was added: when it ends, and the pins, limits or contacts that it does not keep."""

    job: str
    end_s: float
    conflicts: list[str]


@feature.task("Walk", needs=("planning",))
def walk_to(editor: Editor, message: WalkTo) -> Work:
    """Read the pose now; walk in the background."""
    document, start_s = editor.document, editor.time_s
    actor = document.actor(message.actor)
    label = actor_label(actor.id)
    scene = build_scene(document, only_actor(SceneKey.of(document, (start_s, start_s)), actor.id))
    holds = held_joints.on_own_tree(document, actor.id, start_s)
    if label not in scene.layout.actor_q:
        raise WritheError("this character has no solid shapes: it cannot walk")
    let_go = letting_go(editor, actor.id, current_configuration(editor))
    q = let_go[actor.id][-1] if let_go else editor.posed_actor(actor).q.copy()
    begin_s, fps = start_s + seconds(let_go), document.fps
    posture, ready_s = _released(editor, actor.id, q, start_s), 0.0
    raised = _raised(editor, actor.id, q)
    if raised is not None:
        posture, ready_s = raised, LIFT_S
    goal, facing = (message.x, message.z), None
    number = message.object or _seat_at(editor, goal)
    if number:
        goal, facing = _before(editor, actor.id, number, posture)
    if _is_there(document.figure(actor.figure), q, goal, facing):
        raise WritheError(
            "the character already stands there: move it or the object, or click elsewhere"
        )

    def work(job: Job) -> Outcome:
        found = walk(
            scene,
            q,
            goal,
            fps=fps,
            facing_rad=facing,
            holds=holds,
            posture=posture,
            ready_s=ready_s,
            actor=label,
        )
        motion = found.motion
        named = type(motion)(motion.skeleton, motion.q, motion.fps, "Walk")

        def commit(editor: Editor, edit: Edit) -> None:
            document, end_s = editor.document, begin_s + named.duration_s
            leave(editor, edit, message.actor, start_s, let_go)
            edits.put_sampled_track(document, edit, message.actor, named, begin_s)
            if document.duration_s < end_s + _ROOM_S:
                edit.setting("duration_s", float(np.ceil(end_s + _ROOM_S)))

        return Outcome(
            commit=commit,
            show=Walked(
                job.number,
                begin_s + motion.duration_s,
                sorted({conflict.what for conflict in found.conflicts}),
            ),
        )

    return work


def _is_there(figure: Figure, q: Floats, goal: tuple[float, float], facing: float | None) -> bool:
    """Whether a walk to a goal (x, z) would be steps on the spot."""
    roles, frames = dict(figure.roles), forward(figure.skeleton, q)
    feet = [frames.position(roles[role]) for role in ANKLES if role in roles]
    if not feet or np.hypot(*(np.mean(feet, axis=0)[[0, 2]] - goal)) > _THERE_M:
        return False
    turn = 0.0 if facing is None else facing - heading_of(figure, q)
    return abs((turn + np.pi) % (2.0 * np.pi) - np.pi) < _THERE_RAD


def _raised(editor: Editor, actor: int, q: Floats) -> Floats | None:
    """The upright carrying posture of a character that stoops with an object in its hands."""
    carried = carried_by(editor, actor)
    if not carried:
        return None
    upright = lifted(editor, actor, carried[0])
    return None if upright is None or np.abs(upright - q).max() < _AS_CARRIED else upright


def _released(editor: Editor, actor: int, q: Floats, time_s: float) -> Floats:
    """The posture to walk in: upright if the character lets go of another, else its pose."""
    joints = held_joints.joints_held_at(editor.document, time_s)
    carried = carriers(all_holds(editor.document), time_s, time_s).values()
    leaves = any(actor in (p.actor, o.actor) and p.actor != o.actor for _, p, o in joints)
    if not leaves or any(hold.other.actor == actor for hold in carried):
        return q
    figure = editor.document.figure(editor.document.actor(actor).figure)
    upright = starting_poses.starting_pose(figure)
    turn = yaw_matrix(heading_of(figure, q) - heading_of(figure, upright))
    away = np.array(_between_feet(figure, q)) - turn @ _between_feet(figure, upright)
    return moved_roots(figure.skeleton, upright[None], turn, away)[0]


def _between_feet(figure: Figure, q: Floats) -> Vector3:
    """The middle of the ankles."""
    frames = forward(figure.skeleton, q)
    feet = [frames.position(joint) for role, joint in figure.roles if role in ANKLES]
    return vector3(np.mean(feet, axis=0))


def _seat_at(editor: Editor, goal: tuple[float, float]) -> int:
    """The seat that stands at a position (x, z), 0 for none: nobody walks into a chair."""
    for item in editor.document.objects():
        place = placements.placement_at(editor.document, item, editor.time_s)
        if item.kind in SEATS and np.hypot(*(place[[0, 2]] - goal)) < BEFORE_SEAT_M:
            return item.id
    return 0


def _before(
    editor: Editor, actor: int, number: int, posture: Floats
) -> tuple[tuple[float, float], float | None]:
    """Where to stand before an object and which way to face: with the back to a seat."""
    item = next((one for one in editor.document.objects() if one.id == number), None)
    if item is None:
        raise WritheError("that object no longer exists")
    place = placements.placement_at(editor.document, item, editor.time_s)
    ahead = rotation_matrix(place[3:]) @ np.array([0.0, 0.0, 1.0])
    if item.kind not in SEATS:
        row, label = current_configuration(editor), actor_label(actor)
        row[editor.scene.layout.actor_q[label]] = posture
        there = stand_before(
            editor.scene, label, scene_objects.object_label(item), row, across=item.kind == "bar"
        )[editor.scene.layout.actor_q[label]]
        figure = editor.document.figure(editor.document.actor(actor).figure)
        x, _, z = _between_feet(figure, there)
        return (x, z), heading_of(figure, there)
    front = place[:3] + BEFORE_SEAT_M * ahead / max(float(np.hypot(ahead[0], ahead[2])), 1e-6)
    return (float(front[0]), float(front[2])), float(np.arctan2(ahead[0], ahead[2]))
