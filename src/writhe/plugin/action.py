"""Actions of another program: curves of its bones, certified as that program plays them.

Rotations and locations are in the frame of a bone at rest, where they are the coordinates of the
figure's joints: a curve of a quaternion component or of an Euler angle is the same in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints, floats
from writhe.collision import Certificate
from writhe.collision.bezier_curve import BezierCurve, CurveTiming
from writhe.collision.curve_certificate import JointCurves, certify_curves
from writhe.errors import WritheError
from writhe.plugin.armature import Character
from writhe.plugin.scene import Stage, label
from writhe.skeleton import JointKind
from writhe.skeleton.quaternions import normalised, wrapped_angles

QUATERNION = "QUATERNION"


@dataclass(frozen=True)
class BoneTrack:
    """The curves of a bone: four of its quaternion or three Euler angles, three of its location.

    mode: QUATERNION, or the order of the Euler angles, the axis that turns first being first.
    Location is in metres; without curves a bone keeps its rest.
    """

    mode: str
    rotation: tuple[BezierCurve, ...]
    location: tuple[BezierCurve, ...] = ()

    def joint_curves(self, kind: JointKind) -> JointCurves:
        """The curves as those of the figure's joint."""
        location = self.location if kind is JointKind.FREE else ()
        if self.mode == QUATERNION:
            return JointCurves(self.rotation, location=location)
        outermost_first = self.mode[::-1]
        rotation = tuple(self.rotation["XYZ".index(axis)] for axis in outermost_first)
        return JointCurves(rotation, outermost_first, location)


@dataclass(frozen=True)
class Action:
    """The motion of a character: tracks by bone; times in seconds from the first frame."""

    tracks: Mapping[str, BoneTrack] = field(default_factory=dict[str, BoneTrack])

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Action:
        """An action from arrays: for each bone its mode and its curves.

        A curve has `times_s` and `values` (k,), and `left` and `right` handles (k, 2) if it is not
        linear.
        """
        return cls(
            {
                str(bone): BoneTrack(
                    str(track["mode"]),
                    tuple(_curve(c) for c in track["rotation"]),
                    tuple(_curve(c) for c in track.get("location", ())),
                )
                for bone, track in data.items()
            }
        )

    @classmethod
    def of_frames(
        cls, character: Character, q: Floats, times_s: Floats, modes: Mapping[str, str]
    ) -> Action:
        """Linear curves through frames (f, nq), with every bone in its rotation mode."""
        rotation, location = character.local(q)
        tracks: dict[str, BoneTrack] = {}
        for j, bone in enumerate(character.armature.bones):
            if not character.turns[j]:
                continue
            mode = modes.get(bone, QUATERNION)
            values = channels(rotation[:, j], mode)
            moved = location[:, j].T if character.shifts[j] else ()
            tracks[bone] = BoneTrack(
                mode,
                tuple(BezierCurve.linear(times_s, column) for column in values.T),
                tuple(BezierCurve.linear(times_s, column) for column in moved),
            )
        return cls(tracks)

    def at(self, character: Character, times_s: Floats) -> Floats:
        """(times, nq) the configurations of the character."""
        skeleton = character.skeleton
        q = np.tile(skeleton.rest_configuration, (len(times_s), 1))
        timings: dict[bytes, CurveTiming] = {}
        for bone, track in self.tracks.items():
            part = q[:, skeleton.q_slice(bone)]
            kind = skeleton.joints[skeleton.index(bone)].kind
            if track.location and kind is JointKind.FREE:
                part[:, :3] = _values(track.location, times_s, timings)
            if track.rotation and kind in (JointKind.FREE, JointKind.BALL):
                values = _values(track.rotation, times_s, timings)
                part[:, -4:] = (
                    normalised(values) if track.mode == QUATERNION else _turned(values, track.mode)
                )
        return q


@dataclass(frozen=True)
class StageMotion:
    """What moves in a stage: actions of characters, poses of the others, tracks of obstacles.

    obstacles: (f, 7) placements at `times_s` (f,), interpolated linearly.
    rewritten: characters of which all bones get keys when some do, since others moved them before.
    """

    actions: Mapping[str, Action]
    poses: Mapping[str, Floats]
    times_s: Floats
    obstacles: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    rewritten: frozenset[str] = frozenset()

    def curves(self, stage: Stage) -> dict[str, JointCurves]:
        """The curves of all joints of the scene that do not rest."""
        out: dict[str, JointCurves] = {}
        still = np.zeros(1)
        for name, character in stage.characters.items():
            if not character.figure.capsules:
                continue
            action = self.actions.get(name)
            if action is None:
                pose = self.poses.get(name)
                if pose is None:
                    continue
                action = Action.of_frames(character, pose[None], still, {})
            skeleton = character.skeleton
            for bone, track in action.tracks.items():
                joint = skeleton.joints[skeleton.index(bone)]
                if joint.kind in (JointKind.BALL, JointKind.FREE):
                    out[f"{label(name)}.{bone}"] = track.joint_curves(joint.kind)
        for name, obstacle in stage.obstacles.items():
            moved = self.obstacles.get(name)
            rows = obstacle.placement[None] if moved is None else moved
            times = still if moved is None else self.times_s
            lines = tuple(BezierCurve.linear(times, column) for column in rows.T)
            out[label(f"{name} (obstacle)")] = JointCurves(lines[3:], location=lines[:3])
        return out

    def certify(self, stage: Stage, *, fine: bool = False) -> Certificate:
        """The certificate of the whole scene along the curves; fine: see `certify_curves`."""
        if not stage.scene.actors:
            raise WritheError("no character has collision shapes: set one up first")
        return certify_curves(stage.scene.layout.table, self.curves(stage), fine=fine)

    def frames(self, stage: Stage, times_s: Floats) -> Floats:
        """(times, nq) configurations of the scene."""
        rows = np.tile(stage.state({}), (len(times_s), 1))
        layout = stage.scene.layout
        for name, character in stage.characters.items():
            if label(name) not in layout.actor_q:
                continue
            actor_q = layout.actor_q[label(name)]
            if name in self.actions:
                rows[:, actor_q] = self.actions[name].at(character, times_s)
            elif name in self.poses:
                rows[:, actor_q] = self.poses[name]
        for name, placements in self.obstacles.items():
            for column, at in enumerate(range(*stage.object_entries(name).indices(rows.shape[1]))):
                rows[:, at] = np.interp(times_s, self.times_s, placements[:, column])
            part = rows[:, stage.object_entries(name)]
            part[:, 3:] = normalised(part[:, 3:])
        return rows


def _values(
    curves: tuple[BezierCurve, ...], times_s: Floats, timings: dict[bytes, CurveTiming]
) -> Floats:
    """(t, c) values of curves at times (t,)."""
    return np.stack([curve.sampled(times_s, timings)[0] for curve in curves], axis=1)


def channels(quaternions: Floats, mode: str) -> Floats:
    """(f, 4) quaternions without sign changes, or (f, 3) continuous Euler angles of a mode."""
    signs = np.cumprod(np.where((quaternions[1:] * quaternions[:-1]).sum(axis=1) < 0, -1.0, 1.0))
    q = quaternions * np.concatenate([[1.0], signs])[:, None]
    return q if mode == QUATERNION else _euler(q, mode)


def _axes(mode: str) -> Ints:
    if sorted(mode) != ["X", "Y", "Z"]:
        raise WritheError(f"rotation mode {mode!r} is not an order of X, Y and Z or {QUATERNION}")
    return np.array(["XYZ".index(axis) for axis in mode], dtype=np.int64)


def _turned(angles: Floats, mode: str) -> Floats:
    """(f, 4) of Euler angles (f, 3) about X, Y and Z, turned in the order of the mode."""
    from scipy.spatial.transform import Rotation

    axes = _axes(mode)
    found = Rotation.from_euler(mode.lower(), angles[:, axes]).as_quat()
    return np.roll(found, 1, axis=1)


def _euler(q: Floats, mode: str) -> Floats:
    """(f, 3) angles about X, Y and Z of quaternions, without jumps."""
    from scipy.spatial.transform import Rotation

    axes = _axes(mode)
    found = Rotation.from_quat(np.roll(q, -1, axis=1)).as_euler(mode.lower())
    out = np.empty_like(found)
    for f, angles in enumerate(found):
        # the same rotation by the other set of angles: the outer ones half a turn on
        other = np.array([angles[0] + np.pi, np.pi - angles[1], angles[2] + np.pi])
        if f == 0:
            out[0] = angles
            continue
        near = [out[f - 1] + wrapped_angles(choice - out[f - 1]) for choice in (angles, other)]
        out[f] = min(near, key=lambda choice: float(np.abs(choice - out[f - 1]).sum()))
    result = np.empty_like(out)
    result[:, axes] = out
    return result


def _curve(data: Mapping[str, Any]) -> BezierCurve:
    times = floats(data["times_s"], (None,), "times of a curve")
    values = floats(data["values"], (len(times),), "values of a curve")
    if data.get("left") is None:
        return BezierCurve.linear(times, values)
    return BezierCurve(times, values, data["left"], data["right"])
