/** The sheet of shortcuts, and the first hint. */
import type { Action } from "../actions";
import { h } from "../dom";
import { on, store } from "../store";
import type { Studio } from "../editor";
import { byFinger } from "../labels";

const BY_MOUSE: [string, string][] = [
  ["Drag the body", "pose it; the rest follows"],
  ["Click a part", "select it and pin it there, click again to free it (Shift: with its direction)"],
  ["Drag a ring", "turn the selected part; drag within the rings to move it"],
  ["Drag beside the body, or right-drag", "circle around"],
  ["Shift + right-drag", "slide"],
  ["Wheel", "nearer, farther"],
  ["Drag an object", "over the floor, with Shift up and down; bodies give way (U)"],
  ["Drop a file on the page", "open a motion, scene, document, postures or styles"],
];
const BY_FINGER: [string, string][] = [
  ["Drag the body", "pose it; several fingers move several parts at once"],
  ["Tap a part", "select it; tap twice to pin it there, or to free it"],
  ["Drag a ring", "turn the selected part; drag within the rings to move it"],
  ["Drag beside the body", "circle around"],
  ["Two fingers beside the body", "slide, and pinch nearer or farther"],
  ["Drag in the timeline", "go through time; tap a key first to drag it"],
  ["Drag an object", "over the floor; bodies give way"],
];
const MARKS: [string, string][] = [
  ["Round marks", "pins that hold a place, while you drag and at every time of the clip"],
  ["Square marks", "pins that hold the direction too: feet stay flat"],
  ["Red parts", "they overlap something there"],
];

export function openHelp(actions: Action[]): void {
  const groups = new Map<string, HTMLElement[]>();
  for (const action of actions) {
    const row = h("div", { class: "help-row" }, h("span", {}, action.title), h("span", { class: "help-keys" }, ...action.keys.slice(0, 1).map(keyCaps)));
    groups.set(action.group, [...(groups.get(action.group) ?? []), row]);
  }
  const fingers = byFinger();
  const gestures = [...(fingers ? BY_FINGER : BY_MOUSE), ...MARKS].map(([what, does]) => h("div", { class: "help-row" }, h("strong", {}, what), h("span", { class: "soft" }, does)));
  const dialog = h(
    "dialog",
    { class: "sheet", "aria-label": "Shortcuts" },
    h("form", { method: "dialog", class: "sticky" }, h("button", { class: "quiet corner", "aria-label": "Close" }, "✕")),
    h("h2", {}, "How to use the studio"),
    h("div", { class: "help-gestures" }, ...gestures),
    groups.size > 0 && h("details", { class: "help-shortcuts", open: !fingers }, h("summary", {}, "Keyboard shortcuts"),
      h("div", { class: "help-columns" }, ...[...groups].map(([name, rows]) => h("section", {}, h("h3", {}, name), ...rows)))),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function keyCaps(keys: string): HTMLElement {
  const apple = /Mac|iPad|iPhone/.test(navigator.userAgent);
  const caps = keys.split("+").map((key) => h("kbd", {}, apple && key === "Ctrl" ? "⌘" : key));
  return h("span", {}, ...caps);
}

/** A hand that shows the first drag, until the person has made one. */
export function guideFirstDrag(studio: Studio, parent: HTMLElement): void {
  if (store.touched) return;
  const bubble = h("div", { class: "guide", "aria-live": "polite" }, h("span", { class: "guide-dot" }), h("span", { class: "guide-text" }));
  parent.append(bubble);
  const place = () => {
    const character = studio.viewport.character(store.active);
    if (store.touched || studio.posing.active || store.state?.undo) bubble.remove(); // knows a way already
    if (!bubble.isConnected || !character) return;
    const joint = character.shape.joints.findIndex((one) => one.name === "left_wrist");
    bubble.lastElementChild!.textContent = joint < 0 ? "Drag any part" : "Drag the hand";
    const at = studio.viewport.onPage(character.jointPosition(joint < 0 ? character.bones.length - 1 : joint));
    const box = parent.getBoundingClientRect();
    bubble.style.transform = `translate(${at.x - box.left}px, ${at.y - box.top}px)`;
    bubble.classList.add("shown");
  };
  on(["state", "pose", "options"], place);
  const before = studio.viewport.onFrame;
  studio.viewport.onFrame = () => {
    before();
    place();
  };
}
