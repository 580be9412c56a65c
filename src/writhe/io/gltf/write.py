"""Writes glTF 2.0 files: characters with their motions, and objects beside them.

A character that came from a glTF file is written as its own document, in which only an animation is
added or replaced; meshes, materials, images, morph targets, cameras, extensions and names stay.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.errors import WritheError
from writhe.io.gltf.buffers import FORMAT, is_binary, relative_name
from writhe.io.gltf.builder import GltfBuilder
from writhe.io.gltf.container import Glb, container_bytes, write_container
from writhe.io.gltf.contents import animation_names
from writhe.io.gltf.existing_document import append_document, open_document
from writhe.io.gltf.new_character import add_skeleton, add_skin, xyzw
from writhe.io.gltf.read import file_joints, read_motion
from writhe.io.gltf.vrm import vrm_version
from writhe.io.gltf.write_animation import AnimationWriter, Track, joint_tracks
from writhe.io.stored_body import body_note
from writhe.skeleton import Figure, Motion, Skeleton, quaternions
from writhe.skeleton.source_file import SourceFile

SUFFIXES = (".glb", ".gltf", ".vrm", ".vrma")
_PROP_COLOUR = ("prop", [0.45, 0.53, 0.66, 1.0])


@dataclass(frozen=True)
class Prop:
    """An object next to the character: its surface mesh and its poses.

    `poses` (F, 7) are positions and quaternions, one for each frame of the motion, or a single one.
    """

    name: str
    vertices: Floats
    triangles: Ints
    poses: Floats


@dataclass(frozen=True)
class WrittenCharacter:
    """A skeleton to write, optionally with its motion, its figure and its source file."""

    skeleton: Skeleton
    motion: Motion | None = None
    figure: Figure | None = None

    @property
    def file(self) -> SourceFile | None:
        """The glTF file that holds the character, if it came from one."""
        found = None if self.figure is None else self.figure.source
        bare = self.figure is None or self.figure.skin is None
        if found is None and bare and self.motion is not None:
            found = self.motion.source.get("file")
        return found if isinstance(found, SourceFile) and found.format == FORMAT else None


@dataclass
class Written:
    """What a file contains: the name of the animation, and notes about what could not be kept."""

    animation: str = ""
    notes: list[str] = field(default_factory=list[str])


def write_gltf(
    path: Path,
    characters: Sequence[WrittenCharacter],
    *,
    props: Sequence[Prop] = (),
    suffix: str = "",
    name: str = "",
) -> Written:
    """Write characters, one animation of all of them, and objects to one file.

    suffix: of the file that is meant, if `path` is temporary; name: of the animation, by default
    that of the first motion. A motion that was read from its character's file replaces the
    animation it came from, else an animation is added.
    """
    suffix = suffix or path.suffix.lower()
    first = characters[0]
    _check(characters, suffix)
    source = first.file
    alone = source if len(characters) == 1 and not props else None
    same_kind = alone is not None and is_binary(alone.data) == (suffix != ".gltf")
    edited = first.figure is not None and first.figure.corrected
    if alone is not None and same_kind and not edited and _unchanged(first):
        path.write_bytes(alone.data)
        _copy_attached(path, alone)
        return Written(animation=first.motion.source["animation"] if first.motion else "")
    keep = suffix == ".gltf" and alone is not None and not is_binary(alone.data)
    written = Written()
    builder = GltfBuilder()
    tracks: list[tuple[list[Track], float, float]] = []
    joints: set[int] = set()
    replaces: int | None = None
    for number, one in enumerate(characters):
        if one.file is None:
            nodes, scales = add_skeleton(builder, one.skeleton), np.ones(len(one.skeleton))
            if one.figure is not None and one.figure.skin is not None:
                add_skin(builder, one.skeleton, one.figure.skin, one.figure.name, nodes)
        else:
            shift = 0
            if number == 0:
                builder = open_document(one.file, keep_files=keep)
            else:
                shift, notes = append_document(builder, one.file)
                written.notes += notes
            nodes, scales = nodes_of(one, shift)
        if one.figure is not None:
            _store_body(builder, one.figure, nodes[0], new=one.file is None)
        if one.motion is not None:
            start_s, own = _place_in_file(one)
            replaces = own if len(characters) == 1 else None
            joints |= set(nodes)
            tracks.append((list(joint_tracks(one.motion, nodes, scales)), one.motion.fps, start_s))
    rate = next((one.motion.fps for one in characters if one.motion is not None), None)
    moved = [_add_prop(builder, prop) for prop in props]
    if rate is not None:
        label = name or next(one.motion.name for one in characters if one.motion is not None)
        writer = AnimationWriter(builder, label, joints=joints, replaces=replaces)
        for values, fps, start_s in tracks:
            writer.add(iter(values), fps, start_s)
        for values in moved:
            writer.add(iter(values), rate, tracks[0][2])
        if writer.empty:
            raise WritheError("no joint of the skeleton can move: there is nothing to animate")
        written.animation = writer.name
    _store(path, builder, suffix)
    if keep and source is not None:
        _copy_attached(path, source)
    return written


def _store_body(builder: GltfBuilder, figure: Figure, node: int, *, new: bool) -> None:
    """Write shapes, roles and limits into the `extras` of the first joint's node.

    A character's own file is not changed, unless they were corrected by hand: its shapes are the
    same whenever it is read.
    """
    from writhe.io.figure_from_skeleton import built_in_figure

    if not (new or figure.corrected) or not figure.capsules:
        return
    if built_in_figure(figure.skeleton) is not None:
        return
    extras = builder.json["nodes"][node].setdefault("extras", {})
    if isinstance(extras, dict):
        extras.setdefault("writhe", {})["body"] = body_note(figure)


def _check(characters: Sequence[WrittenCharacter], suffix: str) -> None:
    if suffix in (".vrm", ".vrma"):
        file = characters[0].file
        kind = None if file is None else vrm_version(Glb(file))
        fits = kind == "animation" if suffix == ".vrma" else kind in ("0.x", "1.0")
        if not fits:
            raise WritheError(
                f"only a character that was read from a {suffix} file can be written as one; "
                "write a .glb file"
            )
    for one in characters:
        for other in (one.figure, one.motion):
            if other is not None and other.skeleton.names != one.skeleton.names:
                raise WritheError(
                    f"the joints of {other.name!r} differ from those of the skeleton to write: "
                    "retarget the motion first"
                )


def nodes_of(one: WrittenCharacter, shift: int = 0) -> tuple[list[int], Floats]:
    """The node of each joint in its file, and the metres per unit of each node's translation."""
    assert one.file is not None
    found = file_joints(Glb(one.file))
    at = {name: i for i, name in enumerate(found.names)}
    nodes: list[int] = []
    scales: list[float] = []
    for joint in one.skeleton.joints:
        i = at.get(joint.name, -1)
        above = found.parent[i] if i >= 0 else -1
        if i < 0 or (found.names[above] if above >= 0 else None) != joint.parent:
            raise WritheError(
                f"{one.file.path} has no joint {joint.name!r} on {joint.parent!r}: the motion "
                "belongs to another skeleton; retarget it first"
            )
        nodes.append(shift + found.order[i])
        scales.append(float(found.scale[above]) if above >= 0 else 1.0)
    return nodes, np.array(scales)


def _place_in_file(one: WrittenCharacter) -> tuple[float, int | None]:
    """The time of the first key, and the animation to replace, of a motion read from its file."""
    assert one.motion is not None
    origin, name = one.motion.source.get("file"), one.motion.source.get("animation")
    file = one.file
    if file is None or not isinstance(origin, SourceFile) or origin.data != file.data:
        return 0.0, None
    names = animation_names(Glb(file))
    number = names.index(name) if name in names else None
    return float(one.motion.source.get("start_s", 0.0)), number


def _unchanged(one: WrittenCharacter) -> bool:
    """Whether the motion is exactly that of the file."""
    if one.motion is None or one.file is None or _place_in_file(one)[1] is None:
        return one.motion is None and one.file is not None
    stored = read_motion(Glb(one.file), one.motion.source["animation"])
    return stored.fps == one.motion.fps and np.array_equal(stored.q, one.motion.q)


def _add_prop(builder: GltfBuilder, prop: Prop) -> list[Track]:
    """Add a mesh on a node of its own; returns its tracks if its pose changes."""
    rotations = quaternions.normalised(prop.poses[:, 3:])
    node = builder.add(
        "nodes",
        {
            "name": prop.name,
            "mesh": builder.mesh(prop.name, prop.vertices, prop.triangles, _PROP_COLOUR),
            "translation": [float(x) for x in prop.poses[0, :3]],
            "rotation": xyzw(rotations[0]).tolist(),
            "extras": {"writhe": {"kind": "prop"}},
        },
    )
    builder.scene_nodes().append(node)
    if np.ptp(prop.poses, axis=0).max() == 0.0:
        return []
    return [(node, "translation", prop.poses[:, :3]), (node, "rotation", xyzw(rotations))]


def packed_bytes(builder: GltfBuilder) -> bytes:
    """The document as a .glb file."""
    return container_bytes(*builder.finish())


def _store(path: Path, builder: GltfBuilder, suffix: str) -> None:
    document, binary = builder.finish()
    if suffix != ".gltf":
        write_container(path, document, binary)
        return
    if binary:
        text = base64.b64encode(binary).decode()
        document["buffers"][builder.buffer]["uri"] = "data:application/octet-stream;base64," + text
    path.write_text(json.dumps(document, indent=1, allow_nan=False), encoding="utf-8")


def _copy_attached(path: Path, source: SourceFile) -> None:
    """Write the files that a .gltf file refers to beside it, unless they are there already."""
    for uri, data in source.attached.items():
        target = path.parent / relative_name(uri)
        if target.exists():
            if target.read_bytes() != data:
                raise WritheError(
                    f"{target} exists and differs from the file of that name beside "
                    f"{source.path}: write into another folder, or to a .glb file"
                )
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
