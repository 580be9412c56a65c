/** Tangles: pick two chains in the view, set how they wind around each other, see their writhe matrix. */
import { fill, h } from "../dom";
import type { Editor } from "../editor";
import type { Install } from "../feature";
import type { PartnerPose, TangleGoal, Winding } from "../generated/messages";
import { plainName } from "../labels";
import { floats } from "../motion";
import { on, store } from "../store";
import {
  CHAIN_COLOURS,
  type Chain,
  ChainMarkers,
  chainBetween,
  chainPoints,
  chainsOf,
  chainTitle,
  limbAt,
  pickEnd,
  sameChain,
} from "../tangles/chains";
import { matrixPicture } from "../tangles/matrix";
import { Winder } from "../tangles/winder";
import { reveal } from "../ui/section";
import { showMessage } from "../ui/toast";
import type { Mode } from "../view/tools";

const MEASURE_MS = 80;
const MIN_WRITHE = 0.03; // below it, centre and density are undefined

type Name = "writhe" | "centre_first" | "centre_second" | "density";
interface Coordinate {
  name: Name;
  title: string;
  about: string;
  max: number;
}

const COORDINATES: Coordinate[] = [
  {
    name: "writhe",
    title: "Writhe",
    about: "How far the chains wind around each other; 1 is a full turn, the sign is the direction",
    max: 1.5,
  },
  {
    name: "centre_first",
    title: "Centre 1",
    about: "Position along the first chain: −1 at its start (the large knob), 1 at its end",
    max: 0.9,
  },
  {
    name: "centre_second",
    title: "Centre 2",
    about: "Position along the second chain: −1 at its start (the large knob), 1 at its end",
    max: 0.9,
  },
  {
    name: "density",
    title: "Density",
    about: "Which chain winds: 0 both equally, 0.79 the first around the second, −0.79 the second around the first",
    max: 1.57,
  },
];

interface Slider {
  range: HTMLInputElement;
  number: HTMLInputElement;
  constrained: HTMLInputElement;
  now: HTMLElement;
}

export const install: Install = (editor) => {
  const panel = new TanglePanel(editor);
  editor.tangles = panel;
  return {
    sections: [
      {
        title: "Tangle",
        element: panel.element,
        order: 50,
        folded: true,
        about: "Wind two limbs around each other, as in an embrace or folded arms, by a slider",
      },
    ],
    actions: [
      { name: "pick-tangle", title: "Pick two chains to tangle", keys: ["W"], group: "Pose", run: () => panel.pick() },
    ],
    receive(message) {
      if (message.type === "tangle_measured") panel.show(message.winding);
      else if (message.type === "wind_step_result") panel.winder.receive(message);
      else if (message.type === "wind_result") panel.wound(message.reached, message.problem);
      else if (message.type === "drag_result" && message.features?.partner) panel.followed(message.features.partner);
    },
  };
};

/** The two picked chains and the target of their tangle. */
export class TanglePanel {
  readonly element: HTMLElement;
  readonly winder: Winder;
  chains: (Chain | null)[] = [null, null];
  movers: number[] = [];
  found: Winding | null = null;
  private preview: Chain | null = null; // while a chain is being picked
  private picking = 0; // index of the chain that the next press picks
  private readonly names = h("div", { class: "tangle-chains" });
  private readonly matrix = h("div", { class: "tangle-matrix" });
  private readonly moverChips = h("div", { class: "chips", role: "radiogroup", "aria-label": "Who moves" });
  private readonly moverRow = h("div", { class: "field" }, h("span", {}, "Moves"), this.moverChips);
  private readonly note = h("p", { class: "note", role: "status" });
  private readonly keep = h("input", { type: "checkbox", change: () => this.sendKeptTangle() });
  private readonly keepRow = h(
    "label",
    {
      class: "check",
      title: "While you drag one character of the tangle, the other one moves along so that the tangle stays",
    },
    this.keep,
    " The other character keeps the tangle while you drag",
  );
  private readonly sliders = new Map<Name, Slider>();
  private readonly body: HTMLElement;
  private measuredAt = 0; // when the last measurement was requested, ms
  private later = 0;

  constructor(private readonly editor: Editor) {
    this.winder = new Winder(editor);
    this.winder.onWinding = (winding) => this.show(winding);
    this.winder.onEnd = (reached) => this.setNote(reached ? "" : "Trying another path …");
    new ChainMarkers(editor.viewport, () =>
      this.shown
        ? [
            this.preview && this.picking === 0 ? this.preview : this.chains[0],
            this.preview && this.picking === 1 ? this.preview : this.chains[1],
          ]
        : [],
    );
    this.body = h(
      "div",
      { class: "tangle", hidden: true },
      this.matrix,
      ...COORDINATES.map((one) => this.row(one)),
      this.moverRow,
      this.keepRow,
    );
    this.element = h(
      "div",
      { class: "tangle" },
      h(
        "button",
        {
          class: "wide",
          type: "button",
          title: "Click two limbs in the view, or drag from one end of a chain to the other (W)",
          click: () => this.pick(),
        },
        "Pick two chains",
      ),
      this.names,
      this.body,
      this.note,
    );
    this.setNote(
      "Click two limbs, or drag from one end of a chain to its other end, such as from the head to a hand. " +
        "The chains can belong to one character, to two or to an object.",
    );
    on(["state", "pose", "time"], () => this.measure());
    on(["state", "selection"], () => this.drawMovers());
    on(["state"], () => this.dropRemoved());
    on(["link"], () => editor.link === "open" && this.sendKeptTangle());
  }

  /** Whether the chains are drawn over the view: while the section is open or a mode is active. */
  private get shown(): boolean {
    return !store.playing && (this.editor.tools.mode !== null || this.element.closest("details")?.open === true);
  }

  /** Pick the two chains with the next two presses. */
  pick(): void {
    reveal(this.element);
    store.hasDragged = true; // hides the hint for the first drag, which would be in the way
    [this.chains, this.picking, this.preview, this.found] = [[null, null], 0, null, null];
    this.drawNames();
    this.setNote("");
    const hints = ["Click a limb, or drag from one end of a chain to the other", "Now the second chain"];
    const { viewport, tools } = this.editor;
    const mode: Mode = {
      hint: hints[0],
      down: (at) => {
        const from = pickEnd(viewport, at);
        if (!from) return null;
        const whole = from.strand ?? limbAt(from);
        const show = (chain: Chain | null) => {
          this.preview = chain;
          viewport.draw();
        };
        show(whole);
        const chainAt = (here: typeof at) => {
          const to = from.strand ? null : pickEnd(viewport, here);
          return (to && chainBetween(from, to)) ?? null;
        };
        let path: Chain | null = null;
        return {
          move: (here) => {
            path = chainAt(here) ?? path;
            show(path ?? whole);
          },
          cancel: () => show(null),
          up: (here, moved) => {
            show(null);
            const chain = (moved ? (chainAt(here) ?? path) : null) ?? whole;
            if (!chain) return this.setNote("This part belongs to no limb: drag from one end of a chain to the other.");
            if (this.picking === 1 && sameChain(chain, this.chains[0]!))
              return this.setNote("This is the first chain; pick another one.");
            this.chains[this.picking++] = chain;
            mode.hint = hints[this.picking] ?? "";
            this.chainsChanged();
            tools.enter(this.picking === 2 ? null : mode);
          },
        };
      },
      hover: (at) => at !== null && pickEnd(viewport, at) !== null,
      onLeave: () => {
        this.preview = null;
        viewport.draw();
      },
    };
    tools.enter(mode);
  }

  /** Show a tangle that was keyed. */
  load(goal: TangleGoal, movers: number[]): void {
    [this.chains, this.movers] = [[goal.first as Chain, goal.second as Chain], [...movers]];
    for (const { name } of COORDINATES) {
      const slider = this.sliders.get(name)!,
        value = goal[name] ?? null;
      slider.constrained.checked = name === "writhe" || value !== null;
      if (value !== null) this.setSlider(slider, value);
    }
    this.chainsChanged();
  }

  /** The target tangle; null until two chains are picked. */
  get goal(): TangleGoal | null {
    const [first, second] = this.chains;
    if (!first || !second) return null;
    const value = (name: Name) =>
      this.sliders.get(name)!.constrained.checked ? Number(this.sliders.get(name)!.range.value) : null;
    return {
      first,
      second,
      writhe: Number(this.sliders.get("writhe")!.range.value),
      centre_first: value("centre_first"),
      centre_second: value("centre_second"),
      density: value("density"),
    };
  }

  setNote(text: string): void {
    this.note.textContent = text;
    this.note.hidden = !text;
  }

  /** Show the current winding in the matrix and beside the sliders. */
  show(found: Winding): void {
    this.found = found;
    const [one, two] = [this.sliders.get("centre_first")!, this.sliders.get("centre_second")!].map(
      ({ constrained, range }) => (constrained.checked ? Number(range.value) : null),
    );
    fill(this.matrix, matrixPicture(found, { centre_first: one, centre_second: two }));
    for (const { name } of COORDINATES) {
      const slider = this.sliders.get(name)!;
      slider.now.textContent =
        name !== "writhe" && Math.abs(found.writhe) < MIN_WRITHE
          ? ""
          : `now ${(Math.round(100 * found[name]) / 100 || 0).toFixed(2).replace("-", "−")}`;
      const free = !this.winder.active && document.activeElement !== slider.number;
      if (free && (name === "writhe" || !slider.constrained.checked)) this.setSlider(slider, found[name]);
    }
    if (!store.dragging) this.sendKeptTangle();
  }

  /** Show the result of the search in the background. */
  wound(reached: boolean, problem: string): void {
    this.setNote(reached ? "" : `Not reached: ${problem}.`);
    if (!reached) showMessage(`Not reached: ${problem}.`, "problem");
  }

  /** Show the pose of the other character, which has followed a drag. */
  followed({ actor, q, winding }: PartnerPose): void {
    this.editor.viewport.character(actor)?.setPose(floats(q));
    this.show(winding);
  }

  /** Update everything that depends on the picked chains. */
  private chainsChanged(): void {
    const here = this.chains.map((chain) => chain?.actor ?? 0).filter(Boolean);
    const movable = here.includes(store.active) ? [store.active] : here.slice(0, 1);
    if (!this.movers.length || !this.movers.every((actor) => here.includes(actor))) this.movers = movable;
    this.drawNames();
    this.drawMovers();
    this.measuredAt = 0;
    this.measure();
    this.editor.viewport.draw();
  }

  /** Clear the chains when their actor or object has been removed. */
  private dropRemoved(): void {
    const gone = this.chains.some(
      (chain) =>
        chain &&
        (chain.object
          ? !store.state?.objects.some((one) => one.id === chain.object)
          : !chainsOf(chain.actor)?.ends.some((end) => end.name === chain.start)),
    );
    if (!gone) return;
    this.chains = [null, null];
    this.keep.checked = false;
    this.drawNames();
  }

  /** The titles of the two chains, each with selects for its ends. */
  private drawNames(): void {
    const ready = this.chains.every(Boolean);
    this.body.hidden = !ready;
    if (!ready) fill(this.matrix);
    fill(
      this.names,
      ...this.chains.map((chain, number) => {
        if (!chain) return null;
        const change = (changed: Chain) => {
          if (chainPoints(this.editor.viewport, changed).length < 2 && !changed.object) return;
          this.chains[number] = changed;
          this.chainsChanged();
        };
        const list = (label: string, value: string, options: string[], act: (value: string) => void) => {
          const select = h(
            "select",
            { "aria-label": label, change: () => act(select.value) },
            ...options.map((name) => h("option", { value: name, selected: name === value }, plainName(name))),
          );
          return select;
        };
        const ends = chainsOf(chain.actor)?.ends.map((end) => end.name) ?? [];
        const strands =
          store.state?.features.tangles.strands.filter((one) => one.object === chain.object).map((one) => one.name) ??
          [];
        const dot = h("span", { class: "tangle-dot", "aria-hidden": "true" }, String(number + 1));
        dot.style.background = CHAIN_COLOURS[number];
        return h(
          "div",
          { class: "tangle-chain" },
          dot,
          h("strong", {}, chainTitle(chain)),
          h(
            "div",
            { class: "tangle-ends" },
            ...(chain.object
              ? [list(`Strand of chain ${number + 1}`, chain.start, strands, (start) => change({ ...chain, start }))]
              : [
                  list(`Start of chain ${number + 1}`, chain.start, ends, (start) => change({ ...chain, start })),
                  "to",
                  list(`End of chain ${number + 1}`, chain.end, ends, (end) => change({ ...chain, end })),
                ]),
          ),
        );
      }),
    );
  }

  /** Choice of the character that moves, or both. */
  private drawMovers(): void {
    const here = [...new Set(this.chains.map((chain) => chain?.actor ?? 0).filter(Boolean))];
    this.moverRow.hidden = this.keepRow.hidden = here.length < 2;
    if (here.length < 2) return;
    const choices = [...here.map((actor) => [actor]), here];
    const name = (actor: number) => store.state?.actors.find((one) => one.id === actor)?.name ?? "";
    fill(
      this.moverChips,
      ...choices.map((movers) => {
        const on = movers.join() === this.movers.join();
        return h(
          "button",
          {
            class: `chip ${on ? "on" : ""}`,
            type: "button",
            role: "radio",
            "aria-checked": String(on),
            title: movers.length > 1 ? "Both move towards the tangle" : `Only ${name(movers[0])} moves`,
            click: () => {
              this.movers = movers;
              this.drawMovers();
            },
          },
          movers.length > 1 ? "Both" : name(movers[0]),
        );
      }),
    );
  }

  private row({ name, title, about, max }: Coordinate): HTMLElement {
    const range = h("input", { type: "range", min: -max, max, step: 0.01, value: 0, "aria-label": title });
    const number = h("input", {
      type: "number",
      class: "compact",
      min: -max,
      max,
      step: 0.05,
      value: 0,
      "aria-label": `${title}, as a number`,
    });
    const constrained = h("input", {
      type: "checkbox",
      title: "Constrain this coordinate; unchecked, it is free",
      "aria-label": `Constrain ${title.toLowerCase()}`,
      checked: name === "writhe",
      disabled: name === "writhe",
      change: () => this.found && this.show(this.found),
    });
    const now = h("span", { class: "tangle-now" });
    const slider = { range, number, constrained, now };
    this.sliders.set(name, slider);
    const act = (value: number, held: boolean) => {
      if (!Number.isFinite(value)) return;
      this.setSlider(slider, Math.min(max, Math.max(-max, value)));
      constrained.checked = true;
      this.wind(held);
    };
    range.addEventListener("input", () => act(Number(range.value), true));
    range.addEventListener("change", () => act(Number(range.value), false));
    number.addEventListener("change", () => act(Number(number.value), false));
    return h(
      "div",
      { class: "tangle-row", title: about },
      h("label", {}, constrained, ` ${title}`),
      now,
      number,
      range,
    );
  }

  private setSlider(slider: Slider, value: number): void {
    slider.range.value = String(value);
    slider.number.value = (Math.round(100 * value) / 100 || 0).toFixed(2); // avoids −0.00
  }

  private wind(held: boolean): void {
    const goal = this.goal;
    if (!goal) return;
    if (this.editor.link !== "open") {
      this.setNote("No connection to the server; try again when it is back.");
      return;
    }
    this.setNote("");
    this.editor.playback.stop();
    this.winder.wind(goal, this.movers, held);
  }

  /** Send the tangle that the other character keeps during a drag. */
  private sendKeptTangle(): void {
    const goal = this.goal;
    const kept =
      this.keep.checked && goal && this.found
        ? { ...goal, writhe: Math.min(2, Math.max(-2, this.found.writhe)) }
        : null;
    if (kept || !this.keep.checked) this.editor.connection.send({ type: "keep_tangle", tangle: kept });
  }

  /** Request the current winding, at most once in MEASURE_MS. */
  private measure(): void {
    const [first, second] = this.chains;
    const now = performance.now();
    if (!first || !second || this.winder.active || this.editor.link !== "open") return;
    clearTimeout(this.later);
    if (now - this.measuredAt < MEASURE_MS) {
      this.later = window.setTimeout(() => this.measure(), MEASURE_MS);
      return;
    }
    this.measuredAt = now;
    this.editor.connection.send({ type: "measure_tangle", first, second });
  }
}
