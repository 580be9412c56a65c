/** Connect two keys without penetration: alternatives as cards, played side by side, one kept. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { WayFound, Ways } from "../generated/messages";
import { activeActor, floats, on, store } from "../store";
import type { Studio } from "../studio";

const PARTS: [string, string][] = [["left_ankle", "Left foot"], ["right_ankle", "Right foot"], ["left_wrist", "Left hand"], ["right_wrist", "Right hand"]];

export const install: Install = (studio) => {
  const planted = new Set<string>();
  const cards = h("div", { class: "ways" });
  const hint = h("p", { class: "hint" }, "Select two keys on the timeline.");
  const boxes = h("div", { class: "choices" }, ...PARTS.map(([joint, title]) => {
    const box = h("input", { type: "checkbox", "aria-label": `${title} stays planted` });
    box.addEventListener("change", () => (box.checked ? planted.add(joint) : planted.delete(joint)));
    return h("label", {}, box, ` ${title}`);
  }));
  const button = h("button", { type: "button", class: "wide connect", click: () => studio.run("connect-keys") }, "Connect without penetration");
  let asked = "", found: Ways | null = null;

  const keys = () => (store.state?.keys ?? []).filter((key) => store.selectedKeys.has(key.id) && key.kind === "pose" && key.actor === store.active);
  const ask = () => {
    const [first, second] = keys();
    if (!first || !second || keys().length !== 2) return;
    asked = studio.command({ type: "connect", actor: store.active, first: first.id, second: second.id, planted: [...planted] });
  };
  on(["state", "selection"], () => {
    const ready = keys().length === 2;
    button.toggleAttribute("disabled", !ready);
    hint.hidden = ready;
    if (found && found.actor !== store.active) fill(cards);
  });
  return {
    sections: [{ title: "Connect keys", element: h("div", {}, hint, h("span", {}, "Stays planted"), boxes, button, cards), order: 55, folded: true }],
    actions: [{ name: "connect-keys", title: "Connect two keys without penetration", keys: ["J"], group: "Time", run: ask }],
    receive(message) {
      if (message.type !== "ways" || message.job !== asked) return;
      found = message;
      show(studio, message, cards);
    },
  };
};

function show(studio: Studio, found: Ways, cards: HTMLElement): void {
  if (found.ways.length === 0) {
    fill(cards, h("p", { class: "hint" }, `No way: ${found.reason}`));
    return;
  }
  const both = h("button", { class: "wide", type: "button", click: () => play(studio, found, found.ways.slice(0, 2)) }, "Play side by side");
  fill(cards, ...found.ways.map((way, i) =>
    h("div", { class: "way" },
      h("strong", {}, way.title),
      sparkline(way),
      h("span", { class: "hint" }, `${way.length_rad.toFixed(1)} rad, ${Math.max(0, Math.floor(1000 * way.clearance_m))} mm clear`),
      h("button", { class: "wide", type: "button", "aria-label": `Preview ${way.title}`, click: () => play(studio, found, [way]) }, "Preview"),
      h("button", { class: "wide", type: "button", "aria-label": `Use ${way.title}`, click: () => studio.command({ type: "use_way", job: found.job, way: i }) }, "Use"),
    )), found.ways.length > 1 ? both : "");
}

/** The energy over time, on a logarithmic scale. */
function sparkline(way: WayFound): HTMLElement {
  const low = Math.min(...way.energy), high = Math.max(...way.energy, low + 0.1);
  const points = way.energy.map((e, i) => `${((100 * i) / Math.max(1, way.frames - 1)).toFixed(1)},${(30 - (28 * (e - low)) / (high - low)).toFixed(1)}`);
  const holder = h("div", { class: "energy", role: "img", "aria-label": `Energy over time of ${way.title}` });
  holder.innerHTML = `<svg viewBox="0 0 100 32" preserveAspectRatio="none" width="100%" height="32"><polyline fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke" points="${points.join(" ")}"/></svg>`;
  return holder;
}

/** Play one way on the body itself, a second on the body beside it; afterwards all is as it was. */
function play(studio: Studio, found: Ways, ways: WayFound[]): void {
  const actor = activeActor();
  const body = actor && studio.viewport.character(actor.id);
  if (!actor || !body) return;
  const before = body.q.slice();
  const poses = ways.map((way) => floats(way.q));
  const other = ways.length > 1 ? studio.viewport.showDuel(store.figures.get(actor.figure) ?? null) : null;
  const start = performance.now();
  const draw = (now: number) => {
    const frame = ((now - start) / 1000) * found.fps;
    const at = (i: number) => {
      const last = ways[i].frames - 1, size = poses[i].length / ways[i].frames;
      const row = Math.min(Math.floor(frame), last);
      return poses[i].slice(row * size, (row + 1) * size);
    };
    body.setPose(at(0));
    if (ways.length > 1) other?.setPose(at(1));
    studio.viewport.draw();
    if (frame < Math.max(...ways.map((way) => way.frames)) + 0.4 * found.fps) requestAnimationFrame(draw);
    else {
      body.setPose(before);
      if (other) studio.viewport.showDuel(null);
      studio.viewport.draw();
    }
  };
  requestAnimationFrame(draw);
}
