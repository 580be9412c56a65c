"""Writes a motion to USD: a UsdSkel skeleton with bind pose, animation and skin; metres, Y up."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.io.gltf.buffers import FORMAT
from writhe.io.stored_body import body_note
from writhe.io.usd import require_usd, usd_modules
from writhe.io.usd.write_meshes import skinned_mesh, write_meshes
from writhe.skeleton import Figure, Motion, Skeleton, forward, quaternions


def save_usd(
    path: Path, skeleton: Skeleton, *, motion: Motion | None = None, figure: Figure | None = None,
    suffix: str = ".usdc",
) -> None:  # fmt: skip
    """Write a skeleton, and the motion and skin if given, to a USD file (.usda: text).

    Images of a figure's document lie in a .usdz file, or in the folder `textures` beside others.
    """
    require_usd(path)
    Sdf, Usd, UsdGeom, UsdSkel, UsdUtils, Vt = usd_modules(
        "Sdf", "Usd", "UsdGeom", "UsdSkel", "UsdUtils", "Vt"
    )

    if figure is not None and figure.skeleton.names != skeleton.names:
        raise WritheError("the figure's skeleton is not the motion's")
    # USD chooses the encoding by the suffix; files are written under a temporary name
    encoding = ".usda" if suffix == ".usda" else ".usdc"
    if suffix == ".usdz":
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "character"
            save_usd(made, skeleton, motion=motion, figure=figure, suffix=".usdc")
            made = made.rename(made.with_suffix(".usdc"))
            packed = Path(folder) / "packed.usdz"
            UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(made)), str(packed))
            shutil.copyfile(packed, path)
        return
    layer = Sdf.Layer.CreateNew(str(path) + encoding)
    stage = Usd.Stage.Open(layer)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    root = UsdSkel.Root.Define(stage, "/Character")
    stage.SetDefaultPrim(root.GetPrim())
    skel = UsdSkel.Skeleton.Define(stage, "/Character/Skeleton")
    tokens = _joint_paths(skeleton)
    skel.CreateJointsAttr(Vt.TokenArray(tokens))
    skel.CreateJointNamesAttr(Vt.TokenArray(list(skeleton.names)))
    rest = forward(skeleton, skeleton.rest_configuration)
    world = _matrices(rest.positions, rest.rotations)
    skel.CreateBindTransformsAttr(_gf(world))
    skel.CreateRestTransformsAttr(_gf(_local(skeleton, world[None])[0]))
    if motion is not None:
        _animate(stage, skel, skeleton, motion, tokens)
    if figure is not None and figure.capsules:
        skel.GetPrim().SetCustomDataByKey("writhe:body", json.dumps(body_note(figure)))
    if figure is not None and figure.skin is not None:
        if figure.source is not None and figure.source.format == FORMAT:
            write_meshes(stage, skel, figure, path.parent)
        else:
            skinned_mesh(stage, skel, "/Character/Mesh", figure.skin)
    stage.GetRootLayer().Save()
    Path(str(path) + encoding).replace(path)


def _joint_paths(skeleton: Skeleton) -> list[str]:
    """Paths such as Hips/Spine, of names that USD allows; made unique among siblings."""
    (Tf,) = usd_modules("Tf")

    paths: list[str] = []
    for j, joint in enumerate(skeleton.joints):
        above = "" if joint.parent is None else paths[skeleton.index(joint.parent)] + "/"
        word = above + Tf.MakeValidIdentifier(joint.name)
        paths.append(word if word not in paths else f"{word}_{j}")
    return paths


def _matrices(positions: Floats, rotations: Floats) -> Floats:
    out = np.zeros((*positions.shape[:-1], 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = rotations, positions, 1.0
    return out


def _local(skeleton: Skeleton, world: Floats) -> Floats:
    """(frames, n, 4, 4) transforms relative to the parents."""
    local = world.copy()
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            local[:, j] = np.linalg.inv(world[:, p]) @ world[:, j]
    return local


def _gf(matrices: Floats) -> Any:
    Gf, Vt = usd_modules("Gf", "Vt")

    rows = np.ascontiguousarray(matrices.transpose(0, 2, 1))
    return Vt.Matrix4dArray([Gf.Matrix4d(*m.ravel().tolist()) for m in rows])


def _animate(stage: Any, skel: Any, skeleton: Skeleton, motion: Motion, tokens: list[str]) -> None:
    Gf, UsdSkel, Vt = usd_modules("Gf", "UsdSkel", "Vt")

    stage.SetTimeCodesPerSecond(motion.fps)
    stage.SetFramesPerSecond(motion.fps)
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(len(motion) - 1)
    animation = UsdSkel.Animation.Define(stage, "/Character/Skeleton/Animation")
    animation.CreateJointsAttr(Vt.TokenArray(tokens))
    frames = motion.frames()
    local = _local(skeleton, _matrices(frames.positions, frames.rotations))
    turns = quaternions.from_matrices(local[..., :3, :3])
    for f in range(1, len(turns)):  # programs interpolate the components
        turns[f] *= np.where((turns[f] * turns[f - 1]).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
    animation.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * len(tokens)))
    translations = animation.CreateTranslationsAttr()
    rotations = animation.CreateRotationsAttr()
    for f in range(len(motion)):
        places = np.ascontiguousarray(local[f, :, :3, 3], dtype=np.float32)
        translations.Set(Vt.Vec3fArray.FromNumpy(places), f)
        values = [Gf.Quatf(*(float(x) for x in q)) for q in turns[f]]
        rotations.Set(Vt.QuatfArray(values), f)
    binding = UsdSkel.BindingAPI.Apply(skel.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
