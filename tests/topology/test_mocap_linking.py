"""Linking of recorded postures against the values listed with the recordings."""

from __future__ import annotations

import csv

import pytest

from writhe.io import load
from writhe.topology import Bundle, Strand

TORSO = ("Hips", "Spine", "Spine1", "Neck", "Neck1", "Head", "Head_end")
ARM = ("Arm", "ForeArm", "Hand", "HandIndex1", "HandIndex1_end")
LEG = ("UpLeg", "Leg", "Foot", "ToeBase", "ToeBase_end")


def file_bundle(skeleton):
    names: dict[str, tuple[str, ...]] = {"torso": TORSO}
    for letter, side in (("l", "Left"), ("r", "Right")):
        names[f"{letter}arm"] = tuple(side + part for part in ARM)
        names[f"{letter}leg"] = tuple(side + part for part in LEG)
    strands = [Strand.through(skeleton, joints, name=name) for name, joints in names.items()]
    return Bundle.compile(skeleton.tree, skeleton.index, strands)


@pytest.mark.mocap
@pytest.mark.parametrize("column", ["gli_as_stored", "gli_repaired"])
def test_tangled_postures_have_the_listed_linking(mocap, column):
    with (mocap / "tangled" / "poses.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["clear_of_contact"] == "1"]
    by_clip = {}
    for row in rows:
        by_clip.setdefault(row["file"], []).append(row)
    checked = 0
    for clip, listed in list(by_clip.items())[::3]:
        motion = load(mocap / clip, repair=column == "gli_repaired")
        bundle = file_bundle(motion.skeleton)
        for row in listed:
            matrix = bundle.writhe_matrix(motion.q[int(row["frame"])], *row["pair"].split("-"))
            # the list has three digits
            assert matrix.sum() == pytest.approx(float(row[column]), abs=6e-4), row
            checked += 1
    assert checked > 20
