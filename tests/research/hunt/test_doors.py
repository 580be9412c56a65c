"""Random cases through every door: what is certified is clear, by the independent check.

`make hunt` runs the same for hours.
"""

from __future__ import annotations

import numpy as np
import pytest

from writhe.research.hunt.calls import CALLS
from writhe.research.hunt.case import judge, load_case
from writhe.research.hunt.doors import DOORS
from writhe.research.hunt.run import Tally, try_call, try_door

# cases of each door: about two seconds each
CASES = {"octopus": 4, "two people": 5, "scene objects": 4, "human": 8, "hand": 10, "plan": 4}
CASES |= {"drag": 4, "scene file": 6, "mesh": 16, "amass": 10, "single frame": 60, "gate": 8}
CALLED = 200

# What still fails, with the work that repairs it. Remove an entry once it passes.
VERDICT = "`certified` does not yet mean that the first frame is clear"
GATED = ("gate", "drag", "plan")
PENDING = dict.fromkeys((door for door in DOORS if door not in GATED), VERDICT)
PENDING["gltf cubic"] = "cubic splines are not certified as splines"
PENDING["mesh"] = "the pieces of a fine mesh do not cover it"
PENDING_BOUNDS = {"gltf cubic"}
PENDING_CALLS = {
    "certify": "non-finite numbers and slacks",
    "certify euler": "orders that are not axes",
    "Gate": "division by zero, non-finite numbers",
    "shapes": "points of another shape, a radius that is not finite",
    "CollisionTable": "offsets and axes of another shape",
    "Scene, KeyMotion": "points of another shape, huge rates",
    "split_mesh": "huge coordinates",
    "poser": "positions of another shape, division by zero",
}


@pytest.mark.parametrize("door", DOORS)
def test_what_is_certified_is_clear_and_bounds_hold(door, request):
    tally = Tally()
    for seed in range(CASES.get(door, 20)):
        try_door(door, seed, tally)
    assert tally.foreign_exceptions == 0, tally.found
    assert tally.certified > 0  # else the cases would show nothing
    if door not in PENDING_BOUNDS:
        assert tally.broken_bounds == 0, tally.found
    if door in PENDING:
        request.applymarker(pytest.mark.xfail(reason=PENDING[door], strict=False))
    assert tally.false_certificates == 0, tally.found
    assert tally.broken_bounds == 0, tally.found


@pytest.mark.parametrize("name", CALLS)
def test_strange_arguments_give_an_answer_or_a_writhe_error(name, request):
    if name in PENDING_CALLS:
        request.applymarker(pytest.mark.xfail(reason=PENDING_CALLS[name], strict=False))
    tally = Tally()
    for seed in range(CALLED):
        try_call(name, seed, tally)
    assert not tally.failed, tally.found[:5]


def test_a_saved_case_is_judged_again_alike(tmp_path):
    for door in ("library", "solids", "bvh", "gltf cubic", "amass"):
        case = DOORS[door](np.random.default_rng(5))
        before = judge(case)
        case.save(tmp_path / "case.json", before)
        assert judge(load_case(tmp_path / "case.json")) == before
