"""In-betweens of a document: the frames between pose keys, solved when they are first needed.

A span is the time between two successive pose keys of an actor. Its frames are those of
`writhe.animation`: the blend of the keys, corrected so that pinned joints stay in place, joint
limits and the floor are respected, and parts do not overlap. The keys do not change. If a small
correction cannot remove the overlaps of a span, only its pins are kept; the certificate shows the
overlaps, and the user can clear the span by a detour.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np

from writhe.animation.body.body_model import BodyModel
from writhe.animation.clear_spans import SpanClearing
from writhe.animation.collision_world import World, figure_world, scene_world
from writhe.animation.foot_contacts import contacts_of_keys
from writhe.animation.in_between import InBetween
from writhe.animation.key_interpolation import KeyBlend
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import PinRange, TimedPin, prefixed, span_pins
from writhe.arrays import Floats
from writhe.scene import ObjectKind, Scene, SceneObject
from writhe.scene.carrying import object_poses
from writhe.skeleton import Figure, Skeleton
from writhe.studio.document import ActorRow, Document, PinRow
from writhe.studio.document.holds import Anchor
from writhe.studio.document.timeline import SolvedSpan, SolveSpan
from writhe.studio.editing import held_joints
from writhe.studio.editing.scene import placements, scene_objects
from writhe.studio.editing.scene.scene_builder import SceneKey, actor_label, build_scene, only_actor

MAX_SPAN_FRAMES = 900  # of one span
_OPTIONS = AnimateOptions(plan=False, rounds=2)
_KEPT_SPANS, _KEPT_BODIES = 4096, 4


class InBetweens:
    """Solves and caches the spans of one document, under the document's lock."""

    def __init__(self, document: Document, lock: AbstractContextManager[object]) -> None:
        self._document = document
        self._lock = lock
        self._spans: OrderedDict[tuple[object, ...], SolvedSpan | None] = OrderedDict()
        self._bodies: OrderedDict[tuple[object, ...], BodyModel] = OrderedDict()

    def of_actor(self, actor: ActorRow, figure: Figure, fps: float) -> SolveSpan:
        """The function that solves the spans of an actor."""
        known: list[SceneKey] = []

        def solve(blend: KeyBlend, i: int) -> SolvedSpan | None:
            if not known:
                known.append(only_actor(SceneKey.of(self._document), actor.id))
            key = known[0]
            if key.held:  # objects carried over the whole span are parts of the actor
                span = float(blend.times_s[i]), float(blend.times_s[i + 1])
                key = only_actor(SceneKey.of(self._document, span), actor.id)
            return self._span(actor, figure, fps, key, blend, i)

        return solve

    def window(
        self,
        actor: ActorRow,
        figure: Figure,
        fps: float,
        blend: KeyBlend,
        i: int,
        near_s: tuple[float, float],
    ) -> SolvedSpan | None:
        """Span i of a blend with the frames between two times solved; the others are the blend.

        For keys that are being changed: nothing is kept, overlaps that remain are not looked for.
        """
        start, end = (float(t) for t in blend.times_s[i : i + 2])
        count = min(MAX_SPAN_FRAMES, max(1, round((end - start) * fps))) + 1
        if count < 3 or blend.ease[i] == "hold":
            return None
        times = np.linspace(start, end, count)
        inside = np.flatnonzero((times >= near_s[0] - 1e-6) & (times <= near_s[1] + 1e-6))
        first, last = max(1, int(inside.min(initial=count))), int(inside.max(initial=0)) + 1
        with self._lock:
            scene_key = only_actor(SceneKey.of(self._document), actor.id)
            body = self._body(actor, figure, scene_key)
            pins = actor_pins(figure.skeleton, actor.pins, (start, end), blend.q[i : i + 2])
            pins += self._holds(actor, scene_key, start, end)
            frames = _frames(body, blend, i, pins, times)
            if first < min(last, count - 1):
                frames.solve(first, min(last, count - 1), smooth=False)
        return SolvedSpan(figure.skeleton, np.ascontiguousarray(frames.q[:, body.world.actor_q]))

    def with_feet_of(self, actor: ActorRow, figure: Figure, q: Floats, before: Floats) -> Floats:
        """The pose q (nq) with the feet that stand near those of `before` moved onto them."""
        times, poses = np.array([0.0, 1.0]), np.stack([before, q])
        found = contacts_of_keys(figure, times, poses)
        if not found:
            return q
        with self._lock:
            key = only_actor(SceneKey.of(self._document), actor.id)
            body = self._body(actor, figure, key)
            world = body.world
            pins = [prefixed(pin, world.prefix, world.skeleton.names) for pin in found]
            frames = InBetween(body, times, poses, ("smooth", "smooth"), pins, times, _OPTIONS)
            return np.ascontiguousarray(frames.keys[1, world.actor_q])

    def _span(
        self,
        actor: ActorRow,
        figure: Figure,
        fps: float,
        scene_key: SceneKey,
        blend: KeyBlend,
        i: int,
    ) -> SolvedSpan | None:
        start, end = (float(t) for t in blend.times_s[i : i + 2])
        count = min(MAX_SPAN_FRAMES, max(1, round((end - start) * fps))) + 1
        if count < 3 or blend.ease[i] == "hold":
            return None
        times = np.linspace(start, end, count)
        with self._lock:
            body = self._body(actor, figure, scene_key)
            around = body.world.around(times)
            holds = self._holds(actor, scene_key, start, end)
            identity = (
                actor.id,
                scene_key,
                fps,
                blend.ease[i],
                blend.q[i : i + 2].tobytes(),
                blend.slopes[i : i + 2].tobytes(),
                (start, end),
                actor.pins,
                tuple(holds),
                around.tobytes() if scene_key.held or np.ptp(around, axis=0).any() else b"",
            )
            if identity in self._spans:
                self._spans.move_to_end(identity)
                return self._spans[identity]
            pins = actor_pins(figure.skeleton, actor.pins, (start, end), blend.q[i : i + 2])
            found = _solve(body, blend, i, [*pins, *holds], times)
            self._spans[identity] = found
            while len(self._spans) > _KEPT_SPANS:
                self._spans.popitem(last=False)
            return found

    def _holds(
        self, actor: ActorRow, scene_key: SceneKey, start_s: float, end_s: float
    ) -> list[TimedPin]:
        """What holds the joints of an actor during a span."""
        if not scene_key.held:
            return []
        return held_joints.timed_holds(self._document, actor.id, start_s, end_s)

    def _body(self, actor: ActorRow, figure: Figure, scene_key: SceneKey) -> BodyModel:
        identity = (actor.id, scene_key)
        if identity not in self._bodies:
            self._bodies[identity] = BodyModel(_world(self._document, actor, figure, scene_key))
            while len(self._bodies) > _KEPT_BODIES:
                self._bodies.popitem(last=False)
        return self._bodies[identity]


def actor_pins(
    skeleton: Skeleton, pins: Sequence[PinRow], span_s: tuple[float, float], keys: Floats
) -> list[TimedPin]:
    """The pins of an actor that hold in a span between two keys (2, nq) (`span_pins`)."""
    return span_pins(skeleton, ranges_of(pins), *span_s, *keys)


def ranges_of(pins: Sequence[PinRow]) -> list[PinRange]:
    """The joints of pins and when they may act."""
    return [
        PinRange(row.joint, row.start_s, row.end_s, row.orientation_in_world is not None)
        for row in pins
    ]


def _world(document: Document, actor: ActorRow, figure: Figure, scene_key: SceneKey) -> World:
    """The actor alone with the ground and the objects of the document."""
    if not figure.capsules:
        return figure_world(figure, figure.skeleton.rest_configuration[None], None, False)
    scene = build_scene(document, scene_key)
    partners = held_joints.partners(document, actor.id)
    markers = [SceneObject(name, (), ObjectKind.MOVED) for name in partners]
    scene = replace(scene, objects=(*scene.objects, *markers))
    around = _environment(document, scene, actor.id, partners)
    return scene_world(scene, actor_label(actor.id), around)


def _environment(
    document: Document, scene: Scene, actor: int, partners: dict[str, Anchor]
) -> Callable[[Floats], Floats]:
    """Rows of the objects over time; `partners` are joints of other actors that this one holds."""
    layout = scene.layout
    moved = {item.name for item in scene.objects if item.kind is ObjectKind.MOVED}

    def around(times_s: Floats) -> Floats:
        rows = np.tile(layout.rest(), (len(times_s), 1))
        for item in document.objects() if moved else []:
            name = scene_objects.object_label(item)
            if name in moved:
                placed = placements.placements(document, item, times_s, unsolved=actor)
                rows[:, layout.object_q[name]] = placed
        for name, anchor in partners.items():
            turns, points = placements.frames(document, anchor, times_s, unsolved=actor)
            rows[:, layout.object_q[name]] = object_poses(points, turns)
        return rows

    return around


def _frames(
    body: BodyModel, blend: KeyBlend, i: int, pins: list[TimedPin], times: Floats
) -> InBetween:
    """The frames of a span at these times, not solved yet."""
    world = body.world
    return InBetween(
        body,
        blend.times_s[i : i + 2],
        np.ascontiguousarray(blend.q[i : i + 2]),
        (blend.ease[i], "smooth"),
        [prefixed(pin, world.prefix, world.skeleton.names) for pin in pins],
        times,
        _OPTIONS,
        slopes=list(blend.slopes[i : i + 2]),
        move_keys=False,
    )


def _solve(
    body: BodyModel, blend: KeyBlend, i: int, pins: list[TimedPin], times: Floats
) -> SolvedSpan | None:
    """The solved frames; None if they are the blend of the keys."""
    world, frames = body.world, _frames(body, blend, i, pins, times)
    inner = (1, len(times) - 1)
    frames.solve(*inner)
    if not SpanClearing(frames).clear_span(0, len(times) - 1):
        frames.solve(*inner, contacts=False)
    frames.q[[0, -1]] = frames.key_rows
    actor_rows = np.ascontiguousarray(frames.q[:, world.actor_q])
    if np.abs(actor_rows - blend.sample(times)).max() < 1e-6:
        return None
    return SolvedSpan(world.figure.skeleton, actor_rows)
