/** The actions behind buttons and shortcuts; the help dialog lists them. */
import type { Editor } from "./editor";
import { savePicture } from "./import_export";
import { usesTouch } from "./labels";
import { activeActor, notify, selectedJoints, store } from "./store";
import { cancelKeyDrag } from "./timeline/timeline_keys";
import { nextKeyTime, previousKeyTime } from "./timeline/timeline_math";
import { openCommandSearch } from "./ui/command_search";
import { openHelp } from "./ui/help";
import { focusRegion } from "./ui/page_regions";
import { createDocument, openDocument } from "./ui/start_page";
import { toggleTheme } from "./ui/theme";
import { clearMessages, showMessage } from "./ui/toast";

export interface Action {
  name: string;
  title: string;
  keys: string[]; // shortcuts such as "Ctrl+Shift+Z"; the help shows the first
  run: () => void;
  enabled?: () => boolean;
  group: "Pose" | "Time" | "View" | "Document";
}

export function makeActions(editor: Editor): Action[] {
  return [...documentActions(editor), ...poseActions(editor), ...timeActions(editor), ...viewActions(editor)];
}

function documentActions(editor: Editor): Action[] {
  const group = "Document";
  return [
    {
      name: "new-document",
      title: "New document",
      keys: [],
      group,
      run: () => void createDocument().then((id) => openDocument(id)),
    },
    {
      name: "undo",
      title: "Undo",
      keys: ["Ctrl+Z"],
      group,
      enabled: () => !!store.state?.undo,
      run: () => editor.undoRedo.request("undo"),
    },
    {
      name: "redo",
      title: "Redo",
      keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
      group,
      enabled: () => !!store.state?.redo,
      run: () => editor.undoRedo.request("redo"),
    },
    { name: "picture", title: "Save a picture", keys: ["Ctrl+Shift+P"], group, run: () => void savePicture(editor) },
  ];
}

function poseActions(editor: Editor): Action[] {
  const group = "Pose";
  const enabled = () => store.selected !== null;
  const reset = (joint: number | null) => editor.command({ type: "reset_pose", actor: store.active, joint });
  return [
    {
      name: "pin",
      title: "Pin or unpin the selected joints",
      keys: ["P"],
      group,
      enabled,
      run: () => selectedJoints().forEach((joint) => editor.pointers.togglePin(joint, false)),
    },
    {
      name: "pin-both",
      title: "Pin its position and rotation",
      keys: ["Shift+P"],
      group,
      enabled,
      run: () => editor.pointers.togglePin(store.selected!, true),
    },
    {
      name: "symmetric",
      title: "Symmetric drag: the other side moves as the mirror image",
      keys: ["X"],
      group,
      run: () => {
        store.symmetric = !store.symmetric;
        notify("options");
      },
    },
    {
      name: "mirror",
      title: "Mirror the pose",
      keys: ["M"],
      group,
      run: () => editor.command({ type: "mirror_pose", actor: store.active }),
    },
    {
      name: "reset-limb",
      title: "Reset the selected limb",
      keys: ["Shift+R"],
      group,
      enabled,
      run: () => reset(store.selected),
    },
    { name: "reset", title: "Reset the pose", keys: ["Ctrl+Shift+R"], group, run: () => reset(null) },
    {
      name: "cancel",
      title: "Cancel the current action, or deselect everything",
      keys: ["Escape"],
      group,
      run: () => cancel(editor),
    },
  ];
}

/** Cancel the first of what is going on: a drag, a mode, recording, playback, a job; else clear the selection. */
function cancel(editor: Editor): void {
  clearMessages();
  if (editor.pointers.cancel() || cancelKeyDrag() || editor.features.some((feature) => feature.cancel?.())) return;
  if (editor.tools.mode) editor.tools.enter(null);
  else if (store.recording) editor.setRecording(false);
  else if (store.playing) editor.playback.stop();
  else if (!editor.jobs.cancelNewest()) deselect();
}

function deselect(): void {
  store.selected = store.selectedObject = null;
  store.selectedKeys.clear();
  notify("selection", "time");
}

function timeActions(editor: Editor): Action[] {
  return [...playheadActions(editor), ...keyActions(editor)];
}

function playheadActions(editor: Editor): Action[] {
  const group = "Time";
  const frame = () => 1 / (store.state?.fps ?? 30);
  const neighbour = (find: typeof nextKeyTime) =>
    find(store.state?.keys ?? [], store.active, store.selectedObject, store.timeS);
  const go = (name: string, title: string, keys: string[], timeS: () => number) => ({
    name,
    title,
    keys,
    group: group as Action["group"],
    run: () => editor.seek(timeS()),
  });
  return [
    { name: "play", title: "Play or pause", keys: ["Space"], group, run: () => editor.playback.toggle() },
    go("back", "One frame back", [","], () => store.timeS - frame()),
    go("forth", "One frame forward", ["."], () => store.timeS + frame()),
    go("previous-key", "Previous key", ["[", "Shift+,", "Shift+<"], () => neighbour(previousKeyTime) ?? 0),
    go("next-key", "Next key", ["]", "Shift+.", "Shift+>"], () => neighbour(nextKeyTime) ?? store.timeS),
    go("first", "To the start", ["Home"], () => 0),
    go("last", "To the end", ["End"], () => store.state?.duration_s ?? 0),
  ];
}

function keyActions(editor: Editor): Action[] {
  const group = "Time";
  const enabled = () => store.selectedKeys.size > 0;
  let copied: number[] = [];
  const pastePose = (flipped: boolean) => editor.command({ type: "paste_pose", actor: store.active, flipped });
  return [
    { name: "key", title: "Key the pose at the playhead", keys: ["K"], group, run: () => keyPose(editor) },
    {
      name: "delete-keys",
      title: "Delete the selected keys",
      keys: ["Delete", "Backspace"],
      group,
      enabled,
      run: () => editor.command({ type: "delete_keys", keys: [...store.selectedKeys] }),
    },
    {
      name: "copy-keys",
      title: "Copy the selected keys, or the pose if none is selected",
      keys: ["Ctrl+C"],
      group,
      run: () => {
        copied = [...store.selectedKeys];
        if (copied.length === 0) editor.connection.send({ type: "copy_pose", actor: store.active });
        const what = copied.length > 1 ? `${copied.length} keys` : copied.length ? "the key" : "the pose";
        showMessage(`Copied ${what}. Ctrl+V pastes at the playhead${copied.length ? "" : ", Ctrl+Shift+V flipped"}.`);
      },
    },
    {
      name: "paste-keys",
      title: "Paste at the playhead",
      keys: ["Ctrl+V"],
      group,
      run: () => {
        if (copied.length) editor.command({ type: "copy_keys", keys: copied, to_s: store.timeS });
        else pastePose(false);
      },
    },
    {
      name: "paste-flipped",
      title: "Paste the copied pose flipped: left and right swap",
      keys: ["Ctrl+Shift+V"],
      group,
      run: () => pastePose(true),
    },
    {
      name: "select-keys",
      title: "Select all keys of all characters",
      keys: ["Ctrl+A"],
      group,
      run: () => {
        store.selectedKeys = new Set(store.state?.keys.map((key) => key.id));
        notify("selection");
      },
    },
    {
      name: "record",
      title: "Record the next drag",
      keys: ["Shift+K"],
      group,
      run: () => editor.setRecording(!store.recording),
    },
  ];
}

function viewActions(editor: Editor): Action[] {
  const group = "View";
  const toggle = (option: "onion" | "graph" | "curves") => () => {
    store[option] = !store[option];
    notify("options");
  };
  return [
    {
      name: "frame",
      title: "Frame the selection, or the character",
      keys: ["F"],
      group,
      run: () => editor.viewport.frame(store.active, store.selected),
    },
    { name: "onion", title: "Onion skins", keys: ["O"], group, run: toggle("onion") },
    {
      name: "curves",
      title: "Ease: motion curves of the selected joint, and easing",
      keys: ["E"],
      group,
      run: toggle("curves"),
    },
    { name: "graph", title: "Graph of the linking over time", keys: ["G"], group, run: toggle("graph") },
    { name: "compare", title: "Compare two methods", keys: ["D"], group, run: () => toggleComparison(editor) },
    { name: "theme", title: "Light or dark theme", keys: ["T"], group, run: toggleTheme },
    { name: "search", title: "Find an action", keys: ["Ctrl+K", "/"], group, run: () => openCommandSearch(editor) },
    { name: "next-region", title: "Next part of the page", keys: ["F6"], group, run: () => focusRegion(1) },
    {
      name: "previous-region",
      title: "Previous part of the page",
      keys: ["Shift+F6"],
      group,
      run: () => focusRegion(-1),
    },
    { name: "help", title: "Help and shortcuts", keys: ["?", "F1"], group, run: () => openHelp(editor.actions) },
  ];
}

/** Key the pose; the first key of a character comes with a hint how to go on. */
function keyPose(editor: Editor): void {
  const first = !store.state?.keys.some((key) => key.actor === store.active && key.kind === "pose");
  editor.command({ type: "set_key", actor: store.active, time_s: store.timeS });
  if (!first) return;
  const click = usesTouch() ? "tap" : "click";
  showMessage(`Keyed. Now ${click} further right in the timeline and change the pose: it is keyed automatically.`);
}

/** Show a second character posed by another method, or stop comparing. */
export function toggleComparison(editor: Editor): void {
  if (store.comparedMethod) {
    editor.compareWith(null);
    return;
  }
  const methods = store.welcome?.methods.map((method) => method.name) ?? [];
  const other = methods.findLast((method) => method !== activeActor()?.method) ?? methods[0];
  if (other) editor.compareWith(other);
}
