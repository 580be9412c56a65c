"""Sampled tracks of a document: motion between two pose keys that follows these keys."""

from __future__ import annotations

from writhe.skeleton import Motion
from writhe.studio.document import Document, KeyRow, TrackKind, TrackRow
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import SAME_TIME_S, pack, unpack


def tracks_of(document: Document, actor: int) -> list[tuple[TrackRow, float]]:
    """An actor's sampled tracks in order of time, each with its end time."""
    size = document.figure(document.actor(actor).figure).skeleton.configuration_size
    found = [
        (track, track.start_s + (unpack(track.data).size // size - 1) / track.fps)
        for track in document.tracks(actor)
        if track.kind is TrackKind.SAMPLED
    ]
    return sorted(found, key=lambda found: found[0].start_s)


def insert_track(
    document: Document, edit: Edit, actor: int, motion: Motion, start_s: float
) -> None:
    """Insert a sampled track, removing those that it overlaps."""
    cut_tracks(document, edit, actor, start_s, start_s + motion.duration_s)
    insert_motion(edit, actor, TrackKind.SAMPLED, motion, start_s)


def insert_motion(edit: Edit, actor: int, kind: TrackKind, motion: Motion, start_s: float) -> None:
    """Insert a track of this kind that holds the sampled configurations of a motion."""
    edit.insert(
        "tracks",
        actor=actor,
        thing=0,
        kind=str(kind),
        name=motion.name[:80],
        start_s=float(start_s),
        fps=float(motion.fps),
        data=pack(motion.q),
    )


def cut_tracks(document: Document, edit: Edit, actor: int, start_s: float, end_s: float) -> None:
    """Remove the sampled tracks that overlap a time interval."""
    for track, track_end_s in tracks_of(document, actor):
        if track.start_s < end_s - SAME_TIME_S and track_end_s > start_s + SAME_TIME_S:
            edit.delete("tracks", track.id)


def keys_at_ends(document: Document, actor: int) -> list[KeyRow]:
    """The pose keys at the ends of the actor's sampled tracks."""
    track = document.track(actor, TrackKind.POSE)
    times = [
        time_s
        for sampled, end_s in tracks_of(document, actor)
        for time_s in (sampled.start_s, end_s)
    ]
    keys = [] if track is None else document.keys(track.id)
    return [key for key in keys if any(abs(key.time_s - t) < SAME_TIME_S for t in times)]


def keys_moved(document: Document, edit: Edit, moved: dict[int, float]) -> None:
    """Retime sampled tracks before their keys move; `moved` maps key ids to shifts in seconds."""
    for actor in document.actors():
        for track, end_s in tracks_of(document, actor.id):
            by = [
                next(
                    (
                        moved.get(key.id, 0.0)
                        for key in keys_at_ends(document, actor.id)
                        if abs(key.time_s - time_s) < SAME_TIME_S
                    ),
                    0.0,
                )
                for time_s in (track.start_s, end_s)
            ]
            if by == [0.0, 0.0]:
                continue
            start_s, length_s = track.start_s + by[0], end_s + by[1] - track.start_s - by[0]
            if length_s < 1.0 / document.fps - SAME_TIME_S:
                edit.delete("tracks", track.id)
            else:
                fps = track.fps * (end_s - track.start_s) / length_s
                edit.update("tracks", track.id, start_s=start_s, fps=fps)


def keys_deleted(document: Document, edit: Edit, deleted: set[int]) -> None:
    """Remove the sampled tracks that begin or end at pose keys about to be deleted."""
    for actor in document.actors():
        times = [key.time_s for key in keys_at_ends(document, actor.id) if key.id in deleted]
        for track, end_s in tracks_of(document, actor.id):
            if any(min(abs(t - track.start_s), abs(t - end_s)) < SAME_TIME_S for t in times):
                edit.delete("tracks", track.id)
