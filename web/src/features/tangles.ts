/** Tangles: pick two limbs in the picture, say how they are wound, see their writhe matrix. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { Chain, TangleMeasured } from "../generated/messages";
import { on, store } from "../store";
import type { Studio } from "../studio";
import type { Mode } from "../view/tools";

const MEASURE_MS = 80;
const STRONG = 0.25; // the entry that is drawn in full colour

interface Coordinate {
  name: "writhe" | "centre_first" | "centre_second" | "density";
  title: string;
  most: number;
}

const COORDINATES: Coordinate[] = [
  { name: "writhe", title: "Writhe", most: 1.5 },
  { name: "centre_first", title: "Centre along the first", most: 0.9 },
  { name: "centre_second", title: "Centre along the second", most: 0.9 },
  { name: "density", title: "Density", most: 1.57 },
];

export const install: Install = (studio) => {
  const panel = new TanglePanel(studio);
  return {
    sections: [{ title: "Tangle", element: panel.element, order: 50, folded: true }],
    actions: [{ name: "pick-tangle", title: "Pick two limbs to tangle", keys: ["W"], group: "Pose", run: () => panel.pick() }],
    keys: [{ kind: "tangle", title: "tangle", colour: "#7048e8" }],
    receive(message) {
      if (message.type === "tangle_measured") panel.show(message);
      if (message.type === "tangle_wound") panel.say(message.reached ? `Reached in ${message.steps} steps` : `Not reached: ${message.problem}`);
    },
  };
};

class TanglePanel {
  readonly element: HTMLElement;
  private chains: Chain[] = [];
  private readonly names = h("div", { class: "tangle-chains" });
  private readonly matrix = h("canvas", { class: "tangle-matrix", width: 220, height: 160, role: "img", "aria-label": "Writhe matrix" });
  private readonly note = h("p", { class: "note" }, "Pick two limbs: of one character, or of two.");
  private readonly sliders = new Map<string, HTMLInputElement>();
  private readonly wanted = new Map<string, HTMLInputElement>();
  private readonly keep = h("input", { type: "checkbox" });
  private readonly clip = h("input", { type: "checkbox" });
  private asked = 0;
  private dragged = 0; // the actor that was in someone's hands

  constructor(private readonly studio: Studio) {
    const rows = COORDINATES.map((one) => this.row(one));
    this.element = h("div", { class: "tangle" },
      h("button", { class: "wide", type: "button", title: "Click two limbs in the picture (W)", click: () => this.pick() }, "Pick two limbs"),
      this.names, this.matrix, ...rows,
      h("label", {}, this.clip, " Key the way there from the playhead on"),
      h("label", {}, this.keep, " The other character keeps the tangle when one is moved"),
      this.note,
    );
    on(["state", "pose", "time"], () => this.ask());
    on(["pose"], () => { if (store.dragging) this.dragged = store.active; });
    on(["state"], () => { if (!store.dragging) this.follow(); });
  }

  /** Let the next two clicks choose the chains. */
  pick(): void {
    this.chains = [];
    const mode: Mode = {
      hint: "Click the first limb",
      down: (at) => {
        const hit = this.studio.viewport.pick(at.x, at.y);
        return hit && { move: () => {}, cancel: () => {}, up: (_at, moved) => { if (!moved) this.choose(hit.actor, hit.joint, mode); } };
      },
    };
    this.studio.tools.enter(mode);
  }

  say(text: string): void {
    this.note.textContent = text;
  }

  show(found: TangleMeasured): void {
    draw(this.matrix, found);
    if (store.dragging) return;
    for (const { name } of COORDINATES) {
      const slider = this.sliders.get(name)!;
      if (document.activeElement !== slider) slider.value = String(found[name]);
    }
  }

  private choose(actor: number, joint: number, mode: Mode): void {
    const limbs = store.state?.features.tangles.actors.find((one) => one.actor === actor)?.limbs ?? [];
    const limb = limbs.find((one) => one.joints.includes(joint));
    if (!limb) return this.say("That part belongs to no limb.");
    this.chains.push({ actor, start: limb.start, end: limb.end });
    mode.hint = "Click the second limb";
    if (this.chains.length === 2) this.studio.tools.enter(null);
    this.drawNames();
    this.ask();
  }

  /** The two chains, each with a choice of its ends. */
  private drawNames(): void {
    fill(this.names, ...this.chains.map((chain, number) => {
      const ends = store.state?.features.tangles.actors.find((one) => one.actor === chain.actor)?.ends ?? [];
      const choice = (end: "start" | "end") => {
        const list = h("select", { "aria-label": `${end} of chain ${number + 1}`, change: () => { this.chains[number] = { ...chain, [end]: list.value }; this.drawNames(); this.ask(); } },
          ...ends.map((name) => h("option", { value: name, selected: name === chain[end] }, name.replaceAll("_", " "))));
        return list;
      };
      return h("div", {}, choice("start"), " to ", choice("end"));
    }));
  }

  private row({ name, title, most }: Coordinate): HTMLElement {
    const slider = h("input", { type: "range", min: -most, max: most, step: 0.01, value: 0, "aria-label": title, change: () => this.wind() });
    const asked = h("input", { type: "checkbox", title: `Ask for the ${title.toLowerCase()}`, checked: name === "writhe" });
    this.sliders.set(name, slider);
    this.wanted.set(name, asked);
    return h("label", { class: "tangle-row" }, asked, ` ${title} `, slider);
  }

  private wind(mover = store.active): void {
    const [first, second] = this.chains;
    if (!first || !second) return this.say("Pick two limbs first.");
    const value = (name: string) => (this.wanted.get(name)!.checked ? Number(this.sliders.get(name)!.value) : null);
    const moves = [first.actor, second.actor].includes(mover) ? mover : first.actor;
    this.say("Winding …");
    this.studio.command({
      type: "wind_tangle", first, second, mover: moves, writhe: Number(this.sliders.get("writhe")!.value),
      centre_first: value("centre_first"), centre_second: value("centre_second"), density: value("density"), as_clip: this.clip.checked,
    });
  }

  /** After a drag of one actor of the tangle, let the other one restore it. */
  private follow(): void {
    const moved = this.dragged;
    this.dragged = 0;
    const [first, second] = this.chains;
    if (!moved || !this.keep.checked || !first || !second || first.actor === second.actor) return;
    if (moved === first.actor) this.wind(second.actor);
    else if (moved === second.actor) this.wind(first.actor);
  }

  private ask(): void {
    const [first, second] = this.chains;
    const now = performance.now();
    if (!first || !second || now - this.asked < MEASURE_MS) return;
    this.asked = now;
    this.studio.connection.send({ type: "measure_tangle", first, second });
  }
}

/** Rows are the first chain's segments, from its start; red winds one way, blue the other. */
function draw(canvas: HTMLCanvasElement, { rows, columns, matrix, writhe, density }: TangleMeasured): void {
  const values = new Float32Array(matrix.slice().buffer);
  const context = canvas.getContext("2d");
  if (!context) return;
  const width = canvas.width / columns, height = canvas.height / rows;
  context.clearRect(0, 0, canvas.width, canvas.height);
  values.forEach((value, k) => {
    const share = Math.min(1, Math.abs(value) / STRONG);
    context.fillStyle = value > 0 ? `rgba(201, 42, 42, ${share})` : `rgba(25, 113, 194, ${share})`;
    context.fillRect((k % columns) * width, Math.floor(k / columns) * height, width - 1, height - 1);
  });
  canvas.title = `writhe ${writhe.toFixed(2)}, density ${density.toFixed(2)}`;
}
