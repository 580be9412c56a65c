"""What one person works on: poses in the making, the posers, the playhead.

Runs on worker threads, one call at a time for each session; knows nothing of sockets.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.scene import Scene
from writhe.skeleton import Figure, Motion
from writhe.solvers.posing import KeepsRelations, Pin, Poser, PoseResult, Target
from writhe.solvers.result import Status
from writhe.studio import protocol
from writhe.studio.document import Actor, Document, relations
from writhe.studio.editing import edits, scene_builder, starting_poses
from writhe.studio.editing.posers import Posers
from writhe.studio.editing.soft_pins import Placed
from writhe.studio.editing.solver_settings import Solving
from writhe.studio.view.diagnostics import Readings

FARTHEST_M = 1000.0
Memory = TypeVar("Memory")
_EASED = 2e-4  # radians a step: a pose that has arrived and only eases this slowly is done
_CARRIED_FRAMES = 60  # within which a part that is carried arrives
_SAME = 1e-5  # poses that differ less are one, kept and read back
_STILL = 1e-6  # a step that changes no coordinate by more than this is none


@dataclass
class Puppet:
    """A pose in the making, with the poser that moves it, made when first needed."""

    method: str
    figure: Figure
    q: Floats
    readings: Readings
    posers: Posers
    solving: Solving
    placed: Placed
    pass_throughs: int = 0
    scene_key: scene_builder.SceneKey | None = None
    _poser: Poser | None = None

    @property
    def poser(self) -> Poser:
        """The poser of the method."""
        if self._poser is None or self._poser.name != self.method:
            place = self.readings.place
            self._poser = self.posers.make(self.method, self.figure, place, self.solving)
        return self._poser

    def take(self, q: Floats) -> None:
        """The pose that the document has; in another than was made here nothing is placed."""
        if q.shape != self.q.shape or np.abs(q - self.q).max() > _SAME:
            self.placed.forget()
        self.q = q.copy()

    def forget_poser(self) -> None:
        """Have the poser made afresh: what stands around the actor changed."""
        self._poser = None

    def step(self, targets: list[Target], pins: list[Pin], frames: int) -> tuple[PoseResult, bool]:
        """Up to `frames` steps; also whether another would change nothing."""
        for _ in range(frames):
            result = self.poser.step(self.q, targets, pins)
            moved = float(np.abs(result.q - self.q).max())
            self.pass_throughs += self.readings.pass_throughs(self.q, result.q, result)
            self.q = result.q
            if result.status in (Status.REACHED, Status.SETTLED) and moved < _EASED:
                return result, True
            if moved < _STILL:
                return result, True
        return result, False  # pyright: ignore[reportPossiblyUnboundVariable]


@dataclass
class Recording:
    """Poses of drags with their times."""

    start_s: float
    began: float | None = None
    times_s: list[float] = field(default_factory=list[float])
    q: list[Floats] = field(default_factory=list[Floats])


class Stage:
    """The actors of a document as one session sees them."""

    def __init__(self, document: Document, posers: Posers | None = None) -> None:
        self.document = document
        self.posers = posers or Posers()
        self.time_s = 0.0
        self.recording: Recording | None = None
        self._puppets: dict[int, Puppet] = {}
        self._duel: tuple[int, Puppet] | None = None
        self._gesture: int | None = None  # the actor that is being dragged
        self._pins: list[Pin] = []
        self.holding: tuple[str, ...] = ()  # the joints in the hand
        self._held: dict[str, Target] = {}  # what the gesture has held so far
        self._staying: tuple[set[str], list[Target]] = (set(), [])  # beside what is held now
        self._scene_key: scene_builder.SceneKey | None = None
        self._scene: Scene | None = None
        self._own: dict[type[Any], Any] = {}
        self.followers: set[int] = set()  # actors that move along with the one being dragged
        self._look_around()

    def _look_around(self) -> None:
        """Build the scene again when actors, objects or contacts changed."""
        self._solving = Solving.of(self.document)
        key = scene_builder.SceneKey.of(self.document)
        if key != self._scene_key:
            self._scene_key = key
            self._scene = scene_builder.build_scene(self.document, key)
            self._duel = None

    # ---- posing ----

    def drag(self, message: protocol.Drag) -> protocol.Answer:
        """Move an actor a step towards what the fingers hold."""
        actor = self.document.actor(message.actor)
        puppet = self.puppet(actor)
        if self._gesture != actor.id:
            self._begin(actor, puppet)
        elif self.followers and puppet.readings.place is not None and self._scene is not None:
            scene_builder.arrange(puppet.readings.place, self._scene, self.poses())
        targets = [_target(hold, puppet.figure) for hold in message.holds]
        self.holding = tuple(target.joint for target in targets)
        held = set(self.holding)
        pins = [pin for pin in self._pins if pin.joint not in held]
        self._held |= {target.joint: target for target in targets}
        staying = self._placed(puppet, held)
        result, settled = puppet.step([*targets, *staying], pins, message.frames)
        self._record(puppet.q)
        duel = None
        if self._duel and self._duel[0] == actor.id:
            other, still = self._duel[1].step(targets, pins, message.frames)
            duel = _posed(self._duel[1], other)
            settled = settled and still
        return protocol.Answer(message.sequence, actor.id, settled, _posed(puppet, result), duel)

    def carry(self, actor: Actor, target: Target) -> Puppet:
        """Move a part somewhere at once, as a drag would; whoever asks keeps the pose."""
        puppet = self.puppet(actor)
        self._begin(actor, puppet)
        self._gesture = None
        pins = [pin for pin in self._pins if pin.joint != target.joint]
        puppet.step([target, *self._placed(puppet, {target.joint})], pins, _CARRIED_FRAMES)
        puppet.placed.put([target])
        return puppet

    def _placed(self, puppet: Puppet, held: set[str]) -> list[Target]:
        """What was placed before stays, as the default method can; measured when fingers change."""
        if puppet.method != "default" or not self._solving.placed_stay:
            return []
        if held != self._staying[0]:
            pinned = {pin.joint for pin in self._pins}
            staying = puppet.placed.staying(puppet.q, held)
            self._staying = (held, [t for t in staying if t.joint not in pinned])
        return self._staying[1]

    def _begin(self, actor: Actor, puppet: Puppet) -> None:
        """A gesture begins: count afresh, and hold the pins where they should be held.

        Pins of an actor that moves in time hold their joints where these are at the playhead.
        """
        self._gesture = actor.id
        self._held, self._staying = {}, (set(), [])
        moved = [puppet] if self._duel is None else [puppet, self._duel[1]]
        for other in moved:
            other.pass_throughs = 0
            if other.readings.place is not None and self._scene is not None:
                scene_builder.arrange(other.readings.place, self._scene, self.poses())
            if isinstance(other.poser, KeepsRelations):
                place = other.readings.place
                prefix = "" if place is None else place.prefix
                other.poser.keep(relations.terms_of(self.document, actor.id, prefix))
        rows = actor.pins
        if not self.document.timeline(actor.id).empty:
            rows = tuple(
                starting_poses.pin_here(
                    puppet.figure, puppet.q, p.joint, orientation=p.orientation_in_world is not None
                )
                for p in rows
            )
        self._pins = [
            Pin(p.joint, p.position_in_world, orientation_in_world=p.orientation_in_world)
            for p in rows
        ]

    def puppet(self, actor: Actor) -> Puppet:
        """The actor's pose in the making; made from the document when there is none."""
        found = self._puppets.get(actor.id)
        figure = self.document.figure(actor.figure)
        if found is None or found.figure.name != figure.name:
            found = self._new_puppet(figure, actor.method, self.pose_now(actor))
            self._puppets[actor.id] = found
        found.method = actor.method
        if found.solving != self._solving:
            found.solving = self._solving
            found.forget_poser()
        if found.readings.place is None or self._scene_key != found.scene_key:
            self._put_into_scene(actor.id, found)
        return found

    def posed(self, actor: int) -> Puppet:
        """The pose in the making of an actor by its number, without a look at the document."""
        found = self._puppets.get(actor)
        return self.puppet(self.document.actor(actor)) if found is None else found

    def _new_puppet(self, figure: Figure, method: str, q: Floats) -> Puppet:
        readings, placed = Readings(figure, None), Placed(figure)
        return Puppet(method, figure, q.copy(), readings, self.posers, self._solving, placed)

    def _put_into_scene(self, actor: int, puppet: Puppet) -> None:
        """Give a puppet the actors and objects around it."""
        puppet.scene_key = self._scene_key
        if not puppet.figure.capsules or self._scene is None:
            return
        place = scene_builder.place_of(self.document, actor, self._scene, self.poses())
        puppet.readings = Readings(puppet.figure, place)
        puppet.forget_poser()

    def poses(self) -> scene_builder.Poses:
        """Where everything is at the playhead, actors in the poses being made."""
        return scene_builder.Poses(
            {number: puppet.q for number, puppet in self._puppets.items()},
            scene_builder.places_at(self.document, self.time_s),
        )

    @property
    def scene(self) -> Scene:
        """All actors and objects in one layout, actors called `surroundings.label(number)`."""
        if self._scene is None:
            raise WritheError("there is nothing in this scene")
        return self._scene

    def own(self, kind: type[Memory]) -> Memory:
        """What a feature keeps for this session: one instance, made when first asked for."""
        if kind not in self._own:
            self._own[kind] = kind()
        return self._own[kind]

    def prepare(self) -> None:
        """Make the posers now, so that the first drag does not wait for them."""
        for actor in self.document.actors():
            _ = self.puppet(actor).poser

    def pose_now(self, actor: Actor) -> Floats:
        """The actor's pose at the playhead, as the document has it."""
        timeline = self.document.timeline(actor.id)
        return actor.configuration if timeline.empty else timeline.at(self.time_s)

    def release(self, message: protocol.Release) -> None:
        """The gesture is over: its pose becomes a command."""
        puppet = self._puppets.get(message.actor)
        self._gesture = None
        with self.document.edit("Pose", message.request) as edit:
            if puppet is None:
                return
            if self.recording and len(self.recording.q) > 1:
                self._keep_recording(edit, message.actor, puppet.figure)
            else:
                edits.set_pose(self.document, edit, message.actor, puppet.q, self.time_s)
                edits.repin(self.document, edit, message.actor, puppet.q, set(self._held))
                puppet.placed.put(list(self._held.values()))
            for follower in self.followers & set(self._puppets):
                pose = self._puppets[follower].q
                edits.set_pose(self.document, edit, follower, pose, self.time_s)

    def refresh(self) -> None:
        """Take all poses from the document again (after a command, undo, seek)."""
        self._look_around()
        if self._gesture is None:
            self.followers.clear()
        present = {actor.id: actor for actor in self.document.actors()}
        for number in list(self._puppets):
            if number not in present:
                del self._puppets[number]
            elif number != self._gesture and number not in self.followers:
                self._puppets[number].take(self.pose_now(present[number]))

    def seek(self, time_s: float) -> None:
        """Put the playhead somewhere."""
        self.time_s = time_s
        self.refresh()

    def duel(self, message: protocol.Duel) -> None:
        """Start or end the comparison of two methods under one gesture."""
        self._duel = None
        if message.method is not None:
            actor = self.document.actor(message.actor)
            figure = self.document.figure(actor.figure)
            puppet = self._new_puppet(figure, message.method, self.puppet(actor).q)
            self._put_into_scene(actor.id, puppet)
            self._duel = (actor.id, puppet)

    # ---- recording ----

    def set_recording(self, on: bool) -> None:
        """Record drags from the playhead on, or stop."""
        self.recording = Recording(self.time_s) if on else None

    def _record(self, q: Floats) -> None:
        recording = self.recording
        if recording is None or len(recording.q) > 20_000:
            return
        now = time.perf_counter()
        if recording.began is None:
            recording.began = now
        recording.times_s.append(now - recording.began)
        recording.q.append(q.copy())

    def _keep_recording(self, edit: edits.Edit, actor: int, figure: Figure) -> None:
        """Lay what was recorded down as a clip, sampled at the document's rate."""
        recording = self.recording
        assert recording is not None
        fps = self.document.fps
        times = np.array(recording.times_s)
        count = max(2, int(times[-1] * fps) + 1)
        wanted = np.arange(count) / fps
        # the solver's answers come at uneven times: interpolate by index, not by rate
        index = np.interp(wanted, times, np.arange(len(times), dtype=float))
        q = Motion(figure.skeleton, np.array(recording.q), 1.0).at(index)
        edits.put_clip(
            self.document,
            edit,
            actor,
            Motion(figure.skeleton, q, fps, "Recorded drag"),
            recording.start_s,
        )
        self.recording = None


def _target(hold: protocol.Hold, figure: Figure) -> Target:
    names = figure.skeleton.names
    if not 0 <= hold.joint < len(names):
        raise WritheError(f"this figure has no joint number {hold.joint}")
    point = floats(hold.point_in_joint, (3,), "the point held")
    place = floats(hold.position_in_world, (3,), "the place to go to")
    if np.abs(place).max() > FARTHEST_M or np.abs(point).max() > FARTHEST_M:
        raise WritheError("the place to go to is more than a kilometre away")
    turn = hold.orientation_in_world
    if turn is not None:
        quaternion = floats(turn, (4,), "the orientation")
        norm = float(np.linalg.norm(quaternion))
        if not 0.5 < norm < 2.0:
            raise WritheError("the orientation is not a unit quaternion")
        w, x, y, z = (float(v) for v in quaternion / norm)
        turn = (w, x, y, z)
    return Target(names[hold.joint], hold.position_in_world, hold.point_in_joint, turn)


def _posed(puppet: Puppet, result: PoseResult) -> protocol.Posed:
    read = puppet.readings.read(puppet.q)
    return protocol.Posed(
        q=puppet.q.astype("<f4").tobytes(),
        milliseconds=result.milliseconds,
        status=result.status.value,
        touching=list(read.touching),
        pass_throughs=puppet.pass_throughs,
        clearance_m=read.clearance_m,
        linking=read.linking,
        note="; ".join(result.notes),
    )
