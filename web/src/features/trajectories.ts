/** Draw a path in the picture; a hand or foot follows it in a learnt style. Handles adjust it. */
import * as THREE from "three";
import { fill, h } from "../dom";
import { Install } from "../feature";
import { chooseFile } from "../files";
import { PathFollowed, PathState } from "../generated/messages";
import { icon } from "../icons";
import { activeActor, on, store } from "../store";
import type { Studio } from "../editor";
import { PathLine, spread } from "../view/path";
import type { At, Mode, Taken, Tool } from "../view/tools";

const HANDLES = 8;
const LEAST_STEP_M = 0.004;
const HELP = "Draw where a hand or foot should go: it follows from the playhead on, in the style you choose.";
const NO_LIMBS = "Paths are followed by hands and feet; this figure has none that are known.";

export const install: Install = (studio) => {
  const limb = h("select", { "aria-label": "Limb that follows the path", title: "Which hand or foot follows the path" });
  const style = h("select", { "aria-label": "Style", title: "How the limb moves: like these motions" });
  const seconds = h("input", { type: "number", min: 0.2, max: 30, step: 0.1, value: 2, "aria-label": "Seconds", title: "How long the limb takes for the path" });
  const note = h("p", { class: "note", "aria-live": "polite" }, HELP);
  const button = (text: string, about: string, run: () => void) => h("button", { type: "button", class: "wide", title: about, hidden: true, click: run }, text);
  const repair = button("Repair", "Push penetrations out of the motion, with the default poser", () => mend());
  const forget = button("Forget path", "Take the path away; its keys stay", () => drop());
  const line = new PathLine(studio.viewport);
  let shown: PathState | null = null, asked = "", offered = "-", drawing = false;

  const enter = () => studio.tools.enter(studio.tools.mode === mode ? null : mode);
  const draw = h("button", { type: "button", class: "wide", title: "Draw in the picture (Y)", click: enter }, icon("graph") as unknown as Node, "Draw a path");
  on(["options"], () => draw.setAttribute("aria-pressed", String(studio.tools.mode === mode)));
  const choices = () => store.state?.features.trajectories;
  const offerStyles = (chosen: string) => {
    const fitting = choices()?.styles.filter((one) => one.limbs.includes(limb.value)) ?? [];
    fill(style, ...fitting.map((one) => h("option", { value: one.name }, one.title)));
    style.value = fitting.some((one) => one.name === chosen) ? chosen : (fitting[0]?.name ?? "");
  };
  const update = () => {
    const known = choices();
    if (!known) return;
    const able = known.limbs.filter((one) => (activeActor()?.figure ?? "") in one.joints);
    if (able.map((one) => one.name).join() !== offered) {
      offered = able.map((one) => one.name).join();
      fill(limb, ...able.map((one) => h("option", { value: one.name }, one.title)));
      draw.disabled = !able.length;
      note.textContent = able.length ? HELP : NO_LIMBS;
    }
    const now = pathNow(known.paths);
    const other = now?.key !== shown?.key;
    shown = now;
    if (now && other) {
      limb.value = now.limb;
      seconds.value = String(now.seconds);
    }
    offerStyles(now && other ? now.style : style.value);
    forget.hidden = !now;
    if (other) repair.hidden = true;
    if (other && !now) note.textContent = HELP;
    if (!drawing) line.show((now?.points ?? []).map((point) => new THREE.Vector3(...point)), !store.playing);
  };
  on(["state", "time", "selection"], update);
  limb.addEventListener("change", () => offerStyles(style.value));
  [limb, style, seconds].forEach((field) => field.addEventListener("change", () => shown && solve(line.points, shown.start_s)));

  const length = () => Math.min(30, Math.max(0.2, Number(seconds.value) || 2));
  const solve = (points: THREE.Vector3[], startS: number) => {
    note.textContent = "Finding the motion …";
    asked = studio.command({
      type: "follow_path", actor: store.active, limb: limb.value as "right_arm", style: style.value,
      points: points.map((p) => p.toArray()), start_s: startS, seconds: length(),
    });
  };
  const mend = () => {
    if (shown) asked = studio.command({ type: "repair_path", actor: shown.actor, start_s: shown.start_s, seconds: shown.seconds });
  };
  const drop = () => {
    if (shown) studio.command({ type: "delete_keys", keys: [shown.key] });
  };

  const mode: Mode = {
    hint: "Draw the path",
    down(at) {
      const from = joint(studio, limb.value);
      if (!from || drawing) return null;
      drawing = true;
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(studio.viewport.orbit.facing, from);
      const stroke: THREE.Vector3[] = [];
      const add = (now: At) => {
        const point = now.ray.intersectPlane(plane, new THREE.Vector3());
        if (!point || (stroke.length && point.distanceTo(stroke[stroke.length - 1]) < LEAST_STEP_M)) return;
        stroke.push(point);
        line.show(stroke, false);
      };
      const end = () => {
        drawing = false;
        update();
      };
      add(at);
      return {
        move: add,
        up(now) {
          add(now);
          if (stroke.length < 2) return end();
          drawing = false;
          const points = spread(stroke, HANDLES);
          line.show(points, true);
          studio.tools.enter(null);
          solve(points, store.timeS);
        },
        cancel: end,
      };
    },
  };
  const handles: Tool = {
    hover: (at) => at !== null && line.handleAt(at) >= 0,
    down(at): Taken | null {
      const held = line.handleAt(at);
      if (!shown || held < 0) return null;
      const start = shown.start_s, points = line.points.map((point) => point.clone()), before = points[held].clone();
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(studio.viewport.orbit.facing, before);
      const put = (point: THREE.Vector3) => {
        points[held] = point;
        line.show(points, true);
      };
      drawing = true;
      return {
        move(now) {
          const point = now.ray.intersectPlane(plane, new THREE.Vector3());
          if (point) put(point);
        },
        up(_now, moved) {
          drawing = false;
          if (moved) solve(points, start);
        },
        cancel() {
          drawing = false;
          put(before);
        },
      };
    },
  };
  const learnt = h("button", { class: "link", type: "button", title: "Open a .npz file made with writhe learn", click: () => chooseFile(studio, false, ".npz") }, "Styles from a file …");
  return {
    sections: [{
      title: "Path", order: 40, folded: true,
      element: h("div", {},
        h("label", { class: "field" }, h("span", {}, "Limb"), limb),
        h("label", { class: "field" }, h("span", {}, "Style"), style),
        h("label", { class: "field" }, h("span", {}, "Seconds"), seconds),
        h("div", { class: "gap" }, learnt),
        h("div", { class: "grid gap" }, draw, forget, repair), note),
    }],
    actions: [{ name: "draw-path", title: "Draw a path for a hand or foot", keys: ["Y"], group: "Time", enabled: () => !draw.disabled, run: enter }],
    keys: [{ kind: "path", title: "path", colour: "#7048e8" }],
    tools: [handles],
    receive(message) {
      if (message.type === "job" && message.job === asked && message.status === "failed") note.textContent = HELP;
      if (message.type !== "path_followed" || message.job !== asked) return;
      note.textContent = sentence(message);
      repair.hidden = message.certified;
    },
  };
};

/** The active actor's path under the playhead. */
function pathNow(paths: PathState[]): PathState | null {
  const near = 1e-3;
  return paths.find((one) => one.actor === store.active && store.timeS > one.start_s - near && store.timeS < one.start_s + one.seconds + near) ?? null;
}

function sentence({ certified, distance_mm, penetration_mm }: PathFollowed): string {
  const near = `${distance_mm < 1 ? "under 1" : distance_mm.toFixed(0)} mm from the path on average`;
  return certified ? `Baked to keys: ${near}, certified.` : `Baked to keys: ${near}; parts overlap by ${penetration_mm.toFixed(0)} mm.`;
}

/** Where the joint is that will follow. */
function joint(studio: Studio, limb: string): THREE.Vector3 | null {
  const figure = activeActor()?.figure ?? "";
  const name = store.state?.features.trajectories.limbs.find((one) => one.name === limb)?.joints[figure];
  const character = studio.viewport.character(store.active);
  const number = character?.shape.joints.findIndex((one) => one.name === name) ?? -1;
  return character && number >= 0 ? character.jointPosition(number).clone() : null;
}
