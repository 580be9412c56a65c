"""Armatures as arrays for writhe, and poses in both directions.

The joints of writhe's figure are the bones, in the frames of their rest pose, so that the
coordinates of a joint are the rotation and location of its pose bone.
"""

from __future__ import annotations

import numpy as np
from mathutils import Quaternion

from . import axes, control_rig
from .process.client import EngineError

_FEWEST = 2


def bones_of(armature) -> list:
    """The bones of a character; parents before children.

    The controls of a control rig; else those that deform a mesh and those above them, or all if
    none deforms.
    """
    rig = control_rig.stored_rig(armature)
    if rig is not None:
        return [armature.data.bones[name] for name in rig.controls]
    bones = list(armature.data.bones)
    wanted = {b.name for b in bones if b.use_deform}
    if len(wanted) < _FEWEST:
        wanted = {b.name for b in bones}
    for bone in bones:
        if bone.name in wanted:
            wanted.update(above.name for above in bone.parent_recursive)
    chosen = [b for b in bones if b.name in wanted]
    return sorted(chosen, key=lambda b: len(b.parent_recursive))


def description(context, armature, free: set[str]) -> dict:
    """Names and matrices of the bones; `free` are those whose location is animated."""
    world = axes.to_writhe(context.scene) @ np.array(armature.matrix_world)
    bones = bones_of(armature)
    rest = world @ np.array([bone.matrix_local for bone in bones])
    locked = {p.name for p in armature.pose.bones if all(p.lock_rotation)}
    rig = control_rig.stored_rig(armature)
    if rig is not None:
        locked |= rig.between()
    return {
        "name": armature.name,
        "bones": [bone.name for bone in bones],
        "parent": parents_of(armature, bones),
        "rest": rest,
        "pose": pose_matrices(context, armature, bones),
        "moving": [bone.name not in locked for bone in bones],
        "free": sorted(free),
        "connected": [bone.name for bone in bones if bone.use_connect],
    }


def parents_of(armature, bones) -> list[int]:
    """The index of the bone above each bone, -1 for none."""
    rig = control_rig.stored_rig(armature)
    if rig is not None:
        return rig.parents
    index = {bone.name: i for i, bone in enumerate(bones)}
    return [-1 if bone.parent is None else index[bone.parent.name] for bone in bones]


def pose_matrices(context, armature, bones) -> np.ndarray:
    """(n, 4, 4) the evaluated pose in writhe's world.

    Controls of a rig are read from the bones that follow them, which may be moved by others (IK).
    """
    evaluated = armature.evaluated_get(context.evaluated_depsgraph_get())
    world = axes.to_writhe(context.scene) @ np.array(evaluated.matrix_world)
    pose, rig = evaluated.pose.bones, control_rig.stored_rig(armature)
    follower = {} if rig is None else dict(zip(rig.controls, rig.followers))
    return world @ np.array([pose[follower.get(b.name, b.name)].matrix for b in bones])


def scale(context, armature) -> float:
    """Metres for a unit of the armature's own space."""
    return axes.scale_of(axes.to_writhe(context.scene) @ np.array(armature.matrix_world))


def skinned_meshes(context, armature, bones: list[str]) -> list[dict]:
    """The meshes that the armature deforms, in its rest pose, with their weights."""
    index = {name: i for i, name in enumerate(bones)}
    rig = control_rig.stored_rig(armature)
    if rig is not None:  # the weights are those of the deform bones that the controls carry
        index = {bone: index[control] for bone, control in rig.carried.items()}
    found = []
    before = armature.data.pose_position
    armature.data.pose_position = "REST"
    try:
        depsgraph = context.evaluated_depsgraph_get()
        depsgraph.update()
        for item in context.scene.objects:
            if item.type == "MESH" and _deformed_by(item, armature):
                mesh = _mesh(context, depsgraph, item, index)
                if mesh is not None:
                    found.append(mesh)
    finally:
        armature.data.pose_position = before
    return found


def _deformed_by(item, armature) -> bool:
    if any(m.type == "ARMATURE" and m.object == armature for m in item.modifiers):
        return True
    return item.parent == armature and item.parent_type in {"ARMATURE", "BONE"}


def _mesh(context, depsgraph, item, index: dict[str, int]) -> dict | None:
    evaluated = item.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    try:
        count = len(mesh.vertices)
        if count == 0:
            return None
        mesh.calc_loop_triangles()
        vertices = np.empty(3 * count)
        mesh.vertices.foreach_get("co", vertices)
        triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        world = axes.to_writhe(context.scene) @ np.array(evaluated.matrix_world)
        points = vertices.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
        if item.parent_type == "BONE" and item.parent_bone in index:  # a rigid part on a bone
            vertex, bone, weight = np.arange(count), np.full(count, index[item.parent_bone]), None
        else:
            vertex, bone, weight = _weights(mesh, item, index)
        return {
            "vertices": points,
            "triangles": triangles.reshape(-1, 3).astype(np.int64),
            "weight_vertex": np.asarray(vertex, dtype=np.int64),
            "weight_bone": np.asarray(bone, dtype=np.int64),
            "weight": np.ones(count) if weight is None else np.asarray(weight, dtype=np.float64),
        }
    finally:
        evaluated.to_mesh_clear()


def _weights(mesh, item, index: dict[str, int]) -> tuple[list[int], list[int], list[float]]:
    bone_of = {g.index: index[g.name] for g in item.vertex_groups if g.name in index}
    vertex: list[int] = []
    bone: list[int] = []
    weight: list[float] = []
    for v in mesh.vertices:
        for group in v.groups:
            if group.weight > 0.0 and group.group in bone_of:
                vertex.append(v.index)
                bone.append(bone_of[group.group])
                weight.append(group.weight)
    return vertex, bone, weight


class PoseWriter:
    """Writes poses of a drag to the pose bones, only what changes."""

    def __init__(self, context, armature, bones: list[str], turns, shifts) -> None:
        pose = armature.pose.bones
        self._turned = [(i, pose[name]) for i, name in enumerate(bones) if turns[i]]
        self._moved = [(i, pose[name]) for i, name in enumerate(bones) if shifts[i]]
        self._scale = scale(context, armature)
        self._last: tuple[np.ndarray, np.ndarray] | None = None

    def write(self, rotation: np.ndarray, location: np.ndarray) -> None:
        """Turn bones by quaternions (n, 4), displace them by metres (n, 3), from their rest."""
        last = self._last
        if last is None:
            turned = moved = None
        else:
            turned = np.abs(rotation - last[0]).max(axis=1) > 1e-7
            moved = np.abs(location - last[1]).max(axis=1) > 1e-7
        self._last = rotation, location
        for i, bone in self._turned:
            if turned is None or turned[i]:
                set_rotation(bone, rotation[i])
        for i, bone in self._moved:
            if moved is None or moved[i]:
                bone.location = location[i] / self._scale


def set_rotation(bone, quaternion) -> None:
    """Turn a pose bone, in its rotation mode."""
    mode = bone.rotation_mode
    if mode == "QUATERNION":
        if np.dot(bone.rotation_quaternion, quaternion) < 0.0:
            quaternion = -np.asarray(quaternion)  # near the last one, for interpolation
        bone.rotation_quaternion = quaternion
    elif mode == "AXIS_ANGLE":
        axis, angle = Quaternion(quaternion).to_axis_angle()
        bone.rotation_axis_angle = (angle, *axis)
    else:
        bone.rotation_euler = Quaternion(quaternion).to_euler(mode, bone.rotation_euler)


def channels(bone) -> str:
    """The name of the property that turns a pose bone."""
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(
        bone.rotation_mode, "rotation_euler"
    )


class SavedPose:
    """The channels of all pose bones, to restore them."""

    def __init__(self, armature) -> None:
        self._saved = [
            (b.name, b.location.copy(), b.rotation_quaternion.copy(), b.rotation_euler.copy(),
             tuple(b.rotation_axis_angle))
            for b in armature.pose.bones
        ]  # fmt: skip
        rig = control_rig.stored_rig(armature)
        pose = armature.pose.bones
        self._switches = [] if rig is None else [(b, n, pose[b][n]) for b, n, _ in rig.switches]

    def restore(self, armature) -> None:
        """Put the pose bones back."""
        for name, location, quaternion, euler, axis_angle in self._saved:
            bone = armature.pose.bones[name]
            bone.location, bone.rotation_quaternion = location, quaternion
            bone.rotation_euler, bone.rotation_axis_angle = euler, axis_angle
        control_rig.set_switches(armature, self._switches)

    def switched(self, armature) -> list:
        """The pose bones whose switches changed since, each with the name of the switch."""
        pose = armature.pose.bones
        return [(pose[b], name) for b, name, value in self._switches if pose[b][name] != value]

    def changed(self, armature) -> list:
        """The pose bones that changed since, each with whether it was displaced."""
        found = []
        for name, location, quaternion, euler, axis_angle in self._saved:
            bone = armature.pose.bones[name]
            moved = (bone.location - location).length > 1e-6
            # curves may leave a quaternion that is not of unit length: the same rotation
            turned = zip(bone.rotation_quaternion.normalized(), quaternion.normalized())
            apart = max(
                *(abs(a - b) for a, b in turned),
                *(abs(a - b) for a, b in zip(bone.rotation_euler, euler)),
                *(abs(a - b) for a, b in zip(bone.rotation_axis_angle, axis_angle)),
            )
            if moved or apart > 1e-6:
                found.append((bone, moved))
        return found


def obstacles_to_posing(armature, bones: list[str]) -> list[str]:
    """Why bones cannot be posed directly, one sentence for each kind of reason."""
    found: dict[str, list[str]] = {}
    drivers = armature.animation_data.drivers if armature.animation_data else ()
    driven = {d.data_path.split('"')[1] for d in drivers if d.data_path.startswith('pose.bones["')}
    for name in bones:
        pose = armature.pose.bones[name]
        for constraint in pose.constraints:
            if not constraint.mute and constraint.influence > 0.0:
                found.setdefault("moved by constraints", []).append(name)
                break
        if name in driven:
            found.setdefault("moved by drivers", []).append(name)
        bone = pose.bone
        if not bone.use_inherit_rotation:
            found.setdefault("without inherited rotation", []).append(name)
        if not bone.use_local_location and not bone.use_connect:
            found.setdefault("without local location", []).append(name)
    return [
        f"{len(names)} bone{'s' if len(names) > 1 else ''} {why} ({', '.join(names[:3])}"
        f"{' ...' if len(names) > 3 else ''})"
        for why, names in found.items()
    ]


def require_posable(armature, bones: list[str]) -> None:
    """Raise if bones cannot be posed directly."""
    reasons = obstacles_to_posing(armature, bones)
    if reasons:
        raise EngineError(
            f"{armature.name} cannot be posed directly: {'; '.join(reasons)}. Mute them, or"
            " pose the rig that has none (the metarig, the original armature)"
        )
