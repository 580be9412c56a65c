"""The State and MotionData messages of a document."""

from __future__ import annotations

import time

import numpy as np

from writhe.animation.pins import acting_ranges
from writhe.arrays import Floats
from writhe.skeleton import Motion
from writhe.studio import protocol
from writhe.studio.document import ActorRow, Document, ObjectRow, TrackKind, sampled_tracks
from writhe.studio.document.row_types import unpack
from writhe.studio.document.timeline import MAX_FRAMES, ActorTimeline
from writhe.studio.editing import in_betweens
from writhe.studio.editing.editor import Editor
from writhe.studio.editing.scene import scene_objects
from writhe.studio.editing.scene.scene_builder import SceneKey
from writhe.studio.protocol.registry import FEATURES
from writhe.studio.view.diagnostics import MAX_STRANDS
from writhe.topology import linking_over_time

# longest time that spans are solved for before frames are sent: at first, and afterwards
SOLVE_S, SOLVE_MORE_S = 0.05, 0.25
SHORT_GAP = 30  # unchanged frames between changed ones that are sent with them


def state(editor: Editor, request: str = "") -> protocol.State:
    """The State of the document, with the session's current poses."""
    document = editor.document
    revision = document.revision  # read first: a state may be newer than it says, never older
    actors = document.actors()
    return protocol.State(
        request=request,
        revision=revision,
        name=document.name,
        actors=[_actor(editor, actor) for actor in actors],
        keys=[
            protocol.KeyState(key.id, track.actor, track.object, track.kind, key.time_s, key.ease)
            for track in document.all_tracks()
            for key in document.keys(track.id)
        ],
        objects=[_object_state(document, item) for item in document.objects()],
        contacts=[
            f"{a} and {b}" for a, b in document.setting("contacts", list[tuple[str, str]], [])
        ],
        duration_s=document.duration_s,
        fps=document.fps,
        undo=document.undo_label or "",
        redo=document.redo_label or "",
        features={f.name: f.state_of(editor) for f in FEATURES if f.state_of is not None},
    )


def _object_state(document: Document, item: ObjectRow) -> protocol.ObjectState:
    keys = [(key.id, key.time_s, unpack(key.data)) for key in document.placement_keys(item.id)]
    rows = [scene_objects.shape_row(shape) for shape in scene_objects.shapes_of(item)]
    return protocol.ObjectState(
        id=item.id,
        name=item.name,
        kind=item.kind,
        position=item.data.position,
        rotation=item.data.rotation,
        size=item.data.size,
        resizable=item.kind in scene_objects.START_SIZES_M,
        mass_kg=scene_objects.mass_of(item),
        solids=[protocol.Solid(row.core, list(row.points), row.radius_m) for row in rows],
        keys=[
            protocol.PlacementKey(number, time_s, (x, y, z), (w, i, j, k))
            for number, time_s, (x, y, z, w, i, j, k) in (
                (n, t, (float(v) for v in placement)) for n, t, placement in keys
            )
        ],
    )


def _actor(editor: Editor, actor: ActorRow) -> protocol.ActorState:
    figure = editor.document.figure(actor.figure)
    tracks = editor.document.tracks(actor.id)
    clip = next((t.name for t in tracks if t.kind is TrackKind.CLIP), "")
    return protocol.ActorState(
        id=actor.id,
        name=actor.name,
        figure=actor.figure,
        method=actor.method,
        q=editor.posed_actor(actor).q.astype("<f4").tobytes(),
        pins=[
            protocol.PinState(
                figure.skeleton.index(pin.joint),
                pin.position_in_world,
                pin.orientation_in_world is not None,
                pin.start_s,
                pin.end_s,
                acts,
            )
            for pin, acts in zip(actor.pins, _acting(editor.document, actor), strict=True)
        ],
        animated=not editor.document.timeline(actor.id).empty,
        clip=clip,
        sampled_tracks=[
            protocol.SampledTrackState(track.id, track.name, track.start_s, end_s)
            for track, end_s in sampled_tracks.tracks_of(editor.document, actor.id)
        ],
    )


def _acting(document: Document, actor: ActorRow) -> list[list[tuple[float, float]]]:
    """When each pin of an actor acts in its motion."""
    timeline, pins = document.timeline(actor.id), in_betweens.ranges_of(actor.pins)
    keys = timeline.keys
    if keys is None or timeline.clip is not None:
        return [[] for _ in pins]
    middles = 0.5 * (keys.times_s[:-1] + keys.times_s[1:])
    solved = np.ones(len(middles), dtype=np.bool_)
    for sampled in timeline.sampled_tracks:
        solved &= ~sampled.covers_each(middles)
    return acting_ranges(timeline.skeleton, pins, keys.times_s, keys.q, solved)


class MotionViews:
    """Sampled motion of the actors; of a motion that changes only the changed frames are sent."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self._sent: dict[int, object] = {}
        self._shown: dict[int, Floats] = {}  # by actor: the frames (n, nq) that the page has
        self.complete = True  # whether all spans between keys are solved

    def changed(self, solve_s: float = SOLVE_S) -> list[protocol.MotionData]:
        """The frames that the page does not have yet.

        Spans between keys are solved from the playhead outwards for `solve_s` at most; the others
        follow the blend of their keys, and `complete` is False until later calls have solved them.
        """
        editor = self._editor
        document = editor.document
        scene_key = SceneKey.of(document)  # frames between keys depend on the surrounding objects
        until = time.perf_counter() + solve_s
        fresh: list[protocol.MotionData] = []
        # held on another character, an actor follows its motion
        others = tuple(self._stamp(a.id) for a in document.actors()) if scene_key.held else ()
        self.complete = True
        for actor in document.actors():
            own = self._stamp(actor.id)
            stamp = (document.fps, actor.figure, actor.pins, scene_key, own, others)
            if self._sent.get(actor.id) == stamp:
                continue
            timeline = document.timeline(actor.id)
            solved = timeline.solve_near(editor.time_s, lambda: time.perf_counter() > until)
            fresh += self._frames(actor, timeline)
            self._sent[actor.id] = stamp if solved else None
            self.complete = self.complete and solved
        return fresh

    def _stamp(self, actor: int) -> object:
        document = self._editor.document
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

    def _frames(self, actor: ActorRow, timeline: ActorTimeline) -> list[protocol.MotionData]:
        """The frames of an actor that differ from those sent before."""
        document = self._editor.document
        fps, before = document.fps, self._shown.pop(actor.id, None)
        if timeline.empty:
            return [protocol.MotionData(actor.id, fps, 0, 0, 0, b"", b"")]
        count = min(MAX_FRAMES, round(timeline.end_s * fps) + 1)
        q = timeline.sample(np.arange(count) / fps, solved_only=True)
        self._shown[actor.id] = q
        runs = _differences(before, q)
        if not runs and before is not None and len(before) != count:
            runs = [(count, count)]  # only shorter
        return [frames_message(document, actor, q[a:b], a, count) for a, b in runs]


def _differences(before: Floats | None, now: Floats) -> list[tuple[int, int]]:
    """Ranges of rows of `now` (n, nq) that differ from `before`, with short gaps closed."""
    if before is None or before.shape[1] != now.shape[1]:
        return [(0, len(now))]
    both = min(len(before), len(now))
    apart = np.ones(len(now), dtype=bool)
    apart[:both] = (before[:both] != now[:both]).any(axis=1)
    at = np.flatnonzero(apart)
    if not len(at):
        return []
    parts = np.split(at, np.flatnonzero(np.diff(at) > SHORT_GAP) + 1)
    return [(int(part[0]), int(part[-1]) + 1) for part in parts]


def frames_message(
    document: Document, actor: ActorRow, q: Floats, first: int, count: int
) -> protocol.MotionData:
    """Frames (n, nq) from number `first` on, of a motion of `count` frames."""
    figure = document.figure(actor.figure)
    linking = b""
    if 2 <= len(figure.strands) <= MAX_STRANDS and len(q):
        values = linking_over_time(figure, Motion(figure.skeleton, q, document.fps))
        linking = values.astype("<f4").tobytes()
    data = q.astype("<f4").tobytes()
    return protocol.MotionData(actor.id, document.fps, count, first, q.shape[1], data, linking)
