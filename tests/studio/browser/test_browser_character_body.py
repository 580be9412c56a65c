"""Roles and collision shapes of a user's own character, corrected in the page."""

from __future__ import annotations

from typing import Any

from browser_user import open_section, where
from test_browser_characters import _SHOWN, drop

from generated_characters import RichCharacter
from writhe.io import load_figure

_BODY = "() => window.writhe.store.state.features.character_body.bodies[0]"
_SHAPES = """() => {
  const { store } = window.writhe;
  const actor = store.state.actors.find(one => one.id === store.active);
  return store.figures.get(actor.figure).capsules.map(one => one.radius);
}"""
# where a shape of the left forearm is on the page
_SHAPE_AT = """joint => {
  const { editor, store } = window.writhe;
  const character = editor.viewport.character(store.active);
  const number = character.shape.joints.findIndex(one => one.name === joint);
  const shape = character.shape.capsules.find(one => one.joint === number);
  const at = character.bones[number].localToWorld(character.bones[number].position.clone().set(
    (shape.start[0] + shape.end[0]) / 2, (shape.start[1] + shape.end[1]) / 2,
    (shape.start[2] + shape.end[2]) / 2));
  return editor.viewport.onPage(at);
}"""


def roles(page: Any) -> dict[str, str]:
    names = page.evaluate(
        """() => { const { editor, store } = window.writhe;
        return editor.viewport.character(store.active).shape.joints.map(one => one.name); }"""
    )
    return {one["role"]: names[one["joint"]] for one in page.evaluate(_BODY)["roles"]}


def test_roles_and_shapes_are_corrected_by_clicking(open_page, tmp_path):
    page = open_page(size=(1100, 800))
    drop(page, RichCharacter().write(tmp_path / "hero.glb"))
    page.get_by_role("button", name="Open the character").click()
    page.wait_for_function(_SHOWN, arg="hero")
    open_section(page, "Body")

    page.get_by_role("button", name="Correct roles").click()
    before = roles(page)
    page.mouse.click(*where(page, "rig:left_knee"))
    joint = page.evaluate(
        """() => { const { editor, store } = window.writhe;
        return editor.viewport.character(store.active).shape.joints[store.selected].name; }"""
    )
    role = next(r for r, j in before.items() if j == joint)
    page.get_by_label("Role of the selected joint").select_option("")
    page.wait_for_function("() => window.writhe.store.state.undo === 'Set role'")
    assert roles(page) == {r: j for r, j in before.items() if r != role}
    page.evaluate("() => window.writhe.editor.run('undo')")
    page.wait_for_function(f"() => ({_BODY})().roles.length === {len(before)}")
    assert roles(page) == before

    page.get_by_role("button", name="Show collision shapes").click()
    radii = page.evaluate(_SHAPES)
    at = page.evaluate(_SHAPE_AT, "rig:left_elbow")
    page.mouse.click(at["x"], at["y"])
    page.get_by_label("Radius in millimetres").fill("33")
    page.get_by_label("Radius in millimetres").press("Enter")
    page.wait_for_function("() => window.writhe.store.state.undo === 'Shape radius'")
    changed = page.evaluate(_SHAPES)
    assert changed != radii and sum(abs(r - 0.033) < 1e-6 for r in changed) == 1
    page.get_by_role("button", name="Exclude").click()
    page.wait_for_function("() => window.writhe.store.state.undo === 'Exclude shape'")
    assert len(page.evaluate(_SHAPES)) == len(radii) - 1
    number = page.evaluate("() => window.writhe.store.active")
    answer = page.request.get(
        f"{page.url.split('?')[0]}api/documents/{page.document}/export/{number}.glb"
    )
    (tmp_path / "out.glb").write_bytes(answer.body())
    assert len(load_figure(tmp_path / "out.glb").capsules) == len(radii) - 1
    page.get_by_role("button", name="Include").first.click()
    page.wait_for_function("() => window.writhe.store.state.undo === 'Include shape'")
    assert len(page.evaluate(_SHAPES)) == len(radii)
