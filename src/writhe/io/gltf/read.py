"""Reads glTF 2.0 files: the skeleton and motion of a skinned or animated character."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.io.gltf.buffers import read_source
from writhe.io.gltf.container import Glb
from writhe.io.gltf.contents import animated_nodes, animation_names, contents, find_animation
from writhe.io.gltf.nodes import GlbNodes, joint_nodes
from writhe.io.gltf.read_sampled import AnimationTrack, read_tracks, sampling_times
from writhe.io.gltf.skin import other_meshes, read_skin
from writhe.io.gltf.vrm import humanoid_nodes, humanoid_roles
from writhe.json_values import is_list
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.skeleton import Joint, JointKind, Motion, Skeleton, Skin, Tip, quaternions
from writhe.skeleton.source_file import SourceFile

# a translation track that stays this close to the rest pose is ignored
STILL_M = 1e-5
STILL_SCALE = 1e-2
HINGE_SLACK_RAD = 1e-4


def load_gltf(path: Path, animation: str | int | None = None) -> Motion:
    """Read an animation of a glTF file; the rest pose as one frame if there is none.

    animation: its name or number; by default the one that writhe wrote last, else the first.
    """
    return read_motion(Glb(path), animation)


def read_motion(glb: Glb, animation: str | int | None = None) -> Motion:
    """The motion of a parsed file; see `load_gltf`."""
    skeleton, q, fps, found = _read(glb, animation)
    return Motion(skeleton, q, fps, found.source["animation"] or glb.path.stem, found.source)


def load_gltf_figure(
    path: Path, animation: str | int | None = None
) -> tuple[Skeleton, Skin | None, dict[str, str], object, SourceFile]:
    """The skeleton, the skin if any, the roles of a VRM file, a stored body, and the file."""
    return read_figure(read_source(path), animation)


def read_figure(
    source: SourceFile, animation: str | int | None = None
) -> tuple[Skeleton, Skin | None, dict[str, str], object, SourceFile]:
    """What `load_gltf_figure` gives, of a file that was read."""
    glb = Glb(source)
    skeleton, _, _, found = _read(glb, animation)
    skin = read_skin(glb, found.nodes, skeleton)
    note = next((note["body"] for note in found.nodes.notes if "body" in note), None)
    return skeleton, skin, found.source["roles"], note, glb.source


@dataclass(frozen=True)
class SampledNodes:
    """Motion of nodes relative to their rest pose, by index in `GlbNodes.order`.

    translation (count, 3) in metres, rotation (count, 4), growth: the largest relative change of
    an animated scale.
    """

    translation: dict[int, Floats]
    rotation: dict[int, Floats]
    growth: dict[int, float]


@dataclass(frozen=True)
class GlbAnimation:
    """The nodes of a file and the tracks that move them."""

    glb: Glb
    nodes: GlbNodes
    tracks: list[AnimationTrack]
    source: dict[str, Any]

    def scale_above(self, i: int) -> float:
        """The metres per unit of a node's translations."""
        above = self.nodes.parent[i]
        return float(self.nodes.scale[above]) if above >= 0 else 1.0

    def sampled(self, values: list[Floats]) -> SampledNodes:
        """What sampled values (count, width) of every track do to the nodes."""
        nodes = self.nodes
        index_of = {node: i for i, node in enumerate(nodes.order)}
        out = SampledNodes({}, {}, {})
        for track, sampled in zip(self.tracks, values, strict=True):
            i = index_of[track.node]
            if track.path == "scale":
                out.growth[i] = float(np.abs(sampled / self.own_scale(i) - 1.0).max())
                _check_not_scaled(self.glb, nodes, i, out.growth[i])
            elif track.path == "rotation":
                local = quaternions.normalised(np.roll(sampled, 1, axis=-1))
                out.rotation[i] = quaternions.multiply(quaternions.conjugate(nodes.rest[i]), local)
            else:
                moved = self.scale_above(i) * sampled - nodes.offset[i]
                out.translation[i] = quaternions.rotate(quaternions.conjugate(nodes.rest[i]), moved)
        return out

    def own_scale(self, i: int) -> float:
        """The scale of a node relative to its parent, at rest."""
        return float(self.nodes.scale[i]) / self.scale_above(i)

    def configurations(self, sampled: SampledNodes, count: int) -> tuple[Skeleton, Floats]:
        """The skeleton and q (count, nq) of sampled nodes."""
        skeleton = _skeleton(self.nodes, sampled.translation, sampled.rotation)
        q = np.tile(skeleton.rest_configuration, (count, 1))
        for i, name in enumerate(self.nodes.names):
            part, rotation = sampled.translation.get(i), sampled.rotation.get(i)
            _set_configuration(skeleton, name, q, part, rotation)
        align_hemispheres(skeleton.tree.kind, skeleton.tree.q_start, q)
        return skeleton, q

    def left_out(self, sampled: SampledNodes, skeleton: Skeleton) -> tuple[Floats, Floats]:
        """(n,) and (n,) bounds of what a skeleton leaves out of its nodes' motion at any time.

        Rotation in radians, and translation in metres: a joint that hardly moves is read as one
        that does not. Scales that are animated, or differ between the axes, displace a point in
        proportion to its distance, like rotations, and are added to these.
        """
        turn, shift = np.zeros(len(skeleton)), np.zeros(len(skeleton))
        for i, name in enumerate(self.nodes.names):
            j = skeleton.index(name)
            joint = skeleton.joints[j]
            rotation, moved = sampled.rotation.get(i), sampled.translation.get(i)
            turn[j] = self.nodes.uneven[i] + sampled.growth.get(i, 0.0)
            if rotation is not None and joint.kind not in (JointKind.FREE, JointKind.BALL):
                across = rotation[:, 1:]
                if joint.kind is JointKind.HINGE:
                    across = np.cross(across, joint.axis)
                # geodesics between ends that are close stay as close, but for a factor of sqrt(2)
                turn[j] += 1.5 * 2.1 * float(np.linalg.norm(across, axis=1).max())
            if moved is not None and joint.kind is not JointKind.FREE:
                if joint.kind is JointKind.PRISMATIC:
                    moved = np.cross(moved, joint.axis)
                shift[j] += float(np.linalg.norm(moved, axis=1).max())
        return turn, shift


def read_animation(glb: Glb, wanted: str | int | None = None) -> GlbAnimation:
    """The nodes of a file and the tracks of one of its animations."""
    number = find_animation(glb, wanted)
    tracks = [] if number is None else read_tracks(glb, glb.item("animations", number))
    nodes = file_joints(glb)
    known = set(nodes.order)
    names = animation_names(glb)
    source: dict[str, Any] = {
        "format": "glb",
        "animations": names,
        "animation": "" if number is None else names[number],
        "metres_per_unit": 1.0,
        "unit_from": "glTF is in metres",
        "roles": humanoid_roles(
            humanoid_nodes(glb), dict(zip(nodes.order, nodes.names, strict=True))
        ),
        "contents": contents(glb),
        "other_meshes": other_meshes(glb, nodes),
        "file": glb.source,
    }
    return GlbAnimation(glb, nodes, [t for t in tracks if t.node in known], source)


def file_joints(glb: Glb) -> GlbNodes:
    """The joints of a file, the same for all its animations."""
    return joint_nodes(glb, animated_nodes(glb), set(humanoid_nodes(glb).values()))


def _read(glb: Glb, wanted: str | int | None) -> tuple[Skeleton, Floats, float, GlbAnimation]:
    animation = read_animation(glb, wanted)
    tracks = animation.tracks
    times, fps = np.zeros(1), 30.0
    moving = [track for track in tracks if track.path != "scale"] or tracks
    if moving:
        times, fps = sampling_times(glb, moving, 7 * len(animation.nodes.order))
    animation.source["start_s"] = float(times[0])
    sampled = animation.sampled([t.sample(times) for t in tracks])
    skeleton, q = animation.configurations(sampled, len(times))
    return skeleton, q, fps, animation


def _check_not_scaled(glb: Glb, nodes: GlbNodes, i: int, growth: float) -> None:
    """Raise if an animated scale changes the length of bones; the scale of a leaf joint does
    not."""
    if i in nodes.parent and growth > STILL_SCALE:
        glb.fail(
            f"the scale of {nodes.names[i]!r} is animated, but bones must keep their length",
            "bake it into the mesh, or remove the scale keys",
        )


def _skeleton(
    nodes: GlbNodes, translation: dict[int, Floats], rotation: dict[int, Floats]
) -> Skeleton:
    """Joints with the kind that writhe wrote into the file, or one inferred from the tracks."""
    joints: list[Joint] = []
    rooted: set[int] = set()  # the joint or an ancestor is free
    for i, name in enumerate(nodes.names):
        above = nodes.parent[i]
        translates = i in translation and float(np.abs(translation[i]).max()) > STILL_M
        # a node above all joints may turn them, such as the object of an armature
        moves = nodes.moving[i] or _turns(rotation.get(i))
        top = above not in rooted and moves
        kind, axis = _noted_kind(nodes.notes[i], rotation.get(i), translation.get(i))
        if kind is None:
            if translates or top:
                kind = JointKind.FREE
            elif moves:
                kind = JointKind.BALL
            else:
                kind = JointKind.FIXED
        if kind is JointKind.FREE or above in rooted:
            rooted.add(i)
        parent = nodes.names[above] if above >= 0 else None
        joints.append(Joint(name, parent, kind, nodes.offset[i].copy(), nodes.rest[i].copy(), axis))
    tips = [Tip(name, nodes.names[owner], at) for name, owner, at in nodes.tips]
    return Skeleton(joints, tips)


def _turns(rotation: Floats | None) -> bool:
    """Whether rotations (count, 4) differ from the rest pose."""
    return rotation is not None and float(np.abs(rotation[:, 1:]).max()) > HINGE_SLACK_RAD


def _noted_kind(
    note: dict[str, Any], rotation: Floats | None, translation: Floats | None
) -> tuple[JointKind | None, Floats]:
    """The kind and axis that writhe wrote into the file, if the motion agrees with them."""
    none = np.zeros(3)
    word = note.get("kind")
    if not isinstance(word, str) or word.upper() not in JointKind.__members__:
        return None, none
    kind = JointKind[word.upper()]
    rotates = _turns(rotation)
    translates = translation is not None and float(np.abs(translation).max()) > STILL_M
    if kind is JointKind.FREE:
        return kind, none
    if kind is JointKind.BALL:
        return (None if translates else kind), none
    if kind is JointKind.FIXED:
        return (None if translates or rotates else kind), none
    given = note.get("axis")
    if not is_list(given) or len(given) != 3:
        return None, none
    if not all(isinstance(x, int | float) and abs(x) <= 1.001 for x in given):
        return None, none
    axis = np.array(given, dtype=np.float64)
    length = float(np.linalg.norm(axis))
    if abs(length - 1.0) > 1e-3:
        return None, none
    axis /= length
    if kind is JointKind.HINGE:
        off = (
            0.0
            if rotation is None
            else float(np.linalg.norm(np.cross(rotation[:, 1:], axis), axis=1).max())
        )
        return (None, none) if translates or off > HINGE_SLACK_RAD else (kind, axis)
    off = (
        0.0
        if translation is None
        else float(np.linalg.norm(np.cross(translation, axis), axis=1).max())
    )
    return (None, none) if rotates or off > STILL_M else (kind, axis)


def _set_configuration(
    skeleton: Skeleton, name: str, q: Floats, translation: Floats | None, rotation: Floats | None
) -> None:
    joint = skeleton.joints[skeleton.index(name)]
    part = q[:, skeleton.q_slice(name)]
    if joint.kind is JointKind.FREE and translation is not None:
        part[:, :3] = translation
    if joint.kind in (JointKind.FREE, JointKind.BALL) and rotation is not None:
        part[:, -4:] = rotation
    elif joint.kind is JointKind.HINGE and rotation is not None:
        part[:, 0] = np.unwrap(quaternions.twist_angles(rotation, joint.axis))
    elif joint.kind is JointKind.PRISMATIC and translation is not None:
        part[:, 0] = translation @ joint.axis
