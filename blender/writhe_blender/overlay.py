"""Draws collision shapes and colliding parts over the 3D view."""

from __future__ import annotations

from functools import lru_cache

import bpy
import numpy as np

from . import armature as armatures
from . import axes, scene_sync

SHAPE = (0.25, 0.65, 1.0, 0.35)
COLLIDING = (1.0, 0.15, 0.1, 0.45)
_RINGS, _SIDES = 5, 14
_NEAR_FRAMES = 2.0  # a mark without an interval is shown this far around its frame

touching: set[str] = set()  # parts that overlap in the pose of the present drag
_handle = None


@lru_cache(maxsize=1)
def _half_ball() -> tuple[np.ndarray, np.ndarray]:
    """Vertices of a ball cut at the equator (both halves), which belong to the end, triangles."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, 2 * _RINGS)
    turn = 2 * np.pi * np.arange(_SIDES) / _SIDES
    rows = np.array(
        [[np.cos(a) * np.cos(t), np.cos(a) * np.sin(t), np.sin(a)] for a in angles for t in turn]
    )
    faces = []
    for ring in range(2 * _RINGS - 1):
        for side in range(_SIDES):
            a, b = ring * _SIDES + side, ring * _SIDES + (side + 1) % _SIDES
            faces += [(a, b, a + _SIDES), (b, b + _SIDES, a + _SIDES)]
    return rows, np.array(faces, dtype=np.int32)


def capsule_mesh(start: np.ndarray, end: np.ndarray, radius: float) -> np.ndarray:
    """Vertices of a capsule, with the triangles of `_half_ball`."""
    ball, _ = _half_ball()
    along = end - start
    length = np.linalg.norm(along)
    axis = along / length if length > 1e-9 else np.array([0.0, 0.0, 1.0])
    side = np.cross(axis, [1.0, 0, 0] if abs(axis[0]) < 0.9 else [0, 1.0, 0])
    side /= np.linalg.norm(side)
    frame = np.stack([side, np.cross(axis, side), axis], axis=1)
    upper = ball[:, 2:] > 0
    return radius * ball @ frame.T + np.where(upper, end, start)


def colliding_parts(scene) -> set[str]:
    """The parts that overlap at the present frame, by the last certificate or the present drag."""
    found = set(touching)
    frame = scene.frame_current_final
    for mark in scene.writhe.marks:
        reach = 0.5 if mark.last > mark.first else _NEAR_FRAMES
        if mark.first - reach <= frame <= mark.last + reach:
            found.update((mark.a, mark.b))
    return found


def batches(context) -> list[tuple[tuple, np.ndarray, np.ndarray]]:
    """Colour, vertices in Blender's world and triangles of what is to be drawn."""
    settings = context.scene.writhe
    colliding = colliding_parts(context.scene) if settings.show_colliding else set()
    if not settings.show_shapes and not colliding:
        return []
    back = np.linalg.inv(axes.to_writhe(context.scene))
    people = scene_sync.characters(context)
    plain: list[np.ndarray] = []
    red: list[np.ndarray] = []
    for armature in people:
        body = scene_sync.body(armature)
        if body is None:
            continue
        bones = [armature.data.bones[name] for name in body.bones]
        pose = armatures.pose_matrices(context, armature, bones)
        where = {name: i for i, name in enumerate(body.bones)}
        capsules = body.info["capsules"]
        for joint, part, ends, radius in zip(
            capsules["joint"], capsules["part"], capsules["ends"], capsules["radius"]
        ):
            label = part if len(people) == 1 else f"{armature.name}: {part}"
            hit = label in colliding
            if not hit and not settings.show_shapes:
                continue
            matrix = pose[where[joint]]
            turn = matrix[:3, :3] / axes.scale_of(matrix)
            placed = np.asarray(ends) @ turn.T + matrix[:3, 3]
            rows = capsule_mesh(placed[0], placed[1], float(radius) * (1.01 if hit else 1.0))
            (red if hit else plain).append(rows @ back[:3, :3].T + back[:3, 3])
    faces = _half_ball()[1]
    out = []
    for colour, found in ((SHAPE, plain), (COLLIDING, red)):
        if found:
            count = len(found[0])
            every = np.concatenate([faces + k * count for k in range(len(found))])
            out.append((colour, np.concatenate(found), every))
    return out


def _draw() -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    context = bpy.context
    if context.scene is None or not hasattr(context.scene, "writhe"):
        return
    found = batches(context)
    if not found:
        return
    name = "UNIFORM_COLOR" if bpy.app.version >= (3, 5, 0) else "3D_UNIFORM_COLOR"
    shader = gpu.shader.from_builtin(name)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    gpu.state.face_culling_set("BACK")
    for colour, vertices, triangles in found:
        batch = batch_for_shader(
            shader, "TRIS", {"pos": vertices.astype(np.float32)}, indices=triangles
        )
        shader.bind()
        shader.uniform_float("color", colour)
        batch.draw(shader)
    gpu.state.face_culling_set("NONE")
    gpu.state.blend_set("NONE")


def register() -> None:
    """Draw from now on."""
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    """Stop drawing."""
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
