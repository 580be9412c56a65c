"""What writhe knows of the scene: characters and obstacles, sent when they have changed."""

from __future__ import annotations

import hashlib
import json
import weakref
from dataclasses import dataclass, field

import numpy as np

from . import action as actions
from . import armature as armatures
from . import axes, control_rig
from .process.client import EngineError


@dataclass
class Body:
    """A character that was set up: what writhe found, and what it was found for."""

    bones: list[str]
    info: dict
    key: tuple
    description: dict


@dataclass
class _Known:
    """What an engine has been told."""

    characters: dict[str, tuple] = field(default_factory=dict)
    obstacles: dict[str, tuple] = field(default_factory=dict)


_bodies: dict[str, Body] = {}
_known: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_hulls: dict[str, list] = {}


def forget() -> None:
    """Forget all bodies: another file was loaded."""
    _bodies.clear()
    _hulls.clear()


def characters(context) -> list:
    """The armatures of the scene that were set up."""
    return [o for o in context.scene.objects if o.type == "ARMATURE" and o.writhe.is_character]


def obstacles(context) -> list:
    """The mesh objects of the scene that are marked as obstacles."""
    return [o for o in context.scene.objects if o.type == "MESH" and o.writhe.is_obstacle]


def body(armature) -> Body | None:
    """The body of an armature, if it was set up in this session."""
    return _bodies.get(armature.name)


def hulls(item) -> list:
    """The convex pieces of an obstacle, as they were set up."""
    return _hulls.get(item.name, [])


def set_up(context, armature, engine) -> Body:
    """Find roles and shapes of an armature; shapes that were fitted before are used again."""
    found, key = describe(context, armature, refit=False)
    return adopt(armature, engine, found, key)


def describe(context, armature, *, refit: bool) -> tuple[dict, tuple]:
    """An armature for writhe, and what its shapes and its skeleton depend on.

    With `refit`, or if no shapes are known that fit, its meshes are there too.
    """
    free = actions.free_bones(context, armature)
    found = armatures.description(context, armature, free)
    rig = control_rig.stored_rig(armature)
    found["roles"] = {} if rig is None else dict(rig.roles())
    found["roles"] |= {r.role: r.bone or None for r in armature.writhe.roles if r.corrected}
    factors = {s.bone: round(s.factor, 6) for s in armature.writhe.shapes if s.factor > 0.0}
    removed = [s.bone for s in armature.writhe.shapes if s.factor <= 0.0]
    found["overrides"] = {"exclude": removed, "radius": factors} if factors or removed else {}
    depends = (
        found["bones"],
        sorted(found["roles"].items(), key=str),
        sorted(factors.items()),
        removed,
        round(float(armatures.scale(context, armature)), 6),
    )
    shape_key = hashlib.sha256(repr(depends).encode()).hexdigest()
    fitted = None if refit else _fitted(armature, shape_key)
    if fitted is None:
        found["meshes"] = armatures.skinned_meshes(context, armature, found["bones"])
    else:
        found["capsules"] = fitted
    return found, (shape_key, _place_key(found))


def adopt(armature, engine, found: dict, key: tuple, capsules: dict | None = None) -> Body:
    """Make a described armature a body of this engine.

    capsules: its shapes, if another engine has fitted them. They are stored in the armature.
    """
    if capsules is not None:
        found = {**found, "capsules": capsules, "meshes": []}
    info = engine.request("set_character", found)
    found = {k: v for k, v in found.items() if k != "meshes"} | {"capsules": info["capsules"]}
    made = Body(found["bones"], info, key, found)
    _bodies[armature.name] = made
    _of(engine).characters[armature.name] = key
    _store_fitted(armature, key[0], info["capsules"])
    return made


def store_shapes(context, armature, capsules: dict) -> None:
    """Store shapes for an armature instead of those that would be fitted to its meshes."""
    _store_fitted(armature, describe(context, armature, refit=False)[1][0], capsules)


def _store_fitted(armature, shape_key: str, capsules: dict) -> None:
    plain = {k: np.asarray(v).tolist() for k, v in capsules.items()}
    armature.writhe.fitted = json.dumps({"key": shape_key, "capsules": plain})


def store_summary(armature, found: Body) -> None:
    """Store roles and a summary in the armature."""
    settings, info = armature.writhe, found.info
    corrected = {r.role: r.bone for r in settings.roles if r.corrected}
    settings.roles.clear()
    for role in [*info["roles"], *(m for m in info["missing"] if m not in info["roles"])]:
        row = settings.roles.add()
        row.name = row.role = role
        row.bone = info["roles"].get(role, "")
        row.corrected = role in corrected
    shapes = len(info["capsules"]["joint"])
    kind = "a person" if info["is_person"] else "no person"
    settings.summary = (
        f"{armature.name}: {kind}, {len(info['roles'])} roles, {len(found.bones)} bones,"
        f" {shapes} shapes"
    )
    rig = control_rig.stored_rig(armature)
    if rig is not None:
        settings.summary += ", posed by the FK controls of the rig"
    reasons = armatures.obstacles_to_posing(armature, found.bones)
    if not shapes:
        reasons.append("no shapes: nothing is kept from passing through it")
    settings.warning = "; ".join(reasons)


def _fitted(armature, shape_key: str) -> dict | None:
    """The shapes of an armature that were fitted earlier, perhaps before its file was saved."""
    known = _bodies.get(armature.name)
    if known is not None and known.key[0] == shape_key:
        return known.info["capsules"]
    if not armature.writhe.fitted:
        return None
    stored = json.loads(armature.writhe.fitted)
    return stored["capsules"] if stored["key"] == shape_key else None


def _place_key(found: dict) -> tuple:
    """What the skeleton depends on: rest matrices, free bones, constant displacements."""
    rest = np.round(found["rest"], 6).tobytes()
    return rest, tuple(found["free"])


def send(context, engine) -> None:
    """Tell an engine of everything that has changed since it was told last."""
    told = _of(engine)
    people, solids = characters(context), obstacles(context)
    for armature in people:
        known = _bodies.get(armature.name)
        if known is None:
            set_up(context, armature, engine)
            continue
        now = armatures.description(context, armature, actions.free_bones(context, armature))
        key = (known.key[0], _place_key(now))
        if key != known.key:
            set_up(context, armature, engine)
        elif told.characters.get(armature.name) != key:
            engine.request("set_character", known.description)
            told.characters[armature.name] = key
    for item in solids:
        _send_obstacle(context, item, engine, told)
    names = {a.name for a in people}, {o.name for o in solids}
    if set(told.characters) != names[0] or set(told.obstacles) != names[1]:
        engine.request("keep", {"characters": sorted(names[0]), "obstacles": sorted(names[1])})
        for table, kept in ((told.characters, names[0]), (told.obstacles, names[1])):
            for name in set(table) - kept:
                del table[name]


def _send_obstacle(context, item, engine, told: _Known) -> None:
    evaluated = item.evaluated_get(context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    try:
        mesh.calc_loop_triangles()
        vertices = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", vertices)
        triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    finally:
        evaluated.to_mesh_clear()
    scale = tuple(round(s, 6) for s in evaluated.matrix_world.to_scale())
    key = (hash(vertices.tobytes()), hash(triangles.tobytes()), item.writhe.split, scale)
    if told.obstacles.get(item.name) == key:
        return
    # vertices in Blender's axes: the matrix that turns them belongs to the shape
    answer = engine.request(
        "set_obstacle",
        {
            "name": item.name,
            "vertices": vertices.reshape(-1, 3),
            "triangles": triangles.reshape(-1, 3).astype(np.int64),
            "matrix": matrix(context, item),
            "split": bool(item.writhe.split),
        },
    )
    told.obstacles[item.name] = key
    _hulls[item.name] = answer["hulls"]


def matrix(context, item) -> np.ndarray:
    """(4, 4) an object in writhe's world."""
    evaluated = item.evaluated_get(context.evaluated_depsgraph_get())
    return axes.to_writhe(context.scene) @ np.array(evaluated.matrix_world)


def poses(context) -> dict[str, np.ndarray]:
    """The evaluated poses of all characters."""
    return {
        armature.name: armatures.pose_matrices(
            context, armature, [armature.data.bones[n] for n in _bodies[armature.name].bones]
        )
        for armature in characters(context)
        if armature.name in _bodies
    }


def pins(context) -> dict[str, dict[str, bool]]:
    """The pinned bones of all characters; True for those that keep their rotation as well."""
    return {
        armature.name: {
            bone.name: bone.writhe_pin == "FULL"
            for bone in armature.pose.bones
            if bone.writhe_pin != "FREE" and bone.name in _bodies[armature.name].bones
        }
        for armature in characters(context)
        if armature.name in _bodies
    }


def modes(context) -> dict[str, dict[str, str]]:
    """The rotation modes of the bones of all characters, for keys that are to be written."""
    found = {
        armature.name: {bone.name: bone.rotation_mode for bone in armature.pose.bones}
        for armature in characters(context)
    }
    for bones in found.values():
        for name, mode in bones.items():
            if mode == "AXIS_ANGLE":
                raise EngineError(
                    f"{name} is turned by axis and angle: change its rotation mode to quaternion"
                )
    return found


def placements(context) -> dict[str, np.ndarray]:
    """The matrices of all obstacles."""
    return {item.name: matrix(context, item) for item in obstacles(context)}


def _of(engine) -> _Known:
    if engine not in _known:
        _known[engine] = _Known()
    return _known[engine]


def required(context, armature) -> Body:
    """The body of an armature; raises if it was not set up."""
    if armature is None or armature.type != "ARMATURE":
        raise EngineError("select an armature first")
    found = body(armature)
    if found is None or not armature.writhe.is_character:
        raise EngineError(f"{armature.name} is not set up: press Set Up Character")
    return found
