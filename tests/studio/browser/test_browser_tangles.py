"""Tangles in a real browser: scenes of the paper, following partners, error messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_user import OpenPage, go_to, next_frame, press_and_drag, store, wait_for, wait_saved
from paper_scenes_by_hand import (
    arms_swap,
    choose,
    click,
    draw,
    look_at,
    measured,
    piggyback,
    shown,
    slide,
)

from writhe import io
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure

SIZE = (1100, 760)
# thrice, since answers to what the page asked by itself may still be under way
_WRITHE = """async time => { const { editor } = window.writhe;
  const { connection, panels: { tangles } } = editor;
  editor.seek(time);
  for (let k = 0; k < 3; k++) {
    tangles.found = null;
    const [first, second] = tangles.chains;
    connection.send({ type: "measure_tangle", first, second });
    while (!tangles.found) await new Promise(done => setTimeout(done, 20));
  }
  return tangles.found.writhe; }"""
_ROD = """() => { const { editor: { viewport } } = window.writhe;
  const rod = viewport.objects.object(1);
  for (let k = -9; k <= 9; k++) {
    const at = viewport.onPage(rod.localToWorld(rod.position.clone().set(0, 0.05 * k, 0)));
    const hit = viewport.objects.pick(viewport.ray(at.x, at.y)), body = viewport.pick(at.x, at.y);
    const free = document.elementFromPoint(at.x, at.y) === viewport.canvas;
    if (free && hit && (!body || hit.distance < body.distance)) return at;
  } }"""


def no_picture(name: str) -> None:
    """Take no picture."""


def beside(page: Any) -> None:
    """A second character at arm's length, put there by its arrow."""
    page.get_by_role("button", name="Add another character").click()
    wait_for(page, "s.state.actors.length === 2")
    choose(page, "Human 2")
    page.get_by_role("button", name="Move", exact=True).click()
    page.wait_for_function("() => window.writhe.store.movingActor")
    page.keyboard.press("f")
    next_frame(page)
    grip = page.evaluate("() => window.writhe.editor.gizmos.move_actor.grip('shift', 0)")
    step = page.evaluate(
        """() => { const { editor: { viewport } } = window.writhe;
        const at = viewport.character(2).jointPosition(0), from = viewport.onPage(at.clone());
        return viewport.onPage(at.clone().setX(at.x - 0.72)).x - from.x; }"""
    )
    press_and_drag(page, grip["x"], grip["y"], step, 0)
    wait_for(page, "s.state.undo === 'Move character'")
    page.get_by_role("button", name="Move", exact=True).click()
    page.keyboard.press("f")


def wind_arms_together(page: Any) -> None:
    """The left arm of one and the right arm of the other, 0.3 turns; both move."""
    page.keyboard.press("w")
    look_at(page, (1, "left_elbow"), (2, "right_elbow"))
    click(page, 1, "left_elbow")
    click(page, 2, "right_elbow")
    page.wait_for_function("() => window.writhe.editor.panels.tangles.found !== null")
    page.get_by_role("radio", name="Both").click()
    slide(page, "Writhe", 0.3)
    assert measured(page) == pytest.approx(0.3, abs=0.02)
    assert store(page, "state.undo") == "Wind"


def test_two_arms_swap_over_and_under(open_page: OpenPage) -> None:
    """Figure 1 of the paper, from an empty document."""
    page = open_page(size=SIZE)
    arms_swap(page, no_picture)
    wait_for(page, "s.certificate !== null && s.certificate.certified")
    assert page.locator(".track-bar").count() == 2
    times = [key["time_s"] for key in store(page, "state.features.tangle_motion.keys")]
    assert times == pytest.approx([1.0, 2.5], abs=0.04)
    for time_s, wanted in zip(times, (0.35, -0.35), strict=True):
        assert page.evaluate(_WRITHE, time_s) == pytest.approx(wanted, abs=0.03)
    # a tangle key goes along the timeline with the pose it leads to, and comes back
    key = page.locator(".row[data-kind=tangle] .key").nth(1)
    box = key.bounding_box()
    press_and_drag(page, box["x"] + 13, box["y"] + 14, 60, 0)
    wait_for(page, "s.state.undo === 'Move keys'")
    later = store(page, "state.features.tangle_motion.keys")[1]["time_s"]
    assert later > times[1] + 0.1
    assert page.evaluate(_WRITHE, later) == pytest.approx(-0.35, abs=0.03)
    page.keyboard.press("Control+z")
    wait_for(page, f"Math.abs(s.state.features.tangle_motion.keys[1].time_s - {times[1]}) < 1e-6")
    page.reload()
    page.wait_for_selector("body.ready")
    assert len(store(page, "state.features.tangle_motion.keys")) == 2
    assert len(store(page, "state.actors[0].sampled_tracks")) == 2
    page.keyboard.press("Space")  # plays from one to the other
    wait_for(page, "s.playing && s.timeS > 0.2")
    page.keyboard.press("Space")
    page.get_by_role("button", name="1.00 s", exact=True).click()
    page.get_by_role("button", name="left arm with right arm").first.click()
    page.wait_for_function("() => window.writhe.editor.panels.tangles.found !== null")
    page.get_by_role("button", name="Remove left arm with right arm").first.click()
    wait_for(page, "s.state.features.tangle_motion.keys.length === 1")


def test_piggyback(open_page: OpenPage) -> None:
    """The paper's piggyback with its four tangles, from an empty document."""
    page = open_page(size=SIZE)
    piggyback(page, no_picture)
    keys = store(page, "state.features.tangle_motion.keys")
    assert [len(key["tangles"]) for key in keys] == [2, 2]
    assert keys[1]["movers"] == [1, 2]
    wait_for(page, "s.certificate !== null && s.certificate.certified")


def test_a_chain_across_the_body_and_its_blocking_parts(open_page: OpenPage) -> None:
    page = open_page(size=SIZE)
    page.get_by_role("button", name="+ Rod").click()
    wait_for(page, "s.selectedObject !== null")
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    draw(page, shown(page, 1, "head"), shown(page, 1, "left_wrist"))  # from end to end
    wait_for(page, "window.writhe.editor.panels.tangles.chains[0] !== null")
    first = page.evaluate("() => window.writhe.editor.panels.tangles.chains[0]")
    assert (first["start"], first["end"]) == ("head_top", "left_hand_tip")
    click(page, 1, "right_elbow")
    page.wait_for_function("() => window.writhe.editor.panels.tangles.found !== null")
    assert page.locator(".matrix rect").count() > 12
    names = page.locator(".matrix text").all_text_contents()
    assert {"head top", "left shoulder", "elbow", "hand tip"} <= set(names)
    page.get_by_role("combobox", name="Start of chain 1").select_option("left_shoulder")
    page.get_by_role("spinbutton", name="Writhe, as a number").fill("1.5")
    page.keyboard.press("Enter")
    page.locator(".toast.problem").wait_for()
    said = page.locator(".toast.problem").last.inner_text()
    assert "left arm with right arm" in said
    assert "actor1" not in said
    page.locator(".toast").last.wait_for(state="detached")
    # an object's strand: the rod
    page.keyboard.press("w")
    click(page, 1, "left_elbow")
    rod = page.evaluate(_ROD)
    page.mouse.click(rod["x"], rod["y"])
    wait_for(page, "window.writhe.editor.panels.tangles.chains[1]?.object === 1")
    assert page.get_by_text("Rod, axis").is_visible()


def test_the_partner_keeps_the_tangle_during_a_drag(open_page: OpenPage) -> None:
    page = open_page(size=SIZE)
    beside(page)
    wind_arms_together(page)
    page.get_by_label("The other character keeps the tangle while you drag").check()
    before = store(page, "state.actors.map(a => Array.from(a.q))")
    x, y = shown(page, 1, "chest")
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 13):
        page.mouse.move(x - 6 * k, y + 2 * k)
        next_frame(page)
    page.wait_for_function("() => window.writhe.editor.drag.caughtUp", polling=30)
    assert measured(page) == pytest.approx(0.3, abs=0.05)
    page.mouse.up()
    wait_saved(page)
    assert store(page, "state.undo") == "Pose"
    after = store(page, "state.actors.map(a => Array.from(a.q))")
    assert all(a != b for a, b in zip(before, after, strict=True))
    page.keyboard.press("Control+z")  # one command for both
    wait_for(page, "s.state.undo === 'Wind'")
    assert store(page, "state.actors.map(a => Array.from(a.q))") == before


def test_a_clip_of_one_is_followed_by_the_other(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(size=SIZE)
    beside(page)
    wind_arms_together(page)
    human = figure("human")
    pose = page.evaluate("() => Array.from(window.writhe.editor.viewport.character(1).q)")
    q = np.tile(pose, (31, 1))
    q[:, 0] -= np.linspace(0.0, 0.2, 31)
    io.save(Motion(human.skeleton, q, 30.0, "aside"), tmp_path / "aside.bvh", figure=human)
    choose(page, "Human")
    page.get_by_role("button", name="Open a file").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("menuitem", name="Motion onto this character").click()
    chooser.value.set_files(tmp_path / "aside.bvh")
    wait_for(page, "s.state.actors[0].clip === 'aside'")
    go_to(page, 0.0)
    page.locator(".panel-section:has(.tangle-keys)").evaluate("box => { box.open = true; }")
    page.get_by_role("button", name="Human 2 follows Human").click()
    wait_for(page, "s.state.undo === 'Keep the tangle'")
    wait_for(page, "s.certificate !== null && s.certificate.certified")
    for time_s in (0.0, 0.5, 1.0):
        assert page.evaluate(_WRITHE, time_s) == pytest.approx(0.3, abs=0.05)
