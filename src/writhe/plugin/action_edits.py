"""Changes of an action: cleaning it, connecting two of its poses, and the keys that result."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.cleaning.clean import cleaned_frames
from writhe.collision import Certificate
from writhe.errors import WritheError
from writhe.planning import scene_problem
from writhe.planning.connect import Stepping, connections
from writhe.planning.ground_assumptions import shared_feet
from writhe.plugin.action import Action, BoneTrack, StageMotion
from writhe.plugin.armature import Character
from writhe.plugin.scene import Stage
from writhe.progress import Progress
from writhe.skeleton import Motion, forward
from writhe.skeleton.kinematics import interpolate

# keys for each frame that are tried: more where straight lines between keys would collide
DENSITIES = (1, 2, 4, 8)
_CHANGED = 1e-6  # of an entry of q: bones that change by less keep their curves


@dataclass(frozen=True)
class NewKeys:
    """Linear keys that replace those of some bones, and the certificate of the changed actions.

    tracks: by character and bone.
    """

    times_s: Floats
    tracks: Mapping[str, Mapping[str, BoneTrack]]
    before: Certificate | None
    after: Certificate
    message: str

    def with_message(self, message: str) -> NewKeys:
        """The same with another message."""
        return replace(self, message=message)

    def to_plain(self) -> dict[str, Any]:
        """Times (k,), for each character its bones: mode, `rotation` (k, 3 or 4), `location`."""
        return {
            "times_s": self.times_s,
            "characters": {
                name: {bone: _track_to_plain(track) for bone, track in tracks.items()}
                for name, tracks in self.tracks.items()
            },
            "message": self.message,
        }


def _track_to_plain(track: BoneTrack) -> dict[str, Any]:
    return {
        "mode": track.mode,
        "rotation": np.stack([c.values for c in track.rotation], axis=1),
        "location": np.stack([c.values for c in track.location], axis=1)
        if track.location
        else None,
    }


def cleaned_action(
    stage: Stage,
    motion: StageMotion,
    name: str,
    fps: float,
    frames: int,
    modes: Mapping[str, Mapping[str, str]],
    progress: Progress | None = None,
) -> NewKeys:
    """Remove the penetrations of a character's action over `frames` frames from time 0.

    Bones that need no change keep their curves. The others get linear keys at every frame, or more
    often where only that is certified.
    """
    character, who = stage.character(name), stage.actor_name(name)
    layout, times = stage.scene.layout, np.arange(frames) / fps
    rows = motion.frames(stage, times)
    source = Motion(layout.skeleton, rows, fps, name)
    with ThreadPoolExecutor(1) as beside:  # kernels release the interpreter's lock
        certifying = beside.submit(motion.certify, stage)
        cleaned = cleaned_frames(stage.scene, source, actor=who, progress=progress)
        before = certifying.result()
    if before.certified:
        return NewKeys(times, {}, before, before, "The action is certified as it is.")
    q = np.ascontiguousarray(cleaned[:, layout.actor_q[who]])
    changed = changed_bones(character, rows[:, layout.actor_q[who]], q)
    keys = certified_keys(stage, motion, {name: q}, times, {name: changed}, modes)
    corrected = int((np.abs(cleaned - rows).max(axis=1) > _CHANGED).sum())
    positions, before_m = (forward(layout.skeleton, each).positions for each in (cleaned, rows))
    moved_m = np.linalg.norm(positions - before_m, axis=2).mean()
    message = (
        f"{len(changed)} bones changed in {corrected} frames, by"
        f" {100 * moved_m:.2f} cm in the mean: {keys.after.verdict}"
    )
    return replace(keys, before=before, message=message)


def connected_keys(
    stage: Stage,
    motion: StageMotion,
    name: str,
    span_s: tuple[float, float],
    fps: float,
    modes: Mapping[str, Mapping[str, str]],
) -> NewKeys:
    """Connect the poses of a character at two times by a planned path without penetration."""
    character, who = stage.character(name), stage.actor_name(name)
    first, last = span_s
    if last - first < 1.5 / fps:
        raise WritheError("there must be a frame between the two keys")
    layout = stage.scene.layout
    ends = motion.frames(stage, np.array([first, last]))
    start, goal = ends[0, layout.actor_q[who]], ends[1, layout.actor_q[who]]
    figure, own = character.figure, layout.actor_q[who]
    planted = shared_feet(figure, start, goal)
    problem = scene_problem(stage.scene, who, start, goal, planted=planted, around=ends[0])
    stepping = Stepping(figure, f"{who}.", own)
    reason = ""
    for found in connections(
        problem, last - first, fps, stepping=stepping, name_of=stage.part_name
    ):
        path = found.motion
        if path is None:
            reason = found.reason
            continue
        q = np.ascontiguousarray(path.q[:, own])
        q[0], q[-1] = start, goal
        times = np.linspace(first, last, len(q))
        changed = changed_bones(character, np.tile(start, (len(q), 1)), q)
        still = replace(motion, actions={})
        keys = certified_keys(stage, still, {name: q}, times, {name: changed}, modes)
        steps = " with steps" if found.kind.steps else ""
        about = f"a path{steps} of {found.plan.length_rad:.1f} rad: {keys.after.verdict}"
        return replace(keys, message=about)
    raise WritheError(f"No path between the two keys: {reason}.")


def certified_keys(
    stage: Stage,
    motion: StageMotion,
    frames: Mapping[str, Floats],
    times_s: Floats,
    changed: Mapping[str, set[str]] | None,
    modes: Mapping[str, Mapping[str, str]],
) -> NewKeys:
    """Linear keys through frames (f, nq) of characters, as many as the certificate needs.

    changed: the bones of each character that are written, by default all. If no number of keys is
    certified, the most are returned.
    """
    keys: NewKeys | None = None
    for density in DENSITIES:
        actions = dict(motion.actions)
        written: dict[str, dict[str, BoneTrack]] = {}
        at = times_s
        for name, q in frames.items():
            character = stage.character(name)
            at, rows = _denser(character, times_s, q, density)
            tracks = Action.of_frames(character, rows, at, modes.get(name, {})).tracks
            known = motion.actions.get(name, Action()).tracks
            own = set(tracks)
            if changed is not None and name not in motion.rewritten:
                own = changed[name]
            written[name] = {bone: track for bone, track in tracks.items() if bone in own}
            kept = {bone: track for bone, track in known.items() if bone not in own}
            actions[name] = Action({**tracks, **kept})
        after = replace(motion, actions=actions).certify(stage, fine=True)  # gated: near the limit
        keys = NewKeys(at, written, None, after, "")
        if after.certified:
            break
    assert keys is not None
    return keys


def _denser(
    character: Character, times_s: Floats, q: Floats, density: int
) -> tuple[Floats, Floats]:
    """Frames with `density` parts of each interval."""
    if density == 1 or len(q) < 2:
        return times_s, q
    at: list[float] = []
    rows: list[Floats] = []
    for f in range(len(q) - 1):
        for k in range(density):
            u = k / density
            at.append(float((1 - u) * times_s[f] + u * times_s[f + 1]))
            rows.append(interpolate(character.skeleton, q[f], q[f + 1], u) if k else q[f])
    return np.array([*at, float(times_s[-1])]), np.array([*rows, q[-1]])


def changed_bones(character: Character, before: Floats, after: Floats) -> set[str]:
    """The bones that differ in frames (f, nq)."""
    turned, moved = character.local(before)
    turned_after, moved_after = character.local(after)
    # q and -q are the same rotation
    apart = np.minimum(np.abs(turned - turned_after), np.abs(turned + turned_after)).max(axis=2)
    away = np.abs(moved - moved_after).max(axis=2)
    maximum = np.maximum(apart, away).max(axis=0)
    return {bone for bone, m in zip(character.armature.bones, maximum, strict=True) if m > _CHANGED}
