/** A path drawn in the view, which a hand or foot follows in a learnt style; handles adjust it. */
import * as THREE from "three";
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { DrawnPathState, FollowPathResult, LimbChoice } from "../../generated/messages";
import { chooseFile } from "../../import_export";
import { activeActor, on, store } from "../../store";
import { wideButton } from "../../ui/buttons";
import { PathLine, resample } from "../../view/drawn_path";
import type { Mode, PointerAt, Tool } from "../../view/view_tools";

const HANDLES = 8;
const MIN_SECONDS = 0.2;
const MAX_SECONDS = 30;
const DEFAULT_SECONDS = 2;
const MIN_STEP_M = 0.004;
const HELP = "Draw a path for a hand or foot: from the playhead on, it follows the path in the chosen style.";
const NO_LIMBS = "Only hands and feet can follow a path, and none are recognised in this figure.";

export const install: Install = (editor) => {
  const panel = new PathPanel(editor);
  return {
    sections: [{ title: "Path", order: 40, folded: true, element: panel.element }],
    actions: [
      {
        name: "draw-path",
        title: "Draw a path for a hand or foot",
        keys: ["Y"],
        group: "Time",
        enabled: () => panel.enabled,
        run: () => panel.toggleDrawing(),
      },
    ],
    keys: [{ kind: "path", title: "Path", colour: "#7048e8" }],
    tools: [panel.handles],
    receive(message) {
      if (message.type === "job" && message.status === "failed") panel.fail(message.job);
      else if (message.type === "follow_path_result") panel.showResult(message);
    },
  };
};

class PathPanel {
  readonly element: HTMLElement;
  private readonly limb = h("select", {
    "aria-label": "Limb that follows the path",
    title: "Which hand or foot follows the path",
  });
  private readonly style = h("select", { "aria-label": "Style", title: "The motions that the style was learnt from" });
  private readonly seconds = h("input", {
    type: "number",
    min: MIN_SECONDS,
    max: MAX_SECONDS,
    step: 0.1,
    value: DEFAULT_SECONDS,
    "aria-label": "Seconds",
    title: "How long the limb takes for the path",
  });
  private readonly note = h("p", { class: "note", "aria-live": "polite" }, HELP);
  private readonly draw = wideButton("Draw a path", "Draw in the view (Y)", () => this.toggleDrawing(), "graph");
  private readonly remove = wideButton("Delete path", "Delete the path; its keys stay", () => this.deletePath());
  private readonly repair = wideButton("Repair", "Push overlapping parts apart with the default poser", () =>
    this.repairMotion(),
  );
  private readonly line: PathLine;
  private shown: DrawnPathState | null = null; // the path at the playhead
  private request = ""; // the last command whose result is awaited
  private offeredLimbs = "-";
  private drawing = false; // a stroke or a handle is being dragged

  constructor(private readonly editor: Editor) {
    this.line = new PathLine(editor.viewport);
    this.remove.hidden = this.repair.hidden = true;
    const title = "Open a .npz file made with writhe learn";
    const open = () => chooseFile(editor, "motion", ".npz");
    const learnt = h("button", { class: "link", type: "button", title, click: open }, "Styles from a file …");
    this.element = h(
      "div",
      {},
      h("label", { class: "field" }, h("span", {}, "Limb"), this.limb),
      h("label", { class: "field" }, h("span", {}, "Style"), this.style),
      h("label", { class: "field" }, h("span", {}, "Seconds"), this.seconds),
      h("div", { class: "gap" }, learnt),
      h("div", { class: "grid gap" }, this.draw, this.remove, this.repair),
      this.note,
    );
    on(["options"], () => this.draw.setAttribute("aria-pressed", String(editor.tools.mode === this.mode)));
    on(["state", "time", "selection"], () => this.update());
    this.limb.addEventListener("change", () => this.offerStyles(this.style.value));
    for (const field of [this.limb, this.style, this.seconds]) {
      field.addEventListener("change", () => this.shown && this.solve(this.line.points, this.shown.start_s));
    }
  }

  get enabled(): boolean {
    return !this.draw.disabled;
  }

  toggleDrawing(): void {
    this.editor.tools.enter(this.editor.tools.mode === this.mode ? null : this.mode);
  }

  fail(job: string): void {
    if (job === this.request) this.note.textContent = HELP;
  }

  showResult(result: FollowPathResult): void {
    if (result.job !== this.request) return;
    this.note.textContent = describeResult(result);
    this.repair.hidden = result.certified;
  }

  private update(): void {
    const known = store.state?.features.trajectories;
    if (!known) return;
    this.offerLimbs(known.limbs.filter((one) => (activeActor()?.figure ?? "") in one.joints));
    const path = pathNow(known.paths);
    const changed = path?.key !== this.shown?.key;
    this.shown = path;
    if (path && changed) {
      this.limb.value = path.limb;
      this.seconds.value = String(path.seconds);
    }
    this.offerStyles(path && changed ? path.style : this.style.value);
    this.remove.hidden = !path;
    if (changed) this.repair.hidden = true;
    if (changed && !path) this.note.textContent = HELP;
    if (this.drawing) return;
    const points = (path?.points ?? []).map((point) => new THREE.Vector3(...point));
    this.line.show(points, !store.playing);
  }

  private offerLimbs(limbs: LimbChoice[]): void {
    const names = limbs.map((one) => one.name).join();
    if (names === this.offeredLimbs) return;
    this.offeredLimbs = names;
    fill(this.limb, ...limbs.map((one) => h("option", { value: one.name }, one.title)));
    this.draw.disabled = !limbs.length;
    this.note.textContent = limbs.length ? HELP : NO_LIMBS;
  }

  /** Offer the styles of the chosen limb, with `chosen` selected if it is one of them. */
  private offerStyles(chosen: string): void {
    const styles = store.state?.features.trajectories.styles ?? [];
    const fitting = styles.filter((one) => one.limbs.includes(this.limb.value));
    fill(this.style, ...fitting.map((one) => h("option", { value: one.name }, one.title)));
    this.style.value = fitting.some((one) => one.name === chosen) ? chosen : (fitting[0]?.name ?? "");
  }

  /** Compute the motion that follows the points. */
  private solve(points: THREE.Vector3[], startS: number): void {
    this.note.textContent = "Finding the motion …";
    this.request = this.editor.command({
      type: "follow_path",
      actor: store.active,
      limb: this.limb.value as "right_arm",
      style: this.style.value,
      points: points.map((point) => point.toArray()),
      start_s: startS,
      seconds: Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, Number(this.seconds.value) || DEFAULT_SECONDS)),
    });
  }

  private repairMotion(): void {
    if (!this.shown) return;
    const { actor, start_s, seconds } = this.shown;
    this.request = this.editor.command({ type: "repair_motion", actor, start_s, seconds });
  }

  private deletePath(): void {
    if (this.shown) this.editor.command({ type: "delete_keys", keys: [this.shown.key] });
  }

  /** The plane through a point, parallel to the view. */
  private viewPlane(point: THREE.Vector3): THREE.Plane {
    return new THREE.Plane().setFromNormalAndCoplanarPoint(this.editor.viewport.orbit.facing, point);
  }

  /** Draws a stroke and follows it when the pointer is released. */
  private readonly mode: Mode = {
    hint: "Draw the path",
    down: (at) => {
      const from = limbPosition(this.editor, this.limb.value);
      if (!from || this.drawing) return null;
      this.drawing = true;
      const plane = this.viewPlane(from);
      const stroke: THREE.Vector3[] = [];
      const add = ({ ray }: PointerAt) => {
        const point = ray.intersectPlane(plane, new THREE.Vector3());
        if (!point || (stroke.length && point.distanceTo(stroke[stroke.length - 1]) < MIN_STEP_M)) return;
        stroke.push(point);
        this.line.show(stroke, false);
      };
      const cancel = () => {
        this.drawing = false;
        this.update();
      };
      add(at);
      return {
        move: add,
        up: (now) => {
          add(now);
          if (stroke.length < 2) return cancel();
          this.drawing = false;
          const points = resample(stroke, HANDLES);
          this.line.show(points, true);
          this.editor.tools.enter(null);
          this.solve(points, store.timeS);
        },
        cancel,
      };
    },
  };

  /** Drags a handle of the path at the playhead. */
  readonly handles: Tool = {
    hover: (at) => at !== null && this.line.handleAt(at) >= 0,
    down: (at) => {
      const held = this.line.handleAt(at);
      if (!this.shown || held < 0) return null;
      const startS = this.shown.start_s;
      const points = this.line.points.map((point) => point.clone());
      const before = points[held].clone();
      const plane = this.viewPlane(before);
      const moveHandle = (point: THREE.Vector3) => {
        points[held] = point;
        this.line.show(points, true);
      };
      this.drawing = true;
      return {
        move: ({ ray }) => {
          const point = ray.intersectPlane(plane, new THREE.Vector3());
          if (point) moveHandle(point);
        },
        up: (_, moved) => {
          this.drawing = false;
          if (moved) this.solve(points, startS);
        },
        cancel: () => {
          this.drawing = false;
          moveHandle(before);
        },
      };
    },
  };
}

/** The active actor's path at the playhead. */
function pathNow(paths: DrawnPathState[]): DrawnPathState | null {
  const near = 1e-3;
  return (
    paths.find(
      (one) =>
        one.actor === store.active &&
        store.timeS > one.start_s - near &&
        store.timeS < one.start_s + one.seconds + near,
    ) ?? null
  );
}

function describeResult({ certified, distance_mm, penetration_mm }: FollowPathResult): string {
  const near = `${distance_mm < 1 ? "under 1" : distance_mm.toFixed(0)} mm from the path on average`;
  return certified
    ? `Baked to keys: ${near}, certified.`
    : `Baked to keys: ${near}; parts overlap by ${penetration_mm.toFixed(0)} mm.`;
}

/** Position of the joint that follows the path. */
function limbPosition(editor: Editor, limb: string): THREE.Vector3 | null {
  const figure = activeActor()?.figure ?? "";
  const name = store.state?.features.trajectories.limbs.find((one) => one.name === limb)?.joints[figure];
  const character = editor.viewport.character(store.active);
  const number = character?.shape.joints.findIndex((one) => one.name === name) ?? -1;
  return character && number >= 0 ? character.jointPosition(number).clone() : null;
}
