"""What was put somewhere by hand stays there: placed parts softly, pinned ones firmly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from server_process import Server
from socket_client import Wire

from writhe.skeleton import forward
from writhe.skeleton.figures import figure
from writhe.studio.editing.soft_pins import unbranched_limb

Place = tuple[float, float, float]
USUAL = {"postures": "basic", "naturalness": 1.0, "grip": 1.0, "steadiness": 1.0}


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    one = Wire(server.address, server.new_document())
    yield one
    one.close()


def put(wire: Wire, joint: str, place: Place) -> None:
    """Drag a joint to a place and let go."""
    for sequence in range(80):
        if wire.drag(joint, place, sequence, frames=2)["settled"]:
            break
    wire.command(type="release", actor=1)


def where(wire: Wire, joint: str) -> np.ndarray:
    return forward(figure("human").skeleton, wire.pose().astype(float)).position(joint)


def test_a_placed_hand_stays_while_the_other_is_dragged(wire: Wire) -> None:
    put(wire, "right_wrist", (-0.3, 1.0, 0.3))
    placed = where(wire, "right_wrist")
    put(wire, "left_wrist", (0.45, 1.75, 0.3))
    assert np.linalg.norm(where(wire, "left_wrist") - (0.45, 1.75, 0.3)) < 0.02
    assert np.linalg.norm(where(wire, "right_wrist") - placed) < 0.02


def test_without_the_switch_it_follows_the_body(wire: Wire) -> None:
    wire.command(type="set_solving", **USUAL, placed_stay=False)
    put(wire, "right_wrist", (-0.3, 1.0, 0.3))
    placed = where(wire, "right_wrist")
    put(wire, "left_wrist", (0.45, 1.75, 0.3))
    assert np.linalg.norm(where(wire, "right_wrist") - placed) > 0.05


def test_another_pose_has_no_placed_parts(wire: Wire) -> None:
    """After a ready pose the body follows a drag as if placed parts never stayed."""
    ends: list[np.ndarray] = []
    for stay in (True, False):
        wire.command(type="reset_pose", actor=1)
        wire.command(type="set_solving", **USUAL, placed_stay=stay)
        put(wire, "right_wrist", (-0.3, 1.0, 0.3))
        wire.command(type="apply_ready_pose", actor=1, library="basic", name="stand")
        put(wire, "left_wrist", (0.45, 1.75, 0.3))
        ends.append(where(wire, "right_wrist"))
    assert np.linalg.norm(ends[0] - ends[1]) < 1e-3


def test_a_pinned_hand_that_is_dragged_stays_where_it_was_put(wire: Wire) -> None:
    """The pin goes along: the next drag of another part does not pull the hand back."""
    hand = wire.joint("left_wrist")
    wire.command(type="set_pin", actor=1, joint=hand, hold="position")
    put(wire, "left_wrist", (0.4, 1.3, 0.3))
    (pin,) = [pin for pin in wire.state["actors"][0]["pins"] if pin["joint"] == hand]
    np.testing.assert_allclose(pin["position"], where(wire, "left_wrist"), atol=1e-5)
    x, y, z = (float(v) for v in where(wire, "head"))
    put(wire, "head", (x + 0.05, y - 0.03, z + 0.05))
    assert np.linalg.norm(where(wire, "left_wrist") - (0.4, 1.3, 0.3)) < 0.02


def test_the_unbranched_limb_a_joint() -> None:
    skeleton = figure("human").skeleton
    assert {"left_clavicle", "left_elbow", "left_wrist"} <= unbranched_limb(skeleton, "left_elbow")
    assert "chest" not in unbranched_limb(skeleton, "left_elbow")
    assert unbranched_limb(skeleton, "chest") == {"chest"}


def test_a_drag_tells_what_is_nearest_to_the_hand(wire: Wire) -> None:
    """The line ends where the hand and the thigh are nearest, as long as it says."""
    for sequence in range(40):
        answer = wire.drag("left_wrist", (0.15, 0.78, 0.27), sequence, frames=2)
    (line,) = answer["features"]["depth"]["lines"]
    assert line["other"] == "left thigh"
    length = float(np.linalg.norm(np.subtract(line["start"], line["end"])))
    assert line["clearance_m"] == pytest.approx(length, abs=1e-3)
    assert 0.005 < length < 0.2


def test_hands_that_meet_do_not_twist_the_body(wire: Wire) -> None:
    """The right hand goes to where the left one was put: the left one gives way.

    The trunk turns no more than it does where nothing placed stays.
    """
    turned: list[float] = []
    for stay in (False, True):
        wire.command(type="reset_pose", actor=1)
        wire.command(type="set_solving", **USUAL, placed_stay=stay)
        put(wire, "hips", (0.0, 0.87, 0.0))
        put(wire, "left_wrist", (0.14, 1.06, 0.16))
        put(wire, "right_wrist", (0.12, 1.04, 0.2))
        across = [where(wire, f"left_{j}") - where(wire, f"right_{j}") for j in ("shoulder", "hip")]
        one, other = (v[[0, 2]] / np.linalg.norm(v[[0, 2]]) for v in across)
        turned.append(float(np.degrees(np.arccos(one @ other))))
    free, staying = turned
    assert staying < free + 5.0
