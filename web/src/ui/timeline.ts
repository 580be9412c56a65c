/** The timeline: transport, ruler, a row of keys for each actor and whatever else has keys. */
import { fill, h } from "../dom";
import { KeyState, State } from "../generated/messages";
import { icon } from "../icons";
import { on, store, tell } from "../store";
import type { Studio } from "../editor";
import { linkingGraph } from "./graph";
import { say } from "./toast";
import { iconButton } from "./topbar";

const TAP_PX = 10;

export function timeline(studio: Studio): HTMLElement {
  const rows = h("div", { class: "rows" });
  const ruler = h("div", { class: "ruler" });
  const head = h("div", { class: "playhead", "aria-hidden": "true" });
  const lanes = h("div", { class: "lanes", role: "slider", tabindex: 0, "aria-label": "Time", "aria-valuemin": 0 }, ruler, rows, linkingGraph(), ...studio.features.flatMap((feature) => feature.lanes ?? []), head);
  scrubbing(studio, lanes);

  let drawn = "";
  const drawRows = () => {
    const state = store.state;
    if (!state) return;
    const stamp = JSON.stringify([state.keys, state.duration_s, state.things.map((t) => [t.id, t.name]), state.actors.map((a) => [a.id, a.name, a.clip, a.ways]), store.active, [...store.selectedKeys]]);
    if (stamp === drawn) return;
    drawn = stamp;
    fill(ruler, ...ticks(state.duration_s));
    const named = rowsOf(state);
    fill(rows, ...named.map((row) => rowElement(studio, row, state, named.length > 1)));
  };
  const drawTime = () => {
    const share = store.timeS / (store.state?.duration_s || 1);
    head.style.left = `calc(14px + ${share} * (100% - 28px))`;
    lanes.setAttribute("aria-valuemax", String(store.state?.duration_s ?? 0));
    lanes.setAttribute("aria-valuenow", store.timeS.toFixed(2));
    lanes.setAttribute("aria-valuetext", `${store.timeS.toFixed(2)} seconds`);
  };
  on(["state", "selection", "time"], drawRows);
  on(["time", "state"], drawTime);
  return h("footer", { class: "timeline", "aria-label": "Timeline" }, transport(studio), lanes);
}

interface Row {
  actor: number;
  thing: number;
  kind: string;
  name: string;
}

/** A row of pose keys for each actor, and one for every other kind of keys that there are. */
function rowsOf(state: State): Row[] {
  const rows: Row[] = [];
  const others = (actor: number, thing: number, name: string) => {
    const kinds = new Set(state.keys.filter((key) => key.actor === actor && key.thing === thing && key.kind !== "pose").map((key) => key.kind));
    for (const kind of kinds) rows.push({ actor, thing, kind, name });
  };
  for (const { id, name } of state.actors) {
    rows.push({ actor: id, thing: 0, kind: "pose", name });
    others(id, 0, name);
  }
  for (const { id, name } of state.things) others(0, id, name);
  others(0, 0, "");
  return rows;
}

function rowElement(studio: Studio, row: Row, state: State, named: boolean): HTMLElement {
  const actor = state.actors.find((one) => one.id === row.actor && row.kind === "pose");
  const motion = actor && store.motions.get(actor.id);
  const clip = actor?.clip && motion ? h("span", { class: "clip", title: `Clip: ${actor.clip}` }, actor.clip) : null;
  if (clip) clip.style.width = percent((motion!.frames - 1) / motion!.fps);
  const ways = (actor?.ways ?? []).map((way) => {
    const bar = h("span", { class: "way-bar", title: `${way.name}, from ${way.start_s.toFixed(2)} to ${way.end_s.toFixed(2)} s` });
    bar.style.left = percent(way.start_s);
    bar.style.width = percent(way.end_s - way.start_s);
    return bar;
  });
  const look = studio.features.flatMap((feature) => feature.keys ?? []).find((one) => one.kind === row.kind);
  const element = h(
    "div",
    { class: `row ${row.actor === store.active || (row.thing > 0 && row.thing === store.selectedThing) ? "on" : ""}`, "data-actor": row.actor, "data-kind": row.kind },
    clip,
    ...ways,
    named && h("span", { class: "row-name" }, [row.name, look?.title].filter(Boolean).join(" · ")),
    ...state.keys.filter((key) => key.actor === row.actor && key.thing === row.thing && key.kind === row.kind).map((key) => keyButton(studio, key)),
  );
  if (look) element.style.setProperty("--key", look.colour);
  return element;
}

function percent(timeS: number): string {
  return `${(100 * timeS) / (store.state?.duration_s || 1)}%`;
}

/** A mark every second or so, whatever the length. */
function ticks(duration: number): HTMLElement[] {
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600].find((one) => duration / one <= 12) ?? 1200;
  const marks: HTMLElement[] = [];
  for (let k = 0; k * step <= duration + 1e-6; k++) {
    const mark = h("span", { class: "tick" }, `${Number((k * step).toFixed(2))}${k === 0 ? " s" : ""}`);
    mark.style.left = percent(k * step);
    if (k * step > 0.97 * duration) mark.classList.add("last");
    marks.push(mark);
  }
  return marks;
}

function scrubbing(studio: Studio, lanes: HTMLElement): void {
  const at = (event: PointerEvent) => {
    const box = lanes.querySelector(".ruler")!.getBoundingClientRect();
    studio.seek(((event.clientX - box.left) / box.width) * (store.state?.duration_s ?? 0));
  };
  lanes.addEventListener("pointerdown", (event) => {
    const key = (event.target as HTMLElement).closest<HTMLElement>(".key");
    if ((key && !scrubsOver(event, Number(key.dataset.key))) || event.button !== 0) return;
    studio.playback.stop();
    if (!event.shiftKey) store.selectedKeys.clear();
    lanes.setPointerCapture(event.pointerId);
    at(event);
    const startX = event.clientX;
    lanes.onpointerup = (up) => {
      lanes.onpointerup = null;
      if (!key || Math.abs(up.clientX - startX) > TAP_PX) return;
      const tapped = store.state?.keys.find((one) => one.id === Number(key.dataset.key));
      if (!tapped) return;
      store.selectedKeys.add(tapped.id);
      studio.seek(tapped.time_s);
      tell("selection");
    };
    const actor = (event.target as HTMLElement).closest<HTMLElement>(".row")?.dataset.actor;
    if (Number(actor) && Number(actor) !== store.active) {
      store.active = Number(actor);
      store.selected = null;
    }
    tell("selection", "state");
    lanes.onpointermove = at;
  });
  lanes.addEventListener("pointerup", () => (lanes.onpointermove = null));
  lanes.addEventListener("pointercancel", () => (lanes.onpointermove = lanes.onpointerup = null));
  lanes.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (!step || event.target !== lanes) return;
    studio.seek(store.timeS + step / (store.state?.fps ?? 30));
    event.preventDefault();
  });
}

/** A finger moves the playhead, also where a key lies under it: only a selected key is dragged by finger. */
function scrubsOver(event: PointerEvent, key: number): boolean {
  return event.pointerType === "touch" && !store.selectedKeys.has(key);
}

/** A key that can be selected, dragged along, and moved with the arrow keys. */
function keyButton(studio: Studio, { id, kind, time_s: timeS, ease }: KeyState): HTMLElement {
  const name = kind === "pose" ? "Key" : `${kind.charAt(0).toUpperCase()}${kind.slice(1)} key`;
  const button = h("button", {
    class: `key ${ease} ${store.selectedKeys.has(id) ? "on" : ""}`, type: "button", "data-key": id,
    title: `${name} at ${timeS.toFixed(2)} s. Drag to move (by finger: tap it first), Delete to remove.`, "aria-label": `${name} at ${timeS.toFixed(2)} seconds`,
  });
  button.style.left = percent(timeS);
  let startX = 0, shift = 0, held = false;
  const snap = (seconds: number) => Math.round(seconds * store.state!.fps) / store.state!.fps;
  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || scrubsOver(event, id)) return;
    event.stopPropagation();
    if (!store.selectedKeys.has(id)) {
      if (!event.shiftKey) store.selectedKeys.clear();
      store.selectedKeys.add(id);
    }
    document.querySelectorAll<HTMLElement>(".key").forEach((one) => one.classList.toggle("on", store.selectedKeys.has(Number(one.dataset.key))));
    button.setPointerCapture(event.pointerId);
    [startX, shift, held] = [event.clientX, 0, true];
  });
  button.addEventListener("pointermove", (event) => {
    if (!held) return;
    const width = button.closest(".lanes")!.querySelector(".ruler")!.clientWidth;
    shift = snap(((event.clientX - startX) / width) * store.state!.duration_s);
    for (const key of store.state!.keys) {
      if (!store.selectedKeys.has(key.id)) continue;
      const other = document.querySelector<HTMLElement>(`.key[data-key="${key.id}"]`);
      if (other) other.style.left = percent(Math.max(0, key.time_s + shift));
    }
  });
  const drop = () => {
    if (!held) return;
    held = false;
    if (shift) {
      studio.command({ type: "move_keys", keys: [...store.selectedKeys], by_s: shift });
      if (store.selectedKeys.size === 1) say(`Moved the key from ${timeS.toFixed(2)} to ${Math.max(0, timeS + shift).toFixed(2)} s.`);
    } else studio.seek(timeS);
    tell("selection");
  };
  button.addEventListener("pointerup", drop);
  button.addEventListener("pointercancel", drop);
  button.addEventListener("focus", () => {
    if (!held && !store.selectedKeys.has(id)) {
      store.selectedKeys.clear();
      store.selectedKeys.add(id);
      button.classList.add("on");
    }
  });
  button.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (!step) return;
    studio.command({ type: "move_keys", keys: [id], by_s: step / store.state!.fps });
    event.preventDefault();
  });
  return button;
}

const EASES = [["smooth", "Smooth"], ["linear", "Even"], ["hold", "Hold"]];

function chosenPoseKeys(): KeyState[] {
  return (store.state?.keys ?? []).filter((key) => key.kind === "pose" && store.selectedKeys.has(key.id));
}

function transport(studio: Studio): HTMLElement {
  const run = (name: string) => studio.run(name);
  const play = iconButton("play", "Play (Space)", () => run("play"), "play");
  const clock = h("output", { class: "clock", "aria-label": "Time at the playhead" });
  const record = iconButton("record", "Record the next drag as motion (Shift+K)", () => run("record"), "record");
  const onion = iconButton("onion", "Onion skins: see the neighbouring keys (O)", () => run("onion"));
  const graph = iconButton("graph", "How limbs wind around each other over time (G)", () => run("graph"));
  const loop = iconButton("loop", "Repeat", () => { store.loop = !store.loop; tell("options"); });
  const speed = h("select", { "aria-label": "Speed", title: "Speed of playback", class: "compact" }, ...[0.1, 0.25, 0.5, 1, 2].map((value) => h("option", { value, selected: value === 1 }, `${value}×`)));
  speed.addEventListener("change", () => (store.speed = Number(speed.value)));
  const length = h("input", { type: "number", class: "compact", min: 0.1, max: 3600, step: 0.5, "aria-label": "Length in seconds", title: "Length of the timeline in seconds. Exported files end with the last key or clip" });
  length.addEventListener("change", () => {
    const value = Number(length.value);
    if (value >= 0.1 && value <= 3600) studio.command({ type: "set_timeline", duration_s: value, fps: store.state!.fps });
  });
  const rate = h("input", { type: "number", class: "compact", min: 1, max: 240, step: 1, "aria-label": "Frames a second", title: "Frames a second, here and in exported files" });
  rate.addEventListener("change", () => {
    const value = Number(rate.value);
    if (value >= 1 && value <= 240) studio.command({ type: "set_timeline", duration_s: store.state!.duration_s, fps: value });
  });
  const ease = h("select", { class: "ease", "aria-label": "Easing of the selected keys", title: "How the motion goes on from the selected keys" }, ...EASES.map(([value, text]) => h("option", { value }, text)));
  const easeLabel = h("label", { class: "inline", hidden: true }, h("span", {}, "Ease"), ease);
  ease.addEventListener("change", () => studio.command({ type: "set_ease", keys: chosenPoseKeys().map((key) => key.id), ease: ease.value as "smooth" }));
  on(["selection", "time", "state"], () => {
    const chosen = chosenPoseKeys();
    easeLabel.hidden = chosen.length === 0;
    if (chosen.length) ease.value = chosen[0].ease;
  });
  const pressed = (button: HTMLElement, on: boolean) => button.setAttribute("aria-pressed", String(on));
  on(["options"], () => {
    fill(play, icon(store.playing ? "pause" : "play") as unknown as Node);
    play.setAttribute("aria-label", store.playing ? "Pause (Space)" : "Play (Space)");
    pressed(record, store.recording);
    pressed(onion, store.onion);
    pressed(loop, store.loop);
    pressed(graph, store.graph);
  });
  on(["time", "state"], () => {
    const state = store.state;
    if (!state) return;
    clock.textContent = `${store.timeS.toFixed(2)} s`;
    if (document.activeElement !== rate) rate.value = String(Number(state.fps.toFixed(3)));
    if (document.activeElement !== length) length.value = String(Number(state.duration_s.toFixed(2)));
  });
  return h(
    "div",
    { class: "transport" },
    iconButton("first", "To the start (Home)", () => run("first"), "roomy"),
    iconButton("before", "Previous key ([)", () => run("previous-key"), "roomy"),
    play,
    iconButton("after", "Next key (])", () => run("next-key"), "roomy"),
    clock,
    h("span", { class: "rule" }),
    h("button", { class: "wide key-button", type: "button", title: "Key the pose at the playhead (K)", click: () => run("key") }, icon("key") as unknown as Node, "Key"),
    record,
    onion,
    graph,
    loop,
    easeLabel,
    h("span", { class: "space" }),
    h("label", { class: "inline" }, h("span", {}, "Speed"), speed),
    h("label", { class: "inline roomy" }, h("span", {}, "Rate"), rate),
    h("label", { class: "inline" }, h("span", { class: "keep" }, "Length"), length),
  );
}
