"""Writes the animation of a document: tracks of joints and of objects, as LINEAR (slerp) keys.

An animation that is replaced keeps the channels that this module does not write: morph weights,
scales, and nodes that are not joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.io.file_size_limits import unique_names
from writhe.io.gltf.builder import FLOAT, GltfBuilder
from writhe.io.gltf.new_character import xyzw
from writhe.json_values import is_object
from writhe.skeleton import JointKind, Motion, quaternions, transforms

# node, "translation", "rotation" or "weights" (of morph targets), values (frames, 3, 4 or number of
# targets; quaternions as xyzw)
Track = tuple[int, str, Floats]


def joint_tracks(motion: Motion, nodes: list[int], scale_above: Floats) -> Iterator[Track]:
    """The tracks of the joints of a motion that can move.

    nodes: the node of each joint; scale_above (n,): metres per unit of each node's translation.
    """
    skeleton = motion.skeleton
    translation, rotation = transforms.joint_displacements(skeleton, motion.q)
    for j, joint in enumerate(skeleton.joints):
        rest = quaternions.normalised(np.asarray(joint.rest))
        if joint.kind in (JointKind.FREE, JointKind.PRISMATIC):
            position = joint.offset_in_parent + quaternions.rotate(rest, translation[:, j])
            yield nodes[j], "translation", position / scale_above[j]
        if joint.kind in (JointKind.FREE, JointKind.BALL, JointKind.HINGE):
            local = quaternions.normalised(quaternions.multiply(rest, rotation[:, j]))
            yield nodes[j], "rotation", xyzw(local)


class AnimationWriter:
    """One animation of a document; `replaces` is the number of an existing one."""

    def __init__(
        self, builder: GltfBuilder, name: str, *, joints: set[int], replaces: int | None = None
    ) -> None:
        self._builder = builder
        self._times: dict[tuple[int, float, float], int] = {}
        animations = builder.entries("animations")
        for other in animations:
            set_current(other, False)
        if replaces is None:
            taken = [str(a.get("name", "")) for a in animations]
            self._json: dict[str, Any] = {"name": unique_names([*taken, name])[-1]}
            animations.append(self._json)
            self._json |= {"samplers": [], "channels": []}
        else:
            self._json = animations[replaces]
            self._json.setdefault("name", name)
            self._drop_joint_channels(joints)
        set_current(self._json, len(animations) > 1)

    @property
    def name(self) -> str:
        """The name under which the animation is stored."""
        return self._json["name"]

    def _drop_joint_channels(self, joints: set[int]) -> None:
        """Remove the translations and rotations of joints, and the data that only they used."""
        old = self._json["samplers"]
        kept = [
            channel
            for channel in self._json["channels"]
            if not (
                channel["target"].get("node") in joints
                and channel["target"].get("path") in ("translation", "rotation")
            )
        ]
        numbers = sorted({channel["sampler"] for channel in kept})
        self._json["samplers"] = [old[n] for n in numbers]
        self._json["channels"] = [
            {**channel, "sampler": numbers.index(channel["sampler"])} for channel in kept
        ]
        accessors = {sampler[key] for sampler in old for key in ("input", "output")}
        self._builder.release(accessors)

    def add(self, tracks: Iterator[Track], fps: float, start_s: float = 0.0) -> None:
        """Add tracks with keys at start_s, start_s + 1 / fps, ..."""
        for node, path, values in tracks:
            key = len(values), fps, start_s
            if key not in self._times:
                times = start_s + np.arange(len(values)) / fps
                self._times[key] = self._builder.accessor(
                    times[:, None], FLOAT, "SCALAR", bounds=True
                )
            _make_animatable(self._builder.json["nodes"][node])
            kind = {"rotation": "VEC4", "weights": "SCALAR"}.get(path, "VEC3")
            rows = values.reshape(-1, 1) if path == "weights" else values
            output = self._builder.accessor(rows, FLOAT, kind)
            target = {"node": node, "path": path}
            self._json["channels"].append(
                {"sampler": len(self._json["samplers"]), "target": target}
            )
            self._json["samplers"].append(
                {"input": self._times[key], "output": output, "interpolation": "LINEAR"}
            )

    @property
    def empty(self) -> bool:
        """Whether nothing is animated."""
        return not self._json["channels"]


def set_current(animation: dict[str, Any], on: bool) -> None:
    """Mark the animation that is read by default, if the file has several."""
    extras = animation.get("extras")
    note = extras.get("writhe") if is_object(extras) else None
    if on:
        animation["extras"] = {**(extras if is_object(extras) else {})}
        animation["extras"]["writhe"] = {"current": True}
    elif is_object(extras) and is_object(note) and "current" in note:
        del extras["writhe"]
        if not extras:
            del animation["extras"]


def _make_animatable(node: dict[str, Any]) -> None:
    """Replace the matrix of a node, which cannot be animated, by translation, rotation and
    scale."""
    if "matrix" not in node:
        return
    matrix = np.array(node.pop("matrix"), dtype=np.float64).reshape(4, 4).T
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    node["translation"] = matrix[:3, 3].tolist()
    node["rotation"] = xyzw(quaternions.from_matrices(matrix[:3, :3] / scale)).tolist()
    node["scale"] = scale.tolist()
