"""Blender's armature inverse kinematics, through its Python module.

Every target and pin is an empty with an IK constraint on the bone that ends there. The solver
cannot move the root, so the hips stay fixed. The solution is written back to the pose after each
frame, as when keying the visual transform.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from writhe.research.peers.body import HINGE, PeerBody
from writhe.research.peers.peer import ITERATIONS, PIN_WEIGHT

_STUB_M = 0.08  # bones at the ends of limbs


def make(body: PeerBody, variant: str) -> Blender:
    """There is one variant."""
    return Blender(body)


class Blender:
    """An armature with one bone per joint, from the joint to its first child."""

    def __init__(self, body: PeerBody) -> None:
        self.body = body
        bpy.ops.wm.read_factory_settings(use_empty=True)
        data = bpy.data.armatures.new("body")
        self._armature = bpy.data.objects.new("body", data)
        bpy.context.collection.objects.link(self._armature)
        bpy.context.view_layer.objects.active = self._armature
        positions = self._build(data)
        # the bone that ends at a joint; several joints may start at one bone's end
        self._ending: dict[str, str] = {}
        for joint in body.joints:
            if joint.parent >= 0:
                parent = body.joints[joint.parent].name
                if np.allclose(positions[parent][1], positions[joint.name][0]):
                    self._ending[joint.name] = parent
        self._empties: dict[str, Any] = {}
        self._pins: list[str] = []
        self.avoids_ball = False
        for bone in self._armature.pose.bones:
            bone.rotation_mode = "QUATERNION"
        self._lock_hinges()
        self._rest = {bone.name: bone.bone.matrix_local.copy() for bone in self._bones()}
        self.settings: dict[str, Any] = {
            "solver": "armature IK (standard)",
            "iterations": 10 * ITERATIONS,
            "root": "stays where it is",
            "collision_pairs": 0,
            "hinge_limits": True,
        }

    def _bones(self) -> list[Any]:
        return [self._armature.pose.bones[name] for name in self.body.names]

    def _build(self, data: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        bpy.ops.object.mode_set(mode="EDIT")
        heads: list[np.ndarray] = []
        for joint in self.body.joints:
            base = heads[joint.parent] if joint.parent >= 0 else np.zeros(3)
            heads.append(base + np.array(joint.offset))
        positions: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        for j, joint in enumerate(self.body.joints):
            children = [c for c, other in enumerate(self.body.joints) if other.parent == j]
            if children:
                tail = heads[children[0]]
            else:
                tail = heads[j] + _STUB_M * _unit(np.array(joint.offset))
            bone = data.edit_bones.new(joint.name)
            bone.head, bone.tail = Vector(heads[j]), Vector(tail)
            if joint.parent >= 0:
                bone.parent = data.edit_bones[self.body.joints[joint.parent].name]
            if joint.kind == HINGE:
                bone.align_roll(Vector(joint.axis))  # the hinge is the bone's z axis
            positions[joint.name] = (heads[j], tail)
        bpy.ops.object.mode_set(mode="POSE")
        return positions

    def _lock_hinges(self) -> None:
        for joint, bone in zip(self.body.joints, self._bones(), strict=True):
            if joint.kind == HINGE:
                bone.lock_ik_x = bone.lock_ik_y = True
                bone.use_ik_limit_z = True
                bone.ik_min_z, bone.ik_max_z = joint.lower, joint.upper

    def start(self, q: np.ndarray, pins: Mapping[str, np.ndarray]) -> None:
        """Pose the armature and remove the constraints of the last drag."""
        for bone in self._bones():
            while bone.constraints:
                bone.constraints.remove(bone.constraints[0])
        for empty in self._empties.values():
            bpy.data.objects.remove(empty)
        self._empties = {}
        turns: list[Matrix] = []
        root = np.array(self.body.joints[0].offset) + q[:3]
        for joint, w, bone in zip(
            self.body.joints, self.body.local_rotations(q), self._bones(), strict=True
        ):
            own = Quaternion(w).to_matrix()
            turn = own if joint.parent < 0 else turns[joint.parent] @ own
            turns.append(turn)
            frame = self._rest[bone.name].to_3x3()
            bone.rotation_quaternion = (frame.inverted() @ own @ frame).to_quaternion()
            bone.location = (0, 0, 0)
        hips = self._bones()[0]
        rest = self._rest[hips.name]
        hips.location = rest.to_3x3().inverted() @ (Vector(root) - rest.translation)
        for name, position in pins.items():
            self._constrain(name, position, PIN_WEIGHT)
        bpy.context.view_layer.update()

    def _constrain(self, name: str, position: np.ndarray, weight: float) -> None:
        if name not in self._ending:
            return  # the root, or a joint off its parent's bone: not supported by this solver
        if name not in self._empties:
            empty = bpy.data.objects.new(f"want {name}", None)
            bpy.context.collection.objects.link(empty)
            self._empties[name] = empty
            bone = self._armature.pose.bones[self._ending[name]]
            constraint = bone.constraints.new("IK")
            constraint.target = empty
            constraint.iterations = 10 * ITERATIONS
            constraint.weight = min(weight / PIN_WEIGHT, 1.0)
            constraint.chain_count = 0
        self._empties[name].location = Vector(position)

    def move_ball(self, position: np.ndarray) -> None:
        """Not supported by this peer."""

    def step(self, targets: Mapping[str, np.ndarray]) -> np.ndarray:
        """Move the empties, let Blender solve, and store the solution."""
        for name, position in targets.items():
            self._constrain(name, position, 1.0 * PIN_WEIGHT)
        bpy.context.view_layer.update()
        turns: list[Matrix] = []
        rotations: list[np.ndarray] = []
        for joint, bone in zip(self.body.joints, self._bones(), strict=True):
            frame = self._rest[bone.name].to_3x3()
            turn = bone.matrix.to_3x3() @ frame.inverted()
            own = turn if joint.parent < 0 else turns[joint.parent].inverted() @ turn
            turns.append(turn)
            quaternion = own.to_quaternion()
            rotations.append(np.array(quaternion))
            bone.rotation_quaternion = (frame.inverted() @ own @ frame).to_quaternion()
        root = np.array(self._bones()[0].matrix.translation) - np.array(self.body.joints[0].offset)
        return self.body.configuration(root, np.array(rotations))


def _unit(v: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(v))
    return v / length if length > 0 else np.array([0.0, 1.0, 0.0])
