"""The document as the page sees it: state and sampled motion."""

from __future__ import annotations

import numpy as np

from writhe.skeleton import Motion
from writhe.studio import protocol
from writhe.studio.document import Actor, Document, Thing, TrackKind, sampled_tracks
from writhe.studio.document.rows import unpack
from writhe.studio.editing import scene_objects
from writhe.studio.editing.editor import Stage
from writhe.studio.protocol.registry import FEATURES
from writhe.studio.view.diagnostics import MOST_STRANDS
from writhe.topology import linking_over_time

MOST_FRAMES = 20_000


def state(stage: Stage, request: str = "") -> protocol.State:
    """Everything but motion, with poses at this session's playhead."""
    document = stage.document
    actors = document.actors()
    return protocol.State(
        request=request,
        name=document.name,
        actors=[_actor(stage, actor) for actor in actors],
        keys=[
            protocol.KeyState(key.id, track.actor, track.thing, track.kind, key.time_s, key.ease)
            for track in document.all_tracks()
            for key in document.keys(track.id)
        ],
        things=[_thing(document, thing) for thing in document.objects()],
        contacts=[
            f"{a} and {b}" for a, b in document.setting("contacts", list[tuple[str, str]], [])
        ],
        duration_s=document.duration_s,
        fps=document.fps,
        undo=document.undo_label or "",
        redo=document.redo_label or "",
        features={f.name: f.state_of(stage) for f in FEATURES if f.state_of is not None},
    )


def _thing(document: Document, thing: Thing) -> protocol.ThingState:
    keys = [(key.id, key.time_s, unpack(key.data)) for key in document.place_keys(thing.id)]
    rows = [scene_objects.shape_row(shape) for shape in scene_objects.shapes_of(thing)]
    return protocol.ThingState(
        id=thing.id,
        name=thing.name,
        kind=thing.kind,
        position=thing.body.position,
        rotation=thing.body.rotation,
        size=thing.body.size,
        resizable=thing.kind in scene_objects.START_SIZES_M,
        solids=[protocol.Solid(row.core, list(row.points), row.radius_m) for row in rows],
        keys=[
            protocol.PlaceKey(number, time_s, (x, y, z), (w, i, j, k))
            for number, time_s, (x, y, z, w, i, j, k) in (
                (n, t, (float(v) for v in place)) for n, t, place in keys
            )
        ],
    )


def _actor(stage: Stage, actor: Actor) -> protocol.ActorState:
    figure = stage.document.figure(actor.figure)
    tracks = stage.document.tracks(actor.id)
    clip = next((t.name for t in tracks if t.kind is TrackKind.CLIP), "")
    return protocol.ActorState(
        id=actor.id,
        name=actor.name,
        figure=actor.figure,
        method=actor.method,
        q=stage.puppet(actor).q.astype("<f4").tobytes(),
        pins=[
            protocol.PinState(
                figure.skeleton.index(pin.joint),
                pin.position_in_world,
                pin.orientation_in_world is not None,
            )
            for pin in actor.pins
        ],
        animated=not stage.document.timeline(actor.id).empty,
        clip=clip,
        ways=[
            protocol.WayState(track.id, track.name, track.start_s, end_s)
            for track, end_s in sampled_tracks.ways_of(stage.document, actor.id)
        ],
    )


class MotionViews:
    """Sampled motion of the actors, sent again only when its tracks changed."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._sent: dict[int, object] = {}

    def changed(self) -> list[protocol.MotionData]:
        """The motions that the page does not have yet."""
        document = self._stage.document
        fresh: list[protocol.MotionData] = []
        for actor in document.actors():
            stamp = (document.fps, actor.figure, self._stamp(actor.id))
            if self._sent.get(actor.id) == stamp:
                continue
            self._sent[actor.id] = stamp
            fresh.append(self._sample(actor))
        return fresh

    def _stamp(self, actor: int) -> object:
        document = self._stage.document
        return tuple(
            (
                t.id,
                t.start_s,
                t.fps,
                hash(t.data),
                *((k.time_s, k.ease, hash(k.data)) for k in document.keys(t.id)),
            )
            for t in document.tracks(actor)
        )

    def _sample(self, actor: Actor) -> protocol.MotionData:
        document = self._stage.document
        timeline = document.timeline(actor.id)
        if timeline.empty:
            return protocol.MotionData(actor.id, document.fps, 0, b"", b"")
        count = min(MOST_FRAMES, round(timeline.end_s * document.fps) + 1)
        q = timeline.sample(np.arange(count) / document.fps)
        figure = document.figure(actor.figure)
        linking = b""
        if 2 <= len(figure.strands) <= MOST_STRANDS:
            values = linking_over_time(figure, Motion(figure.skeleton, q, document.fps))
            linking = values.astype("<f4").tobytes()
        data = q.astype("<f4").tobytes()
        return protocol.MotionData(actor.id, document.fps, count, data, linking)
