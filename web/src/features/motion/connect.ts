/** Connects two keys without penetration: alternative paths as cards, previewed side by side, one of them used. */
import { fill, h, svg } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { FoundPath, FoundPaths } from "../../generated/messages";
import { floats } from "../../sampled_motion";
import { activeActor, on, store } from "../../store";
import { reveal } from "../../ui/section";
import { showMessage } from "../../ui/toast";

const PARTS: [string, string][] = [
  ["left_ankle", "Left foot"],
  ["right_ankle", "Right foot"],
  ["left_wrist", "Left hand"],
  ["right_wrist", "Right hand"],
];
const HOLD_END_S = 0.6; // how long a preview shows its last pose

export const install: Install = (editor) => {
  const panel = new ConnectPanel(editor);
  return {
    sections: [
      {
        title: "Connect keys",
        element: panel.element,
        order: 55,
        folded: true,
        about:
          "Plans several paths from one key to another to choose from, for poses that cannot simply be interpolated",
      },
    ],
    actions: [
      {
        name: "connect-keys",
        title: "Connect two keys without penetration",
        keys: ["J"],
        group: "Time",
        run: () => panel.search(),
      },
    ],
    receive(message) {
      if (message.type === "found_paths") panel.show(message);
      else if (message.type === "job" && message.status !== "running") panel.end(message.job);
    },
  };
};

class ConnectPanel {
  readonly element: HTMLElement;
  private readonly planted = new Set<string>();
  private readonly cards = h("div", { class: "paths" });
  private readonly hint = h("p", { class: "note", role: "status" });
  private readonly button: HTMLButtonElement;
  private readonly boxes: HTMLElement;
  private readonly both = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Two paths at once, one in each half of the view",
      click: () => this.playTwo(),
    },
    "Play side by side",
  );
  private chosen: number[] = []; // the two paths that are compared
  private job = ""; // the running search, empty for none
  private found: FoundPaths | null = null;
  private preview = 0; // counts previews; a new one ends the one before
  private shownFor = ""; // the actor and parts that the checkboxes were made for

  constructor(private readonly editor: Editor) {
    this.button = h(
      "button",
      {
        type: "button",
        class: "wide primary",
        title: "Find paths between the two selected keys (J)",
        click: () => this.search(),
      },
      "Connect without penetration",
    );
    this.boxes = h("div", { class: "choices" });
    this.element = h(
      "div",
      { class: "connect" },
      h("span", { class: "soft" }, "Stays planted"),
      this.boxes,
      this.button,
      this.hint,
      this.cards,
    );
    on(["state", "selection"], () => this.draw());
  }

  /** Search for paths between the two selected keys. */
  search(): void {
    const [first, second] = this.keys();
    reveal(this.element);
    if (!first || !second) {
      showMessage("Select two pose keys of one character on the timeline: click one, Shift+click the other.");
      return;
    }
    this.found = null;
    fill(this.cards);
    this.job = this.editor.command({
      type: "connect",
      actor: store.active,
      first: first.id,
      second: second.id,
      planted: [...this.planted],
    });
    this.draw();
  }

  show(found: FoundPaths): void {
    if (found.job !== this.job) return;
    [this.job, this.found, this.chosen] = ["", found, found.paths.length > 1 ? [0, 1] : []];
    this.drawCards();
    this.draw();
    if (!found.paths.length) showMessage(`No path found: ${found.reason}.`, "problem");
  }

  /** The search has failed or was cancelled. */
  end(job: string): void {
    if (job !== this.job) return;
    this.job = "";
    this.draw();
  }

  /** The two pose keys to connect: the first and the last of those selected. */
  private keys(): { id: number; time_s: number }[] {
    const own = (store.state?.keys ?? [])
      .filter((key) => key.kind === "pose" && key.actor === store.active)
      .sort((a, b) => a.time_s - b.time_s);
    const selected = own.filter((key) => store.selectedKeys.has(key.id));
    if (selected.length >= 2) return [selected[0], selected.at(-1)!];
    return [];
  }

  private draw(): void {
    const [first, second] = this.keys();
    const joints = store.figures.get(activeActor()?.figure ?? "")?.joints.map((joint) => joint.name) ?? [];
    const parts = PARTS.filter(([joint]) => joints.includes(joint));
    const shownFor = parts.join() + store.active;
    if (shownFor !== this.shownFor) {
      this.shownFor = shownFor;
      this.planted.clear();
      for (const pin of activeActor()?.pins ?? [])
        if (parts.some(([name]) => name === joints[pin.joint])) this.planted.add(joints[pin.joint]);
      fill(
        this.boxes,
        ...parts.map(([joint, title]) => {
          const box = h("input", {
            type: "checkbox",
            checked: this.planted.has(joint),
            change: () => (box.checked ? this.planted.add(joint) : this.planted.delete(joint)),
          });
          return h(
            "label",
            { class: "check", title: `${title} stays in place from the first key to the last` },
            box,
            ` ${title}`,
          );
        }),
      );
    }
    this.button.disabled = !second || this.job !== "";
    this.button.textContent = this.job ? "Searching for paths …" : "Connect without penetration";
    this.hint.textContent = second
      ? `From ${first.time_s.toFixed(2)} s to ${second.time_s.toFixed(2)} s; keys in between are replaced.`
      : "Select two pose keys on the timeline: click one, Shift+click the other.";
    if (this.found && this.found.actor !== store.active) {
      this.found = null;
      fill(this.cards);
    }
  }

  private drawCards(): void {
    const found = this.found;
    if (!found?.paths.length) {
      fill(this.cards, found && h("p", { class: "note problem" }, `No path found: ${found.reason}.`));
      return;
    }
    const scale = {
      low: Math.min(...found.paths.flatMap((path) => path.energy)),
      high: Math.max(...found.paths.flatMap((path) => path.energy)),
    };
    fill(
      this.cards,
      ...found.paths.map((path, i) => this.card(found, path, i, scale)),
      found.paths.length > 1 && this.both,
    );
  }

  private card(found: FoundPaths, path: FoundPath, i: number, scale: { low: number; high: number }): HTMLElement {
    const compare = h("input", {
      type: "checkbox",
      "aria-label": `Compare ${path.title}`,
      title: "Play it side by side with another one",
      checked: this.chosen.includes(i),
      change: () => this.tick(i),
    });
    const movement = `${Math.round((180 / Math.PI) * path.length_rad)}°`;
    const clearance = path.clearance_m < 0.001 ? "touching" : `${Math.floor(1000 * path.clearance_m)} mm clear`;
    return h(
      "div",
      { class: "path-card" },
      h(
        "div",
        { class: "line" },
        h("strong", { title: path.about }, path.title),
        found.paths.length > 1 && h("label", { class: "check soft" }, compare, " compare"),
      ),
      energyGraph(path, scale, found.duration_s),
      h("p", { class: "note" }, `${path.about}. ${movement} of joint movement, ${clearance}.`),
      h(
        "div",
        { class: "grid" },
        h(
          "button",
          { class: "wide", type: "button", "aria-label": `Preview ${path.title}`, click: () => this.play([i]) },
          "Preview",
        ),
        h(
          "button",
          {
            class: "wide primary",
            type: "button",
            "aria-label": `Use ${path.title}`,
            title: "Put it between the two keys",
            click: () => this.use(found, i),
          },
          "Use",
        ),
      ),
    );
  }

  private tick(i: number): void {
    this.chosen = this.chosen.includes(i) ? this.chosen.filter((one) => one !== i) : [...this.chosen.slice(-1), i];
    this.drawCards();
  }

  private use(found: FoundPaths, i: number): void {
    this.preview++;
    this.editor.command({ type: "use_path", job: found.job, path: i });
    showMessage(`${found.paths[i].title}: now between the two keys. Ctrl+Z removes it again.`);
  }

  private playTwo(): void {
    if (this.chosen.length < 2) showMessage("Tick two paths to compare.");
    else this.play([...this.chosen].sort());
  }

  /** Preview one path on the body itself and a second one on the compared body; afterwards restore the view. */
  private play(numbers: number[]): void {
    const { viewport } = this.editor;
    const found = this.found,
      actor = activeActor();
    const body = actor && viewport.character(actor.id);
    if (!found || !actor || !body) return;
    this.editor.playback.stop();
    const number = ++this.preview;
    const paths = numbers.map((i) => found.paths[i]),
      poses = paths.map((path) => floats(path.q));
    const other = paths.length > 1 ? viewport.showCompared(store.figures.get(actor.figure) ?? null) : null;
    const labels =
      paths.length > 1 ? h("div", { class: "path-labels" }, ...paths.map((path) => h("span", {}, path.title))) : null;
    if (labels) viewport.canvas.after(labels);
    const marks = numbers.map((i) => this.cards.querySelectorAll<SVGElement>(".energy-now")[i]);
    const start = performance.now();
    const draw = (now: number) => {
      const share = Math.min(1, (now - start) / 1000 / found.duration_s);
      const at = (i: number) => {
        const size = poses[i].length / paths[i].frames,
          row = Math.round(share * (paths[i].frames - 1));
        return poses[i].slice(row * size, (row + 1) * size);
      };
      body.setPose(at(0));
      if (paths.length > 1) other?.setPose(at(1));
      marks.forEach((mark) => {
        mark?.setAttribute("transform", `translate(${100 * share} 0)`);
        mark?.removeAttribute("visibility");
      });
      viewport.draw();
      if (number === this.preview && (now - start) / 1000 < found.duration_s + HOLD_END_S)
        return void requestAnimationFrame(draw);
      marks.forEach((mark) => mark?.setAttribute("visibility", "hidden"));
      labels?.remove();
      if (other && number === this.preview) viewport.showCompared(null);
      this.editor.seek(store.timeS); // shows the document again
    };
    requestAnimationFrame(draw);
  }
}

/** Energy over time, on a logarithmic scale that all alternatives share. */
function energyGraph(path: FoundPath, { low, high }: { low: number; high: number }, duration: number): HTMLElement {
  const span = Math.max(high - low, 0.1);
  const points = path.energy.map(
    (e, i) =>
      `${((100 * i) / Math.max(1, path.energy.length - 1)).toFixed(1)},${(38 - (34 * (e - low)) / span).toFixed(1)}`,
  );
  const lines = svg(
    "svg",
    { viewBox: "0 0 100 40", preserveAspectRatio: "none" },
    svg("polyline", { points: points.join(" ") }),
    svg("line", { class: "energy-now", x1: 0, x2: 0, y1: 0, y2: 40, visibility: "hidden" }),
  );
  return h(
    "div",
    {
      class: "energy",
      role: "img",
      "aria-label": `Energy over time of ${path.title}`,
      title: "Energy over time, logarithmic: high where parts are close together",
    },
    lines,
    h("span", { class: "energy-caption" }, "energy"),
    h("span", { class: "energy-caption end" }, `${duration.toFixed(1)} s`),
  );
}
