/** The help dialog with gestures and shortcuts, and the hint for the first drag. */
import type { Action } from "../actions";
import { h } from "../dom";
import type { Editor } from "../editor";
import { usesTouch } from "../labels";
import { on, store } from "../store";

const MOUSE_GESTURES: [string, string][] = [
  ["Drag the body", "pose it; the rest follows"],
  ["Alt + drag a limb", "move it behind the body"],
  ["Wheel during a drag", "move the part away from you or nearer"],
  ["Drag a limb onto an object or another character", "it lies on the surface there"],
  ["Click a part", "select it; P or a double click pins or unpins it (Shift: its rotation too)"],
  ["Drag a ring", "rotate the selected part alone, with Shift the body follows; drag within the rings to move it"],
  ["Drag an arrow", "move the selected part along an axis, whatever the view"],
  ["Shift + click parts, or Shift + drag a box", "select several: a drag of one moves all, P pins them"],
  ["Drag beside the body, or right-drag", "orbit the camera"],
  ["Shift + right-drag", "pan the camera"],
  ["Wheel", "zoom; over the timeline it spreads the time, with Shift it moves along"],
  ["Drag an object", "move it over the floor, with Shift up and down; it pushes bodies (U)"],
  ["Drop a file on the page", "open a motion, scene, document, postures or styles"],
];
const TOUCH_GESTURES: [string, string][] = [
  ["Drag the body", "pose it; several fingers move several parts at once"],
  ["Tap a part", "select it; double-tap to pin or unpin it"],
  ["Drag a ring", "rotate the selected part; drag within the rings to move it"],
  ["Drag beside the body", "orbit the camera"],
  ["Two fingers beside the body", "pan, and pinch to zoom"],
  ["Drag in the timeline", "move the playhead; tap a key first to drag it"],
  ["Drag an object", "move it over the floor; it pushes bodies"],
];
const MARKERS: [string, string][] = [
  ["Round markers", "pins of a position, during drags and between keys (bars on the timeline)"],
  ["Square markers", "pins of position and rotation: feet stay flat"],
  ["Red parts", "parts that overlap something"],
];

export function openHelp(actions: Action[]): void {
  const groups = new Map<string, HTMLElement[]>();
  for (const action of actions) {
    const row = h(
      "div",
      { class: "help-row" },
      h("span", {}, action.title),
      h("span", { class: "help-keys" }, ...action.keys.slice(0, 1).map(keyCaps)),
    );
    groups.set(action.group, [...(groups.get(action.group) ?? []), row]);
  }
  const touch = usesTouch();
  const gestures = [...(touch ? TOUCH_GESTURES : MOUSE_GESTURES), ...MARKERS].map(([what, does]) =>
    h("div", { class: "help-row" }, h("strong", {}, what), h("span", { class: "soft" }, does)),
  );
  const dialog = h(
    "dialog",
    { class: "sheet", "aria-label": "Help" },
    h(
      "form",
      { method: "dialog", class: "sticky" },
      h("button", { class: "quiet corner", "aria-label": "Close" }, "✕"),
    ),
    h("h2", {}, "How to use the studio"),
    h("div", { class: "help-gestures" }, ...gestures),
    groups.size > 0 &&
      h(
        "details",
        { class: "help-shortcuts", open: !touch },
        h("summary", {}, "Keyboard shortcuts"),
        h(
          "div",
          { class: "help-columns" },
          ...[...groups].map(([name, rows]) => h("section", {}, h("h3", {}, name), ...rows)),
        ),
      ),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

export function keyCaps(keys: string): HTMLElement {
  const apple = /Mac|iPad|iPhone/.test(navigator.userAgent);
  const caps = keys.split("+").map((key) => h("kbd", {}, apple && key === "Ctrl" ? "⌘" : key));
  return h("span", {}, ...caps);
}

/** A hint at a hand that suggests the first drag, until the user has made one. */
export function hintFirstDrag(editor: Editor, parent: HTMLElement): void {
  if (store.hasDragged) return;
  const bubble = h(
    "div",
    { class: "guide", "aria-live": "polite" },
    h("span", { class: "guide-dot" }),
    h("span", { class: "guide-text" }),
  );
  parent.append(bubble);
  const place = () => {
    const character = editor.viewport.character(store.active);
    if (store.hasDragged || editor.drag.active || store.state?.undo) bubble.remove(); // no longer needed
    if (!bubble.isConnected || !character) return;
    const joint = character.shape.joints.findIndex((one) => one.name === "left_wrist");
    bubble.lastElementChild!.textContent = joint < 0 ? "Drag any part" : "Drag the hand";
    const at = editor.viewport.onPage(character.jointPosition(joint < 0 ? character.bones.length - 1 : joint));
    const box = parent.getBoundingClientRect();
    bubble.style.transform = `translate(${at.x - box.left}px, ${at.y - box.top}px)`;
    bubble.classList.add("shown");
  };
  on(["state", "pose", "options"], place);
  const before = editor.viewport.onFrame;
  editor.viewport.onFrame = () => {
    before();
    place();
  };
}
