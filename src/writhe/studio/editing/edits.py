"""Edits of the rows of a document, one function for each command."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import msgspec
import numpy as np

from writhe.animation.mirror import counterpart, mirrored_pose
from writhe.arrays import Floats
from writhe.easing import read_ease
from writhe.errors import UnknownNameError, WritheError
from writhe.skeleton import Motion, Skeleton
from writhe.skeleton.configuration_paths import path_rows
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing import method_names
from writhe.studio.document import sampled_tracks
from writhe.studio.document.document import Document
from writhe.studio.document.history import Edit
from writhe.studio.document.row_types import SAME_TIME_S, KeyRow, PinRow, TrackKind, pack, unpack
from writhe.studio.editing import starting_poses
from writhe.studio.editing.scene.scene_builder import actor_label

MAX_ACTORS, MAX_KEYS = 16, 20_000
MAX_PIN_S = 36_000.0


def encode_pins(pins: tuple[PinRow, ...]) -> bytes:
    """Pins as they are stored in the table `actors`."""
    return msgspec.msgpack.encode(pins)


def add_actor(document: Document, edit: Edit, figure: str, name: str = "", method: str = "") -> int:
    """Add an actor in its starting pose, beside the existing ones; returns its id."""
    others = document.actors()
    if len(others) >= MAX_ACTORS:
        raise WritheError(f"a document holds at most {MAX_ACTORS} characters")
    shape = document.figure(figure)
    q = starting_poses.starting_pose(shape)
    q[0] += 1.4 * len(others)
    title = figure.removesuffix("_with_fingers").capitalize()
    return edit.insert(
        "actors",
        name=name or (title if not others else f"{title} {len(others) + 1}"),
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
    """Set the actor's pose to q; an actor with keys or a clip gets a key at this time."""
    edit.update("actors", actor, q=pack(q))
    if not document.timeline(actor).empty:
        put_key(document, edit, actor, time_s, q)


Share = Annotated[float, msgspec.Meta(ge=0.05, le=1.0)]  # of a pose that is blended in


def blended(skeleton: Skeleton, now: Floats, pose: Floats, share: float) -> Floats:
    """The pose at a share of the way from one configuration to another, joint by joint."""
    if share >= 1.0:
        return pose
    return path_rows(skeleton, np.array([now, pose]), np.array([share]))[0]


def update_pins(
    document: Document, edit: Edit, actor: int, q: Floats, only: set[str] | None = None
) -> None:
    """Move the actor's pins (all, or those of the joints `only`) to where their joints are at q."""
    row = document.actor(actor)
    shape = document.figure(row.figure)
    pins = tuple(
        msgspec.structs.replace(
            starting_poses.pin_here(
                shape, q, pin.joint, orientation=pin.orientation_in_world is not None
            ),
            start_s=pin.start_s,
            end_s=pin.end_s,
        )
        if only is None or pin.joint in only
        else pin
        for pin in row.pins
    )
    if pins != row.pins:
        edit.update("actors", actor, pins=encode_pins(pins))


def pin_only(document: Document, edit: Edit, actor: int, q: Floats, joints: list[str]) -> None:
    """Pin exactly these joints at q: feet in position and orientation, others in position."""
    shape = document.figure(document.actor(actor).figure)
    pins = tuple(
        starting_poses.pin_here(shape, q, joint, orientation=joint in ANKLES) for joint in joints
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


def set_pin_range(
    document: Document,
    edit: Edit,
    actor: int,
    joint: str,
    start_s: float | None,
    end_s: float | None,
) -> None:
    """Set the time range of a joint's pin; None means from the start, or to the end."""
    row = document.actor(actor)
    if not any(pin.joint == joint for pin in row.pins):
        raise WritheError(f"{joint.replace('_', ' ')} is not pinned: pin it first")
    times = [t for t in (start_s, end_s) if t is not None]
    if not all(np.isfinite(t) and 0.0 <= t <= MAX_PIN_S for t in times):
        raise WritheError(f"the range of a pin must lie between 0 and {MAX_PIN_S:g} s")
    if start_s is not None and end_s is not None and start_s > end_s:
        raise WritheError("a pin must start before it ends")
    pins = tuple(
        msgspec.structs.replace(pin, start_s=start_s, end_s=end_s) if pin.joint == joint else pin
        for pin in row.pins
    )
    edit.update("actors", actor, pins=encode_pins(pins))


def choose_method(document: Document, edit: Edit, actor: int, method: str) -> None:
    """Set the posing method of an actor."""
    if method not in method_names():
        raise UnknownNameError("posing method", method, method_names())
    edit.update("actors", document.actor(actor).id, method=method)


def choose_figure(document: Document, edit: Edit, actor: int, figure: str) -> None:
    """Change the figure of an actor: starting pose, new pins; its tracks are removed."""
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
    """Set a pose key at a time, replacing one at that time; returns its id."""
    track = track_for(document, edit, TrackKind.POSE, "Pose", actor=document.actor(actor).id)
    return put_track_key(document, edit, track, time_s, pack(q))


def track_for(
    document: Document,
    edit: Edit,
    kind: TrackKind,
    name: str,
    *,
    actor: int = 0,
    object_id: int = 0,
) -> int:
    """The id of an actor's or object's track of a kind, created if there is none."""
    for track in document.all_tracks():
        if (track.actor, track.object, track.kind) == (actor, object_id, kind):
            return track.id
    return edit.insert(
        "tracks",
        actor=actor,
        thing=object_id,
        kind=str(kind),
        name=name,
        start_s=0.0,
        fps=document.fps,
        data=b"",
    )


def put_track_key(document: Document, edit: Edit, track: int, time_s: float, data: bytes) -> int:
    """Put a key on a track at a time, replacing one at that time; returns its id."""
    if not (np.isfinite(time_s) and time_s >= 0):
        raise WritheError("a key's time must be 0 s or later")
    keys = document.keys(track)
    for key in keys:
        if abs(key.time_s - time_s) < SAME_TIME_S:
            edit.update("keys", key.id, data=data)
            return key.id
    if len(keys) >= MAX_KEYS:
        raise WritheError(f"a track holds at most {MAX_KEYS} keys")
    _extend_timeline(document, edit, time_s)
    return edit.insert("keys", track=track, time_s=float(time_s), ease="smooth", data=data)


def _extend_timeline(document: Document, edit: Edit, time_s: float) -> None:
    """Extend the timeline to at least a time."""
    if time_s > document.duration_s:
        edit.setting("duration_s", float(np.ceil(time_s)))


def _all_keys(document: Document) -> dict[int, KeyRow]:
    """All keys by id."""
    return {key.id: key for track in document.all_tracks() for key in document.keys(track.id)}


def move_keys(document: Document, edit: Edit, numbers: list[int], by_s: float) -> None:
    """Shift keys in time; a key that lands on another replaces it."""
    keys = _all_keys(document)
    moving = [keys[number] for number in numbers if number in keys]
    if not moving:
        raise WritheError("those keys no longer exist")
    moving += _pose_keys_at_tangles(document, moving)
    by_s = max(by_s, -min(key.time_s for key in moving))
    _shift_keys(document, edit, moving, {key.id: by_s for key in moving})


def _shift_keys(
    document: Document, edit: Edit, moving: list[KeyRow], shifts: dict[int, float]
) -> None:
    """Move each key by shifts[key.id] seconds, deleting other keys that stand at its new time."""
    sampled_tracks.keys_moved(document, edit, shifts)
    taken, others = {key.id for key in moving}, list(_all_keys(document).values())
    for key in moving:
        goal = key.time_s + shifts[key.id]
        for other in others:
            same = other.track == key.track and abs(other.time_s - goal) < SAME_TIME_S
            if same and other.id not in taken:
                taken.add(other.id)
                edit.delete("keys", other.id)
        edit.update("keys", key.id, time_s=goal)
        _extend_timeline(document, edit, goal)


def _pose_keys_at_tangles(document: Document, moving: list[KeyRow]) -> list[KeyRow]:
    """Pose keys at the ends of sampled tracks at the times of these tangle keys.

    They move together with the tangle keys.
    """
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
    """Copy keys so that the earliest copy is at `to_s`."""
    keys = _all_keys(document)
    copied = [keys[number] for number in numbers if number in keys]
    if not copied:
        raise WritheError("those keys no longer exist")
    first = min(key.time_s for key in copied)
    for key in copied:
        put_track_key(document, edit, key.track, to_s + key.time_s - first, key.data)


def stretch_keys(document: Document, edit: Edit, numbers: list[int], factor: float) -> None:
    """Scale the times of keys about the earliest of them."""
    keys = _all_keys(document)
    moving = [keys[number] for number in numbers if number in keys]
    if len(moving) < 2:
        raise WritheError("select at least two keys to stretch the time between them")
    first = min(key.time_s for key in moving)
    shifts = {
        key.id: round((factor - 1.0) * (key.time_s - first) * document.fps) / document.fps
        for key in moving
    }
    goals = sorted((key.track, key.time_s + shifts[key.id]) for key in moving)
    if any(a[0] == b[0] and b[1] - a[1] < SAME_TIME_S for a, b in pairwise(goals)):
        raise WritheError("these keys would fall on the same frame: stretch them less")
    _shift_keys(document, edit, moving, shifts)


def flip_keys(document: Document, edit: Edit, numbers: list[int]) -> None:
    """Mirror the poses of pose keys left to right."""
    actors = {t.id: t.actor for t in document.all_tracks() if t.kind is TrackKind.POSE}
    keys = [k for k in _all_keys(document).values() if k.id in set(numbers) and k.track in actors]
    if not keys:
        raise WritheError("select pose keys to flip")
    for key in keys:
        figure = document.figure(document.actor(actors[key.track]).figure)
        edit.update("keys", key.id, data=pack(mirrored_pose(figure, unpack(key.data))))


def clip_of(document: Document, actor: int) -> tuple[Motion, float]:
    """The clip of an actor and its start; raises if it has none."""
    timeline = document.timeline(actor)
    if timeline.clip is None:
        raise WritheError("this character has no clip: open a motion, or record a drag")
    return timeline.clip, timeline.clip_start_s


def delete_keys(document: Document, edit: Edit, numbers: list[int]) -> None:
    """Remove keys."""
    keys = _all_keys(document)
    sampled_tracks.keys_deleted(document, edit, set(numbers))
    for number in numbers:
        if number in keys:
            edit.delete("keys", number)


def set_ease(document: Document, edit: Edit, numbers: list[int], ease: str) -> None:
    """Set the interpolation after keys: a name or handles, as text (`writhe.easing`)."""
    keys, ease = _all_keys(document), read_ease(ease)
    for number in numbers:
        if number in keys:
            edit.update("keys", number, ease=ease)


def mirror_contacts(document: Document, edit: Edit, actor: int) -> None:
    """Add the declared contacts of an actor mirrored left to right."""
    figure = document.figure(document.actor(actor).figure)
    skeleton = figure.skeleton
    own = f"{actor_label(actor)}."

    def mirrored(part: str) -> str:
        name = part.removeprefix(own)
        return own + counterpart(figure, name) if name in skeleton else part

    known = document.setting("contacts", list[tuple[str, str]], [])
    pairs = [(mirrored(a), mirrored(b)) for a, b in known if own in a or own in b]
    fresh = {(min(a, b), max(a, b)) for a, b in pairs} - set(known)
    if fresh:
        edit.setting("contacts", [*known, *sorted(fresh)])


def put_clip(document: Document, edit: Edit, actor: int, motion: Motion, start_s: float) -> None:
    """Set the clip below the actor's keys, replacing the clip and the sampled tracks there."""
    end_s = start_s + motion.duration_s
    for key in sampled_tracks.keys_at_ends(document, actor):
        if start_s - SAME_TIME_S <= key.time_s <= end_s + SAME_TIME_S:
            edit.delete("keys", key.id)
    sampled_tracks.cut_tracks(document, edit, actor, start_s, end_s)
    found = document.track(actor, TrackKind.CLIP)
    if found is not None:
        edit.delete("tracks", found.id)
    sampled_tracks.insert_motion(edit, actor, TrackKind.CLIP, motion, start_s)
    _extend_timeline(document, edit, end_s)


def put_sampled_track(
    document: Document, edit: Edit, actor: int, motion: Motion, start_s: float
) -> None:
    """Add a sampled track between pose keys at its ends; keys within it are removed.

    If the motion has a higher frame rate, the document gets that rate, because sampling it with
    fewer frames would cut corners.
    """
    end_s = start_s + motion.duration_s
    if motion.fps > document.fps + 1e-6:
        edit.setting("fps", float(min(motion.fps, 120.0)))
    clear_between(document, edit, actor, start_s, end_s)
    sampled_tracks.insert_track(document, edit, actor, motion, start_s)
    put_key(document, edit, actor, start_s, motion.q[0])
    put_key(document, edit, actor, end_s, motion.q[-1])


def clear_between(document: Document, edit: Edit, actor: int, start_s: float, end_s: float) -> None:
    """Remove an actor's pose keys and sampled tracks strictly between two times."""
    track = document.track(actor, TrackKind.POSE)
    for key in [] if track is None else document.keys(track.id):
        if start_s + SAME_TIME_S < key.time_s < end_s - SAME_TIME_S:
            edit.delete("keys", key.id)
    sampled_tracks.cut_tracks(document, edit, actor, start_s, end_s)
