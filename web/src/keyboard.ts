/** Listens to the keyboard. Which key runs which action is defined in `actions.ts`. */
import type { Action } from "./actions";

const TEXT_FIELDS = "input:not([type=range], [type=checkbox]), select, textarea, [contenteditable]";
const SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

let clicked: Element | null = null; // the button that has the focus because it was clicked with a pointer

/** Run the action whose shortcut was pressed, unless the focused element needs the key itself. */
export function listenToKeys(actions: Action[]): void {
  addEventListener(
    "pointerup",
    (event) => (clicked = (event.target as Element).closest("button, [type=checkbox]")),
    true,
  );
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || usesKey(event.target as HTMLElement, event)) return;
    const pressed = keyCombination(event);
    const action = actions.find((one) => one.keys.some((key) => key.toLowerCase() === pressed));
    if (!action || action.enabled?.() === false) return;
    event.preventDefault();
    action.run();
  });
}

/** Whether the focused element handles this key. Number fields leave letters other than "e" to the shortcuts. */
function usesKey(target: HTMLElement, event: KeyboardEvent): boolean {
  if (/^F\d+$/.test(event.key)) return false;
  const letter = /^[a-df-z]$/i.test(event.key) && !event.ctrlKey && !event.metaKey;
  if (target.matches(TEXT_FIELDS) && !(target.matches("[type=number]") && letter)) return true;
  if (target.matches("button, [type=checkbox]")) {
    // a button that was clicked leaves the space bar to playback; one that was reached by keyboard does not
    if (event.key === "Enter" || (event.key === " " && target !== clicked)) return true;
  }
  return target.matches("[type=range]") && SLIDER_KEYS.includes(event.key);
}

/** The pressed combination as actions spell it, in lower case: "ctrl+shift+z". */
export function keyCombination(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey">): string {
  const key = event.key === " " ? "space" : event.key.toLowerCase();
  const shift = event.shiftKey && event.key !== "?" ? "shift+" : ""; // "?" is typed with Shift on most keyboards
  return `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${shift}${key}`;
}
