"""The commands' bodies: what each does to the rows of a document."""

from __future__ import annotations

import msgspec
import numpy as np

from writhe.arrays import Floats
from writhe.errors import UnknownNameError, WritheError
from writhe.skeleton import Motion
from writhe.solvers.posing import method_names
from writhe.studio.document import sampled_tracks
from writhe.studio.document.document import Document
from writhe.studio.document.history import Edit
from writhe.studio.document.rows import Key, PinRow, TrackKind, pack
from writhe.studio.editing import starting_poses
from writhe.studio.editing.scene_builder import label

MOST_ACTORS, MOST_KEYS = 16, 20_000
SAME_TIME_S = 1e-4


def encode_pins(pins: tuple[PinRow, ...]) -> bytes:
    """Pins as they stand in the table."""
    return msgspec.msgpack.encode(pins)


def add_actor(document: Document, edit: Edit, figure: str, name: str = "", method: str = "") -> int:
    """A new actor in its starting pose, beside those that are there."""
    others = document.actors()
    if len(others) >= MOST_ACTORS:
        raise WritheError(f"a document holds at most {MOST_ACTORS} characters")
    shape = document.figure(figure)
    q = starting_poses.starting_pose(shape)
    q[0] += 1.4 * len(others)
    return edit.insert(
        "actors",
        name=name
        or (figure.capitalize() if not others else f"{figure.capitalize()} {len(others) + 1}"),
        figure=figure,
        method=method or method_names()[0],
        q=pack(q),
        pins=encode_pins(starting_poses.starting_pins(shape, q)),
    )


def remove_actor(document: Document, edit: Edit, actor: int) -> None:
    """Remove an actor with its tracks and keys."""
    if len(document.actors()) < 2:
        raise WritheError("a document keeps at least one character")
    for track in document.tracks(actor):
        for key in document.keys(track.id):
            edit.delete("keys", key.id)
        edit.delete("tracks", track.id)
    edit.delete("actors", actor)


def set_pose(document: Document, edit: Edit, actor: int, q: Floats, time_s: float) -> None:
    """Make q the actor's pose; once it has keys or a clip, key it at this time."""
    edit.update("actors", actor, q=pack(q))
    if not document.timeline(actor).empty:
        put_key(document, edit, actor, time_s, q)


def repin(
    document: Document, edit: Edit, actor: int, q: Floats, only: set[str] | None = None
) -> None:
    """Move the actor's pins to where their joints now are: all of them, or only of some joints."""
    row = document.actor(actor)
    shape = document.figure(row.figure)
    pins = tuple(
        starting_poses.pin_here(
            shape, q, pin.joint, orientation=pin.orientation_in_world is not None
        )
        if only is None or pin.joint in only
        else pin
        for pin in row.pins
    )
    if pins != row.pins:
        edit.update("actors", actor, pins=encode_pins(pins))


def pin_only(document: Document, edit: Edit, actor: int, q: Floats, joints: list[str]) -> None:
    """Pin these joints where they are and free all others: feet flat, the rest in place alone."""
    shape = document.figure(document.actor(actor).figure)
    pins = tuple(
        starting_poses.pin_here(shape, q, joint, orientation=joint in starting_poses.FEET)
        for joint in joints
    )
    edit.update("actors", actor, pins=encode_pins(pins))


def set_pin(document: Document, edit: Edit, actor: int, q: Floats, joint: str, hold: str) -> None:
    """Pin a joint where it is ("position" or "both"), or free it ("none")."""
    row = document.actor(actor)
    pins = [pin for pin in row.pins if pin.joint != joint]
    if hold != "none":
        shape = document.figure(row.figure)
        pins.append(starting_poses.pin_here(shape, q, joint, orientation=hold == "both"))
    edit.update("actors", actor, pins=encode_pins(tuple(pins)))


def choose_method(document: Document, edit: Edit, actor: int, method: str) -> None:
    """Pose an actor by another method from now on."""
    if method not in method_names():
        raise UnknownNameError("posing method", method, method_names())
    edit.update("actors", document.actor(actor).id, method=method)


def choose_figure(document: Document, edit: Edit, actor: int, figure: str) -> None:
    """Another body for an actor: starting pose, fresh pins; its tracks do not fit and go."""
    shape = document.figure(figure)
    clear_tracks(document, edit, actor)
    q = starting_poses.starting_pose(shape)
    edit.update(
        "actors",
        actor,
        figure=figure,
        name=figure.capitalize(),
        q=pack(q),
        pins=encode_pins(starting_poses.starting_pins(shape, q)),
    )


def clear_tracks(document: Document, edit: Edit, actor: int) -> None:
    """Remove all keys and clips of an actor."""
    for track in document.tracks(actor):
        for key in document.keys(track.id):
            edit.delete("keys", key.id)
        edit.delete("tracks", track.id)


def put_key(document: Document, edit: Edit, actor: int, time_s: float, q: Floats) -> int:
    """Key a pose at a time, replacing a key that is there."""
    track = track_for(document, edit, TrackKind.POSE, "Pose", actor=document.actor(actor).id)
    return put_track_key(document, edit, track, time_s, pack(q))


def track_for(
    document: Document, edit: Edit, kind: TrackKind, name: str, *, actor: int = 0, thing: int = 0
) -> int:
    """The number of the track of a kind that an actor or object has; made where it lacks one."""
    for track in document.all_tracks():
        if (track.actor, track.thing, track.kind) == (actor, thing, kind):
            return track.id
    return edit.insert(
        "tracks",
        actor=actor,
        thing=thing,
        kind=str(kind),
        name=name,
        start_s=0.0,
        fps=document.fps,
        data=b"",
    )


def put_track_key(document: Document, edit: Edit, track: int, time_s: float, data: bytes) -> int:
    """Put a key of any kind on its track at a time, replacing a key that is there."""
    if not (np.isfinite(time_s) and time_s >= 0):
        raise WritheError("a key's time must be zero or more seconds")
    keys = document.keys(track)
    for key in keys:
        if abs(key.time_s - time_s) < SAME_TIME_S:
            edit.update("keys", key.id, data=data)
            return key.id
    if len(keys) >= MOST_KEYS:
        raise WritheError(f"a track holds at most {MOST_KEYS} keys")
    _stretch(document, edit, time_s)
    return edit.insert("keys", track=track, time_s=float(time_s), ease="smooth", data=data)


def _stretch(document: Document, edit: Edit, time_s: float) -> None:
    """Let the timeline reach at least to a time."""
    if time_s > document.duration_s:
        edit.setting("duration_s", float(np.ceil(time_s)))


def _all_keys(document: Document) -> dict[int, Key]:
    """Every key by its number."""
    return {key.id: key for track in document.all_tracks() for key in document.keys(track.id)}


def move_keys(document: Document, edit: Edit, numbers: list[int], by_s: float) -> None:
    """Shift keys in time; a key that lands on another replaces it."""
    keys = _all_keys(document)
    moving = [keys[number] for number in numbers if number in keys]
    if not moving:
        raise WritheError("those keys are not there any more")
    moving += _poses_of_tangles(document, moving)
    by_s = max(by_s, -min(key.time_s for key in moving))
    taken = {key.id for key in moving}
    sampled_tracks.keys_moved(document, edit, {key.id: by_s for key in moving})
    for key in moving:
        goal = key.time_s + by_s
        for other in keys.values():
            same = other.track == key.track and abs(other.time_s - goal) < SAME_TIME_S
            if same and other.id not in taken:
                taken.add(other.id)
                edit.delete("keys", other.id)
        edit.update("keys", key.id, time_s=goal)
        _stretch(document, edit, goal)


def _poses_of_tangles(document: Document, moving: list[Key]) -> list[Key]:
    """The pose keys to which ways lead at the times of these tangle keys: they go along."""
    kinds = {track.id: track.kind for track in document.all_tracks()}
    times = [key.time_s for key in moving if kinds[key.track] is TrackKind.TANGLE]
    known = {key.id for key in moving}
    return [
        key
        for actor in document.actors()
        for key in sampled_tracks.keys_at_ends(document, actor.id)
        if key.id not in known and any(abs(key.time_s - t) < SAME_TIME_S for t in times)
    ]


def copy_keys(document: Document, edit: Edit, numbers: list[int], to_s: float) -> None:
    """Copy keys so that the earliest stands at `to_s`."""
    keys = _all_keys(document)
    copied = [keys[number] for number in numbers if number in keys]
    if not copied:
        raise WritheError("those keys are not there any more")
    first = min(key.time_s for key in copied)
    for key in copied:
        put_track_key(document, edit, key.track, to_s + key.time_s - first, key.data)


def delete_keys(document: Document, edit: Edit, numbers: list[int]) -> None:
    """Remove keys."""
    keys = _all_keys(document)
    sampled_tracks.keys_deleted(document, edit, set(numbers))
    for number in numbers:
        if number in keys:
            edit.delete("keys", number)


def set_ease(document: Document, edit: Edit, numbers: list[int], ease: str) -> None:
    """Say how the motion goes on from some keys: smooth, linear or hold."""
    keys = _all_keys(document)
    for number in numbers:
        if number in keys:
            edit.update("keys", number, ease=ease)


def mirror_contacts(document: Document, edit: Edit, actor: int) -> None:
    """Where an actor's parts may touch something, let their counterparts touch it too."""
    skeleton = document.figure(document.actor(actor).figure).skeleton
    own = f"{label(actor)}."

    def mirrored(part: str) -> str:
        name = part.removeprefix(own)
        return own + starting_poses.counterpart(skeleton, name) if name in skeleton else part

    known = document.setting("contacts", list[tuple[str, str]], [])
    pairs = [(mirrored(a), mirrored(b)) for a, b in known if own in a or own in b]
    fresh = {(min(a, b), max(a, b)) for a, b in pairs} - set(known)
    if fresh:
        edit.setting("contacts", [*known, *sorted(fresh)])


def put_clip(document: Document, edit: Edit, actor: int, motion: Motion, start_s: float) -> None:
    """Lay a sampled motion under the actor's keys, replacing the clip and the ways there."""
    end_s = start_s + motion.duration_s
    for key in sampled_tracks.keys_at_ends(document, actor):
        if start_s - SAME_TIME_S <= key.time_s <= end_s + SAME_TIME_S:
            edit.delete("keys", key.id)
    sampled_tracks.cut_ways(document, edit, actor, start_s, end_s)
    found = document.track(actor, TrackKind.CLIP)
    if found is not None:
        edit.delete("tracks", found.id)
    edit.insert(
        "tracks",
        actor=actor,
        thing=0,
        kind=str(TrackKind.CLIP),
        name=motion.name[:80],
        start_s=float(start_s),
        fps=float(motion.fps),
        data=pack(motion.q),
    )
    _stretch(document, edit, end_s)


def put_way(document: Document, edit: Edit, actor: int, motion: Motion, start_s: float) -> None:
    """Let an actor go a sampled way, with pose keys at its ends instead of those within.

    A way of more frames than the document's raises its rate: fewer would cut corners.
    """
    end_s = start_s + motion.duration_s
    if motion.fps > document.fps + 1e-6:
        edit.setting("fps", float(min(motion.fps, 120.0)))
    clear_between(document, edit, actor, start_s, end_s)
    sampled_tracks.insert_way(document, edit, actor, motion, start_s)
    put_key(document, edit, actor, start_s, motion.q[0])
    put_key(document, edit, actor, end_s, motion.q[-1])


def clear_between(document: Document, edit: Edit, actor: int, start_s: float, end_s: float) -> None:
    """Remove an actor's pose keys and ways between two times; keys at these times stay."""
    track = document.track(actor, TrackKind.POSE)
    for key in [] if track is None else document.keys(track.id):
        if start_s + SAME_TIME_S < key.time_s < end_s - SAME_TIME_S:
            edit.delete("keys", key.id)
    sampled_tracks.cut_ways(document, edit, actor, start_s, end_s)
