"""Reads the first skeleton of a USD file and its animation; all of it becomes a glTF document."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import FileFormatError
from writhe.io.file_size_limits import check_joint_count, checked_size, unique_names
from writhe.io.keyed_motion import (
    MAX_REFINE,
    SHARES,
    EvaluatedRows,
    KeyedMotion,
    measured_keys,
    refined_times,
)
from writhe.io.usd import SUFFIXES, require_usd, usd_modules
from writhe.io.world_frames import skeleton_and_motion
from writhe.skeleton import Motion, Skeleton, Skin
from writhe.skeleton.source_file import SourceFile

_Z_UP_TO_Y_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])


@dataclass(frozen=True)
class UsdSkeleton:
    """The first skeleton of a stage."""

    path: Path
    stage: Any
    cache: Any
    skeleton: Any
    query: Any
    to_metres: Floats  # (4, 4) from the stage's axes and unit to Y up and metres

    @property
    def unit_m(self) -> float:
        """Metres per unit of the stage."""
        (UsdGeom,) = usd_modules("UsdGeom")
        return float(UsdGeom.GetStageMetersPerUnit(self.stage))

    def matrices(self, values: Any) -> Floats:
        """(n, 4, 4) matrices on columns, in metres and Y up, of USD's matrices on rows."""
        rows = np.array([np.array(m) for m in values], dtype=np.float64)
        return self.to_metres @ rows.transpose(0, 2, 1)


def load_usd(path: Path) -> Motion:
    """The motion of the first skeleton of a USD file; its bind pose as one frame if it has none."""
    from writhe.io.gltf.container import Glb
    from writhe.io.gltf.read import read_motion

    opened = open_skeleton(path)
    motion = read_motion(Glb(_document(opened)))
    stated = {"format": "usd", "metres_per_unit": opened.unit_m, "unit_from": "stated in the file"}
    return replace(motion, source={**motion.source, **stated})


def load_usd_figure(path: Path) -> tuple[Skeleton, Skin | None, object, SourceFile]:
    """The skeleton, the skin and the stored body if there are any, and the glTF document."""
    from writhe.io.gltf.read import read_figure

    opened = open_skeleton(path)
    skeleton, skin, _, _, source = read_figure(_document(opened))
    text = opened.skeleton.GetPrim().GetCustomDataByKey("writhe:body")
    try:
        note = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        note = None
    return skeleton, skin, note, source


def _document(opened: UsdSkeleton) -> SourceFile:
    """The character as a glTF document: joints, meshes, materials, images, animation."""
    from writhe.io.gltf.converted_scene import CharacterScene, Clip, converted_document
    from writhe.io.usd.materials import SceneMaterials
    from writhe.io.usd.meshes import scene_meshes

    motion = _motion(opened)
    materials = SceneMaterials(opened.path)
    meshes = scene_meshes(opened, materials)
    clips = [Clip(motion)] if motion.source["animations"] else []
    scene = CharacterScene(
        motion.skeleton, meshes, materials.materials, materials.images, (), clips
    )
    return converted_document(opened.path, scene)


def open_skeleton(path: Path) -> UsdSkeleton:
    """The first skeleton of a USD file."""
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
    return UsdSkeleton(
        path, stage, cache, skeleton, query, np.diag([scale, scale, scale, 1.0]) @ turn
    )


def joint_names(found: UsdSkeleton) -> tuple[list[str], list[int]]:
    """Joint names, and their order with parents before children."""
    tokens = [str(t) for t in found.query.GetJointOrder()]
    given = found.skeleton.GetJointNamesAttr().Get()
    if given is not None and len(given) == len(tokens):
        labels = [str(n) for n in given]
    else:
        labels = [t.rsplit("/", 1)[-1] for t in tokens]
    check_joint_count(found.path, len(tokens))
    return unique_names(labels), [int(p) for p in found.query.GetTopology().GetParentIndices()]


def bind_pose(found: UsdSkeleton) -> tuple[Floats, Floats]:
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


def load_usd_keys(path: Path, refine: int = 1) -> KeyedMotion:
    """The motion of a USD file at all its time samples; `refine` rows for each.

    Samples of the joints and of the prims above the skeleton count. On a stage with held
    interpolation the pose jumps at each.
    """
    Usd, UsdGeom = usd_modules("Usd", "UsdGeom")

    found = open_skeleton(path)
    names, parent = joint_names(found)
    samples = {float(time) for time in _joint_samples(found)}
    prim = found.skeleton.GetPrim()
    while prim and not prim.IsPseudoRoot():
        if prim.IsA(UsdGeom.Xformable):
            samples |= {float(t) for t in UsdGeom.Xformable(prim).GetTimeSamples()}
        prim = prim.GetParent()
    keys = np.array(sorted(samples) or [0.0])
    rate = float(found.stage.GetTimeCodesPerSecond())
    if found.stage.GetInterpolationType() == Usd.InterpolationTypeHeld:
        at = np.repeat(keys, 2)[1:]  # times of the rows, and times at which their poses began
        poses = _frames(found, keys, len(names))[np.repeat(np.arange(len(keys)), 2)[:-1]]
        jumps = np.arange(len(at) - 1) % 2 == 1
        between = np.repeat(poses[:-1, None], len(SHARES), axis=1)
    else:
        at = refined_times(keys, min(refine, MAX_REFINE))
        poses = _frames(found, at, len(names))
        inner = at[:-1, None] + np.diff(at)[:, None] * np.array(SHARES)
        between = _frames(found, inner.ravel(), len(names)).reshape(
            len(at) - 1, len(SHARES), *poses.shape[1:]
        )
        jumps = np.zeros(len(at) - 1, dtype=np.bool_)
    rows = EvaluatedRows(at / rate, poses, between, jumps)
    return measured_keys(names, parent, bind_pose(found)[0], rows, [True] * len(names), path.stem)


def _joint_samples(found: UsdSkeleton) -> list[float]:
    """The time samples of the joints, in order."""
    animation = found.query.GetAnimQuery()
    return [float(t) for t in animation.GetJointTransformTimeSamples()] if animation else []


def _frames(found: UsdSkeleton, times: Sequence[float] | Floats, count: int) -> Floats:
    """(times, joints, 4, 4) world matrices of the joints, in metres and Y up."""
    (UsdGeom,) = usd_modules("UsdGeom")
    placing = UsdGeom.XformCache()
    frames = np.zeros((len(times), count, 4, 4))
    for i, time in enumerate(times):
        placing.SetTime(float(time))
        world = np.array(placing.GetLocalToWorldTransform(found.skeleton.GetPrim())).T
        local = np.array(
            [np.array(m) for m in found.query.ComputeJointSkelTransforms(float(time))]
        ).transpose(0, 2, 1)
        frames[i] = found.to_metres @ world @ local
    return frames


def _motion(found: UsdSkeleton) -> Motion:
    names, parent = joint_names(found)
    animation = found.query.GetAnimQuery()
    times: list[float] = []
    samples = _joint_samples(found)
    if samples:
        first, last = samples[0], samples[-1]
        times = [first + i for i in range(int(np.floor(last - first + 1e-6)) + 1)]
    frames = _frames(found, times, len(names))
    skeleton, q = skeleton_and_motion(
        names, parent, bind_pose(found)[0], frames, [True] * len(names)
    )
    name = str(animation.GetPrim().GetName()) if times else found.path.stem
    rate = float(found.stage.GetTimeCodesPerSecond())
    return Motion(skeleton, q, rate, name, {"animations": [name] if times else []})
