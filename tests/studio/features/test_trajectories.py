"""Drawing a path in the studio: over the websocket, and with the mouse in the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_user import (
    OpenPage,
    open_section,
    position,
    press_and_drag,
    store,
    wait_for,
    wait_saved,
    where,
)
from server_process import Server
from socket_client import SocketClient

from writhe.cleaning.clean import clean
from writhe.skeleton import Motion, forward
from writhe.skeleton.figures import figure
from writhe.solvers.trajectory import Chain, Forest
from writhe.styles.follow_paths import follow, smooth_path, starting_at
from writhe.styles.learn_styles import learn_builtin

DRAWN = [(-0.45, 1.0, 0.3), (-0.35, 1.2, 0.42), (-0.25, 1.4, 0.45), (-0.4, 1.25, 0.4)]


@pytest.fixture
def client(server: Server) -> Iterator[SocketClient]:
    one = SocketClient(server.address, server.new_document())
    yield one
    one.close()


def _follow(client: SocketClient, **change: Any) -> dict[str, Any]:
    asked = {"actor": 1, "limb": "right_arm", "style": "move", "points": DRAWN}
    asked |= {"start_s": 0.0, "seconds": 1.0} | change
    return client.task("follow_path_result", type="follow_path", **asked)


def _state_with(client: SocketClient, undo: str, keys: int) -> dict[str, Any]:
    """The state once its undo label and number of keys are these."""
    while (state := client.seen["state"])["undo"] != undo or len(state["keys"]) != keys:
        client.receive()
    return state


def test_a_path_is_baked_to_keys_and_can_be_undone(client: SocketClient) -> None:
    before = client.pose()
    told = _follow(client)
    assert told["distance_mm"] < 5.0
    baked = round(client.state["fps"]) + 2  # a key for every frame, and one for the path
    state = _state_with(client, "Follow the path", baked)
    np.testing.assert_allclose(client.pose(), before, atol=1e-5)  # it starts where the body is
    (path,) = state["features"]["trajectories"]["paths"]
    assert path["limb"] == "right_arm"
    np.testing.assert_allclose(path["points"], DRAWN)
    # the keys of a second path, over the first and beyond, take the place of its keys
    _follow(client, limb="left_arm", points=[(-x, y, z) for x, y, z in DRAWN], seconds=1.5)
    longer = round(1.5 * client.state["fps"]) + 2
    state = _state_with(client, "Follow the path", longer)
    assert [path["limb"] for path in state["features"]["trajectories"]["paths"]] == ["left_arm"]
    client.command(type="undo")
    assert len(client.state["keys"]) == baked
    client.command(type="undo")
    assert client.state["keys"] == []


def test_a_motion_can_be_repaired(client: SocketClient) -> None:
    through = [(-0.4, 1.1, 0.25), (0.0, 1.1, 0.02), (0.3, 1.15, 0.1)]
    # the same here first: what it says is known, and its kernels are compiled for the server
    human = figure("human")
    arm = Chain.named(human, "right_arm")
    fps = client.state["fps"]
    path = smooth_path(np.array(through), round(0.7 * fps) + 1)
    posture = client.pose().astype(float)
    followed = follow(arm, learn_builtin(arm).blend("move"), path, fps, posture)
    q = starting_at(human.skeleton, followed.motion.q, posture, fps)
    alike = clean(human, Motion(human.skeleton, q, fps))
    assert alike.after.certified
    told = _follow(client, points=through, seconds=0.7)
    assert not told["certified"]
    assert alike.before.min_clearance_m is not None
    assert told["penetration_mm"] == pytest.approx(-1e3 * alike.before.min_clearance_m, abs=1)
    told = client.task(
        "follow_path_result", type="repair_motion", actor=1, start_s=0.0, seconds=0.7
    )
    assert told["certified"]


def test_invalid_input_is_reported(client: SocketClient) -> None:
    with pytest.raises(RuntimeError, match="golf"):
        client.send(
            request="a-request-of-mine",
            type="follow_path",
            actor=1,
            limb="right_arm",
            style="cricket",
            points=DRAWN,
            start_s=0.0,
            seconds=1.0,
        )
        while True:
            message = client.receive()
            if message["type"] == "error" or message.get("status") == "failed":
                raise RuntimeError(str(message))


def test_a_person_draws_a_path_and_moves_its_handle(open_page: OpenPage) -> None:
    page = open_page(size=(900, 600))
    start = position(page, "right_wrist")
    page.keyboard.press("y")
    x, y = where(page, "right_wrist")
    view = page.locator("canvas").first.bounding_box()
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 13):
        page.mouse.move(x - 4 * k, y - 9 * k)
    page.mouse.up()
    wait_for(page, "s.state.undo === 'Follow the path' && s.state.keys.length > 10")
    wait_saved(page)
    end = store(page, "state.duration_s")
    assert end >= 2.0
    reached = _hand_at(page, 2.0)
    assert reached[1] > start[1] + 0.2
    # the last handle, dragged to the side, takes the end of the motion along
    version = store(page, "motionVersion")
    at = _after_layout(view, page.locator("canvas").first.bounding_box(), x - 48, y - 108)
    press_and_drag(page, *at, -48, 0)
    wait_for(page, f"s.motionVersion > {version}")
    assert abs(_hand_at(page, 2.0)[0] - reached[0]) > 0.05


def test_a_finger_draws_in_a_learnt_style_and_the_path_stays(
    open_page: OpenPage, tmp_path: Path
) -> None:
    human = figure("human")
    arm = Chain.named(human, "right_arm")
    forest = learn_builtin(arm)
    Forest(arm, [replace(forest.styles["move"], name="mine")]).save(tmp_path / "drawn.npz")
    page = open_page(size=(900, 600), touch=True)
    open_section(page, "Path")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Styles from a file").click()
    chooser.value.set_files(tmp_path / "drawn.npz")
    wait_for(page, "s.state.features.trajectories.styles.some(one => one.name === 'drawn/mine')")
    page.get_by_role("combobox", name="Style").select_option("drawn/mine")
    page.get_by_role("combobox", name="Limb that follows").select_option("left_leg")
    offered = page.get_by_role("combobox", name="Style").inner_text()
    assert "mine" not in offered  # it was learnt for the right arm
    page.get_by_role("combobox", name="Limb that follows").select_option("right_arm")
    page.get_by_role("combobox", name="Style").select_option("drawn/mine")
    page.get_by_role("button", name="Draw a path").click()
    x, y = where(page, "right_wrist")
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, k: int) -> None:
        points = [{"x": x - 3 * k, "y": y - 8 * k, "id": 1}] if kind != "touchEnd" else []
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 0)
    for k in range(1, 13):
        touch("touchMove", k)
    touch("touchEnd", 12)
    wait_for(page, "s.state.undo === 'Follow the path'")
    page.get_by_text("Baked to keys").wait_for()
    (path,) = store(page, "state.features.trajectories.paths")
    assert path["style"] == "drawn/mine"
    reached = _hand_at(page, 2.0)
    np.testing.assert_allclose(reached, path["points"][-1], atol=0.02)
    page.reload()
    page.wait_for_selector("body.ready")
    handle = page.evaluate(
        """() => { const { editor, store } = window.writhe;
        const [path] = store.state.features.trajectories.paths;
        return editor.viewport.onPage(editor.viewport.orbit.camera.position.clone()
          .fromArray(path.points.at(-1))); }"""
    )
    press_and_drag(page, handle["x"], handle["y"], -40, 0)  # its handles are still there
    page.wait_for_function(
        "end => Math.abs(window.writhe.store.state.features.trajectories.paths[0].points.at(-1)[0]"
        " - end) > 0.05",
        arg=path["points"][-1][0],
    )
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    wait_for(page, "s.state.keys.length === 0")


def _after_layout(
    before: dict[str, float], after: dict[str, float], x: float, y: float
) -> tuple[float, float]:
    """A point of the picture after the timeline has grown: the view scales with its height."""
    scale = after["height"] / before["height"]
    offset_x = x - before["x"] - before["width"] / 2
    offset_y = y - before["y"] - before["height"] / 2
    return (
        after["x"] + after["width"] / 2 + scale * offset_x,
        after["y"] + after["height"] / 2 + scale * offset_y,
    )


def _hand_at(page: Any, time_s: float) -> np.ndarray:
    """Where the right hand is at a time, by the motion that the page plays."""
    motion = page.evaluate(
        """time => { const { store } = window.writhe; const m = store.motions.get(store.active);
        const f = Math.min(m.frames - 1, Math.round(time * m.fps));
        return Array.from(m.q.subarray(f * m.size, (f + 1) * m.size)); }""",
        time_s,
    )
    return forward(figure("human").skeleton, np.array(motion)).position("right_wrist")
