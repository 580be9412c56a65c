/** Tangles: pick two chains in the picture, say how they are wound, see their writhe matrix. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { Followed, TangleGoal, Winding } from "../generated/messages";
import { floats, on, store } from "../store";
import type { Studio } from "../editor";
import { Chain, ChainMarks, chainsOf, COLOURS, limbAt, pathBetween, pointsOf, same, titleOf, touched, words } from "../tangles/chains";
import { matrixPicture } from "../tangles/matrix";
import { Winder } from "../tangles/winder";
import { reveal } from "../ui/section";
import { say } from "../ui/toast";
import type { Mode } from "../view/tools";

const MEASURE_MS = 80;
const VAGUE = 0.03; // below this writhe centre and density mean nothing

type Name = "writhe" | "centre_first" | "centre_second" | "density";
interface Coordinate {
  name: Name;
  title: string;
  about: string;
  most: number;
}

const COORDINATES: Coordinate[] = [
  { name: "writhe", title: "Writhe", about: "How far they wind around each other, and in which sense; 1 is a whole turn", most: 1.5 },
  { name: "centre_first", title: "Centre 1", about: "Where on the first chain: −1 at its start (the large knob), 1 at its end", most: 0.9 },
  { name: "centre_second", title: "Centre 2", about: "Where on the second chain: −1 at its start (the large knob), 1 at its end", most: 0.9 },
  { name: "density", title: "Density", about: "Which one winds: 0 both alike, 0.79 the first around the second, −0.79 the second around the first", most: 1.57 },
];

interface Slider {
  range: HTMLInputElement;
  number: HTMLInputElement;
  asked: HTMLInputElement;
  now: HTMLElement;
}

export const install: Install = (studio) => {
  const panel = new TanglePanel(studio);
  studio.tangles = panel;
  return {
    sections: [{ title: "Tangle", element: panel.element, order: 50, folded: true, about: "Wind two limbs around each other, as in an embrace or folded arms, by a slider" }],
    actions: [{ name: "pick-tangle", title: "Pick two chains to tangle", keys: ["W"], group: "Pose", run: () => panel.pick() }],
    receive(message) {
      if (message.type === "tangle_measured") panel.show(message.winding);
      else if (message.type === "tangle_stepped") panel.winder.receive(message);
      else if (message.type === "tangle_wound") panel.wound(message.reached, message.problem);
      else if (message.type === "answer" && message.features?.partner) panel.followed(message.features.partner);
    },
  };
};

/** The two chains that are picked, and what is asked of them. */
export class TanglePanel {
  readonly element: HTMLElement;
  readonly winder: Winder;
  chains: (Chain | null)[] = [null, null];
  movers: number[] = [];
  found: Winding | null = null;
  private preview: Chain | null = null; // a chain in the making
  private picking = 0; // the chain that the next press chooses
  private readonly names = h("div", { class: "tangle-chains" });
  private readonly matrix = h("div", { class: "tangle-matrix" });
  private readonly who = h("div", { class: "chips", role: "radiogroup", "aria-label": "Who moves" });
  private readonly whoRow = h("div", { class: "field" }, h("span", {}, "Moves"), this.who);
  private readonly note = h("p", { class: "note", role: "status" });
  private readonly keep = h("input", { type: "checkbox", change: () => this.sendKept() });
  private readonly keepRow = h("label", { class: "check", title: "While you drag one character of the tangle, the other one moves along so that it stays" }, this.keep, " The other one keeps it while you drag");
  private readonly sliders = new Map<Name, Slider>();
  private readonly body: HTMLElement;
  private asked = 0;
  private later = 0;

  constructor(private readonly studio: Studio) {
    this.winder = new Winder(studio);
    this.winder.onWinding = (winding) => this.show(winding);
    this.winder.onEnd = (reached) => this.say(reached ? "" : "Looking for another way …");
    new ChainMarks(studio.viewport, () => (this.shown ? [this.preview && this.picking === 0 ? this.preview : this.chains[0], this.preview && this.picking === 1 ? this.preview : this.chains[1]] : []));
    this.body = h("div", { class: "tangle", hidden: true }, this.matrix, ...COORDINATES.map((one) => this.row(one)), this.whoRow, this.keepRow);
    this.element = h("div", { class: "tangle" },
      h("button", { class: "wide", type: "button", title: "Click two limbs in the picture, or drag from one end of a chain to the other (W)", click: () => this.pick() }, "Pick two chains"),
      this.names, this.body, this.note,
    );
    this.say("Click two limbs, or drag from one end of a chain to its other end: head to hand, across the body. Of one character, of two, or of an object.");
    on(["state", "pose", "time"], () => this.ask());
    on(["state", "selection"], () => this.drawWho());
    on(["state"], () => this.forget());
    on(["link"], () => studio.link === "open" && this.sendKept());
  }

  /** Whether chains are drawn over the picture: while they are worked on. */
  private get shown(): boolean {
    return !store.playing && (this.studio.tools.mode !== null || this.element.closest("details")?.open === true);
  }

  /** Let the next two presses choose the chains. */
  pick(): void {
    reveal(this.element);
    store.touched = true; // the hint for the first drag would be in the way
    [this.chains, this.picking, this.preview, this.found] = [[null, null], 0, null, null];
    this.drawNames();
    this.say("");
    const hints = ["Click a limb, or drag from one end of a chain to the other", "Now the second one"];
    const { viewport, tools } = this.studio;
    const mode: Mode = {
      hint: hints[0],
      down: (at) => {
        const from = touched(viewport, at);
        if (!from) return null;
        const whole = from.strand ?? limbAt(from);
        const show = (chain: Chain | null) => {
          this.preview = chain;
          viewport.draw();
        };
        show(whole);
        const chainAt = (here: typeof at) => {
          const to = from.strand ? null : touched(viewport, here);
          return (to && pathBetween(from, to)) ?? null;
        };
        let path: Chain | null = null;
        return {
          move: (here) => show((path = chainAt(here) ?? path) ?? whole),
          cancel: () => show(null),
          up: (here, moved) => {
            show(null);
            const chain = (moved ? (chainAt(here) ?? path) : null) ?? whole;
            if (!chain) return this.say("That part belongs to no limb: drag from one end of a chain to the other.");
            if (this.picking === 1 && same(chain, this.chains[0]!)) return this.say("That is the first chain; pick another one.");
            this.chains[this.picking++] = chain;
            mode.hint = hints[this.picking] ?? "";
            this.chosen();
            tools.enter(this.picking === 2 ? null : mode);
          },
        };
      },
      hover: (at) => at !== null && touched(viewport, at) !== null,
      left: () => {
        this.preview = null;
        viewport.draw();
      },
    };
    tools.enter(mode);
  }

  /** Take over a tangle that was keyed. */
  load(goal: TangleGoal, movers: number[]): void {
    [this.chains, this.movers] = [[goal.first as Chain, goal.second as Chain], [...movers]];
    for (const { name } of COORDINATES) {
      const slider = this.sliders.get(name)!, value = goal[name] ?? null;
      slider.asked.checked = name === "writhe" || value !== null;
      if (value !== null) this.put(slider, value);
    }
    this.chosen();
  }

  /** What is asked for; null until two chains are picked. */
  get goal(): TangleGoal | null {
    const [first, second] = this.chains;
    if (!first || !second) return null;
    const value = (name: Name) => (this.sliders.get(name)!.asked.checked ? Number(this.sliders.get(name)!.range.value) : null);
    return { first, second, writhe: Number(this.sliders.get("writhe")!.range.value), centre_first: value("centre_first"), centre_second: value("centre_second"), density: value("density") };
  }

  say(text: string): void {
    this.note.textContent = text;
    this.note.hidden = !text;
  }

  show(found: Winding): void {
    this.found = found;
    const [one, two] = [this.sliders.get("centre_first")!, this.sliders.get("centre_second")!].map(({ asked, range }) => (asked.checked ? Number(range.value) : null));
    fill(this.matrix, matrixPicture(found, { centre_first: one, centre_second: two }) as unknown as Node);
    for (const { name } of COORDINATES) {
      const slider = this.sliders.get(name)!;
      slider.now.textContent = name !== "writhe" && Math.abs(found.writhe) < VAGUE ? "" : `now ${(Math.round(100 * found[name]) / 100 || 0).toFixed(2).replace("-", "−")}`;
      const free = !this.winder.active && document.activeElement !== slider.number;
      if (free && (name === "writhe" || !slider.asked.checked)) this.put(slider, found[name]);
    }
    if (!store.dragging) this.sendKept();
  }

  wound(reached: boolean, problem: string): void {
    this.say(reached ? "" : `Not reached: ${problem}.`);
    if (!reached) say(`Not reached: ${problem}.`, "problem");
  }

  /** The other one went along with a drag. */
  followed({ actor, q, winding }: Followed): void {
    this.studio.viewport.character(actor)?.setPose(floats(q));
    this.show(winding);
  }

  /** Two chains are there, or others than before. */
  private chosen(): void {
    const here = this.chains.map((chain) => chain?.actor ?? 0).filter(Boolean);
    const movable = here.includes(store.active) ? [store.active] : here.slice(0, 1);
    if (!this.movers.length || !this.movers.every((actor) => here.includes(actor))) this.movers = movable;
    this.drawNames();
    this.drawWho();
    this.asked = 0;
    this.ask();
    this.studio.viewport.draw();
  }

  /** Chains of what is gone are let go of. */
  private forget(): void {
    const gone = this.chains.some((chain) => chain && (chain.thing ? !store.state?.things.some((one) => one.id === chain.thing) : !chainsOf(chain.actor)?.ends.some((end) => end.name === chain.start)));
    if (!gone) return;
    this.chains = [null, null];
    this.keep.checked = false;
    this.drawNames();
  }

  /** The two chains, each with a choice of its ends. */
  private drawNames(): void {
    const ready = this.chains.every(Boolean);
    this.body.hidden = !ready;
    if (!ready) fill(this.matrix);
    fill(this.names, ...this.chains.map((chain, number) => {
      if (!chain) return null;
      const change = (fresh: Chain) => {
        if (pointsOf(this.studio.viewport, fresh).length < 2 && !fresh.thing) return;
        this.chains[number] = fresh;
        this.chosen();
      };
      const list = (label: string, value: string, options: string[], act: (value: string) => void) => {
        const select = h("select", { "aria-label": label, change: () => act(select.value) }, ...options.map((name) => h("option", { value: name, selected: name === value }, words(name))));
        return select;
      };
      const ends = chainsOf(chain.actor)?.ends.map((end) => end.name) ?? [];
      const strands = store.state?.features.tangles.strands.filter((one) => one.thing === chain.thing).map((one) => one.name) ?? [];
      const dot = h("span", { class: "tangle-dot", "aria-hidden": "true" }, String(number + 1));
      dot.style.background = COLOURS[number];
      return h("div", { class: "tangle-chain" }, dot, h("strong", {}, titleOf(chain)),
        h("div", { class: "tangle-ends" }, ...(chain.thing
          ? [list(`Strand of chain ${number + 1}`, chain.start, strands, (start) => change({ ...chain, start }))]
          : [list(`Start of chain ${number + 1}`, chain.start, ends, (start) => change({ ...chain, start })), "to", list(`End of chain ${number + 1}`, chain.end, ends, (end) => change({ ...chain, end }))])));
    }));
  }

  /** Who moves: either character, or both. */
  private drawWho(): void {
    const here = [...new Set(this.chains.map((chain) => chain?.actor ?? 0).filter(Boolean))];
    this.whoRow.hidden = this.keepRow.hidden = here.length < 2;
    if (here.length < 2) return;
    const choices = [...here.map((actor) => [actor]), here];
    const name = (actor: number) => store.state?.actors.find((one) => one.id === actor)?.name ?? "";
    fill(this.who, ...choices.map((movers) => {
      const on = movers.join() === this.movers.join();
      return h("button", { class: `chip ${on ? "on" : ""}`, type: "button", role: "radio", "aria-checked": String(on), title: movers.length > 1 ? "Both move towards the tangle" : `Only ${name(movers[0])} moves`, click: () => { this.movers = movers; this.drawWho(); } }, movers.length > 1 ? "Both" : name(movers[0]));
    }));
  }

  private row({ name, title, about, most }: Coordinate): HTMLElement {
    const range = h("input", { type: "range", min: -most, max: most, step: 0.01, value: 0, "aria-label": title });
    const number = h("input", { type: "number", class: "compact", min: -most, max: most, step: 0.05, value: 0, "aria-label": `${title}, as a number` });
    const asked = h("input", { type: "checkbox", title: "Ask for it; otherwise it may become what it likes", "aria-label": `Ask for ${title.toLowerCase()}`, checked: name === "writhe", disabled: name === "writhe", change: () => this.found && this.show(this.found) });
    const now = h("span", { class: "tangle-now" });
    const slider = { range, number, asked, now };
    this.sliders.set(name, slider);
    const act = (value: number, held: boolean) => {
      if (!Number.isFinite(value)) return;
      this.put(slider, Math.min(most, Math.max(-most, value)));
      asked.checked = true;
      this.wind(held);
    };
    range.addEventListener("input", () => act(Number(range.value), true));
    range.addEventListener("change", () => act(Number(range.value), false));
    number.addEventListener("change", () => act(Number(number.value), false));
    return h("div", { class: "tangle-row", title: about }, h("label", {}, asked, ` ${title}`), now, number, range);
  }

  private put(slider: Slider, value: number): void {
    slider.range.value = String(value);
    slider.number.value = (Math.round(100 * value) / 100 || 0).toFixed(2); // no minus zero
  }

  private wind(held: boolean): void {
    const goal = this.goal;
    if (!goal) return;
    if (this.studio.link !== "open") return this.say("The server is away; try again when it is back.");
    this.say("");
    this.studio.playback.stop();
    this.winder.wind(goal, this.movers, held);
  }

  /** Tell the server what is to be kept while one is dragged. */
  private sendKept(): void {
    const goal = this.goal;
    const kept = this.keep.checked && goal && this.found ? { ...goal, writhe: Math.min(2, Math.max(-2, this.found.writhe)) } : null;
    if (kept || !this.keep.checked) this.studio.connection.send({ type: "keep_tangle", tangle: kept });
  }

  private ask(): void {
    const [first, second] = this.chains;
    const now = performance.now();
    if (!first || !second || this.winder.active || this.studio.link !== "open") return;
    clearTimeout(this.later);
    if (now - this.asked < MEASURE_MS) {
      this.later = window.setTimeout(() => this.ask(), MEASURE_MS);
      return;
    }
    this.asked = now;
    this.studio.connection.send({ type: "measure_tangle", first, second });
  }
}
