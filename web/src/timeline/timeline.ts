/** The timeline: transport controls, ruler, and a row of keys for every actor and every other keyed track. */
import { fill, h } from "../dom";
import type { Editor } from "../editor";
import type { State } from "../generated/messages";
import { notify, on, store } from "../store";
import { linkingGraph } from "../ui/linking_graph";
import { draggingKeys, keyButton, scrubsOver } from "./timeline_keys";
import { percentAt, type Row, tickTimes, timelineRows } from "./timeline_math";
import { TimelineZoom } from "./timeline_zoom";
import { transport } from "./transport";

const TAP_PX = 10;

export function timeline(editor: Editor): HTMLElement {
  const rows = h("div", { class: "rows" });
  const ruler = h("div", { class: "ruler" });
  const playhead = h("div", { class: "playhead", "aria-hidden": "true" });
  const lanes = h(
    "div",
    { class: "lanes", role: "slider", tabindex: 0, "aria-label": "Time", "aria-valuemin": 0 },
    ruler,
    rows,
    linkingGraph(),
    ...editor.features.flatMap((feature) => feature.lanes ?? []),
    playhead,
  );
  scrubOn(editor, lanes);

  let drawn = "";
  const drawRuler = () => fill(ruler, ...ticks(store.state?.duration_s ?? 0, zoom.visibleS()));
  const zoom = new TimelineZoom(lanes, drawRuler);
  const drawRows = () => {
    const state = store.state;
    if (!state || draggingKeys()) return;
    const content = JSON.stringify([
      state.keys,
      state.duration_s,
      state.objects.map((object) => [object.id, object.name]),
      state.actors.map((actor) => [actor.id, actor.name, actor.clip, actor.sampled_tracks]),
      store.active,
      [...store.selectedKeys],
    ]);
    if (content === drawn) return;
    drawn = content;
    drawRuler();
    const shown = timelineRows(state);
    fill(rows, ...shown.map((row) => rowElement(editor, row, state, shown.length > 1)));
  };
  const drawTime = () => {
    const share = store.timeS / (store.state?.duration_s || 1);
    playhead.style.left = `calc(14px + ${share} * (100% - 28px))`;
    zoom.keepPlayheadInView();
    lanes.setAttribute("aria-valuemax", String(store.state?.duration_s ?? 0));
    lanes.setAttribute("aria-valuenow", store.timeS.toFixed(2));
    lanes.setAttribute("aria-valuetext", `${store.timeS.toFixed(2)} seconds`);
  };
  on(["state", "selection"], drawRows);
  on(["time", "state"], drawTime);
  return h("footer", { class: "timeline", "aria-label": "Timeline" }, transport(editor), zoom.element);
}

function rowElement(editor: Editor, row: Row, state: State, named: boolean): HTMLElement {
  const style = editor.features.flatMap((feature) => feature.keys ?? []).find((one) => one.kind === row.kind);
  const active = row.actor === store.active || (row.object > 0 && row.object === store.selectedObject);
  const keys = state.keys.filter(
    (key) => key.actor === row.actor && key.object === row.object && key.kind === row.kind,
  );
  const element = h(
    "div",
    { class: `row ${active ? "on" : ""}`, "data-actor": row.actor, "data-kind": row.kind },
    ...(row.kind === "pose" ? bars(row.actor, state) : []),
    named && rowName(row, style?.title),
    ...keys.map((key) => keyButton(editor, key, style?.title)),
  );
  if (style) element.style.setProperty("--key", style.colour);
  return element;
}

/** The name of a row: a click selects its actor or object, and leaves the playhead where it is. */
function rowName(row: Row, track = ""): HTMLElement {
  const text = [row.name, track].filter(Boolean).join(" · ");
  const name = h("button", { class: "row-name", type: "button", title: `Select ${row.name}` }, text);
  name.addEventListener("pointerdown", (event) => event.stopPropagation());
  name.addEventListener("click", () => {
    if (row.object > 0) store.selectedObject = row.object;
    else if (row.actor !== store.active) [store.active, store.selected] = [row.actor, null];
    notify("selection", "state");
  });
  return name;
}

/** Bars behind an actor's pose keys: its clip, and the sampled tracks between keys. */
function bars(id: number, state: State): HTMLElement[] {
  const actor = state.actors.find((one) => one.id === id);
  const motion = store.motions.get(id);
  const found: HTMLElement[] = [];
  if (actor?.clip && motion) {
    const clip = h("span", { class: "clip", title: `Clip: ${actor.clip}` }, actor.clip);
    clip.style.width = percentAt((motion.frames - 1) / motion.fps, state.duration_s);
    found.push(clip);
  }
  for (const { name, start_s, end_s } of actor?.sampled_tracks ?? []) {
    const title = `${name}, from ${start_s.toFixed(2)} to ${end_s.toFixed(2)} s`;
    const bar = h("span", { class: "track-bar", title });
    bar.style.left = percentAt(start_s, state.duration_s);
    bar.style.width = percentAt(end_s - start_s, state.duration_s);
    found.push(bar);
  }
  return found;
}

function ticks(durationS: number, visibleS: number): HTMLElement[] {
  return tickTimes(durationS, visibleS).map((time) => {
    const tick = h("span", { class: "tick" }, `${time}${time === 0 ? " s" : ""}`);
    tick.style.left = percentAt(time, durationS);
    if (time > durationS - 0.03 * visibleS) tick.classList.add("last");
    return tick;
  });
}

/** Move the playhead by dragging over the lanes or with the arrow keys. */
function scrubOn(editor: Editor, lanes: HTMLElement): void {
  const seekTo = (event: PointerEvent) => {
    const box = lanes.querySelector(".ruler")!.getBoundingClientRect();
    editor.seek(((event.clientX - box.left) / box.width) * (store.state?.duration_s ?? 0));
  };
  lanes.addEventListener("pointerdown", (event) => {
    const key = (event.target as HTMLElement).closest<HTMLElement>(".key");
    if ((key && !scrubsOver(event, Number(key.dataset.key))) || event.button !== 0) return;
    editor.playback.stop();
    if (event.shiftKey) return selectByBox(lanes, event);
    store.selectedKeys.clear();
    lanes.setPointerCapture(event.pointerId);
    seekTo(event);
    const startX = event.clientX;
    lanes.onpointerup = (up) => {
      lanes.onpointerup = null;
      if (key && Math.abs(up.clientX - startX) <= TAP_PX) tapKey(editor, Number(key.dataset.key));
    };
    const actor = Number((event.target as HTMLElement).closest<HTMLElement>(".row")?.dataset.actor);
    if (actor && actor !== store.active) {
      store.active = actor;
      store.selected = null;
    }
    notify("selection", "state");
    lanes.onpointermove = seekTo;
  });
  lanes.addEventListener("pointerup", () => {
    lanes.onpointermove = null;
  });
  lanes.addEventListener("pointercancel", () => {
    lanes.onpointermove = lanes.onpointerup = null;
  });
  lanes.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (!step || event.target !== lanes) return;
    editor.seek(store.timeS + step / (store.state?.fps ?? 30));
    event.preventDefault();
  });
}

/** Add the keys, of any rows, that a box drawn over the timeline touches to the selection. */
function selectByBox(lanes: HTMLElement, start: PointerEvent): void {
  const box = h("div", { class: "key-box" });
  const already = new Set(store.selectedKeys);
  document.body.append(box);
  lanes.setPointerCapture(start.pointerId);
  const update = (event: PointerEvent) => {
    const [left, right] = [start.clientX, event.clientX].sort((a, b) => a - b);
    const [top, bottom] = [start.clientY, event.clientY].sort((a, b) => a - b);
    Object.assign(box.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
    store.selectedKeys = new Set(already);
    for (const key of lanes.querySelectorAll<HTMLElement>(".key")) {
      const at = key.getBoundingClientRect();
      const inside = at.right > left && at.left < right && at.bottom > top && at.top < bottom;
      if (inside) store.selectedKeys.add(Number(key.dataset.key));
      key.classList.toggle("on", store.selectedKeys.has(Number(key.dataset.key)));
    }
  };
  const end = () => {
    lanes.onpointermove = lanes.onpointerup = null;
    box.remove();
    notify("selection");
  };
  lanes.onpointermove = update;
  lanes.onpointerup = end;
  lanes.addEventListener("pointercancel", end, { once: true });
}

/** Select the key that was tapped with a finger, and go there. */
function tapKey(editor: Editor, id: number): void {
  const key = store.state?.keys.find((one) => one.id === id);
  if (!key) return;
  store.selectedKeys.add(key.id);
  editor.seek(key.time_s);
  notify("selection");
}
