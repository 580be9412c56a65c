/** Depth cue during a drag: a line to the nearest other part with its distance, or else a vertical line to the floor. */
import * as THREE from "three";
import { h } from "../../dom";
import type { Install } from "../../feature";
import type { DepthLine } from "../../generated/messages";
import { on, store } from "../../store";

const COLOUR = "#5c7cfa";
const TOUCHING_M = 0.004; // no line for parts nearer than this
const LIFTED_M = 0.05; // no vertical line below this height

export const install: Install = (editor) => {
  const { viewport } = editor;
  const label = h("div", { class: "depth-label", hidden: true, "aria-hidden": "true" });
  viewport.canvas.parentElement!.append(label);
  const material = new THREE.LineDashedMaterial({
    color: COLOUR,
    dashSize: 0.02,
    gapSize: 0.012,
    depthTest: false,
    transparent: true,
    opacity: 0.8,
  });
  const line = new THREE.LineSegments(new THREE.BufferGeometry(), material);
  line.renderOrder = 9;
  line.visible = false;
  line.frustumCulled = false;
  viewport.overlay.add(line);

  const show = (lines: DepthLine[], held: THREE.Vector3[]) => {
    const near = lines.filter((one) => one.clearance_m > TOUCHING_M);
    const vertical = lines.length ? [] : held.filter((at) => at.y > LIFTED_M).flatMap((at) => [at, at.clone().setY(0)]);
    const points = near.length
      ? near.flatMap((one) => [new THREE.Vector3(...one.start), new THREE.Vector3(...one.end)])
      : vertical;
    line.visible = points.length > 0;
    label.hidden = near.length === 0;
    if (points.length) {
      line.geometry.dispose();
      line.geometry = new THREE.BufferGeometry().setFromPoints(points);
      line.computeLineDistances();
    }
    if (!near.length) return;
    const box = viewport.canvas.getBoundingClientRect();
    const at = viewport.onPage(points[0].clone().add(points[1]).multiplyScalar(0.5));
    label.textContent = `${near[0].other} ${Math.round(1000 * near[0].clearance_m)} mm`;
    label.style.transform = `translate(${at.x - box.left + 12}px, ${at.y - box.top - 10}px)`;
  };
  on(["state", "options", "time"], () => !store.dragging && show([], []));
  return {
    receive(message) {
      if (message.type === "drag_result" && store.dragging)
        show(message.features?.depth?.lines ?? [], editor.drag.heldPoints());
    },
  };
};
