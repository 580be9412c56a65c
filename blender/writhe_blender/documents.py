"""Documents of the studio in the scene: opened as armatures and obstacles, and written again.

The document itself is kept in the file of Blender, so that everything in it that Blender has no
word for (eased keys, pins over time, tangles, saved poses) is still there when it is written.
"""

from __future__ import annotations

import base64
import hashlib
import io
import zlib

import bpy
import numpy as np
from mathutils import Matrix

from . import action as actions
from . import armature as armatures
from . import build, fcurves, scene_sync
from .process import wire


def open_in_scene(context, engine, found: dict, *, frame_rate: bool) -> str:
    """Add what was found in a document; characters of it that are here get their new motion."""
    scene, settings = context.scene, context.scene.writhe
    if frame_rate:
        rate = max(1, round(found["fps"]))
        scene.render.fps, scene.render.fps_base = rate, rate / found["fps"]
    first = scene.frame_start
    here = _same_document(scene, found["created"])
    settings.document, settings.document_created = found["text"], found["created"]
    settings.document_first, settings.document_fps = first, found["fps"]
    span = _Span(scene, first)
    frames = 1
    for actor in found["actors"]:
        item = here.get(("ARMATURE", actor["id"]))
        if item is None or any(name not in item.pose.bones for name in actor["bones"]):
            item = _add_character(context, engine, actor)
        _set_motion(context, item, actor, found["fps"], span)
        frames = max(frames, int(np.ceil((actor["frames"] - 1) / found["fps"] * span.fps)) + 1)
    for each in found["objects"]:
        item = here.get(("MESH", each["id"])) or _add_obstacle(context, each)
        _set_placements(context, item, each, found["fps"], span)
    if frame_rate:
        scene.frame_end = max(first + frames - 1, scene.frame_start)
    scene.frame_set(first)
    return f"{found['name']}: characters {len(found['actors'])}, objects {len(found['objects'])}"


class _Span:
    """Frames of the scene from the beginning of the document."""

    def __init__(self, scene, first: int) -> None:
        self.start = float(first)
        self.fps = scene.render.fps / scene.render.fps_base


def _same_document(scene, created: str) -> dict:
    """What is here of this document by type and id; what is of another one is no longer."""
    known = {}
    for item in scene.objects:
        if item.writhe.document_id and scene.writhe.document_created == created:
            known[item.type, item.writhe.document_id] = item
        else:
            item.writhe.document_id = 0
    return known


def _add_character(context, engine, actor: dict):
    item = build.armature(context, actor)
    build.skin(context, actor, item)
    item.writhe.document_id = actor["id"]
    context.view_layer.update()
    scene_sync.store_shapes(context, item, actor["capsules"])
    body = scene_sync.set_up(context, item, engine)
    wrong = {r: b for r, b in actor["roles"].items() if body.info["roles"].get(r) != b}
    for role, bone in wrong.items():
        row = item.writhe.roles.add()
        row.name = row.role = role
        row.bone = bone  # marks it as corrected
    if wrong:
        scene_sync.store_shapes(context, item, actor["capsules"])
        body = scene_sync.set_up(context, item, engine)
    item.writhe.is_character = True
    scene_sync.store_summary(item, body)
    for bone, turned in actor["pins"].items():
        item.pose.bones[bone].writhe_pin = "FULL" if turned else "POSITION"
    return item


def _set_motion(context, item, actor: dict, fps: float, span: _Span) -> None:
    """The pose of the first frame, then the curves, or linear keys at every frame."""
    moved = np.abs(actor["location"]).max(axis=(0, 2)) > 1e-7
    writer = armatures.PoseWriter(
        context, item, actor["bones"], [True] * len(actor["bones"]), moved.tolist()
    )
    stored = None
    if actor["curves"]:
        stored = wire.receive(io.BytesIO(zlib.decompress(base64.b64decode(actor["curves"]))))
        for name, mode in stored["modes"].items():
            if name in item.pose.bones:
                item.pose.bones[name].rotation_mode = mode
    writer.write(actor["rotation"][0], actor["location"][0])
    if item.animation_data is not None:
        item.animation_data.action = None
    if stored is not None:
        unit = stored["unit_m"] / armatures.scale(context, item)
        fcurves.restore_curves(item, stored["curves"], span.start - stored["first"], unit)
    elif actor["frames"] > 1:
        keys = {
            name: {
                "rotation": actor["rotation"][:, j],
                "location": actor["location"][:, j] if moved[j] else None,
            }
            for j, name in enumerate(actor["bones"])
        }
        for name in actor["bones"]:
            item.pose.bones[name].rotation_mode = "QUATERNION"
        times = np.arange(actor["frames"]) / fps
        actions.write_keys(context, {"times_s": times, "characters": {item.name: keys}}, span)


def _add_obstacle(context, each: dict):
    item = build.mesh(context, each["name"], each["vertices"], each["triangles"], turned=False)
    item.writhe.is_obstacle, item.writhe.split = True, each["pieces"] > 1
    item.writhe.document_id = each["id"]
    item.writhe.document_mesh = mesh_digest(item)
    return item


def _set_placements(context, item, each: dict, fps: float, span: _Span) -> None:
    """Place an object, by linear keys at every frame if it moves."""
    rows = build.matrices(context.scene, each["matrices"])
    item.rotation_mode = "QUATERNION"
    places = [Matrix(row).decompose() for row in rows]
    at = np.array([tuple(place) for place, _, _ in places])
    turn = np.array([tuple(turn) for _, turn, _ in places])
    flips = np.where((turn[1:] * turn[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    turn[1:] *= np.cumprod(flips)[:, None]
    item.location, item.rotation_quaternion = at[0], turn[0]
    if item.animation_data is not None:
        item.animation_data.action = None
    if len(rows) < 2:
        return
    curves = fcurves.make_curves(item)
    frames = span.start + np.arange(len(rows)) / fps * span.fps
    for path, values in (("location", at), ("rotation_quaternion", turn)):
        for k in range(values.shape[1]):
            fcurves.write_linear(curves, path, k, "Object Transforms", frames, values[:, k])


def scene_data(context) -> dict:
    """All characters and obstacles at the frames of the scene's document, for writing it.

    Without one, at the frames of the scene.
    """
    scene, settings = context.scene, context.scene.writhe
    rate = scene.render.fps / scene.render.fps_base
    first, fps = scene.frame_start, rate
    if settings.document:
        first, fps = settings.document_first, settings.document_fps
    people, solids = scene_sync.characters(context), scene_sync.obstacles(context)
    ends = {item.name: _last_frame(item, first) for item in [*people, *solids]}
    last = max([*ends.values(), float(first)])
    count = int(np.ceil((last - first) / rate * fps - 1e-6)) + 1
    frames = first + np.arange(count) / fps * rate
    bones = {item.name: _bones(item) for item in people}
    sources = [
        *(lambda a=a: armatures.pose_matrices(context, a, bones[a.name]) for a in people),
        *(lambda o=o: scene_sync.matrix(context, o) for o in solids),
    ]
    rows = actions.sampled(context, sources, frames)
    used = {
        item.name: max(1, int(np.ceil((ends[item.name] - first) / rate * fps - 1e-6)) + 1)
        for item in [*people, *solids]
    }
    pins = scene_sync.pins(context)
    return {
        "fps": fps,
        "base": settings.document,
        "actors": [
            {
                "name": item.name,
                "actor": item.writhe.document_id,
                "bones": [bone.name for bone in bones[item.name]],
                "matrices": row[: used[item.name]],
                "curves": curves_text(context, item, first),
                "length_m": [b.length * armatures.scale(context, item) for b in bones[item.name]],
                "pins": pins.get(item.name, {}),
                "meshes": []
                if item.writhe.document_id
                else armatures.skinned_meshes(
                    context, item, [bone.name for bone in armatures.bones_of(item)]
                ),
            }
            for item, row in zip(people, rows)
        ],
        "objects": [
            {
                "name": item.name,
                "item": item.writhe.document_id,
                "matrices": _without_scale(row[: used[item.name]]),
                "reshaped": item.writhe.document_mesh != mesh_digest(item),
            }
            for item, row in zip(solids, rows[len(people) :])
        ],
    }


def _bones(item) -> list:
    """The bones of an armature for a document: all, if it came from one."""
    plain = item.writhe.document_id and not item.writhe.rig
    return list(item.data.bones) if plain else armatures.bones_of(item)


def _last_frame(item, first: int) -> float:
    """The last key of an object; the last frame of the scene if something else moves it."""
    curves = fcurves.curves_of(item)
    keyed = [c.keyframe_points[-1].co[0] for c in curves if len(c.keyframe_points)]
    data = item.animation_data
    others = data is not None and (len(data.drivers) or len(data.nla_tracks))
    if others or len(item.constraints) or (item.parent is not None and item.type == "MESH"):
        return float(bpy.context.scene.frame_end)
    return max([*keyed, float(first)])


def curves_text(context, item, first: int) -> str:
    """The curves of an armature as text; empty if they do not say where the bones are."""
    body = scene_sync.body(item)
    if body is None or actions.why_sampled(item, body.bones):
        return ""
    stored = fcurves.stored_curves(item, {bone.name for bone in item.pose.bones})
    if not stored:
        return ""
    stream = io.BytesIO()
    wire.send(
        stream,
        {
            "first": first,
            "unit_m": armatures.scale(context, item),
            "modes": {bone.name: bone.rotation_mode for bone in item.pose.bones},
            "curves": stored,
        },
    )
    return base64.b64encode(zlib.compress(stream.getvalue())).decode()


def written(context, answer: dict) -> None:
    """Keep what was written, and which character and object it is."""
    settings = context.scene.writhe
    if not settings.document:
        render = context.scene.render
        settings.document_first = context.scene.frame_start
        settings.document_fps = render.fps / render.fps_base
    settings.document, settings.document_created = answer["text"], answer["created"]
    for name, number in {**answer["actors"], **answer["objects"]}.items():
        item = context.scene.objects[name]
        item.writhe.document_id = number
        if item.type == "MESH":
            item.writhe.document_mesh = mesh_digest(item)


def mesh_digest(item) -> str:
    """A digest of a mesh object's vertices and of its scale."""
    vertices = np.empty(3 * len(item.data.vertices), dtype=np.float32)
    item.data.vertices.foreach_get("co", vertices)
    scale = np.round(item.matrix_world.to_scale(), 5) + 0.0
    return hashlib.sha256(vertices.tobytes() + scale.tobytes()).hexdigest()


def _without_scale(rows: np.ndarray) -> np.ndarray:
    """Matrices (f, 4, 4) with rotations only; the scale belongs to the shape."""
    out = np.array(rows)
    left, _, right = np.linalg.svd(out[:, :3, :3])
    out[:, :3, :3] = left @ right
    return out
