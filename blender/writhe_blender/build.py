"""Makes armatures and meshes of arrays from writhe (metres, Y up)."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from . import axes


def matrices(scene, rows: np.ndarray) -> np.ndarray:
    """(..., 4, 4) matrices of writhe's world in Blender's, without scale."""
    out = np.linalg.inv(axes.to_writhe(scene)) @ np.asarray(rows)
    out[..., :3, :3] *= axes.metres_per_unit(scene)
    return out


def armature(context, body: dict):
    """An armature object with the bones `bones`, `parent`, `rest` (n, 4, 4), `length` (n,)."""
    data = bpy.data.armatures.new(body["name"])
    data.display_type = "STICK"
    item = bpy.data.objects.new(body["name"], data)
    item.show_in_front = True
    context.collection.objects.link(item)
    context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    rest = matrices(context.scene, body["rest"])
    unit = axes.metres_per_unit(context.scene)
    for j, name in enumerate(body["bones"]):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, float(body["length"][j]) / unit, 0.0)
        bone.matrix = Matrix(rest[j])
        if body["parent"][j] >= 0:
            bone.parent = data.edit_bones[body["bones"][body["parent"][j]]]
    bpy.ops.object.mode_set(mode="OBJECT")
    return item


def skin(context, body: dict, owner):
    """A mesh with the weights of `skin` that an armature deforms; None if there is none."""
    found = body["skin"]
    if found is None:
        return None
    item = mesh(context, f"{owner.name} Skin", found["vertices"], found["triangles"], turned=True)
    groups = [item.vertex_groups.new(name=name) for name in body["bones"]]
    for vertex, bone, weight in zip(found["weight_vertex"], found["weight_bone"], found["weight"]):
        groups[bone].add([int(vertex)], float(weight), "REPLACE")
    item.parent = owner
    item.modifiers.new("Armature", "ARMATURE").object = owner
    return item


def mesh(context, name: str, vertices, triangles, *, turned: bool):
    """A mesh object; with `turned` its vertices are in writhe's world, else in its own frame."""
    data = bpy.data.meshes.new(name)
    points = np.asarray(vertices)
    turn = np.linalg.inv(axes.to_writhe(context.scene))[:3, :3]
    points = points @ turn.T if turned else points / axes.metres_per_unit(context.scene)
    data.from_pydata(points.tolist(), [], np.asarray(triangles).tolist())
    data.polygons.foreach_set("use_smooth", np.full(len(data.polygons), turned, dtype=bool))
    item = bpy.data.objects.new(name, data)
    context.collection.objects.link(item)
    return item
