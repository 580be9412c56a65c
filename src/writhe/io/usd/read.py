"""Reads the first skeleton of a USD file, its animation and the meshes bound to it."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import FileFormatError
from writhe.io.file_size_limits import check_joint_count, checked_size, unique_names
from writhe.io.mesh_skin import four_strongest, merged_skin, polygons_to_triangles
from writhe.io.usd import SUFFIXES, require_usd, usd_modules
from writhe.io.world_frames import positions_and_rotations, skeleton_and_motion, skin_in_rest_pose
from writhe.skeleton import Motion, Skeleton, Skin

_Z_UP_TO_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])


@dataclass(frozen=True)
class _UsdSkeleton:
    """The first skeleton of a stage."""

    path: Path
    stage: Any
    cache: Any
    skeleton: Any
    query: Any
    to_metres: Floats  # (4, 4) from the stage's axes and unit to Y up and metres

    def matrices(self, values: Any) -> Floats:
        """(n, 4, 4) matrices on columns, in metres and Y up, of USD's matrices on rows."""
        rows = np.array([np.array(m) for m in values], dtype=np.float64)
        return self.to_metres @ rows.transpose(0, 2, 1)


def load_usd(path: Path) -> Motion:
    """The motion of the first skeleton of a USD file; its bind pose as one frame if it has none."""
    return _motion(_open(path))


def load_usd_figure(path: Path) -> tuple[Skeleton, Skin | None, object]:
    """The skeleton, the skin if there is one, and the stored body if there is one."""
    found = _open(path)
    skeleton = _motion(found).skeleton
    text = found.skeleton.GetPrim().GetCustomDataByKey("writhe:body")
    try:
        note = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        note = None
    return skeleton, _skin(found, skeleton), note


def _open(path: Path) -> _UsdSkeleton:
    checked_size(path)
    require_usd(path)
    Sdf, Tf, Usd, UsdGeom, UsdSkel = usd_modules("Sdf", "Tf", "Usd", "UsdGeom", "UsdSkel")

    try:
        if path.suffix.lower() in SUFFIXES:
            stage = Usd.Stage.Open(str(path))
        else:  # USD selects the format by the suffix
            layer = Sdf.Layer.CreateAnonymous(".usda")
            with tempfile.TemporaryDirectory() as folder:
                named = shutil.copy(path, Path(folder) / "file.usd")
                layer.TransferContent(Sdf.Layer.FindOrOpen(str(named)))
            stage = Usd.Stage.Open(layer)
    except Tf.ErrorException as error:
        raise FileFormatError(path, f"cannot be read as USD ({error})"[:300]) from None
    prims = [p for p in stage.Traverse() if p.IsA(UsdSkel.Skeleton)]
    if not prims:
        raise FileFormatError(
            path, "the file has no skeleton (UsdSkel)", remedy="export the armature too"
        )
    cache = UsdSkel.Cache()
    for root in (p for p in stage.Traverse() if p.IsA(UsdSkel.Root)):
        cache.Populate(UsdSkel.Root(root), Usd.PrimDefaultPredicate)
    skeleton = UsdSkel.Skeleton(prims[0])
    query = cache.GetSkelQuery(skeleton)
    if not query or not len(query.GetJointOrder()):
        raise FileFormatError(path, f"the skeleton {prims[0].GetPath()} has no joints")
    scale = float(UsdGeom.GetStageMetersPerUnit(stage))
    turn = _Z_UP_TO_Y_UP if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z else np.eye(4)
    return _UsdSkeleton(
        path, stage, cache, skeleton, query, np.diag([scale, scale, scale, 1.0]) @ turn
    )


def _names(found: _UsdSkeleton) -> tuple[list[str], list[int]]:
    """Joint names, and their order with parents before children."""
    tokens = [str(t) for t in found.query.GetJointOrder()]
    given = found.skeleton.GetJointNamesAttr().Get()
    if given is not None and len(given) == len(tokens):
        labels = [str(n) for n in given]
    else:
        labels = [t.rsplit("/", 1)[-1] for t in tokens]
    check_joint_count(found.path, len(tokens))
    return unique_names(labels), [int(p) for p in found.query.GetTopology().GetParentIndices()]


def _bind(found: _UsdSkeleton) -> tuple[Floats, Floats]:
    """The bind pose (n, 4, 4) in metres and Y up, and the matrix (4, 4) that bound meshes need.

    UsdSkel asks for bind transforms in the world; some exporters (Blender) write them in the space
    of the skeleton. Comparison with the rest pose, which is in that space, decides.
    """
    Usd, UsdGeom = usd_modules("Usd", "UsdGeom")

    stored = found.skeleton.GetBindTransformsAttr().Get()
    if stored is None or len(stored) != len(found.query.GetJointOrder()):
        raise FileFormatError(
            found.path, "the skeleton has no bind pose", remedy="export bindTransforms"
        )
    bind = found.matrices(stored)
    placing = UsdGeom.XformCache(Usd.TimeCode.EarliestTime())
    world = np.array(placing.GetLocalToWorldTransform(found.skeleton.GetPrim())).T
    rest = found.query.ComputeJointSkelTransforms(Usd.TimeCode.Default(), True)
    whole = found.to_metres
    if rest is not None and len(rest) == len(bind):
        placed = found.to_metres @ world @ np.array([np.array(m) for m in rest]).transpose(0, 2, 1)
        inner = found.to_metres @ world @ np.linalg.inv(found.to_metres)
        in_skeleton = np.abs((inner @ bind - placed)[:, :3, 3]).max()
        if in_skeleton < np.abs((bind - placed)[:, :3, 3]).max():
            bind, whole = inner @ bind, inner @ found.to_metres
    return bind, whole


def _motion(found: _UsdSkeleton) -> Motion:
    (UsdGeom,) = usd_modules("UsdGeom")

    names, parent = _names(found)
    animation = found.query.GetAnimQuery()
    times: list[float] = []
    if animation:
        samples = animation.GetJointTransformTimeSamples()
        if samples:
            first, last = float(samples[0]), float(samples[-1])
            times = [first + i for i in range(int(np.floor(last - first + 1e-6)) + 1)]
    placing = UsdGeom.XformCache()
    frames = np.zeros((len(times), len(names), 4, 4))
    for i, time in enumerate(times):
        placing.SetTime(time)
        world = np.array(placing.GetLocalToWorldTransform(found.skeleton.GetPrim())).T
        local = np.array(
            [np.array(m) for m in found.query.ComputeJointSkelTransforms(time)]
        ).transpose(0, 2, 1)
        frames[i] = found.to_metres @ world @ local
    skeleton, q = skeleton_and_motion(names, parent, _bind(found)[0], frames, [True] * len(names))
    source: dict[str, Any] = {
        "format": "usd",
        "animations": [str(animation.GetPrim().GetName())] if times else [],
        "metres_per_unit": float(UsdGeom.GetStageMetersPerUnit(found.stage)),
        "unit_from": "stated in the file",
    }
    rate = float(found.stage.GetTimeCodesPerSecond())
    return Motion(skeleton, q, rate, found.path.stem, source)


def _skin(found: _UsdSkeleton, skeleton: Skeleton) -> Skin | None:
    Usd, UsdGeom, UsdSkel = usd_modules("Usd", "UsdGeom", "UsdSkel")

    names, _ = _names(found)
    bind, whole = _bind(found)
    at, turn = positions_and_rotations(bind)
    rigid = np.tile(np.eye(4), (len(names), 1, 1))
    rigid[:, :3, :3], rigid[:, :3, 3] = turn, at
    order = {str(t): i for i, t in enumerate(found.query.GetJointOrder())}
    parts: list[tuple[Floats, Ints, Ints, Floats]] = []
    count = 0
    for root in (p for p in found.stage.Traverse() if p.IsA(UsdSkel.Root)):
        for binding in found.cache.ComputeSkelBindings(
            UsdSkel.Root(root), Usd.PrimDefaultPredicate
        ):
            if binding.GetSkeleton().GetPrim() != found.skeleton.GetPrim():
                continue
            for target in binding.GetSkinningTargets():
                part = _mesh(whole, skeleton, target, names, rigid, order, UsdGeom)
                if part is not None:
                    parts.append((part[0], part[1] + count, part[2], part[3]))
                    count += len(part[0])
    return merged_skin(parts)


def _mesh(
    whole: Floats,
    skeleton: Skeleton,
    target: Any,
    names: list[str],
    rigid: Floats,
    order: dict[str, int],
    geometry: Any,
) -> tuple[Floats, Ints, Ints, Floats] | None:
    prim = target.GetPrim()
    if not prim.IsA(geometry.Mesh):
        return None
    mesh = geometry.Mesh(prim)
    points = np.array(mesh.GetPointsAttr().Get(), dtype=np.float64)
    influence = target.ComputeVaryingJointInfluences(len(points))
    if influence is None or len(points) == 0:
        return None
    joints, weights = influence
    width = len(joints) // len(points)
    local = target.GetJointOrder()
    remap = (
        np.arange(len(names))
        if not local
        else np.array([order[str(t)] for t in local], dtype=np.int64)
    )
    vertex = np.repeat(np.arange(len(points)), width)
    influences, shares = four_strongest(
        len(points), vertex, remap[np.array(joints, dtype=np.int64)], np.array(weights, dtype=float)
    )
    bind = whole @ np.array(target.GetGeomBindTransform()).T
    posed = skin_in_rest_pose(
        skeleton, names, np.linalg.inv(rigid) @ bind, points, influences, shares
    )
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get(), dtype=np.int64)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(), dtype=np.int64)
    begin = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    triangles = polygons_to_triangles(corners, np.stack([begin, counts], axis=1))
    index = np.array([skeleton.index(name) for name in names], dtype=np.int64)
    return posed, triangles, index[influences], shares
