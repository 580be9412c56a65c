"""Walks of a document's characters: read from the document, solved elsewhere, then committed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from writhe.animation.result import Animation
from writhe.animation.walking import walk
from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.hands import stand_before
from writhe.planning.ground_route import Outline, outlines
from writhe.scene import Scene
from writhe.skeleton import Figure, forward
from writhe.skeleton.heading import heading_of
from writhe.skeleton.limbs import ANKLES
from writhe.skeleton.quaternions import rotation_matrix, wrapped_angle
from writhe.solvers.posing import Hold
from writhe.studio.document import Document
from writhe.studio.document.history import Edit
from writhe.studio.document.holds import all_holds, carriers
from writhe.studio.document.row_types import SAME_TIME_S
from writhe.studio.editing import edits, held_joints, starting_poses
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.hand_actions import (
    LIFT_S,
    LettingGo,
    carried_by,
    leave,
    letting_go,
    plan_lift,
    seconds,
)
from writhe.studio.editing.scene import placements, scene_objects
from writhe.studio.editing.scene.scene_builder import (
    SceneKey,
    actor_label,
    build_scene,
    sample_document,
)

_ROOM_S = 6.0  # that the timeline goes on after a walk, for the next poses
_AS_CARRIED = 0.1  # entries of q this near the upright carrying posture are left as they are
_THERE_M, _THERE_RAD = 0.08, 0.2  # nobody walks nearer than this
_LONGEST_S = 120.0  # of a walk for which the motion of the others is looked at
_SHAKE_S = 1.0  # hands that shake stay together until then, at least
SEATS = ("chair",)
BEFORE_SEAT_M = 0.42  # from the middle of a seat to the feet of a character about to sit down


@dataclass(frozen=True)
class PlannedWalk:
    """Everything that a walk of a character depends on, read from the document."""

    actor: int
    scene: Scene
    q: Floats  # the pose in which it begins
    goal_m: tuple[float, float]
    facing_rad: float | None
    holds: list[Hold]
    posture: Floats
    ready_s: float
    start_s: float  # when hands let go
    let_go: LettingGo
    fps: float
    avoid: list[Outline]  # what stands on the ground
    around: (
        Floats  # (n, nq) the scene at the frames from `begin_s` on; then it stays as in the last
    )

    @property
    def begin_s(self) -> float:
        """The time at which the walk begins, after hands have let go."""
        return self.start_s + seconds(self.let_go)

    def solve(self) -> Animation:
        """The motion of the character; it does not read the document."""
        return walk(
            self.scene,
            self.q,
            self.goal_m,
            fps=self.fps,
            facing_rad=self.facing_rad,
            holds=self.holds,
            posture=self.posture,
            ready_s=self.ready_s,
            actor=actor_label(self.actor),
            avoid=self.avoid,
            environment=self._around_at,
        )

    def _around_at(self, times_s: Floats) -> Floats:
        """(times, nq) the scene at times after the beginning of the walk."""
        frames = np.rint(times_s * self.fps).astype(np.int64)
        return self.around[np.clip(frames, 0, len(self.around) - 1)]

    def commit(self, editor: Editor, edit: Edit, found: Animation) -> float:
        """Add a solved walk to the document; returns the time at which it ends."""
        document, motion = editor.document, found.motion
        named = type(motion)(motion.skeleton, motion.q, motion.fps, "Walk")
        leave(editor, edit, self.actor, self.start_s, self.let_go)
        edits.put_sampled_track(document, edit, self.actor, named, self.begin_s)
        end_s = self.begin_s + motion.duration_s
        if document.duration_s < end_s + _ROOM_S:
            edit.setting("duration_s", float(np.ceil(end_s + _ROOM_S)))
        return end_s


def plan_walk(
    editor: Editor,
    number: int,
    goal: tuple[float, float] = (0.0, 0.0),
    item: int = 0,
    *,
    facing: float | None = None,
    start_s: float | None = None,
    let_go: LettingGo | None = None,
) -> PlannedWalk:
    """A walk of a character to (x, z) on the floor, or to stand before an object (0: none).

    It begins with the current pose, at the playhead or at `start_s`. facing: heading at the end.
    let_go: how hands let go first, if it is known.
    """
    document = editor.document
    when = editor.time_s if start_s is None else start_s
    actor = document.actor(number)
    figure = document.figure(actor.figure)
    scene = build_scene(document, SceneKey.of(document, (when, when)))
    if actor_label(number) not in scene.layout.actor_q:
        raise WritheError("this character has no solid shapes: it cannot walk")
    if let_go is None:
        let_go = letting_go(editor, number, editor.configuration)
    q = let_go[number][-1] if let_go else editor.posed_actor(actor).q.copy()
    posture, ready_s = _released(editor, number, q, when), 0.0
    raised = _raised(editor, number, q)
    if raised is not None:
        posture, ready_s = raised, LIFT_S
    if not item and facing is None:
        item = _seat_at(editor, goal)
    if item:
        goal, facing = _before(editor, number, item, posture)
    if is_there(figure, q, goal, facing):
        raise WritheError(
            "the character already stands there: move it or the object, or click elsewhere"
        )
    holds = held_joints.on_own_tree(document, number, when)
    return PlannedWalk(
        number,
        scene,
        q,
        goal,
        facing,
        holds,
        posture,
        ready_s,
        when,
        let_go,
        document.fps,
        outlines(editor.scene, actor_label(number), editor.configuration),
        _scene_from(editor.document, scene, when + seconds(let_go), let_go),
    )


def _scene_from(document: Document, scene: Scene, begin_s: float, let_go: LettingGo) -> Floats:
    """(n, nq) the frames of a document's scene from a time on, until everything is still.

    Characters whose hands have let go stay in the pose in which they do.
    """
    end_s = min(document.duration_s, begin_s + _LONGEST_S)
    times = begin_s + np.arange(max(1, round((end_s - begin_s) * document.fps) + 1)) / document.fps
    rows = sample_document(document, scene, times)
    for number, poses in let_go.items():
        rows[:, scene.layout.actor_q[actor_label(number)]] = poses[-1]
    return rows


@dataclass(frozen=True)
class Approach:
    """How a character comes to stand before an object after the playhead.

    It lets go of hands that it shakes, and walks, unless it stands there already.
    """

    start_s: float
    pose: Floats  # when hands have let go
    let_go: LettingGo
    walk: PlannedWalk | None

    def arrives_s(self, walked: Animation | None) -> float:
        """The time at which the character stands before the object."""
        duration_s = 0.0 if walked is None else walked.motion.duration_s
        return self.start_s + seconds(self.let_go) + duration_s

    def commit(self, editor: Editor, edit: Edit, number: int, walked: Animation | None) -> float:
        """Add it to the document; returns the time at which the character is there."""
        if self.walk is not None and walked is not None:
            return self.walk.commit(editor, edit, walked)
        leave(editor, edit, number, self.start_s, self.let_go)
        edits.put_key(editor.document, edit, number, self.arrives_s(None), self.pose)
        return self.arrives_s(None)


def plan_approach(
    editor: Editor, number: int, object_name: str, at: Floats | None, *, both: bool
) -> Approach | None:
    """How a character that moves, or shakes a hand, comes to an object after the playhead.

    None: it has no motion, or its motion goes on after the playhead; it grips as it stands.
    """
    document, now = editor.document, editor.time_s
    timeline = document.timeline(number)
    shakes = bool(held_joints.joined_actors(document, number, now))
    if timeline.end_s > now + SAME_TIME_S and not _is_keyed_here(editor, number):
        return None
    if not shakes and (timeline.empty or now < SAME_TIME_S):
        return None
    start_s = max(now, _SHAKE_S) if shakes else now
    scene, q, label = editor.scene, editor.configuration, actor_label(number)
    own, figure = scene.layout.actor_q[label], document.figure(document.actor(number).figure)
    let_go = letting_go(editor, number, q)
    pose = let_go[number][-1] if let_go else q[own].copy()
    q[own] = starting_poses.standing_here(figure, pose)
    there = stand_before(scene, label, object_name, q, at=at, across=both)[own]
    walk = None
    if not np.array_equal(there, q[own]):
        x, _, z = starting_poses.between_feet(figure, there)
        facing = heading_of(figure, there)
        goal = float(x), float(z)
        walk = plan_walk(editor, number, goal, facing=facing, start_s=start_s, let_go=let_go)
    return Approach(start_s, pose, let_go, walk)


def _is_keyed_here(editor: Editor, number: int) -> bool:
    """Whether a character that moves has a key at the playhead: its pose there stays."""
    keys = editor.document.timeline(number).keys
    if keys is None or editor.time_s < SAME_TIME_S:
        return False
    return bool((abs(keys.times_s - editor.time_s) < 1.0 / editor.document.fps).any())


def is_there(figure: Figure, q: Floats, goal: tuple[float, float], facing: float | None) -> bool:
    """Whether a walk to a goal (x, z) would be steps on the spot."""
    roles, frames = dict(figure.roles), forward(figure.skeleton, q)
    feet = [frames.position(roles[role]) for role in ANKLES if role in roles]
    if not feet or np.hypot(*(np.mean(feet, axis=0)[[0, 2]] - goal)) > _THERE_M:
        return False
    turn = 0.0 if facing is None else facing - heading_of(figure, q)
    return abs(wrapped_angle(turn)) < _THERE_RAD


def _raised(editor: Editor, actor: int, q: Floats) -> Floats | None:
    """The upright carrying posture of a character with an object in its hands, if it is not in it.

    Nobody walks off stooped or leaning back: without room to straighten up, the walk is refused.
    """
    carried = carried_by(editor, actor)
    if not carried:
        return None
    path = plan_lift(editor, actor, carried[0])()
    if path is None:
        raise WritheError(
            "there is no room to straighten up with what the hands hold: move what is in the way"
        )
    return None if np.abs(path[-1] - q).max() < _AS_CARRIED else path[-1]


def _released(editor: Editor, actor: int, q: Floats, time_s: float) -> Floats:
    """The posture to walk in: upright if the character lets go of another, else its pose."""
    joints = held_joints.joints_held_at(editor.document, time_s)
    carried = carriers(all_holds(editor.document), time_s, time_s).values()
    leaves = any(actor in (p.actor, o.actor) and p.actor != o.actor for _, p, o in joints)
    if not leaves or any(hold.other.actor == actor for hold in carried):
        return q
    figure = editor.document.figure(editor.document.actor(actor).figure)
    return starting_poses.standing_here(figure, q)


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
        row, label = editor.configuration, actor_label(actor)
        row[editor.scene.layout.actor_q[label]] = posture
        there = stand_before(
            editor.scene, label, scene_objects.object_label(item), row, across=item.kind == "bar"
        )[editor.scene.layout.actor_q[label]]
        figure = editor.document.figure(editor.document.actor(actor).figure)
        x, _, z = starting_poses.between_feet(figure, there)
        return (float(x), float(z)), heading_of(figure, there)
    front = place[:3] + BEFORE_SEAT_M * ahead / max(float(np.hypot(ahead[0], ahead[2])), 1e-6)
    return (float(front[0]), float(front[2])), float(np.arctan2(ahead[0], ahead[2]))
