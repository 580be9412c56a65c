"""Figures as messages for the page: joints, capsules and skin."""

from __future__ import annotations

import msgspec
import numpy as np

from writhe.arrays import Floats, vector3
from writhe.io.gltf.vrm import is_avatar
from writhe.skeleton import Capsule, Figure, forward
from writhe.skeleton.heading import facing_at_rest
from writhe.skeleton.quaternions import quaternion_of
from writhe.studio.document import Document
from writhe.studio.editing.figure_cache import per_figure
from writhe.studio.protocol import CapsuleShape, FigureShape, JointShape


def bone_capsules(figure: Figure) -> tuple[Capsule, ...]:
    """Capsules along the bones of a figure without shapes; the radius follows the length."""
    skeleton = figure.skeleton
    ends: list[tuple[str, Floats]] = [
        (joint.parent, joint.offset_in_parent)
        for joint in skeleton.joints
        if joint.parent is not None
    ]
    ends += [(tip.joint, tip.offset_in_joint) for tip in skeleton.tips]
    span = float(np.ptp(skeleton.rest_positions, axis=0).max()) or 1.0
    capsules: list[Capsule] = []
    for name, end in ends:
        length = float(np.linalg.norm(end))
        if length > 0.004 * span:
            radius = float(np.clip(0.18 * length, 0.008 * span, 0.04 * span))
            capsules.append(Capsule(name, np.zeros(3), np.asarray(end, float), radius))
    return tuple(capsules)


def figure_message(document: Document, name: str) -> FigureShape:
    """The message that shows a figure of a document, with the file that it came from."""
    shape, model = figure_shape(document.figure(name)), document.figure_model(name)
    if model is None:
        return shape
    source = document.figure_with_file(name).source
    return msgspec.structs.replace(
        shape,
        model=model.key,
        nodes=list(model.nodes),
        units_m=list(model.units_m),
        vrm=source is not None and is_avatar(source),
    )


@per_figure
def figure_shape(figure: Figure) -> FigureShape:
    """The message that shows a figure."""
    skeleton = figure.skeleton
    tree = skeleton.tree
    joints = [
        JointShape(
            joint.name,
            int(tree.parent[j]),
            int(joint.kind),
            vector3(joint.offset_in_parent),
            quaternion_of(tree.rest[j]),
            vector3(joint.axis),
            int(tree.q_start[j]),
        )
        for j, joint in enumerate(skeleton.joints)
    ]
    capsules = [
        CapsuleShape(
            skeleton.index(c.joint),
            vector3(c.start_in_joint),
            vector3(c.end_in_joint),
            float(c.radius_m),
            c.part_name,
        )
        for c in (figure.capsules or bone_capsules(figure))
    ]
    rest = forward(skeleton, skeleton.rest_configuration)
    points = [*rest.positions, *(rest.tip(tip.name) for tip in skeleton.tips)]
    height = float(np.ptp(np.array(points), axis=0).max())
    skin = figure.skin
    empty = skin is None
    return FigureShape(
        figure.name,
        joints,
        capsules,
        [name for name, _ in figure.strands],
        height,
        b"" if empty else skin.vertices.astype("<f4").tobytes(),
        b"" if empty else skin.triangles.astype("<u4").tobytes(),
        b"" if empty else skin.joints.astype("<u2").tobytes(),
        b"" if empty else skin.weights.astype("<f4").tobytes(),
        "",
        [],
        [],
        facing_at_rest(figure),
    )
