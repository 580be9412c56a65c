"""Entry points `writhe certify` of USD and FBX files: random samples and curves between frames."""

from __future__ import annotations

import struct
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from writhe.io.usd import usd_modules
from writhe.research.evaluation.independent import CurveMotion, Track
from writhe.research.evaluation.independent.bezier_motion import BezierMotion, ChannelCurves, Curve
from writhe.research.evaluation.independent.rotations import matrices, of_vector, product
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.certify_file import certify_with_table
from writhe.research.fuzzing.entry_points.gltf import nodes_mechanism, random_nodes

TICKS = 46186158000  # of FBX, per second


def usd_file(rng: np.random.Generator) -> Case:
    """A UsdSkel animation with samples at any time code, in random units, also held."""
    Gf, Sdf, Usd, UsdGeom, UsdSkel, Vt = usd_modules("Gf", "Sdf", "Usd", "UsdGeom", "UsdSkel", "Vt")
    parents, offset, rest = random_nodes(rng)
    n, unit = len(parents), float(rng.choice([1.0, 0.01, 0.0254]))
    held = rng.random() < 0.2
    codes = np.sort(rng.uniform(0, 3, int(rng.integers(1, 5))))
    codes += np.arange(len(codes)) * 0.05
    if rng.random() < 0.3:
        codes = np.arange(len(codes), dtype=float)
    size = float(rng.choice([0.05, 0.3, 0.9]))
    steps = np.cumsum(rng.normal(0, size, (len(codes), n, 3)), axis=0)
    turns = _single(product(np.repeat(rest[None], len(codes), 0), of_vector(steps)))
    places = np.repeat(offset[None] / unit, len(codes), axis=0)
    if rng.random() < 0.3:
        places[:, 2] += np.cumsum(rng.normal(0, 0.02 / unit, (len(codes), 3)), axis=0)
    places = _single(places)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / str(rng.choice(["case.usda", "case.usdc"]))
        stage = Usd.Stage.CreateNew(str(path))
        UsdGeom.SetStageMetersPerUnit(stage, unit)
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z if rng.random() < 0.5 else UsdGeom.Tokens.y)
        stage.SetTimeCodesPerSecond(float(rng.choice([24.0, 30.0, 60.0])))
        if held:
            stage.SetInterpolationType(Usd.InterpolationTypeHeld)
        UsdSkel.Root.Define(stage, "/Root")
        skeleton = UsdSkel.Skeleton.Define(stage, "/Root/Skeleton")
        names = [_path(parents, j) for j in range(n)]
        skeleton.CreateJointsAttr(Vt.TokenArray(names))
        local, world = _matrices(parents, offset / unit, rest)
        skeleton.CreateRestTransformsAttr(
            Vt.Matrix4dArray([Gf.Matrix4d(*m.T.ravel().tolist()) for m in local])
        )
        skeleton.CreateBindTransformsAttr(
            Vt.Matrix4dArray([Gf.Matrix4d(*m.T.ravel().tolist()) for m in world])
        )
        animation = UsdSkel.Animation.Define(stage, "/Root/Skeleton/Animation")
        animation.CreateJointsAttr(Vt.TokenArray(names))
        animation.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * n))
        shifts, rotations = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
        for code, place, turn in zip(codes, places, turns, strict=True):
            shifts.Set(Vt.Vec3fArray.FromNumpy(place.astype(np.float32)), float(code))
            rotations.Set(Vt.QuatfArray([Gf.Quatf(*map(float, q)) for q in turn]), float(code))
        binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
        binding.CreateAnimationSourceRel().SetTargets([Sdf.Path("/Root/Skeleton/Animation")])
        stage.GetRootLayer().Save()
        data = path.read_bytes()
        answer, table = certify_with_table(path)
    kind = "STEP" if held else "LINEAR"
    tracks = [
        Track(j, "rotation", codes, np.roll(turns[:, j], -1, axis=-1), kind) for j in range(n)
    ] + [Track(j, "translation", codes, unit * places[:, j], kind) for j in range(n)]
    motion = CurveMotion(offset, rest, tuple(tracks))
    mechanism = nodes_mechanism(table, parents)
    return Case.of("usd", mechanism, (motion,), answer, "held" if held else "", {path.name: data})


def _path(parents: list[int], j: int) -> str:
    return f"n{j}" if parents[j] < 0 else f"{_path(parents, parents[j])}/n{j}"


def _matrices(
    parents: list[int], offset: np.ndarray, rest: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(n, 4, 4) transforms in the parents and in the world."""
    local = np.tile(np.eye(4), (len(parents), 1, 1))
    local[:, :3, :3], local[:, :3, 3] = matrices(rest), offset
    world = local.copy()
    for j, parent in enumerate(parents):
        if parent >= 0:
            world[j] = world[parent] @ local[j]
    return local, world


def _single(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float32).astype(float)


def fbx_file(rng: np.random.Generator) -> Case:
    """Euler curves of an FBX file, linear or cubic, with keys between the frames."""
    parents, offset, _ = random_nodes(rng)
    n = len(parents)
    offset = np.round(offset, 6)
    times = np.sort(rng.uniform(0.0, 0.15, int(rng.integers(2, 5))))
    times = np.round((times - float(times[0]) + np.arange(len(times)) * 2e-3) * TICKS)
    cubic = rng.random() < 0.5
    size = float(rng.choice([3.0, 15.0, 50.0]))
    degrees = np.round(np.cumsum(rng.normal(0, size, (len(times), n, 3)), axis=0), 5)
    steep = float(rng.choice([0.0, 100.0, 2000.0])) if cubic else 0.0
    slopes = np.round(rng.normal(0, steep, (len(times), n, 3)), 4)  # degrees per second
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.fbx"
        write_fbx(path, parents, offset, times, degrees, slopes if cubic else None)
        data = path.read_bytes()
        answer, table = certify_with_table(path)
    curves: list[ChannelCurves] = []
    for j in range(n):
        x, y, z = (
            _curve(times / TICKS, np.radians(_single(degrees[:, j, axis])),
                   np.radians(_single(slopes[:, j, axis])) if cubic else None)
            for axis in range(3)
        )  # fmt: skip
        curves.append(ChannelCurves(j, (z, y, x), (2, 1, 0)))
    mechanism = nodes_mechanism(table, parents)
    mechanism = replace(mechanism, offset=offset)
    motion = BezierMotion(n, tuple(curves))
    note = "cubic" if cubic else "linear"
    return Case.of("fbx", mechanism, (motion,), answer, note, {"case.fbx": data})


_FBX_HEAD = """; FBX 7.4.0 project file
FBXHeaderExtension: { FBXHeaderVersion: 1003 FBXVersion: 7400 }
GlobalSettings: { Version: 1000 Properties70: {
 P: "UpAxis", "int", "Integer", "",1
 P: "UpAxisSign", "int", "Integer", "",1
 P: "FrontAxis", "int", "Integer", "",2
 P: "FrontAxisSign", "int", "Integer", "",1
 P: "CoordAxis", "int", "Integer", "",0
 P: "CoordAxisSign", "int", "Integer", "",1
 P: "UnitScaleFactor", "double", "Number", "",1
 P: "TimeMode", "enum", "", "",6 } }
"""


def write_fbx(
    path: Path,
    parents: list[int],
    offset: np.ndarray,
    ticks: np.ndarray,
    degrees: np.ndarray,
    slopes: np.ndarray | None,
) -> None:
    """Write bones n0, n1, ... at offsets (n, 3) in metres, whose Euler angles follow curves.

    ticks (k,): times of the keys; degrees (k, n, 3) about x, y, z; slopes in degrees per second.
    """
    n = len(parents)
    lines = [
        *_fbx_models(parents, 100.0 * offset),
        'AnimationStack: 900, "AnimStack::Take", "" { Properties70: {'
        ' P: "LocalStart", "KTime", "Time", "",0 P: "LocalStop", "KTime", "Time", "",'
        f"{int(ticks[-1])} }} }}",
        'AnimationLayer: 901, "AnimLayer::Base", "" { }',
    ]
    links = [f'C: "OO",{100 + j},{0 if p < 0 else 100 + p}' for j, p in enumerate(parents)]
    links += [f'C: "OO",{200 + j},{100 + j}' for j in range(n)] + ['C: "OO",901,900']
    for j in range(n):
        lines.append(f'AnimationCurveNode: {1000 + j}, "AnimCurveNode::R", "" {{ }}')
        links += [f'C: "OO",{1000 + j},901', f'C: "OP",{1000 + j},{100 + j}, "Lcl Rotation"']
        for axis in range(3):
            number = 2000 + 3 * j + axis
            slope = None if slopes is None else slopes[:, j, axis]
            lines.append(_fbx_curve(number, ticks, degrees[:, j, axis], slope))
            links.append(f'C: "OP",{number},{1000 + j}, "d|{"XYZ"[axis]}"')
    text = "\n".join([_FBX_HEAD, "Objects: {", *lines, "}", "Connections: {", *links, "}", ""])
    path.write_text(text)


def _fbx_models(parents: list[int], offset: np.ndarray) -> list[str]:
    out: list[str] = []
    for j in range(len(parents)):
        place = ",".join(f"{x:.6f}" for x in offset[j])
        out.append(
            f'Model: {100 + j}, "Model::n{j}", "LimbNode" {{ Version: 232\n Properties70: {{ '
            f'P: "Lcl Translation", "Lcl Translation", "", "A",{place} }} }}'
        )
        out.append(
            f'NodeAttribute: {200 + j}, "NodeAttribute::", "LimbNode" {{ TypeFlags: "Skeleton" }}'
        )
    return out


def _fbx_curve(number: int, times: np.ndarray, values: np.ndarray, slope: np.ndarray | None) -> str:
    """A curve with linear keys, or cubic ones with the given slopes in degrees per second."""
    k = len(times)

    def array(name: str, numbers: list[str]) -> str:
        return f"{name}: *{len(numbers)} {{ a: {','.join(numbers)} }}"

    flags = ["4"] if slope is None else ["1032"] * k  # linear; cubic with user tangents
    data: list[str] = ["0"] * 4
    if slope is not None:
        data = []
        for i in range(k):
            after = slope[min(i + 1, k - 1)]
            data += [_bits(slope[i]), _bits(after), "218434821", "0"]
    counts = [str(k)] if slope is None else ["1"] * k
    return "\n".join([
        f'AnimationCurve: {number}, "AnimCurve::", "" {{ Default: 0 KeyVer: 4009',
        array("KeyTime", [str(int(t)) for t in times]),
        array("KeyValueFloat", [f"{v:.5f}" for v in values]),
        array("KeyAttrFlags", flags), array("KeyAttrDataFloat", data),
        array("KeyAttrRefCount", counts), "}",
    ])  # fmt: skip


def _bits(value: float) -> str:
    """A single-precision number as text files hold it: its bits as an integer."""
    return str(struct.unpack("<i", struct.pack("<f", value))[0])


def _curve(times: np.ndarray, values: np.ndarray, slope: np.ndarray | None) -> Curve:
    """The Bezier curve whose handles lie at a third of the interval."""
    span = np.diff(times)
    rise = np.diff(values) / span
    before = np.concatenate([rise[:1], rise]) if slope is None else slope
    after = np.concatenate([rise, rise[-1:]]) if slope is None else slope
    back, on = np.concatenate([span[:1], span]) / 3, np.concatenate([span, span[-1:]]) / 3
    left = np.stack([times - back, values - back * before], axis=1)
    right = np.stack([times + on, values + on * after], axis=1)
    return Curve(times, values, left, right)
