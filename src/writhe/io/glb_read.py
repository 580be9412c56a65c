"""glTF 2.0 binary in: any skinned or node-animated character becomes a skeleton and a motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.io.glb_animation import read_tracks, sampling_times
from writhe.io.glb_container import Glb
from writhe.io.glb_nodes import GlbNodes, joint_nodes
from writhe.io.glb_skin import read_skin
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.skeleton import Joint, JointKind, Motion, Skeleton, Skin, Tip, quaternions

# a translation track that strays less than this from the rest pose is only there for form
STILL_M = 1e-5
STILL_SCALE = 1e-2
HINGE_SLACK_RAD = 1e-4


def load_glb(path: Path) -> Motion:
    """Read the first animation of a .glb file; the rest pose as one frame if there is none."""
    skeleton, q, fps, source, _ = _read(Glb(path))
    return Motion(skeleton, q, fps, path.stem, source)


def load_glb_figure(path: Path) -> tuple[Skeleton, Skin | None]:
    """The skeleton and, where there is one, the skin of a .glb file."""
    glb = Glb(path)
    skeleton, _, _, _, nodes = _read(glb)
    return skeleton, read_skin(glb, nodes, skeleton)


def _read(glb: Glb) -> tuple[Skeleton, Floats, float, dict[str, Any], GlbNodes]:
    tracks = read_tracks(glb, glb.item("animations", 0)) if glb.items("animations") else []
    nodes = joint_nodes(glb, {t.node for t in tracks})
    place = {node: i for i, node in enumerate(nodes.order)}
    tracks = [t for t in tracks if t.node in place]
    times, fps = np.zeros(1), 30.0
    if tracks:
        times, fps = sampling_times(glb, tracks, 7 * len(nodes.order))
    shift: dict[int, Floats] = {}
    turn: dict[int, Floats] = {}
    for track in tracks:
        i = place[track.node]
        values = track.sample(times)
        if track.path == "scale":
            _refuse_scaling(glb, nodes, i, values)
        elif track.path == "rotation":
            local = quaternions.normalised(np.roll(values, 1, axis=-1))
            turn[i] = quaternions.multiply(quaternions.conjugate(nodes.rest[i]), local)
        else:
            above = nodes.scale[nodes.parent[i]] if nodes.parent[i] >= 0 else 1.0
            moved = above * values - nodes.offset[i]
            shift[i] = quaternions.rotate(quaternions.conjugate(nodes.rest[i]), moved)
    skeleton = _skeleton(nodes, shift, turn)
    q = np.tile(skeleton.rest_configuration, (len(times), 1))
    for i, name in enumerate(nodes.names):
        _fill(skeleton, name, q, shift.get(i), turn.get(i))
    align_hemispheres(skeleton.tree.kind, skeleton.tree.q_start, q)
    names = [str(glb.record(a, "an animation").get("name", "")) for a in glb.items("animations")]
    source: dict[str, Any] = {"format": "glb", "animations": names, "metres_per_unit": 1.0}
    source["unit_from"] = "glTF is in metres"
    return skeleton, q, fps, source, nodes


def _refuse_scaling(glb: Glb, nodes: GlbNodes, i: int, values: Floats) -> None:
    above = nodes.scale[nodes.parent[i]] if nodes.parent[i] >= 0 else 1.0
    if np.abs(values * above / nodes.scale[i] - 1.0).max() > STILL_SCALE:
        glb.fail(
            f"the scale of {nodes.names[i]!r} is animated, and bones here keep their length",
            "bake it into the mesh, or remove the scale keys",
        )


def _skeleton(nodes: GlbNodes, shift: dict[int, Floats], turn: dict[int, Floats]) -> Skeleton:
    """Joints with the kind that writhe noted, or the one that the tracks ask for."""
    joints: list[Joint] = []
    rooted: set[int] = set()  # a joint that can travel is here or above
    for i, name in enumerate(nodes.names):
        above = nodes.parent[i]
        travels = i in shift and float(np.abs(shift[i]).max()) > STILL_M
        top = above not in rooted and (nodes.skinned[i] or i in shift or i in turn)
        kind, axis = _noted(nodes.notes[i], turn.get(i), shift.get(i))
        if kind is None:
            if travels or top:
                kind = JointKind.FREE
            elif nodes.skinned[i] or i in turn:
                kind = JointKind.BALL
            else:
                kind = JointKind.FIXED
        if kind is JointKind.FREE or above in rooted:
            rooted.add(i)
        parent = nodes.names[above] if above >= 0 else None
        joints.append(Joint(name, parent, kind, nodes.offset[i].copy(), nodes.rest[i].copy(), axis))
    tips = [Tip(name, nodes.names[owner], at) for name, owner, at in nodes.tips]
    return Skeleton(joints, tips)


def _noted(
    note: dict[str, Any], turn: Floats | None, shift: Floats | None
) -> tuple[JointKind | None, Floats]:
    """The kind that writhe wrote into the file, if the motion really is of that kind."""
    none = np.zeros(3)
    word = note.get("kind")
    if not isinstance(word, str) or word.upper() not in JointKind.__members__:
        return None, none
    kind = JointKind[word.upper()]
    turns = turn is not None and float(np.abs(turn[:, 1:]).max()) > HINGE_SLACK_RAD
    travels = shift is not None and float(np.abs(shift).max()) > STILL_M
    if kind is JointKind.FREE:
        return kind, none
    if kind is JointKind.BALL:
        return (None if travels else kind), none
    if kind is JointKind.FIXED:
        return (None if travels or turns else kind), none
    given = note.get("axis")
    if not isinstance(given, list) or len(given) != 3:
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
            if turn is None
            else float(np.linalg.norm(np.cross(turn[:, 1:], axis), axis=1).max())
        )
        return (None, none) if travels or off > HINGE_SLACK_RAD else (kind, axis)
    off = 0.0 if shift is None else float(np.linalg.norm(np.cross(shift, axis), axis=1).max())
    return (None, none) if turns or off > STILL_M else (kind, axis)


def _fill(
    skeleton: Skeleton, name: str, q: Floats, shift: Floats | None, turn: Floats | None
) -> None:
    joint = skeleton.joints[skeleton.index(name)]
    part = q[:, skeleton.q_slice(name)]
    if joint.kind is JointKind.FREE and shift is not None:
        part[:, :3] = shift
    if joint.kind in (JointKind.FREE, JointKind.BALL) and turn is not None:
        part[:, -4:] = turn
    elif joint.kind is JointKind.HINGE and turn is not None:
        part[:, 0] = np.unwrap(quaternions.twist_angles(turn, joint.axis))
    elif joint.kind is JointKind.PRISMATIC and shift is not None:
        part[:, 0] = shift @ joint.axis
