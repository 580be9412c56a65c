"""The state of one editing session: actors being posed, their posers, the playhead.

Runs on worker threads, one call at a time for each session; independent of the sockets.
"""

from __future__ import annotations

import time
from typing import Any, TypeVar

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.scene import Scene
from writhe.skeleton import Figure
from writhe.solvers.posing import Pin, PoseResult, SupportsRelations, Target
from writhe.solvers.posing.actor_in_scene import ActorInScene
from writhe.solvers.result import Status
from writhe.studio import protocol
from writhe.studio.document import ActorRow, Document, relations
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import SAME_TIME_S
from writhe.studio.document.solver_settings import SolverSettings
from writhe.studio.editing import drag_targets, edits, held_joints, starting_poses
from writhe.studio.editing.drag_targets import Gesture
from writhe.studio.editing.posed_actor import PosedActor
from writhe.studio.editing.posers import Posers
from writhe.studio.editing.recording import Recording
from writhe.studio.editing.scene import scene_builder
from writhe.studio.editing.soft_pins import SoftPins
from writhe.studio.view.diagnostics import Diagnostics

SessionData = TypeVar("SessionData")
_MOVE_FRAMES = 60  # most steps of `move_part`


class Editor:
    """The editing state of one session on a document: current poses, playhead, scene, recording."""

    def __init__(self, document: Document, posers: Posers | None = None) -> None:
        self.document = document
        self.posers = posers or Posers()
        self.time_s = 0.0
        self.recording: Recording | None = None
        self._posed_actors: dict[int, PosedActor] = {}
        self._comparison: tuple[int, PosedActor] | None = None
        self._gesture: Gesture | None = None  # of the actor that is being dragged
        self.gestures = 0  # number of gestures that have begun
        self._read_at = -1  # revision of the document in which the dragged actor was read
        self.dragged_has_keys = False
        self._holds: tuple[tuple[int, float], list[held_joints.JointHold]] = ((-1, 0.0), [])
        self.dragged_joints: tuple[str, ...] = ()  # the joints that are being dragged
        self._scene_key: scene_builder.SceneKey | None = None
        self._scene: Scene | None = None
        self._posing_key: scene_builder.SceneKey | None = None  # of the scene at the playhead
        self._posing_scene: Scene | None = None
        self._session_data: dict[type[Any], Any] = {}
        self.followers: set[int] = set()  # actors that move along with the one being dragged
        self._update_scene()

    def _update_scene(self) -> None:
        """Rebuild the scene when actors, objects or contacts changed."""
        self._settings = SolverSettings.of(self.document)
        key = scene_builder.SceneKey.of(self.document)
        if key != self._scene_key:
            self._scene_key = key
            self._scene = scene_builder.build_scene(self.document, key)
            self._comparison = None
        now = key
        if key.held:  # carried objects are parts of the actors that carry them
            now = scene_builder.SceneKey.of(self.document, (self.time_s, self.time_s))
        if now != self._posing_key:
            self._posing_key = now
            same = now == key
            self._posing_scene = (
                self._scene if same else scene_builder.build_scene(self.document, now)
            )

    # ---- posing ----

    def drag(self, message: protocol.Drag) -> protocol.DragResult:
        """Move an actor one step towards its drag targets."""
        posed, gesture = self._dragged_actor(message.actor)
        targets = gesture.read(message, posed)
        if message.handles[0].alone and targets[0].orientation_in_world is not None:
            return self._turn_alone(message, posed, gesture, targets[0])
        self.dragged_joints = tuple(target.joint for target in targets)
        dragged = set(self.dragged_joints)
        if not gesture.targets:
            posed.begin_drag(dragged)
        gesture.targets |= {target.joint: target for target in targets}
        constraints = gesture.constraints(dragged)
        soft = gesture.soft_targets(posed, dragged)
        result, settled = posed.step(
            [*targets, *soft], constraints, message.frames, gesture.stepping
        )
        if self.recording is not None:
            self.recording.add(posed.q)
        comparison = None
        if self._comparison and self._comparison[0] == message.actor:
            other, still = self._comparison[1].step(targets, constraints, message.frames)
            comparison = self._comparison[1].report(other)
            settled = settled and still
        return protocol.DragResult(
            message.sequence, message.actor, settled, posed.report(result), comparison
        )

    def _dragged_actor(self, number: int) -> tuple[PosedActor, Gesture]:
        """The dragged actor; the document is read when the gesture begins or it has changed."""
        posed, gesture = self._posed_actors.get(number), self._gesture
        if gesture is not None and gesture.actor != number:
            gesture = None
        if posed is None or gesture is None or self._read_at != self.document.revision:
            actor = self.document.actor(number)
            posed = self.posed_actor(actor)
            self._read_at = self.document.revision
            self.dragged_has_keys = self.document.timeline(number).keys is not None
            if gesture is None:
                self._gesture = gesture = self._begin(actor, posed)
                return posed, gesture
        if self.followers:
            self.update_environment(posed)
        return posed, gesture

    def _turn_alone(
        self, message: protocol.Drag, posed: PosedActor, gesture: Gesture, target: Target
    ) -> protocol.DragResult:
        """Turn one part with what is below it; the rest of the body stays."""
        skeleton, begin = posed.figure.skeleton, time.perf_counter()
        in_scene = posed.diagnostics.in_scene or ActorInScene.alone(posed.figure)
        posed.q = drag_targets.turned_alone(
            posed.figure, posed.q, target, in_scene.table, in_scene.state, in_scene.q
        )
        at = skeleton.index(target.joint)
        below = skeleton.names[at : int(skeleton.tree.subtree_end[at])]
        self.dragged_joints = (target.joint,)
        gesture.targets |= {name: Target(name, (0.0, 0.0, 0.0)) for name in below}
        if self.recording is not None:
            self.recording.add(posed.q)
        spent = 1e3 * (time.perf_counter() - begin)
        report = posed.report(PoseResult(posed.q, Status.REACHED, {}, {}, spent))
        return protocol.DragResult(message.sequence, message.actor, True, report, None)

    def move_part(self, actor: ActorRow, target: Target) -> PosedActor:
        """Move a part to a target in one call, as a drag would; the caller saves the pose."""
        posed = self.posed_actor(actor)
        gesture, self._gesture = self._begin(actor, posed), None
        soft = gesture.soft_targets(posed, {target.joint})
        posed.step([target, *soft], gesture.constraints({target.joint}), _MOVE_FRAMES)
        posed.soft_pins.add([target])
        return posed

    def _begin(self, actor: ActorRow, posed: PosedActor) -> Gesture:
        """Start a gesture: reset the pass-through count and read pins, holds and relations.

        If the actor has keys, its pins hold the joints where they are in the current pose instead
        of where they were pinned.
        """
        self.gestures += 1
        moved = [posed] if self._comparison is None else [posed, self._comparison[1]]
        for other in moved:
            other.pass_throughs = 0
            self.update_environment(other)
            if isinstance(other.poser, SupportsRelations):
                in_scene = other.diagnostics.in_scene
                prefix = "" if in_scene is None else in_scene.prefix
                other.poser.set_relations(relations.relation_terms(self.document, actor.id, prefix))
        pins = self.pins_now(actor, posed)
        return Gesture.begin(self.document, actor.id, posed, pins, self.time_s)

    def pins_now(self, actor: ActorRow, posed: PosedActor) -> list[Pin]:
        """The actor's pins at the playhead."""
        rows = actor.pins
        if not self.document.timeline(actor.id).empty:
            rows = tuple(
                starting_poses.pin_here(
                    posed.figure, posed.q, p.joint, orientation=p.orientation_in_world is not None
                )
                for p in rows
                if p.holds(self.time_s)
            )
        return [
            Pin(p.joint, p.position_in_world, orientation_in_world=p.orientation_in_world)
            for p in rows
        ]

    def update_environment(self, posed: PosedActor) -> None:
        """Set the current poses of everything around an actor in the model of its poser."""
        if posed.diagnostics.in_scene is not None and self._posing_scene is not None:
            scene_builder.place_environment(
                posed.diagnostics.in_scene, self._posing_scene, self.poses()
            )

    def posed_actor(self, actor: ActorRow) -> PosedActor:
        """The actor with its current pose, which is read from the document the first time."""
        found = self._posed_actors.get(actor.id)
        figure = self.document.figure(actor.figure)
        if found is None or found.figure.name != figure.name:
            found = self._new_posed_actor(figure, actor.method, self.pose_now(actor))
            self._posed_actors[actor.id] = found
        found.method = actor.method
        if found.settings != self._settings:
            found.settings = self._settings
            found.forget_poser()
        if found.diagnostics.in_scene is None or self._posing_key != found.scene_key:
            self._put_into_scene(actor.id, found)
        return found

    def posed_actor_by_number(self, number: int) -> PosedActor:
        """The actor of this number with its current pose, without reading the document again."""
        found = self._posed_actors.get(number)
        return self.posed_actor(self.document.actor(number)) if found is None else found

    def _new_posed_actor(self, figure: Figure, method: str, q: Floats) -> PosedActor:
        diagnostics, soft_pins = Diagnostics(figure, None), SoftPins(figure)
        return PosedActor(
            method, figure, q.copy(), diagnostics, self.posers, self._settings, soft_pins
        )

    def _put_into_scene(self, actor: int, posed: PosedActor) -> None:
        """Place an actor among the other actors and objects of the scene."""
        posed.scene_key = self._posing_key
        scene = self._posing_scene
        if not posed.figure.capsules or scene is None:
            return
        in_scene = scene_builder.actor_in_scene(self.document, actor, scene, self.poses())
        posed.diagnostics = Diagnostics(posed.figure, in_scene)
        posed.forget_poser()

    def sample(self, times_s: Floats) -> Floats:
        """Configurations (times, nq) of the scene over time, by the timelines of the document."""
        return scene_builder.sample_document(self.document, self.scene, times_s)

    def poses(self) -> scene_builder.ScenePoses:
        """Current poses of the actors and placements of the objects at the playhead."""
        return scene_builder.ScenePoses(
            {number: posed.q for number, posed in self._posed_actors.items()},
            scene_builder.object_placements(self.document, self.time_s),
        )

    @property
    def configuration(self) -> Floats:
        """The configuration of the scene at the playhead, with the current poses of the actors."""
        return scene_builder.configuration_at(self.document, self.scene, self.time_s, self.poses())

    @property
    def holds_now(self) -> list[held_joints.JointHold]:
        """The holds that constrain joints at the playhead; kept until the document changes."""
        now = (self.document.revision, self.time_s)
        if self._holds[0] != now:
            self._holds = now, held_joints.joints_held_at(self.document, self.time_s)
        return self._holds[1]

    @property
    def scene(self) -> Scene:
        """All actors and objects in one layout; actors are named by `scene_builder.actor_label`."""
        if self._scene is None:
            raise WritheError("the scene is empty")
        return self._scene

    def session_data(self, kind: type[SessionData]) -> SessionData:
        """A feature's data for this session: one instance of `kind`, made on first use."""
        if kind not in self._session_data:
            self._session_data[kind] = kind()
        return self._session_data[kind]

    def prepare(self) -> None:
        """Make the posers now, so that the first drag does not wait for them."""
        for actor in self.document.actors():
            _ = self.posed_actor(actor).poser

    def pose_now(self, actor: ActorRow) -> Floats:
        """The actor's pose at the playhead, as the document has it."""
        timeline = self.document.timeline(actor.id)
        return actor.configuration if timeline.empty else timeline.at(self.time_s)

    def release(self, message: protocol.Release) -> None:
        """End the gesture and save its pose as one command."""
        posed = self._posed_actors.get(message.actor)
        gesture, self._gesture = self._gesture, None
        targets = {} if gesture is None else gesture.targets
        with self.document.edit("Pose", message.request) as edit:
            if posed is None:
                return
            if self.recording and len(self.recording.q) > 1:
                clip = self.recording.clip(posed.figure.skeleton, self.document.fps)
                edits.put_clip(self.document, edit, message.actor, clip, self.recording.start_s)
                self.recording = None
            else:
                moved = set[str]() if gesture is None else gesture.finish(posed)
                edits.set_pose(self.document, edit, message.actor, posed.q, self.time_s)
                edits.update_pins(self.document, edit, message.actor, posed.q, moved)
                posed.soft_pins.add(list(targets.values()))
            followers = self.followers & set(self._posed_actors)
            for follower in followers:
                pose = self._posed_actors[follower].q
                self._key_before(edit, message.actor, follower)
                edits.set_pose(self.document, edit, follower, pose, self.time_s)
            poses = {n: self._posed_actors[n].q for n in (message.actor, *followers)}
            held_joints.keep_places(self.document, edit, poses, set(targets), self.time_s)

    def _key_before(self, edit: Edit, dragged: int, follower: int) -> None:
        """Key a follower without motion at the last key of the dragged actor before now."""
        keys = self.document.timeline(dragged).keys
        if keys is None or not self.document.timeline(follower).empty:
            return
        earlier = keys.times_s[keys.times_s < self.time_s - SAME_TIME_S]
        if len(earlier):
            pose = self.document.actor(follower).configuration
            edits.put_key(self.document, edit, follower, float(earlier[-1]), pose)

    @property
    def dragging(self) -> bool:
        """Whether an actor is being dragged."""
        return self._gesture is not None

    def cancel_drag(self) -> None:
        """End the gesture; all poses are again as the document has them."""
        self._gesture = None
        if self.recording is not None:
            self.recording = Recording(self.recording.start_s)
        self.refresh()

    def refresh(self) -> None:
        """Read all poses from the document again (after a command, undo or seek)."""
        self._read_at = -1
        self._update_scene()
        if self._gesture is None:
            self.followers.clear()
        dragged = None if self._gesture is None else self._gesture.actor
        present = {actor.id: actor for actor in self.document.actors()}
        for number in list(self._posed_actors):
            if number not in present:
                del self._posed_actors[number]
            elif number != dragged and number not in self.followers:
                self._posed_actors[number].set_pose(self.pose_now(present[number]))

    def seek(self, time_s: float) -> None:
        """Move the playhead."""
        self.time_s = time_s
        self.refresh()

    def compare_method(self, message: protocol.CompareMethod) -> None:
        """Start or end posing a second copy of an actor by another method under the same drags."""
        self._comparison = None
        if message.method is not None:
            actor = self.document.actor(message.actor)
            figure = self.document.figure(actor.figure)
            posed = self._new_posed_actor(figure, message.method, self.posed_actor(actor).q)
            self._put_into_scene(actor.id, posed)
            self._comparison = (actor.id, posed)

    # ---- recording ----

    def set_recording(self, on: bool) -> None:
        """Start recording drags from the playhead on, or stop."""
        self.recording = Recording(self.time_s) if on else None
