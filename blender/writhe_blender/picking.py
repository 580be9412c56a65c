"""Which bone is under the pointer."""

from __future__ import annotations

import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from . import control_rig

_NEAR_PIXELS = 30.0


def bone_at(context, armature, names: list[str], pointer) -> tuple[str, Vector] | None:
    """The bone nearest to the pointer and the point of it that is there, in the world."""
    region, view = context.region, context.region_data
    mouse = Vector(pointer)
    best, found = _NEAR_PIXELS, None
    world = armature.matrix_world
    rig = control_rig.stored_rig(armature)
    follower = {} if rig is None else dict(zip(rig.controls, rig.followers))
    for name in names:
        bone = armature.pose.bones[follower.get(name, name)]
        if armature.data.bones[name].hide:
            continue
        ends = [world @ bone.head, world @ bone.tail]
        flat = [view3d_utils.location_3d_to_region_2d(region, view, end) for end in ends]
        if flat[0] is None or flat[1] is None:
            continue
        along = flat[1] - flat[0]
        length = along.length_squared
        t = 0.0 if length < 1e-6 else min(1.0, max(0.0, (mouse - flat[0]).dot(along) / length))
        away = (flat[0] + t * along - mouse).length
        if away < best:
            best, found = away, (name, ends[0].lerp(ends[1], t))
    return found


def on_view_plane(context, pointer, depth: Vector) -> Vector:
    """The point under the pointer, on the plane of the view through `depth`."""
    return view3d_utils.region_2d_to_location_3d(
        context.region, context.region_data, pointer, depth
    )


def along_axis(context, pointer, origin: Vector, axis: int) -> Vector:
    """The point of a line through `origin` along a world axis that is nearest to the pointer."""
    region, view = context.region, context.region_data
    near = view3d_utils.region_2d_to_origin_3d(region, view, pointer)
    ray = np.array(view3d_utils.region_2d_to_vector_3d(region, view, pointer))
    line = np.eye(3)[axis]
    between = np.array(near) - np.array(origin)
    # nearest points of two lines; parallel ones leave the point where it is
    a = float(ray @ line)
    if abs(1.0 - a * a) < 1e-6:
        return origin.copy()
    s = (float(line @ between) - a * float(ray @ between)) / (1.0 - a * a)
    return Vector(np.array(origin) + s * line)
