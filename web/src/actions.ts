/** Everything that buttons and keys do, in one list: the help sheet is made from it. */
import { activeActor, store, tell } from "./store";
import type { Studio } from "./editor";
import { savePicture } from "./files";
import { openHelp } from "./ui/help";
import { say } from "./ui/toast";
import { toggleTheme } from "./ui/theme";
import { byFinger } from "./labels";

export interface Action {
  name: string;
  title: string;
  keys: string[]; // as "Ctrl+Shift+Z"; the first is shown
  run: () => void;
  enabled?: () => boolean;
  group: "Pose" | "Time" | "View" | "Document";
}

export function makeActions(studio: Studio): Action[] {
  const actor = () => store.active;
  const frame = () => 1 / (store.state?.fps ?? 30);
  const keyTimes = () =>
    [...new Set((store.state?.keys ?? []).filter((key) => (store.selectedThing ? key.thing === store.selectedThing : key.actor === store.active)).map((key) => key.time_s))].sort((a, b) => a - b);
  const selectedKeys = () => [...store.selectedKeys];
  let copied: number[] = [];
  return [
    { name: "undo", title: "Undo", keys: ["Ctrl+Z"], group: "Document", enabled: () => !!store.state?.undo, run: () => studio.undoing.ask("undo") },
    { name: "redo", title: "Redo", keys: ["Ctrl+Shift+Z", "Ctrl+Y"], group: "Document", enabled: () => !!store.state?.redo, run: () => studio.undoing.ask("redo") },
    { name: "picture", title: "Save a picture", keys: ["Ctrl+Shift+P"], group: "Document", run: () => void savePicture(studio) },
    { name: "pin", title: "Pin or free the selected joint", keys: ["P"], group: "Pose", enabled: () => store.selected !== null, run: () => studio.pointers.togglePin(store.selected!, false) },
    { name: "pin-both", title: "Pin it with its direction", keys: ["Shift+P"], group: "Pose", enabled: () => store.selected !== null, run: () => studio.pointers.togglePin(store.selected!, true) },
    { name: "mirror", title: "Mirror the pose", keys: ["M"], group: "Pose", run: () => studio.command({ type: "mirror_pose", actor: actor() }) },
    { name: "reset-limb", title: "Reset the selected limb", keys: ["Shift+R"], group: "Pose", enabled: () => store.selected !== null, run: () => studio.command({ type: "reset_pose", actor: actor(), joint: store.selected }) },
    { name: "reset", title: "Reset the pose", keys: ["Ctrl+Shift+R"], group: "Pose", run: () => studio.command({ type: "reset_pose", actor: actor(), joint: null }) },
    { name: "deselect", title: "Let go of the selection", keys: ["Escape"], group: "Pose", run: () => { if (studio.tools.mode) return studio.tools.enter(null); store.selected = store.selectedThing = null; store.selectedKeys.clear(); tell("selection", "time"); } },
    { name: "play", title: "Play or pause", keys: ["Space"], group: "Time", run: () => studio.playback.toggle() },
    { name: "key", title: "Key the pose at the playhead", keys: ["K"], group: "Time", run: () => keyPose(studio) },
    { name: "back", title: "One frame back", keys: [","], group: "Time", run: () => studio.seek(store.timeS - frame()) },
    { name: "forth", title: "One frame forward", keys: ["."], group: "Time", run: () => studio.seek(store.timeS + frame()) },
    { name: "previous-key", title: "Previous key", keys: ["[", "Shift+,", "Shift+<"], group: "Time", run: () => studio.seek(keyTimes().filter((t) => t < store.timeS - 1e-4).at(-1) ?? 0) },
    { name: "next-key", title: "Next key", keys: ["]", "Shift+.", "Shift+>"], group: "Time", run: () => studio.seek(keyTimes().find((t) => t > store.timeS + 1e-4) ?? store.timeS) },
    { name: "first", title: "To the start", keys: ["Home"], group: "Time", run: () => studio.seek(0) },
    { name: "last", title: "To the end", keys: ["End"], group: "Time", run: () => studio.seek(store.state?.duration_s ?? 0) },
    { name: "delete-keys", title: "Delete the selected keys", keys: ["Delete", "Backspace"], group: "Time", enabled: () => store.selectedKeys.size > 0, run: () => studio.command({ type: "delete_keys", keys: selectedKeys() }) },
    { name: "copy-keys", title: "Copy the selected keys", keys: ["Ctrl+C"], group: "Time", enabled: () => store.selectedKeys.size > 0, run: () => { copied = selectedKeys(); } },
    { name: "paste-keys", title: "Paste keys at the playhead", keys: ["Ctrl+V"], group: "Time", enabled: () => copied.length > 0, run: () => studio.command({ type: "copy_keys", keys: copied, to_s: store.timeS }) },
    { name: "record", title: "Record the next drag", keys: ["Shift+K"], group: "Time", run: () => studio.setRecording(!store.recording) },
    { name: "frame", title: "Frame the selection, or the character", keys: ["F"], group: "View", run: () => studio.viewport.frame(actor(), store.selected) },
    { name: "onion", title: "Onion skins", keys: ["O"], group: "View", run: () => { store.onion = !store.onion; tell("options"); } },
    { name: "graph", title: "Linking over time", keys: ["G"], group: "View", run: () => { store.graph = !store.graph; tell("options"); } },
    { name: "duel", title: "Compare two methods", keys: ["D"], group: "View", run: () => toggleDuel(studio) },
    { name: "theme", title: "Light or dark", keys: ["T"], group: "View", run: toggleTheme },
    { name: "help", title: "This sheet", keys: ["?", "F1"], group: "View", run: () => openHelp(studio.actions) },
  ];
}

/** The first key says how to go on: a second one at the same time would only replace it. */
function keyPose(studio: Studio): void {
  const first = !store.state?.keys.some((key) => key.actor === store.active && key.kind === "pose");
  studio.command({ type: "set_key", actor: store.active, time_s: store.timeS });
  if (first) say(`Keyed. Now ${byFinger() ? "tap" : "click"} further right in the timeline and change the pose: it is keyed by itself.`);
}

export function toggleDuel(studio: Studio): void {
  if (store.duel) {
    studio.setDuel(null);
    return;
  }
  const methods = store.welcome?.methods.map((method) => method.name) ?? [];
  const other = methods.findLast((method) => method !== activeActor()?.method) ?? methods[0];
  if (other) studio.setDuel(other);
}

const SLIDING = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

/** Run the action whose key was pressed, unless someone is typing. */
export function listenToKeys(actions: Action[]): void {
  addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const noNumber = target.matches("[type=number]") && /^[a-df-z]$/i.test(event.key) && !event.ctrlKey && !event.metaKey;
    if ((!noNumber && target.matches("input:not([type=range], [type=checkbox]), select, textarea, [contenteditable]")) || document.querySelector("dialog[open]")) return;
    if (target.matches("button, [type=checkbox]") && (event.key === " " || event.key === "Enter")) return;
    if (target.matches("[type=range]") && SLIDING.includes(event.key)) return;
    const pressed = combination(event);
    const action = actions.find((one) => one.keys.some((key) => key.toLowerCase() === pressed));
    if (!action || action.enabled?.() === false) return;
    event.preventDefault();
    action.run();
  });
}

function combination(event: KeyboardEvent): string {
  const key = event.key === " " ? "space" : event.key.toLowerCase();
  const shift = event.shiftKey && event.key !== "?" ? "shift+" : "";
  return `${event.ctrlKey || event.metaKey ? "ctrl+" : ""}${shift}${key}`;
}
