"""`certify_file`: certifies a motion file under the interpolations that common programs use.

The command line and the studio call this for every file they check or write, so that what is
certified is what is stored, after rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from writhe.arrays import Floats
from writhe.collision import Certificate, CollisionTable, ContactPolicy
from writhe.collision.certificate_slack import SLACK_M
from writhe.collision.certify import certify_interpolations, interpolations_of
from writhe.collision.interpolated_motion import (
    EulerChannels,
    InterpolatedMotion,
    gap_error,
    with_rows_at,
)
from writhe.collision.stored_channels import channels_in_scene, stored_channels
from writhe.collision.swept_intervals import BroadPhase
from writhe.errors import WritheError
from writhe.io import load, load_figure
from writhe.io.figure_from_skeleton import BodyKey, fitted_figure
from writhe.io.files import CHARACTERS, GLTF, USD, file_format
from writhe.io.keyed_motion import KeyedMotion
from writhe.scene.layout import Layout
from writhe.scene.scene import Actor, Scene
from writhe.skeleton import Figure, Motion, Skeleton, quaternions, transforms
from writhe.skeleton.configurations import SAME_BONES_M

SPLINE_ERROR_M = 2e-4  # target error of the approximation of cubic splines
MAX_REFINE = 512  # rows per key of a cubic spline
_OTHER_JOINTS = 8  # joints that move skin beside those of a person: more than a prop has

EnvironmentMotion = Callable[[Floats], Mapping[str, Floats]]


@dataclass(frozen=True)
class CertifiedFile:
    """The certificate of a file, the table it was computed with, and the motion that was read."""

    certificate: Certificate
    table: CollisionTable
    motion: Motion


@dataclass(frozen=True)
class _Stored:
    """A motion as stored: rows at times, and how they are interpolated."""

    motion: Motion
    interpolated: InterpolatedMotion
    channels: EulerChannels | None
    interpolation: str


def certify_file(
    path: str | Path,
    *,
    scene: Scene | str | Path | None = None,
    actor: str | None = None,
    interpolation: str | None = None,
    policy: ContactPolicy | None = None,
    figure: Figure | None = None,
    environment: EnvironmentMotion | None = None,
    others: Mapping[str, str | Path] | None = None,
    animation: str | int | None = None,
    start_s: float = 0.0,
    slack_m: float = SLACK_M,
    broad_phase: BroadPhase | None = None,
) -> CertifiedFile:
    """Certify a motion file as it is stored: .bvh, glTF (.glb, .gltf, .vrm, .vrma), .npz, FBX, USD.

    A BVH file is certified under each interpolation that programs use: slerp, Euler angles
    unwrapped, and Euler angles as stored; `interpolation` restricts it to "slerp" or "euler". A
    glTF file is read at its keys, with the interpolation of its tracks, FBX and USD files at their
    keys, with what their libraries give between these.

    scene, actor: the file moves this actor (by default the first) of a scene.
    policy: contact policy without a scene; by default `ContactPolicy()`, as everywhere.
    figure: the figure whose shapes the file moves; by default those of the scene's actor, or shapes
        fitted to the skeleton of the file.
    animation: the name or number of an animation of a glTF file; see `load`.
    start_s: the time of the scene at which the file is played; its objects move meanwhile.
    broad_phase: proves intervals to be clear before the sweep; see `certify_interpolations`.
    environment: poses (rows, size) by name of the other actors and of objects at given times; by
        default actors rest and objects follow their keys.
    others: files that move other actors of the scene, by name, with frames at the same times. All
        are interpolated alike: Euler angles in one file and slerp in another is not certified.
    """
    file = Path(path)
    files = {name: Path(each) for name, each in (others or {}).items()}
    loaded = Scene.load(scene) if isinstance(scene, str | Path) else scene
    if loaded is not None and not loaded.actors:
        raise WritheError(f"{scene if isinstance(scene, str | Path) else 'the scene'} has no actor")
    chosen = None
    if loaded is not None:
        chosen = loaded.actor(actor) if actor else loaded.actors[0]
    elif files:
        raise WritheError("files of other actors need the scene that they are in: pass scene=")
    elif actor:
        raise WritheError(f"the actor {actor!r} needs the scene that it is in: give the scene too")

    def prepared(
        refine: int,
    ) -> tuple[_Stored, CollisionTable, InterpolatedMotion, EulerChannels | None]:
        stored = _read(file, interpolation, refine, animation, start_s)
        if loaded is None or chosen is None:
            table = _table(file, stored.motion, figure, policy, animation)
            return stored, table, stored.interpolated, stored.channels
        moved = {chosen.name: (_body(file, stored.motion, figure, chosen, animation), stored)}
        for name, each in files.items():
            other = _read(each, interpolation, refine, None, start_s)
            moved[name] = _body(each, other.motion, None, loaded.actor(name), None), other
            if not np.array_equal(other.interpolated.times_s, stored.interpolated.times_s):
                raise WritheError(f"{each} and {file} have frames at different times")
        layout, interpolated, channels = _in_scene(loaded, moved, environment)
        return stored, layout.table, interpolated, channels

    stored, table, interpolated, channels = prepared(1)
    frames = len(np.unique(interpolated.times_s))
    refine = 1
    while (error_m := gap_error(table, interpolated)) > SPLINE_ERROR_M and refine < MAX_REFINE:
        # the error falls with the square of the distance of the rows
        refine = int(min(MAX_REFINE, np.ceil(1.1 * refine * np.sqrt(error_m / SPLINE_ERROR_M))))
        stored, table, interpolated, channels = prepared(refine)
    how = interpolation or ("slerp" if channels is None else "both")
    interpolations = interpolations_of(table, interpolated, how, channels)
    if loaded is not None:
        interpolations = [
            _at_object_keys(loaded, table, each, environment) for each in interpolations
        ]
    name = how if how != "slerp" else stored.interpolation
    found = certify_interpolations(table, interpolations, slack_m, name, broad_phase)
    return CertifiedFile(replace(found, frames=frames), table, stored.motion)


def interpolations_of_file(
    path: str | Path,
) -> tuple[CollisionTable, list[InterpolatedMotion]]:
    """The table and the interpolations under which `certify_file` certifies a file by default.

    Cubic splines are not refined.
    """
    file = Path(path)
    stored = _read(file, None, 1, None, 0.0)
    table = _table(file, stored.motion, None, None, None)
    how = "slerp" if stored.channels is None else "both"
    return table, interpolations_of(table, stored.interpolated, how, stored.channels)


def _read(
    file: Path,
    interpolation: str | None,
    refine: int,
    animation: str | int | None,
    start_s: float,
) -> _Stored:
    """The motion of a file that is played from `start_s` on."""
    keyed = _keyed(file, refine, animation)
    if keyed is not None:
        interpolated = InterpolatedMotion(
            "slerp",
            keyed.motion.q,
            keyed.times_s + start_s,
            keyed.jumps,
            short_hinges=True,
            rotation_error_rad=keyed.rotation_error_rad,
            translation_error_m=keyed.translation_error_m,
        )
        return _Stored(keyed.motion, interpolated, None, keyed.interpolation)
    motion = load(file, animation=animation)
    channels = None
    if interpolation != "slerp" and motion.source.get("format") == "bvh":
        channels = stored_channels(file, motion)
    frames = InterpolatedMotion.of_frames("slerp", motion.q, motion.fps)
    placed = replace(frames, short_hinges=True, times_s=frames.times_s + start_s)
    return _Stored(motion, placed, channels, "slerp")


def _keyed(file: Path, refine: int, animation: str | int | None) -> KeyedMotion | None:
    """The motion of a file at its keys; None of a file that stores frames."""
    kind = file_format(file)
    if kind in GLTF:
        from writhe.io.gltf.read_keys import load_gltf_keys

        return load_gltf_keys(file, refine, animation)
    if kind == ".fbx":
        from writhe.io.fbx.convert import load_fbx_keys

        return load_fbx_keys(file, refine, animation)
    if kind in USD and animation is None:
        from writhe.io.usd.read import load_usd_keys

        return load_usd_keys(file, refine)
    return None


def _table(
    file: Path,
    motion: Motion,
    figure: Figure | None,
    policy: ContactPolicy | None,
    animation: str | int | None,
) -> CollisionTable:
    """The shapes that the file moves, compiled once for all clips of one skeleton."""
    if figure is None and policy is None and file_format(file) not in CHARACTERS:
        key = BodyKey.of(motion)
        if fitted_figure(key).capsules:
            return _fitted_table(key)
    return CollisionTable.of_figure(_body(file, motion, figure, None, animation), policy)


@lru_cache(maxsize=256)
def _fitted_table(key: BodyKey) -> CollisionTable:
    return CollisionTable.of_figure(fitted_figure(key))


def _body(
    file: Path,
    motion: Motion,
    figure: Figure | None,
    actor: Actor | None,
    animation: str | int | None,
) -> Figure:
    """The figure that the file moves: the file's skeleton, with shapes."""
    known = figure or (None if actor is None else actor.figure)
    if known is not None:
        if not _same_joints(known.skeleton, motion.skeleton):
            raise WritheError(
                f"{file} moves another skeleton than {known.name!r}: retarget the motion first"
            )
        if _same_bones(known.skeleton, motion.skeleton):
            _check_one_person(file, known)
            return with_skeleton(known, motion.skeleton)
    if file_format(file) in CHARACTERS:  # its meshes give the shapes
        own = load_figure(file, animation=animation)
        _check_one_person(file, own)
        fitted = with_skeleton(own, motion.skeleton)
    else:
        fitted = fitted_figure(BodyKey.of(motion))
    if not fitted.capsules:
        raise WritheError(f"{file}: no collision shapes could be fitted to its skeleton")
    return fitted


def _check_one_person(file: Path, figure: Figure) -> None:
    """Raise if a file holds more than the person whose shapes are known, such as a second one."""
    hips = dict(figure.roles).get("hips")
    if figure.skin is None or hips is None:
        return
    skeleton = figure.skeleton
    at = skeleton.index(hips)
    own = {*skeleton.ancestors(hips), *range(at, int(skeleton.tree.subtree_end[at]))}
    moving = np.unique(figure.skin.joints[figure.skin.weights > 0.0])
    others = {int(joint) for joint in moving} - own
    if len(others) >= _OTHER_JOINTS:
        named = ", ".join(skeleton.names[j] for j in sorted(others)[:3])
        raise WritheError(
            f"{file} holds several characters ({named}, ... are no part of the body of {hips!r}):"
            " store each in a file of its own and certify them together in a scene"
        )


def _same_joints(body: Skeleton, stored: Skeleton) -> bool:
    """Whether a file's skeleton has the joints of a body, apart from containers above its root.

    Blender, for example, writes the armature of a character as a joint above the hips.
    """
    known = set(body.names)
    if not known <= set(stored.names):
        return False
    roots = (joint.name for joint in body.joints if joint.parent is None)
    above = {stored.names[i] for root in roots for i in stored.ancestors(root)}
    return set(stored.names) - known <= above


def _same_bones(body: Skeleton, stored: Skeleton) -> bool:
    """Whether the bones of a body are the same vectors in the world at rest as those of a file.

    The same lengths would not do: shapes would point along the bones of another rest pose.
    """
    known = set(body.names)

    def bones(skeleton: Skeleton) -> dict[str, tuple[str, Floats]]:
        at, index = skeleton.rest_positions, skeleton.index
        return {
            joint.name: (joint.parent, at[index(joint.name)] - at[index(joint.parent)])
            for joint in skeleton.joints
            if joint.parent in known
        }

    mine, theirs = bones(body), bones(stored)
    return mine.keys() == theirs.keys() and all(
        parent == theirs[name][0] and float(np.linalg.norm(bone - theirs[name][1])) < SAME_BONES_M
        for name, (parent, bone) in mine.items()
    )


def with_skeleton(figure: Figure, skeleton: Skeleton) -> Figure:
    """The figure's shapes on a skeleton with the same bones and other joint frames or kinds.

    A BVH file, for example, has joint frames that are aligned with the world in the rest pose.
    """
    turns: dict[str, Floats] = {}
    theirs = transforms.rest_world_quaternions(skeleton)
    for j, mine in enumerate(transforms.rest_world_quaternions(figure.skeleton)):
        name = figure.skeleton.names[j]
        own = quaternions.conjugate(theirs[skeleton.index(name)])
        turns[name] = quaternions.multiply(own, mine)
    capsules = tuple(
        replace(
            c,
            start_in_joint=quaternions.rotate(turns[c.joint], c.start_in_joint),
            end_in_joint=quaternions.rotate(turns[c.joint], c.end_in_joint),
        )
        for c in figure.capsules
    )
    folds = tuple(fold.on(fold.joint, turns[fold.joint]) for fold in figure.folds)
    return Figure(figure.name, skeleton, capsules=capsules, roles=figure.roles, folds=folds)


def _at_object_keys(
    scene: Scene,
    table: CollisionTable,
    interpolated: InterpolatedMotion,
    environment: EnvironmentMotion | None,
) -> InterpolatedMotion:
    """The motion of a scene with rows at the keys of its objects: they may lie between frames."""
    keyed = {item.name: item.keys for item in scene.objects if item.keys is not None}
    if not keyed:
        return interpolated
    times = np.unique(np.concatenate([keys.times_s for keys in keyed.values()]))
    out = with_rows_at(table, interpolated, times)
    given: Mapping[str, Floats] = environment(out.times_s) if environment else {}
    for name, keys in keyed.items():
        poses = given.get(name)
        out.q[:, table.skeleton.q_slice(name)] = keys.at(out.times_s) if poses is None else poses
    return out


def _in_scene(
    scene: Scene,
    moved: Mapping[str, tuple[Figure, _Stored]],
    environment: EnvironmentMotion | None,
) -> tuple[Layout, InterpolatedMotion, EulerChannels | None]:
    """The scene with the skeletons of files, by actor, and the motion of its whole configuration.

    The files have rows at the same times.
    """
    actors = tuple(
        replace(a, figure=moved[a.name][0]) if a.name in moved else a for a in scene.actors
    )
    layout = replace(scene, actors=actors).layout
    first = next(iter(moved.values()))[1].interpolated
    q = np.tile(layout.rest(), (len(first.q), 1))
    for item in scene.objects:
        if item.keys is not None:
            q[:, layout.object_q[item.name]] = item.keys.at(first.times_s)
    slices = {**layout.actor_q, **layout.object_q}
    given: Mapping[str, Floats] = environment(first.times_s) if environment else {}
    for name, poses in given.items():
        if name in slices and name not in moved:
            q[:, slices[name]] = poses
    jumps = np.zeros_like(first.jumps)
    turn_error, shift_error = np.zeros(len(layout.skeleton)), np.zeros(len(layout.skeleton))
    channels: EulerChannels | None = None
    for name, (_, stored) in moved.items():
        interpolated, skeleton = stored.interpolated, stored.motion.skeleton
        q[:, layout.actor_q[name]] = interpolated.q
        jumps |= interpolated.jumps
        joints = [layout.skeleton.index(f"{name}.{joint}") for joint in skeleton.names]
        if interpolated.rotation_error_rad is not None:
            turn_error[joints] = interpolated.rotation_error_rad
        if interpolated.translation_error_m is not None:
            shift_error[joints] = interpolated.translation_error_m
        if stored.channels is not None:
            own = channels_in_scene(stored.channels, skeleton, layout.skeleton, name)
            channels = own if channels is None else channels.joined(own)
    whole = replace(
        first, q=q, jumps=jumps, rotation_error_rad=turn_error, translation_error_m=shift_error
    )
    return layout, whole, channels
