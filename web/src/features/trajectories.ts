/** Draw a path in the picture; a hand or foot follows it in a learnt style. Handles adjust it. */
import * as THREE from "three";
import { fill, h } from "../dom";
import { Install } from "../feature";
import { PathFollowed } from "../generated/messages";
import { activeActor, on, store } from "../store";
import type { Studio } from "../studio";
import type { At, Mode, Taken, Tool } from "../view/tools";

const HANDLES = 8;
const LEAST_STEP_M = 0.004;
const GRASP_PX = 14;
const COLOUR = "#7048e8";

/** A path as it was drawn: way-points with handles, and the line through them. */
interface Path {
  actor: number;
  startS: number;
  points: THREE.Vector3[];
  group: THREE.Group;
}

export const install: Install = (studio) => {
  const limb = h("select", { "aria-label": "Limb that follows the path" });
  const style = h("select", { "aria-label": "Style" });
  const seconds = h("input", { type: "number", min: 0.2, max: 30, step: 0.1, value: 2, "aria-label": "Seconds" });
  const note = h("p", { class: "note", "aria-live": "polite" }, "Draw where a hand or foot should go; the body follows in the style you choose.");
  const repair = h("button", { type: "button", class: "wide", title: "Push penetrations out of the motion", hidden: true, click: () => mend() }, "Repair");
  const clear = h("button", { type: "button", class: "wide", hidden: true, click: () => forget() }, "Hide path");
  let path: Path | null = null, asked = "";

  on(["state"], () => {
    const choices = store.state?.features.trajectories;
    if (!choices || limb.childElementCount) return;
    fill(limb, ...choices.limbs.map((one) => h("option", { value: one.name }, one.title)));
    fill(style, ...choices.styles.map((name) => h("option", { value: name }, name)));
  });
  [limb, style, seconds].forEach((field) => field.addEventListener("change", () => solve()));

  const length = () => Math.min(30, Math.max(0.2, Number(seconds.value) || 2));
  const solve = () => {
    if (!path) return;
    asked = studio.command({
      type: "follow_path", actor: path.actor, limb: limb.value as "right_arm", style: style.value,
      points: path.points.map((p) => p.toArray()), start_s: path.startS, seconds: length(),
    });
  };
  const mend = () => {
    if (path) asked = studio.command({ type: "repair_path", actor: path.actor, start_s: path.startS, seconds: length() });
  };
  const forget = () => {
    path?.group.removeFromParent();
    path = null;
    clear.hidden = repair.hidden = true;
    studio.viewport.draw();
  };

  const drawing: Mode = {
    hint: "Draw the path; Escape to leave",
    down(at) {
      const from = joint(studio, limb.value);
      if (!from) return null;
      forget();
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(studio.viewport.orbit.facing, from);
      const stroke: THREE.Vector3[] = [];
      const group = new THREE.Group();
      studio.viewport.overlay.add(group);
      const add = (now: At) => {
        const point = now.ray.intersectPlane(plane, new THREE.Vector3());
        if (!point || (stroke.length && point.distanceTo(stroke[stroke.length - 1]) < LEAST_STEP_M)) return;
        stroke.push(point);
        show(group, stroke, false);
        studio.viewport.draw();
      };
      add(at);
      return {
        move: add,
        up(now) {
          add(now);
          if (stroke.length < 2) return group.removeFromParent();
          path = { actor: store.active, startS: store.timeS, points: spread(stroke, HANDLES), group };
          show(group, path.points, true);
          clear.hidden = false;
          studio.tools.enter(null);
          studio.viewport.draw();
          solve();
        },
        cancel: () => { group.removeFromParent(); studio.viewport.draw(); },
      };
    },
  };
  const handles: Tool = {
    hover: (at) => at !== null && path !== null && nearest(studio, path, at) >= 0,
    down(at): Taken | null {
      const held = path ? nearest(studio, path, at) : -1;
      if (!path || held < 0) return null;
      const mine = path, before = mine.points[held].clone();
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(studio.viewport.orbit.facing, before);
      const put = (point: THREE.Vector3) => { mine.points[held] = point; show(mine.group, mine.points, true); studio.viewport.draw(); };
      return {
        move(now) { const point = now.ray.intersectPlane(plane, new THREE.Vector3()); if (point) put(point); },
        up(_now, moved) { if (moved) solve(); },
        cancel: () => put(before),
      };
    },
  };
  const enter = () => studio.tools.enter(drawing);
  return {
    sections: [{
      title: "Path", order: 40, folded: true,
      element: h("div", {},
        h("label", { class: "field" }, h("span", {}, "Limb"), limb),
        h("label", { class: "field" }, h("span", {}, "Style"), style),
        h("label", { class: "field" }, h("span", {}, "Seconds"), seconds),
        h("div", { class: "grid" }, h("button", { type: "button", class: "wide", title: "Draw in the picture (Y)", click: enter }, "Draw a path"), clear, repair), note),
    }],
    actions: [{ name: "draw-path", title: "Draw a path", keys: ["Y"], group: "Pose", run: enter }],
    tools: [handles],
    receive(message) {
      if (message.type !== "path_followed" || message.job !== asked) return;
      note.textContent = sentence(message);
      repair.hidden = message.certified || path === null;
    },
  };
};

function sentence({ certified, distance_mm, penetration_mm }: PathFollowed): string {
  const near = `${distance_mm < 1 ? "under 1" : distance_mm.toFixed(0)} mm from the path on average`;
  return certified ? `Baked to keys: ${near}, certified.` : `Baked to keys: ${near}; parts overlap by ${penetration_mm.toFixed(0)} mm.`;
}

/** Where the joint is that will follow. */
function joint(studio: Studio, limb: string): THREE.Vector3 | null {
  const role = store.state?.features.trajectories.limbs.find((one) => one.name === limb)?.role;
  const character = studio.viewport.character(activeActor()?.id ?? store.active);
  const number = character?.shape.joints.findIndex((one) => one.name === role) ?? -1;
  return character && number >= 0 ? character.jointPosition(number).clone() : null;
}

/** Points evenly along a stroke, both ends included. */
function spread(stroke: THREE.Vector3[], count: number): THREE.Vector3[] {
  const line = new THREE.CatmullRomCurve3(stroke, false, "centripetal");
  return line.getSpacedPoints(count - 1);
}

function show(group: THREE.Group, points: THREE.Vector3[], withHandles: boolean): void {
  group.children.forEach((child) => (child as THREE.Mesh).geometry?.dispose());
  group.clear();
  const smooth = points.length > 2 ? new THREE.CatmullRomCurve3(points, false, "centripetal").getPoints(80) : points;
  const geometry = new THREE.BufferGeometry().setFromPoints(smooth);
  group.add(new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: COLOUR, depthTest: false })));
  if (!withHandles) return;
  points.forEach((point) => {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(0.014, 16, 12), new THREE.MeshBasicMaterial({ color: COLOUR, depthTest: false }));
    ball.position.copy(point);
    group.add(ball);
  });
}

/** The handle under the pointer, or -1. */
function nearest(studio: Studio, path: Path, at: At): number {
  const reach = at.touch ? 2 * GRASP_PX : GRASP_PX;
  const away = path.points.map((point) => { const on = studio.viewport.onPage(point); return Math.hypot(on.x - at.x, on.y - at.y); });
  const best = away.indexOf(Math.min(...away));
  return away[best] <= reach ? best : -1;
}
