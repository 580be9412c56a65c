/** Connect two keys without penetration: alternatives as cards, played side by side, one kept. */
import { fill, h, svg } from "../dom";
import { Install } from "../feature";
import { WayFound, Ways } from "../generated/messages";
import { activeActor, floats, on, store } from "../store";
import type { Studio } from "../editor";
import { reveal } from "../ui/section";
import { say } from "../ui/toast";

const PARTS: [string, string][] = [["left_ankle", "Left foot"], ["right_ankle", "Right foot"], ["left_wrist", "Left hand"], ["right_wrist", "Right hand"]];
const AFTER_S = 0.6; // how long the last pose of a preview stays

export const install: Install = (studio) => {
  const panel = new ConnectPanel(studio);
  return {
    sections: [{ title: "Connect keys", element: panel.element, order: 55, folded: true, about: "Several ways round from one key to another, to choose from: for poses that cannot simply be blended" }],
    actions: [{ name: "connect-keys", title: "Connect two keys without penetration", keys: ["J"], group: "Time", run: () => panel.ask() }],
    receive(message) {
      if (message.type === "ways") panel.show(message);
      else if (message.type === "job" && message.status !== "running") panel.ended(message.job);
    },
  };
};

class ConnectPanel {
  readonly element: HTMLElement;
  private readonly planted = new Set<string>();
  private readonly cards = h("div", { class: "ways" });
  private readonly hint = h("p", { class: "note", role: "status" });
  private readonly button: HTMLButtonElement;
  private readonly boxes: HTMLElement;
  private readonly both = h("button", { class: "wide", type: "button", title: "Two ways at once, one in each half of the picture", click: () => this.playTwo() }, "Play side by side");
  private chosen: number[] = []; // the ways that are compared, the last two ticked
  private asked = "";
  private found: Ways | null = null;
  private playing = 0;
  private offered = "";

  constructor(private readonly studio: Studio) {
    this.button = h("button", { type: "button", class: "wide primary", title: "Find ways between the two selected keys (J)", click: () => this.ask() }, "Connect without penetration");
    this.boxes = h("div", { class: "choices" });
    this.element = h("div", { class: "connect" }, h("span", { class: "soft" }, "Stays planted"), this.boxes, this.button, this.hint, this.cards);
    on(["state", "selection"], () => this.draw());
  }

  ask(): void {
    const [first, second] = this.keys();
    reveal(this.element);
    if (!first || !second) {
      say("Select two pose keys of one character on the timeline: click one, Shift+click the other.");
      return;
    }
    this.found = null;
    fill(this.cards);
    this.asked = this.studio.command({ type: "connect", actor: store.active, first: first.id, second: second.id, planted: [...this.planted] });
    this.draw();
  }

  show(found: Ways): void {
    if (found.job !== this.asked) return;
    [this.asked, this.found, this.chosen] = ["", found, found.ways.length > 1 ? [0, 1] : []];
    this.drawCards();
    this.draw();
    if (!found.ways.length) say(`No way: ${found.reason}.`, "problem");
  }

  /** Failed or cancelled: nothing more will come. */
  ended(job: string): void {
    if (job !== this.asked) return;
    this.asked = "";
    this.draw();
  }

  /** The two pose keys to connect: the first and the last of those selected. */
  private keys(): { id: number; time_s: number }[] {
    const own = (store.state?.keys ?? []).filter((key) => key.kind === "pose" && key.actor === store.active).sort((a, b) => a.time_s - b.time_s);
    const selected = own.filter((key) => store.selectedKeys.has(key.id));
    if (selected.length >= 2) return [selected[0], selected.at(-1)!];
    return [];
  }

  private draw(): void {
    const [first, second] = this.keys();
    const joints = store.figures.get(activeActor()?.figure ?? "")?.joints.map((joint) => joint.name) ?? [];
    const parts = PARTS.filter(([joint]) => joints.includes(joint));
    const stamp = parts.join() + store.active;
    if (stamp !== this.offered) {
      this.offered = stamp;
      this.planted.clear();
      for (const pin of activeActor()?.pins ?? []) if (parts.some(([name]) => name === joints[pin.joint])) this.planted.add(joints[pin.joint]);
      fill(this.boxes, ...parts.map(([joint, title]) => {
        const box = h("input", { type: "checkbox", checked: this.planted.has(joint), change: () => (box.checked ? this.planted.add(joint) : this.planted.delete(joint)) });
        return h("label", { class: "check", title: `${title} stays where it is from the first key to the last` }, box, ` ${title}`);
      }));
    }
    this.button.disabled = !second || this.asked !== "";
    this.button.textContent = this.asked ? "Looking for ways …" : "Connect without penetration";
    this.hint.textContent = second ? `From ${first.time_s.toFixed(2)} s to ${second.time_s.toFixed(2)} s; whatever is keyed in between is replaced.` : "Select two pose keys on the timeline: click one, Shift+click the other.";
    if (this.found && this.found.actor !== store.active) {
      this.found = null;
      fill(this.cards);
    }
  }

  private drawCards(): void {
    const found = this.found;
    if (!found) return fill(this.cards);
    if (!found.ways.length) return fill(this.cards, h("p", { class: "note problem" }, `No way: ${found.reason}.`));
    const scale = { low: Math.min(...found.ways.flatMap((way) => way.energy)), high: Math.max(...found.ways.flatMap((way) => way.energy)) };
    fill(this.cards, ...found.ways.map((way, i) => this.card(found, way, i, scale)), found.ways.length > 1 && this.both);
  }

  private card(found: Ways, way: WayFound, i: number, scale: { low: number; high: number }): HTMLElement {
    const compare = h("input", { type: "checkbox", "aria-label": `Compare ${way.title}`, title: "One of the two that are played side by side", checked: this.chosen.includes(i), change: () => this.tick(i) });
    return h("div", { class: "way" },
      h("div", { class: "line" }, h("strong", { title: way.about }, way.title), found.ways.length > 1 && h("label", { class: "check soft" }, compare, " compare")),
      energyGraph(way, scale, found.duration_s),
      h("p", { class: "note" }, `${way.about}. ${way.length_rad.toFixed(1)} rad of movement, ${way.clearance_m < 0.001 ? "touching" : `${Math.floor(1000 * way.clearance_m)} mm clear`}.`),
      h("div", { class: "grid" },
        h("button", { class: "wide", type: "button", "aria-label": `Preview ${way.title}`, click: () => this.play([i]) }, "Preview"),
        h("button", { class: "wide primary", type: "button", "aria-label": `Use ${way.title}`, title: "Make it part of the timeline", click: () => this.use(found, i) }, "Use")));
  }

  private tick(i: number): void {
    this.chosen = this.chosen.includes(i) ? this.chosen.filter((one) => one !== i) : [...this.chosen.slice(-1), i];
    this.drawCards();
  }

  private use(found: Ways, i: number): void {
    this.playing++;
    this.studio.command({ type: "use_way", job: found.job, way: i });
    say(`${found.ways[i].title}: now between the two keys. Ctrl+Z takes it back.`);
  }

  private playTwo(): void {
    if (this.chosen.length < 2) return say("Tick two ways to compare.");
    this.play([...this.chosen].sort());
  }

  /** Play one way on the body itself, a second on the body beside it; afterwards all is as it was. */
  private play(numbers: number[]): void {
    const { viewport } = this.studio;
    const found = this.found, actor = activeActor();
    const body = actor && viewport.character(actor.id);
    if (!found || !actor || !body) return;
    this.studio.playback.stop();
    const turn = ++this.playing;
    const ways = numbers.map((i) => found.ways[i]), poses = ways.map((way) => floats(way.q));
    const other = ways.length > 1 ? viewport.showDuel(store.figures.get(actor.figure) ?? null) : null;
    const labels = ways.length > 1 ? h("div", { class: "way-labels" }, ...ways.map((way) => h("span", {}, way.title))) : null;
    if (labels) viewport.canvas.after(labels);
    const marks = numbers.map((i) => this.cards.querySelectorAll<SVGElement>(".energy-now")[i]);
    const start = performance.now();
    const draw = (now: number) => {
      const share = Math.min(1, (now - start) / 1000 / found.duration_s);
      const at = (i: number) => {
        const size = poses[i].length / ways[i].frames, row = Math.round(share * (ways[i].frames - 1));
        return poses[i].slice(row * size, (row + 1) * size);
      };
      body.setPose(at(0));
      if (ways.length > 1) other?.setPose(at(1));
      marks.forEach((mark) => { mark?.setAttribute("transform", `translate(${100 * share} 0)`); mark?.removeAttribute("visibility"); });
      viewport.draw();
      if (turn === this.playing && (now - start) / 1000 < found.duration_s + AFTER_S) return void requestAnimationFrame(draw);
      marks.forEach((mark) => mark?.setAttribute("visibility", "hidden"));
      labels?.remove();
      if (other && turn === this.playing) viewport.showDuel(null);
      this.studio.seek(store.timeS); // back to what the document says
    };
    requestAnimationFrame(draw);
  }
}

/** The energy over time, on a logarithmic scale that all alternatives share. */
function energyGraph(way: WayFound, { low, high }: { low: number; high: number }, duration: number): HTMLElement {
  const span = Math.max(high - low, 0.1);
  const points = way.energy.map((e, i) => `${((100 * i) / Math.max(1, way.energy.length - 1)).toFixed(1)},${(38 - (34 * (e - low)) / span).toFixed(1)}`);
  const lines = svg("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none" },
    svg("polyline", { points: points.join(" ") }),
    svg("line", { class: "energy-now", x1: 0, x2: 0, y1: 0, y2: 40, visibility: "hidden" }));
  return h("div", { class: "energy", role: "img", "aria-label": `Energy over time of ${way.title}`, title: "Energy over time, logarithmic: high where parts are close together" },
    lines as unknown as Node, h("span", { class: "energy-caption" }, "energy"), h("span", { class: "energy-caption end" }, `${duration.toFixed(1)} s`));
}
