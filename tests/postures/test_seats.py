"""Seated preset poses on people with longer or shorter legs: on the seat, feet down or hanging."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from writhe.postures.builtin import builtin_database
from writhe.postures.retarget_posture import BodySetting, posture_on_body, standing_sides
from writhe.postures.seats import seat_gap
from writhe.recognition.body_map import BodyMap
from writhe.skeleton import Figure, Skeleton, forward
from writhe.skeleton.figures import figure

LEGS = ("hip", "knee")


def with_legs(thigh: float, shank: float) -> Figure:
    """The human with thighs and shanks of other lengths."""
    human = figure("human")
    factor = {
        f"{side}_{part}": f
        for side in ("left", "right")
        for part, f in zip(LEGS, (thigh, shank), strict=True)
    }
    joints = [
        replace(
            j, offset_in_parent=factor.get(j.parent or "", 1.0) * np.asarray(j.offset_in_parent)
        )
        for j in human.skeleton.joints
    ]
    capsules = tuple(
        replace(
            c,
            start_in_joint=factor.get(c.joint, 1.0) * c.start_in_joint,
            end_in_joint=factor.get(c.joint, 1.0) * c.end_in_joint,
        )
        for c in human.capsules
    )
    skeleton = Skeleton(joints, human.skeleton.tips)
    return replace(human, name="legs", skeleton=skeleton, capsules=capsules, skin=None)


@pytest.mark.parametrize(
    ("thigh", "shank", "feet"), [(1.0, 1.25, True), (1.15, 1.0, True), (0.6, 0.6, False)]
)
@pytest.mark.parametrize("name", ["sit, hands on thighs", "sit, arms folded"])
def test_the_seat_carries_the_body_at_any_leg_length(
    thigh: float, shank: float, feet: bool, name: str
) -> None:
    body, database = with_legs(thigh, shank), builtin_database("chair")
    mapping = BodyMap(body, database.figure)
    authored = database.q[database.clip.index(name)]
    q = posture_on_body(mapping, authored, "chair")
    assert abs(seat_gap(body, q)) < 0.015
    assert BodySetting(body, "chair").clear(q)[0]
    assert bool(standing_sides(mapping, authored, "chair")) == feet
    frames = forward(body.skeleton, q)
    for side in ("left", "right"):
        low = min(
            float(frames.point(c.joint, end)[1]) - c.radius_m
            for c in body.capsules
            if c.joint == f"{side}_ankle"
            for end in (c.start_in_joint, c.end_in_joint)
        )
        assert abs(low) < 0.025 if feet else low > 0.1
