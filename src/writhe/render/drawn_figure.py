"""What a picture shows of a figure: its outline, lowest point, colours of its sides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from writhe.arrays import Floats
from writhe.render.look import LEFT, RIGHT, SECOND_LEFT, SECOND_RIGHT, Colour
from writhe.skeleton import Figure, Frames, forward
from writhe.skeleton.mirror import opposite_joints


def outline(figure: Figure, frames: Frames) -> Floats:
    """(n, 3) points on the capsules of a figure in one pose, for framing it."""
    return np.concatenate(
        [
            frames.point(capsule.joint, end) + capsule.radius_m * axes
            for capsule in figure.capsules
            for end in (capsule.start_in_joint, capsule.end_in_joint)
            for axes in (np.eye(3), -np.eye(3))
        ]
    )


def lowest_drawn(figure: Figure, frames: Frames) -> float:
    """The height of the lowest point that a picture of a figure in one pose shows.

    A skin lies within the capsules around it: soles are up to 2 cm above the lowest capsule.
    """
    if figure.skin is None:
        return float(outline(figure, frames)[:, 1].min())
    skin = figure.skin.deform(figure.skeleton, frames.positions, frames.rotations)
    return float(skin[:, 1].min())


def side_colours(figure: Figure, *, second: bool = False) -> dict[str, Colour]:
    """The colours of left and right joints by name; empty if the skeleton has no sides.

    Those of a `second` body are darker, so that its limbs are told from those of the first.
    """
    opposite = opposite_joints(figure.skeleton)
    if opposite is None:
        return {}
    across = forward(figure.skeleton, figure.skeleton.rest_configuration).positions[:, 0]
    left, right = (SECOND_LEFT, SECOND_RIGHT) if second else (LEFT, RIGHT)
    return {
        name: left if across[j] > across[opposite[j]] else right
        for j, name in enumerate(figure.skeleton.names)
        if opposite[j] != j
    }


def highlighted_joints(figure: Figure, names: Sequence[str]) -> list[int]:
    """Joint indices of part or joint names."""
    wanted = set(names)
    joints = {c.joint for c in figure.capsules if c.part_name in wanted}
    joints |= {name for name in wanted if name in figure.skeleton}
    return sorted(figure.skeleton.index(name) for name in joints)
