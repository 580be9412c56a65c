"""A document: actors, objects, tracks, keys, saved poses; every command is saved and undoable."""

from __future__ import annotations

import sqlite3
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from writhe.animation.key_interpolation import KeyBlend
from writhe.arrays import Floats, floats
from writhe.skeleton import Motion
from writhe.studio.document import row_types
from writhe.studio.document.document_queries import DocumentQueries
from writhe.studio.document.row_types import ActorRow, KeyRow, TrackKind
from writhe.studio.document.timeline import (
    ActorTimeline,
    PoseKeys,
    SampledTrack,
    SolvedSpan,
    SolveSpan,
)

if TYPE_CHECKING:
    from writhe.studio.editing.in_betweens import InBetweens

SUFFIX = ".writhe"


class Document(DocumentQueries):
    """A document with the timelines of its actors, which are kept until the file changes."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self._timelines: dict[int, tuple[int, ActorTimeline]] = {}  # with the total of changes

    def timeline(self, actor: int) -> ActorTimeline:
        """The actor's tracks as a timeline that can be sampled."""
        with self._lock:
            revision = self._connection.total_changes
            known = self._timelines.get(actor)
            if known is None or known[0] != revision:
                timeline = self._read_timeline(actor)
                if known is not None:
                    timeline.adopt(known[1])
                known = revision, timeline
                self._timelines[actor] = known
            return known[1]

    def _read_timeline(self, actor: int) -> ActorTimeline:
        from writhe.studio.editing.scene.scene_builder import SceneKey

        with self._lock:
            row = self.actor(actor)
            skeleton = self.figure(row.figure).skeleton
            keys = clip = None
            start_s = 0.0
            sampled_tracks: list[SampledTrack] = []
            for track in self.tracks(actor):
                if track.kind is TrackKind.POSE:
                    found = self.keys(track.id)
                    if found:
                        keys = _pose_keys(found)
                elif track.kind in (TrackKind.CLIP, TrackKind.SAMPLED):
                    q = row_types.unpack(track.data).reshape(-1, skeleton.configuration_size)
                    motion = Motion(skeleton, q, track.fps, track.name)
                    if track.kind is TrackKind.CLIP:
                        clip, start_s = motion, track.start_s
                    else:
                        sampled_tracks.append(SampledTrack(track.start_s, motion))
        solve = around = None
        if keys is not None and clip is None:
            solve = self._span_solver(row)
            placed = [[*self.placement_keys(item.id)] for item in self.objects()]
            scene_key = SceneKey.of(self)
            # what is held on another character follows that one: nothing is taken over then
            others = object() if scene_key.held else None
            around = (self.fps, row.figure, row.pins, scene_key, placed, others)
        return ActorTimeline(skeleton, keys, clip, start_s, tuple(sampled_tracks), solve, around)

    @cached_property
    def in_betweens(self) -> InBetweens:
        """Solves the frames between the keys of the actors."""
        from writhe.studio.editing.in_betweens import InBetweens

        return InBetweens(self, self._lock)

    def _span_solver(self, row: ActorRow) -> SolveSpan:
        """The function that solves the spans between an actor's keys, prepared on first use."""
        fps, known = self.fps, list[SolveSpan]()

        def solve(blend: KeyBlend, i: int) -> SolvedSpan | None:
            if not known:
                known.append(self.in_betweens.of_actor(row, self.figure(row.figure), fps))
            return known[0](blend, i)

        return solve

    def with_feet_of_previous_key(
        self, actor: int, q: Floats, time_s: float, *, shift: bool
    ) -> Floats:
        """A pose q (nq) with its feet at their positions in the previous key, if they are near.

        With `shift`, the whole body is first translated to bring its feet as near as possible.
        """
        from writhe.animation.foot_contacts import with_feet_near

        with self._lock:
            row, timeline = self.actor(actor), self.timeline(actor)
            keys = timeline.keys
            if keys is None or timeline.clip is not None:
                return q
            earlier = np.flatnonzero(keys.times_s < time_s - row_types.SAME_TIME_S)
            if not len(earlier):
                return q
            figure = self.figure(row.figure)
            before = keys.q[earlier[-1]]
            if shift:
                q = with_feet_near(figure, q, before)
            return self.in_betweens.with_feet_of(row, figure, q, before)

    def motion(
        self, actor: int, fps: float | None = None, *, until_s: float | None = None
    ) -> Motion:
        """The actor's timeline as sampled motion; a single frame if it has no tracks.

        until_s: the end of the motion, by default that of the actor's last track.
        """
        rate = fps or self.fps
        timeline = self.timeline(actor)
        row = self.actor(actor)
        count = round((timeline.end_s if until_s is None else until_s) * rate) + 1
        if timeline.empty:
            q = np.tile(row.configuration, (count, 1))
        else:
            q = timeline.sample(np.arange(count) / rate)
        return Motion(timeline.skeleton, q, rate, row.name)

    # ---- whole commands for Python users ----

    def add_actor(self, figure: str = "human", name: str = "", method: str = "") -> int:
        """Add an actor in its starting pose with its feet (or root) pinned; returns its id."""
        from writhe.studio.editing.edits import add_actor

        with self.edit("Add character") as edit:
            return add_actor(self, edit, figure, name, method)

    def set_key(self, actor: int, time_s: float, q: Floats) -> None:
        """Set a pose key at a time, replacing one at that time."""
        from writhe.studio.editing.edits import put_key

        size = self.figure(self.actor(actor).figure).skeleton.configuration_size
        with self.edit("Set key") as edit:
            put_key(self, edit, actor, time_s, floats(q, (size,), "the pose"))


def _pose_keys(found: list[KeyRow]) -> PoseKeys:
    times = np.array([key.time_s for key in found])
    q = np.stack([row_types.unpack(key.data) for key in found])
    return PoseKeys(times, q, tuple(key.ease for key in found))
