"""Random cases through every door: what is certified is clear, by the independent check.

`make hunt` runs the same for hours.
"""

from __future__ import annotations

from functools import cache

import pytest

from writhe.research.hunt.calls import CALLS
from writhe.research.hunt.case import judge, load_case
from writhe.research.hunt.doors import DOORS
from writhe.research.hunt.run import Tally, try_call, try_door

# cases of each door: about two seconds each
CASES = {"octopus": 3, "two people": 6, "scene objects": 6, "human": 10, "hand": 12, "plan": 5}
CASES |= {"drag": 6, "scene file": 6, "mesh": 16, "amass": 12, "single frame": 60}
CALLED = 300

# What still fails, with the part of the work that repairs it. Remove an entry once it passes.
VERDICT = "`certified` does not yet mean that the first frame is clear"
PENDING = dict.fromkeys(("library", "bvh", "amass", "human", "hand", "octopus"), VERDICT)
PENDING |= dict.fromkeys(("single frame", "two people", "gltf linear", "gltf step"), VERDICT)
PENDING |= {
    "gltf cubic": "cubic splines are not certified as splines",
    "mesh": "the pieces of a fine mesh do not cover it",
}
UNBOUNDED = {"gltf cubic"}
PENDING_CALLS = {
    "certify": "non-finite numbers and slacks",
    "certify euler": "orders that are not axes",
    "Gate": "division by zero, non-finite numbers",
    "shapes": "points of another shape, a radius that is not finite",
    "CollisionTable": "offsets and axes of another shape",
    "Scene, KeyMotion": "points of another shape, huge rates",
    "poser": "positions of another shape, division by zero",
}


@cache
def tried(door: str) -> Tally:
    """The cases of a door."""
    tally = Tally()
    for seed in range(CASES.get(door, 25)):
        try_door(door, seed, tally)
    return tally


@pytest.mark.parametrize("door", DOORS)
def test_what_is_certified_is_clear(door, request):
    tally = tried(door)
    assert tally.foreign_exceptions == 0, tally.found
    assert tally.certified > 0  # else the cases would show nothing
    if door in PENDING:
        request.applymarker(pytest.mark.xfail(reason=PENDING[door], strict=False))
    assert tally.false_certificates == 0, tally.found


@pytest.mark.parametrize("door", [door for door in DOORS if door not in UNBOUNDED])
def test_the_reported_bound_holds(door):
    assert tried(door).broken_bounds == 0, tried(door).found


@pytest.mark.parametrize("name", CALLS)
def test_strange_arguments_give_an_answer_or_a_writhe_error(name, request):
    if name in PENDING_CALLS:
        request.applymarker(pytest.mark.xfail(reason=PENDING_CALLS[name], strict=False))
    tally = Tally()
    for seed in range(CALLED):
        try_call(name, seed, tally)
    assert not tally.failed, tally.found[:5]


def test_a_saved_case_is_judged_again_alike(tmp_path):
    import numpy as np

    for door in ("library", "solids", "bvh", "gltf cubic", "amass"):
        case = DOORS[door](np.random.default_rng(5))
        before = judge(case)
        case.save(tmp_path / "case.json", before)
        assert judge(load_case(tmp_path / "case.json")) == before
