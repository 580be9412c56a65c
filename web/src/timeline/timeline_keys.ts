/** Keys on the timeline: selected, dragged along it and moved with the arrow keys. */
import { h } from "../dom";
import type { Editor } from "../editor";
import type { KeyState } from "../generated/messages";
import { notify, store } from "../store";
import { showMessage } from "../ui/toast";
import { EASE_NAMES } from "./easing";
import { percentAt, snapToFrame } from "./timeline_math";

/** Whether a press on a key moves the playhead instead: with touch, only a selected key can be dragged. */
export function scrubsOver(event: PointerEvent, key: number): boolean {
  return event.pointerType === "touch" && !store.selectedKeys.has(key);
}

/** The button of a key; `track` is the title of its kind of track, none for pose keys. */
export function keyButton(editor: Editor, { id, time_s: timeS, ease }: KeyState, track = ""): HTMLElement {
  const look = ease in EASE_NAMES ? ease : "custom";
  const name = track ? `${track} key` : "Key";
  const button = h("button", {
    class: `key ${look} ${store.selectedKeys.has(id) ? "on" : ""}`,
    type: "button",
    "data-key": id,
    title: `${name} at ${timeS.toFixed(2)} s. Drag to move (with a finger: tap it first), Delete to remove.`,
    "aria-label": `${name} at ${timeS.toFixed(2)} seconds`,
  });
  button.style.left = percentAt(timeS, store.state!.duration_s);
  dragAlong(editor, button, id, timeS);
  button.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (!step) return;
    editor.command({ type: "move_keys", keys: [id], by_s: step / store.state!.fps });
    event.preventDefault();
  });
  return button;
}

let cancelDrag: (() => void) | null = null; // while keys are dragged

/** Whether keys are being dragged; their buttons must then stay. */
export function draggingKeys(): boolean {
  return cancelDrag !== null;
}

/** Put keys that are being dragged along the timeline back; false if none are. */
export function cancelKeyDrag(): boolean {
  const busy = cancelDrag !== null;
  cancelDrag?.();
  cancelDrag = null;
  if (busy) notify("selection");
  return busy;
}

function dragAlong(editor: Editor, button: HTMLElement, id: number, timeS: number): void {
  let startX = 0;
  let shiftS = 0;
  let held = false;
  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || scrubsOver(event, id)) return;
    event.stopPropagation();
    if (event.shiftKey && store.selectedKeys.has(id)) store.selectedKeys.delete(id);
    else if (!store.selectedKeys.has(id)) {
      if (!event.shiftKey) store.selectedKeys.clear();
      store.selectedKeys.add(id);
    }
    for (const key of document.querySelectorAll<HTMLElement>(".key")) {
      key.classList.toggle("on", store.selectedKeys.has(Number(key.dataset.key)));
    }
    button.setPointerCapture(event.pointerId);
    [startX, shiftS, held] = [event.clientX, 0, true];
    cancelDrag = () => {
      held = false;
      showShifted(0);
      editor.previews.clear();
    };
  });
  button.addEventListener("pointermove", (event) => {
    if (!held) return;
    const { fps, duration_s } = store.state!;
    const width = button.closest(".lanes")!.querySelector(".ruler")!.clientWidth;
    const before = shiftS;
    shiftS = snapToFrame(((event.clientX - startX) / width) * duration_s, fps);
    if (shiftS === before) return;
    showShifted(shiftS);
    editor.previews.show({ keys: [...store.selectedKeys], by_s: shiftS, ease: "" });
  });
  const drop = () => {
    if (!held) return;
    held = false;
    cancelDrag = null;
    if (shiftS) {
      editor.command({ type: "move_keys", keys: [...store.selectedKeys], by_s: shiftS });
      const to = Math.max(0, timeS + shiftS).toFixed(2);
      if (store.selectedKeys.size === 1) showMessage(`Moved the key from ${timeS.toFixed(2)} to ${to} s.`);
    } else editor.seek(timeS);
    notify("selection");
  };
  button.addEventListener("pointerup", drop);
  button.addEventListener("pointercancel", drop);
  button.addEventListener("focus", () => {
    if (held || store.selectedKeys.has(id)) return;
    store.selectedKeys.clear();
    store.selectedKeys.add(id);
    button.classList.add("on");
  });
}

/** Show the selected keys moved by some seconds, before the server has moved them. */
function showShifted(shiftS: number): void {
  const { keys, duration_s } = store.state!;
  for (const key of keys) {
    if (!store.selectedKeys.has(key.id)) continue;
    const button = document.querySelector<HTMLElement>(`.key[data-key="${key.id}"]`);
    if (button) button.style.left = percentAt(Math.max(0, key.time_s + shiftS), duration_s);
  }
}
