/** Playback controls, keying, easing, frame rate and length: the row above the timeline. */
import { fill, h } from "../dom";
import type { Editor } from "../editor";
import type { KeyState } from "../generated/messages";
import { icon } from "../icons";
import { notify, on, store } from "../store";
import { iconButton } from "../ui/buttons";
import { EASE_NAMES } from "./easing";

const STRETCHES: [number, string][] = [
  [0.5, "Half the time"],
  [0.8, "80 % of the time"],
  [1.25, "125 % of the time"],
  [2, "Twice the time"],
];
const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
const MIN_LENGTH_S = 0.1;
const MAX_LENGTH_S = 3600;
const MAX_FPS = 240;

export function transport(editor: Editor): HTMLElement {
  const run = (name: string) => editor.run(name);
  const clock = h("output", { class: "clock", "aria-label": "Time at the playhead" });
  on(["time", "state"], () => {
    if (store.state) clock.textContent = `${store.timeS.toFixed(2)} s`;
  });
  const key = h(
    "button",
    { class: "wide key-button", type: "button", title: "Key the pose at the playhead (K)", click: () => run("key") },
    icon("key"),
    "Key",
  );
  return h(
    "div",
    { class: "transport" },
    iconButton("first", "To the start (Home)", () => run("first"), "roomy"),
    iconButton("before", "Previous key ([)", () => run("previous-key"), "roomy"),
    playButton(editor),
    iconButton("after", "Next key (])", () => run("next-key"), "roomy"),
    clock,
    h("span", { class: "rule" }),
    key,
    ...editor.features.flatMap((feature) => feature.timeButtons ?? []),
    ...toggles(editor),
    easing(editor),
    h("span", { class: "space" }),
    h("label", { class: "inline without-selection" }, h("span", {}, "Speed"), speed()),
    h("label", { class: "inline roomy without-selection" }, h("span", {}, "FPS"), frameRate(editor)),
    h("label", { class: "inline" }, h("span", { class: "keep" }, "Length"), length(editor)),
  );
}

function playButton(editor: Editor): HTMLElement {
  const play = iconButton("play", "Play (Space)", () => editor.run("play"), "play");
  on(["options"], () => {
    fill(play, icon(store.playing ? "pause" : "play"));
    play.setAttribute("aria-label", store.playing ? "Pause (Space)" : "Play (Space)");
  });
  return play;
}

/** Buttons that switch recording, onion skins, the linking graph, the curves and looping on and off. */
function toggles(editor: Editor): HTMLElement[] {
  const toggle = (name: string, label: string, run: () => void, isOn: () => boolean, extra = "") => {
    const button = iconButton(name, label, run, extra);
    on(["options"], () => button.setAttribute("aria-pressed", String(isOn())));
    return button;
  };
  const run = (name: string) => () => editor.run(name);
  const toggleLoop = () => {
    store.loop = !store.loop;
    notify("options");
  };
  return [
    toggle("record", "Record the next drag as motion (Shift+K)", run("record"), () => store.recording, "record"),
    toggle("onion", "Onion skins: show the neighbouring keys (O)", run("onion"), () => store.onion),
    toggle("graph", "Graph of how the limbs wind around each other (G)", run("graph"), () => store.graph),
    toggle("curve", "Motion curves of the selected joint, and easing (E)", run("curves"), () => store.curves),
    toggle("loop", "Loop", toggleLoop, () => store.loop),
  ];
}

function selectedPoseKeys(): KeyState[] {
  return (store.state?.keys ?? []).filter((key) => key.kind === "pose" && store.selectedKeys.has(key.id));
}

/** Easing of the selected pose keys; hidden while none is selected. */
function easing(editor: Editor): HTMLElement {
  const select = h(
    "select",
    {
      class: "ease",
      "aria-label": "Easing of the selected keys",
      title: "Interpolation from the selected keys to the next ones",
    },
    ...Object.entries(EASE_NAMES).map(([value, text]) => h("option", { value }, text)),
    h("option", { value: "custom" }, "Custom curve …"),
  );
  const stretch = h(
    "select",
    {
      class: "ease",
      "aria-label": "Stretch the time between the selected keys",
      title: "Stretch the time between the selected keys; the first one stays",
    },
    h("option", { value: "" }, "Stretch …"),
    ...STRETCHES.map(([factor, text]) => h("option", { value: factor }, text)),
  );
  stretch.addEventListener("change", () => {
    const factor = Number(stretch.value);
    stretch.value = "";
    if (factor) editor.command({ type: "stretch_keys", keys: [...store.selectedKeys], factor });
  });
  const flip = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Swap left and right in these keys (Shift+M)",
      click: () => editor.run("flip-keys"),
    },
    "Flip",
  );
  const label = h("label", { class: "inline key-tools", hidden: true }, h("span", {}, "Ease"), select, stretch, flip);
  select.addEventListener("change", () => {
    const keys = selectedPoseKeys().map((key) => key.id);
    if (select.value !== "custom") editor.command({ type: "set_ease", keys, ease: select.value });
    else if (!store.curves) editor.run("curves");
  });
  on(["selection", "time", "state"], () => {
    const selected = selectedPoseKeys();
    label.hidden = selected.length === 0;
    stretch.hidden = store.selectedKeys.size < 2;
    if (selected.length) select.value = selected[0].ease in EASE_NAMES ? selected[0].ease : "custom";
  });
  return label;
}

function speed(): HTMLElement {
  const select = h(
    "select",
    { "aria-label": "Speed", title: "Speed of playback", class: "compact" },
    ...SPEEDS.map((value) => h("option", { value, selected: value === 1 }, `${value}×`)),
  );
  select.addEventListener("change", () => {
    store.speed = Number(select.value);
  });
  return select;
}

function length(editor: Editor): HTMLElement {
  const input = h("input", {
    type: "number",
    class: "compact",
    min: MIN_LENGTH_S,
    max: MAX_LENGTH_S,
    step: 0.5,
    "aria-label": "Length in seconds",
    title: "Length of the timeline in seconds. Exported files end at the last key or at the end of the clip",
  });
  // a double click selects one group of digits only: 12.14 would keep the rest
  input.addEventListener("dblclick", () => input.select());
  input.addEventListener("focus", () => input.select());
  input.addEventListener("change", () => {
    const value = Number(input.value);
    if (!(value >= MIN_LENGTH_S && value <= MAX_LENGTH_S)) return;
    editor.command({ type: "set_timeline", duration_s: value, fps: store.state!.fps });
  });
  on(["time", "state"], () => {
    if (!store.state || document.activeElement === input) return;
    input.value = String(Number(store.state.duration_s.toFixed(2)));
  });
  return input;
}

function frameRate(editor: Editor): HTMLElement {
  const input = h("input", {
    type: "number",
    class: "compact",
    min: 1,
    max: MAX_FPS,
    step: 1,
    "aria-label": "Frames per second",
    title: "Frames per second, here and in exported files",
  });
  input.addEventListener("change", () => {
    const value = Number(input.value);
    if (!(value >= 1 && value <= MAX_FPS)) return;
    editor.command({ type: "set_timeline", duration_s: store.state!.duration_s, fps: value });
  });
  on(["time", "state"], () => {
    if (!store.state || document.activeElement === input) return;
    input.value = String(Number(store.state.fps.toFixed(3)));
  });
  return input;
}
