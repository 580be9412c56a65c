/** Motion curves of a joint under the keys, the handles of the easing, and its trail in the view. */
import { fill, h, svg } from "../../dom";
import type { Install } from "../../feature";
import { jointLabel } from "../../labels";
import type { Motion } from "../../sampled_motion";
import { activeActor, on, shownMotion, store } from "../../store";
import { EasingHandles } from "../../timeline/easing_handles";
import { type JointPath, jointPath } from "../../view/joint_frames";
import { MotionTrail } from "../../view/motion_trail";

const HEIGHT = 96;
const COLOURS = ["#e03131", "#2f9e44", "#1971c2"];
const POINTS = 1000; // most points of a curve
type Kind = "position" | "speed" | "rotation";
const KINDS: { [kind in Kind]: { label: string; names: string[]; unit: string; digits: number; min_span: number } } = {
  position: { label: "Position", names: ["X", "Y (height)", "Z"], unit: "m", digits: 2, min_span: 0.05 },
  speed: { label: "Speed", names: ["Speed"], unit: "m/s", digits: 2, min_span: 0.1 },
  rotation: { label: "Rotation", names: ["X", "Y", "Z"], unit: "°", digits: 0, min_span: 5 },
};

export const install: Install = (editor) => {
  let kind: Kind = "position";
  let drawn: { motion: Motion; joint: number; path: JointPath } | null = null;
  const lines = svg("svg", { class: "graph-lines", preserveAspectRatio: "none", viewBox: `0 0 1000 ${HEIGHT}` });
  const legend = h("div", { class: "graph-legend" });
  const choice = h(
    "select",
    { class: "compact", "aria-label": "Curve that is shown" },
    ...Object.entries(KINDS).map(([value, { label }]) => h("option", { value }, label)),
  );
  choice.addEventListener("pointerdown", (event) => event.stopPropagation());
  choice.addEventListener("change", () => {
    kind = choice.value as Kind;
    draw();
  });
  const easing = new EasingHandles(editor, HEIGHT);
  const plot = h("div", { class: "curves-plot" }, lines, easing.element);
  const lane = h("div", { class: "curves", hidden: true }, h("div", { class: "curves-head" }, choice, legend), plot);
  const trail = new MotionTrail(editor.viewport);

  const joint = () => store.selected ?? 0;
  const path = (): JointPath | null => {
    const actor = activeActor();
    const motion = actor && shownMotion(actor.id);
    const shape = actor && store.figures.get(actor.figure);
    if (!motion || !shape || motion.frames < 2) return null;
    if (drawn?.motion !== motion || drawn.joint !== joint() || store.previews.size)
      drawn = { motion, joint: joint(), path: jointPath(shape, motion, joint(), 0, motion.frames) };
    return drawn.path;
  };
  const draw = () => {
    lane.hidden = !store.curves;
    if (!store.curves || !store.state) return;
    const found = path();
    const name = store.figures.get(activeActor()?.figure ?? "")?.joints[joint()]?.name ?? "";
    easing.draw();
    if (!found || !drawn) {
      lines.replaceChildren();
      fill(legend, h("span", {}, "Set two keys to see how a part moves. Click a part of the body to choose it."));
      return;
    }
    const { names, unit, digits, min_span } = KINDS[kind];
    const { fps, frames } = drawn.motion;
    const values = curveValues(found, kind, fps);
    const middle = 0.5 * (Math.max(...extremes(values, 1)) + Math.min(...extremes(values, -1)));
    const span = Math.max(min_span, Math.max(...extremes(values, 1)) - Math.min(...extremes(values, -1)));
    const scale = { x: 1000 / fps / store.state.duration_s, y: (0.8 * HEIGHT) / span, middle };
    lines.replaceChildren(
      ...values.map((one, k) =>
        svg("polyline", { points: points(one, scale), stroke: COLOURS[kind === "speed" ? 2 : k] }),
      ),
    );
    const frame = Math.min(frames - 1, Math.round(store.timeS * fps));
    fill(
      legend,
      h("b", {}, jointLabel(name)),
      ...values.map((one, k) => {
        const dot = h("i", {});
        dot.style.background = COLOURS[kind === "speed" ? 2 : k];
        return h("span", {}, dot, `${names[k]} ${one[frame].toFixed(digits)} ${unit}`);
      }),
    );
  };
  let queued = false;
  const queue = () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      draw();
      showTrail();
    });
  };
  const showTrail = () => {
    const actor = activeActor();
    const motion = actor && shownMotion(actor.id);
    const shape = actor && store.figures.get(actor.figure);
    const wanted = motion && shape && !store.playing && (store.curves || store.previews.size > 0);
    const held = editor.drag.heldJoint ?? store.selected;
    if (!wanted || held === null) return trail.clear();
    const keys = store.state!.keys.filter((key) => key.actor === actor.id && key.kind === "pose");
    trail.show(
      shape,
      motion,
      held,
      store.timeS,
      keys.map((key) => key.time_s),
    );
  };
  on(["state", "options", "selection", "time", "preview"], queue);
  return { lanes: [lane], cancel: () => easing.cancel() };
};

/** The curves of a kind: each has a value for every frame. */
function curveValues({ positions, rotations }: JointPath, kind: Kind, fps: number): Float32Array[] {
  const frames = positions.length / 3;
  if (kind === "speed") {
    const speed = new Float32Array(frames);
    for (let k = 1; k < frames; k++) {
      const d = (c: number) => positions[3 * k + c] - positions[3 * k - 3 + c];
      speed[k] = fps * Math.hypot(d(0), d(1), d(2));
    }
    speed[0] = speed[1] ?? 0;
    return [speed];
  }
  const from = kind === "position" ? positions : rotations;
  return [0, 1, 2].map((c) => Float32Array.from({ length: frames }, (_, k) => from[3 * k + c]));
}

/** The largest (side 1) or smallest (side -1) value of each curve. */
function extremes(curves: Float32Array[], side: 1 | -1): number[] {
  return curves.map((values) => values.reduce((a, b) => (side * b > side * a ? b : a), values[0]));
}

/** Points of a polyline; of long motions the first of every few frames. */
function points(values: Float32Array, scale: { x: number; y: number; middle: number }): string {
  const step = Math.max(1, Math.ceil(values.length / POINTS));
  const found: string[] = [];
  for (let k = 0; k < values.length; k += step)
    found.push(`${(k * scale.x).toFixed(1)},${(HEIGHT / 2 - (values[k] - scale.middle) * scale.y).toFixed(1)}`);
  return found.join(" ");
}
