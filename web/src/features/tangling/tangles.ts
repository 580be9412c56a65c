/** Tangles: pick two chains in the view, set how they wind around each other, see their writhe matrix. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { PartnerPose, TangleGoal, Winding } from "../../generated/messages";
import { plainName } from "../../labels";
import { floats } from "../../sampled_motion";
import { on, store } from "../../store";
import {
  CHAIN_COLOURS,
  type Chain,
  ChainMarkers,
  chainPoints,
  chainsOf,
  chainTitle,
  sameChain,
} from "../../tangles/chains";
import { TangleWinder } from "../../tangles/drive_tangle";
import { pickChains } from "../../tangles/pick_chains";
import { CoordinateSliders } from "../../tangles/sliders";
import { matrixPicture } from "../../tangles/writhe_matrix";
import { reveal } from "../../ui/section";
import { showMessage } from "../../ui/toast";

const MEASURE_MS = 80;
const panels = new WeakMap<Editor, TanglePanel>();

/** The panel with the picked chains, which tangle keys read; none before this feature is installed. */
export function tanglePanel(editor: Editor): TanglePanel | undefined {
  return panels.get(editor);
}

export const install: Install = (editor) => {
  const panel = new TanglePanel(editor);
  panels.set(editor, panel);
  editor.panels.tangles = panel;
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
  readonly winder: TangleWinder;
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
  private readonly sliders = new CoordinateSliders(
    (held) => this.wind(held),
    () => this.found && this.show(this.found),
  );
  private readonly body: HTMLElement;
  private measuredAt = 0; // when the last measurement was requested, ms
  private later = 0;

  constructor(private readonly editor: Editor) {
    this.winder = new TangleWinder(editor);
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
      ...this.sliders.rows,
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
    pickChains(this.editor, {
      preview: (chain) => {
        this.preview = chain;
        this.editor.viewport.draw();
      },
      missed: () => this.setNote("This part belongs to no limb: drag from one end of a chain to the other."),
      picked: (index, chain) => this.setChain(index, chain),
    });
  }

  /** Take a picked chain; false when it is the same as the first one. */
  private setChain(index: number, chain: Chain): boolean {
    if (index === 1 && sameChain(chain, this.chains[0]!)) {
      this.setNote("This is the first chain; pick another one.");
      return false;
    }
    this.chains[index] = chain;
    this.picking = index + 1;
    this.chainsChanged();
    return true;
  }

  /** Show a tangle that was keyed. */
  load(goal: TangleGoal, movers: number[]): void {
    [this.chains, this.movers] = [[goal.first as Chain, goal.second as Chain], [...movers]];
    this.sliders.setTargets(goal);
    this.chainsChanged();
  }

  /** The target tangle; null until two chains are picked. */
  get goal(): TangleGoal | null {
    const [first, second] = this.chains;
    if (!first || !second) return null;
    return {
      first,
      second,
      writhe: this.sliders.target("writhe") ?? 0, // always constrained
      centre_first: this.sliders.target("centre_first"),
      centre_second: this.sliders.target("centre_second"),
      density: this.sliders.target("density"),
    };
  }

  setNote(text: string): void {
    this.note.textContent = text;
    this.note.hidden = !text;
  }

  /** Show the current winding in the matrix and beside the sliders. */
  show(found: Winding): void {
    this.found = found;
    const target = {
      centre_first: this.sliders.target("centre_first"),
      centre_second: this.sliders.target("centre_second"),
    };
    fill(this.matrix, matrixPicture(found, target));
    this.sliders.show(found, !this.winder.active);
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

  private drawNames(): void {
    const ready = this.chains.every(Boolean);
    this.body.hidden = !ready;
    if (!ready) fill(this.matrix);
    fill(this.names, ...this.chains.map((chain, index) => chain && this.chainRow(chain, index)));
  }

  /** The title of a chain, with selects for its ends or its strand. */
  private chainRow(chain: Chain, index: number): HTMLElement {
    const change = (changed: Chain) => {
      if (chainPoints(this.editor.viewport, changed).length < 2 && !changed.object) return;
      this.chains[index] = changed;
      this.chainsChanged();
    };
    const select = (what: string, value: string, names: string[], choose: (name: string) => void) => {
      const options = names.map((name) => h("option", { value: name, selected: name === value }, plainName(name)));
      const label = `${what} of chain ${index + 1}`;
      const list = h("select", { "aria-label": label, change: () => choose(list.value) }, ...options);
      return list;
    };
    const ends = chainsOf(chain.actor)?.ends.map((end) => end.name) ?? [];
    const all = store.state?.features.tangles.strands ?? [];
    const strands = all.filter((one) => one.object === chain.object).map((one) => one.name);
    const setStart = (start: string) => change({ ...chain, start });
    const setEnd = (end: string) => change({ ...chain, end });
    const selects = chain.object
      ? [select("Strand", chain.start, strands, setStart)]
      : [select("Start", chain.start, ends, setStart), "to", select("End", chain.end, ends, setEnd)];
    const dot = h("span", { class: "tangle-dot", "aria-hidden": "true" }, String(index + 1));
    dot.style.background = CHAIN_COLOURS[index];
    const title = h("strong", {}, chainTitle(chain));
    return h("div", { class: "tangle-chain" }, dot, title, h("div", { class: "tangle-ends" }, ...selects));
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
