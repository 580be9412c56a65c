"""The meshes of a USD stage with the values at their corners, weights and blend shapes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.io.gltf.converted_scene import Morph, PolygonMesh, Weights
from writhe.io.mesh_skin import four_strongest
from writhe.io.usd import usd_modules
from writhe.io.usd.materials import SceneMaterials
from writhe.io.usd.read import UsdSkeleton, bind_pose, joint_names
from writhe.io.world_frames import positions_and_rotations


def scene_meshes(found: UsdSkeleton, materials: SceneMaterials) -> list[PolygonMesh]:
    """All meshes of the stage; those that are not bound to the skeleton stay where they are."""
    Usd, UsdGeom, UsdSkel = usd_modules("Usd", "UsdGeom", "UsdSkel")

    targets: dict[str, Any] = {}
    for root in (p for p in found.stage.Traverse() if p.IsA(UsdSkel.Root)):
        bindings = found.cache.ComputeSkelBindings(UsdSkel.Root(root), Usd.PrimDefaultPredicate)
        for binding in bindings:
            if binding.GetSkeleton().GetPrim() == found.skeleton.GetPrim():
                targets |= {str(t.GetPrim().GetPath()): t for t in binding.GetSkinningTargets()}
    placing = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    out: list[PolygonMesh] = []
    for prim in found.stage.Traverse():
        if not prim.IsA(UsdGeom.Mesh):
            continue
        mesh = UsdGeom.Mesh(prim)
        points = _values(mesh.GetPointsAttr(), 3)
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get() or [], dtype=np.int64)
        if not len(points) or not len(counts):
            continue
        target = targets.get(str(prim.GetPath()))
        weights = None if target is None else _weights(found, target, len(points))
        world = found.to_metres @ np.array(placing.GetLocalToWorldTransform(prim)).T
        out.append(_mesh(mesh, points, counts, weights, world, materials))
    return out


def _values(attribute: Any, width: int) -> Floats:
    value = attribute.Get()
    if value is None:
        value = attribute.Get(0.0)
    return np.array([] if value is None else value, dtype=np.float64).reshape(-1, width)


def _mesh(
    mesh: Any,
    points: Floats,
    counts: Ints,
    weights: Weights | None,
    world: Floats,
    materials: SceneMaterials,
) -> PolygonMesh:
    UsdGeom, UsdShade = usd_modules("UsdGeom", "UsdShade")

    prim = mesh.GetPrim()
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(), dtype=np.int64)
    begin = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    faces = np.stack([begin, counts], axis=1)
    primvars = UsdGeom.PrimvarsAPI(prim)
    normals = _at_corners(
        _values(mesh.GetNormalsAttr(), 3), str(mesh.GetNormalsInterpolation()), corners, counts
    )
    uvs: list[Floats] = []
    colours = None
    for primvar in primvars.GetPrimvarsWithValues():
        kind = str(primvar.GetTypeName())
        if kind in ("texCoord2f[]", "float2[]", "texCoord2d[]", "texCoord2h[]", "double2[]"):
            rows = _primvar(primvar, 2, corners, counts)
            if rows is not None:
                uvs.append(rows)
        elif primvar.GetPrimvarName() == "displayColor":
            rgb = _primvar(primvar, 3, corners, counts)
            if rgb is not None and str(primvar.GetInterpolation()) != "constant":
                colours = np.column_stack([rgb, np.ones(len(rgb))])
    slots: list[int | None] = []
    face_material = np.zeros(len(counts), dtype=np.int64)
    bound = UsdShade.MaterialBindingAPI(prim)
    slots.append(materials.number(bound.ComputeBoundMaterial()[0]))
    for subset in bound.GetMaterialBindSubsets():
        face_material[np.array(subset.GetIndicesAttr().Get() or [], dtype=np.int64)] = len(slots)
        chosen = UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()[0]
        slots.append(materials.number(chosen))
    if str(mesh.GetOrientationAttr().Get()) == "leftHanded":
        order: Ints = np.concatenate(
            [np.arange(int(b), int(b + n))[::-1] for b, n in zip(begin, counts, strict=True)]
        )
        corners = corners[order]
        normals = None if normals is None else normals[order]
        uvs = [rows[order] for rows in uvs]
        colours = None if colours is None else colours[order]
    return PolygonMesh(
        str(prim.GetName()),
        points,
        corners,
        faces,
        normals,
        uvs,
        colours,
        face_material,
        slots,
        _blend_shapes(prim),
        weights,
        None,
        None if weights is not None else world,
    )


def _primvar(primvar: Any, width: int, corners: Ints, counts: Ints) -> Floats | None:
    value = primvar.ComputeFlattened()
    if value is None:
        return None
    rows = np.array(value, dtype=np.float64).reshape(-1, width)
    return _at_corners(rows, str(primvar.GetInterpolation()), corners, counts)


def _at_corners(rows: Floats, interpolation: str, corners: Ints, counts: Ints) -> Floats | None:
    """(c, width) values at the corners, given per corner, point, face or mesh."""
    if interpolation == "faceVarying" and len(rows) == len(corners):
        return rows
    if interpolation in ("vertex", "varying") and len(rows) > corners.max():
        return rows[corners]
    if interpolation == "uniform" and len(rows) == len(counts):
        return np.repeat(rows, counts, axis=0)
    if interpolation == "constant" and len(rows) == 1:
        return np.repeat(rows, len(corners), axis=0)
    return None


def _blend_shapes(prim: Any) -> list[Morph]:
    (UsdSkel,) = usd_modules("UsdSkel")

    binding = UsdSkel.BindingAPI(prim)
    names: Iterable[object] = binding.GetBlendShapesAttr().Get() or []
    out: list[Morph] = []
    for name, path in zip(names, binding.GetBlendShapeTargetsRel().GetTargets(), strict=False):
        shape = UsdSkel.BlendShape(prim.GetStage().GetPrimAtPath(path))
        offsets = _values(shape.GetOffsetsAttr(), 3)
        given = shape.GetPointIndicesAttr().Get()
        vertices = np.arange(len(offsets)) if not given else np.array(given, dtype=np.int64)
        if len(vertices) == len(offsets):
            out.append(Morph(str(name), vertices, offsets))
    return out


def _weights(found: UsdSkeleton, target: Any, count: int) -> Weights | None:
    influence = target.ComputeVaryingJointInfluences(count)
    if influence is None:
        return None
    joints, weights = influence
    names, _ = joint_names(found)
    bind, whole = bind_pose(found)
    at, turn = positions_and_rotations(bind)
    rigid = np.tile(np.eye(4), (len(names), 1, 1))
    rigid[:, :3, :3], rigid[:, :3, 3] = turn, at
    order = {str(t): i for i, t in enumerate(found.query.GetJointOrder())}
    local = target.GetJointOrder()
    remap = np.arange(len(names))
    if local:
        remap = np.array([order[str(t)] for t in local], dtype=np.int64)
    vertex = np.repeat(np.arange(count), len(joints) // count)
    influences, shares = four_strongest(
        count, vertex, remap[np.array(joints, dtype=np.int64)], np.array(weights, dtype=float)
    )
    inverse = np.linalg.inv(rigid) @ whole @ np.array(target.GetGeomBindTransform()).T
    return Weights(names, inverse, influences, shares)
