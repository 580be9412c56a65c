"""Ways in a document: sampled motion between two pose keys, which goes along with its keys."""

from __future__ import annotations

from writhe.skeleton import Motion
from writhe.studio.document import Document, Key, Track, TrackKind
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import pack, unpack

SAME_TIME_S = 1e-4


def ways_of(document: Document, actor: int) -> list[tuple[Track, float]]:
    """An actor's ways in order of time, each with when it ends."""
    size = document.figure(document.actor(actor).figure).skeleton.configuration_size
    found = [
        (track, track.start_s + (unpack(track.data).size // size - 1) / track.fps)
        for track in document.tracks(actor)
        if track.kind is TrackKind.WAY
    ]
    return sorted(found, key=lambda way: way[0].start_s)


def insert_way(document: Document, edit: Edit, actor: int, motion: Motion, start_s: float) -> None:
    """Put a way where nothing else lies: ways that it overlaps go."""
    cut_ways(document, edit, actor, start_s, start_s + motion.duration_s)
    edit.insert(
        "tracks",
        actor=actor,
        thing=0,
        kind=str(TrackKind.WAY),
        name=motion.name[:80],
        start_s=float(start_s),
        fps=float(motion.fps),
        data=pack(motion.q),
    )


def cut_ways(document: Document, edit: Edit, actor: int, start_s: float, end_s: float) -> None:
    """Remove the ways that lie between two times, in part or as a whole."""
    for track, way_end_s in ways_of(document, actor):
        if track.start_s < end_s - SAME_TIME_S and way_end_s > start_s + SAME_TIME_S:
            edit.delete("tracks", track.id)


def keys_at_ends(document: Document, actor: int) -> list[Key]:
    """The pose keys between which the actor's ways go."""
    track = document.track(actor, TrackKind.POSE)
    times = [time_s for way, end_s in ways_of(document, actor) for time_s in (way.start_s, end_s)]
    keys = [] if track is None else document.keys(track.id)
    return [key for key in keys if any(abs(key.time_s - t) < SAME_TIME_S for t in times)]


def keys_moved(document: Document, edit: Edit, moved: dict[int, float]) -> None:
    """Keys (by number) are about to move by so much: ways are stretched between their keys."""
    for actor in document.actors():
        for track, end_s in ways_of(document, actor.id):
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
    """Pose keys are about to go, and with them the ways that begin or end at them."""
    for actor in document.actors():
        gone = [key.time_s for key in keys_at_ends(document, actor.id) if key.id in deleted]
        for track, end_s in ways_of(document, actor.id):
            if any(min(abs(t - track.start_s), abs(t - end_s)) < SAME_TIME_S for t in gone):
                edit.delete("tracks", track.id)
