/** During a drag: the centre of mass over the ground, with what is carried, and the support of the feet. */
import * as THREE from "three";
import type { Install } from "../../feature";
import type { BalanceMark } from "../../generated/messages";
import { on, store } from "../../store";

const HEIGHT_M = 0.004; // above the floor
const RADIUS_M = 0.022;
const TOLERANCE_M = 0.01; // steps of a drag keep the centre of mass within 6 mm of the support
const KEPT = "#2b8a3e",
  LOST = "#d6336c";

export const install: Install = (editor) => {
  const { viewport } = editor;
  const material = (opacity: number) =>
    new THREE.MeshBasicMaterial({ color: KEPT, transparent: true, opacity, side: THREE.DoubleSide, depthWrite: false });
  const disc = new THREE.Mesh(new THREE.CircleGeometry(RADIUS_M, 24).rotateX(-Math.PI / 2), material(0.9));
  const area = new THREE.Mesh(new THREE.BufferGeometry(), material(0.16));
  area.frustumCulled = false;
  const mark = new THREE.Group().add(disc, area);
  mark.name = "balance";
  mark.visible = false;
  viewport.overlay.add(mark);

  const show = (balance: BalanceMark | null) => {
    mark.visible = balance !== null && balance.support.length > 2;
    if (!balance || !mark.visible) return;
    const [x, z] = balance.centre;
    disc.position.set(x, HEIGHT_M, z);
    const points = balance.support.map(([px, pz]) => new THREE.Vector3(px, HEIGHT_M / 2, pz));
    const fan = points.slice(2).flatMap((point, k) => [points[0], points[k + 1], point]);
    area.geometry.dispose();
    area.geometry = new THREE.BufferGeometry().setFromPoints(fan);
    const colour = isInside(balance.centre, balance.support) ? KEPT : LOST;
    disc.material.color.set(colour);
    area.material.color.set(colour);
  };
  on(["pose"], () => store.dragging && show(store.poseReport?.balance ?? null));
  on(["state", "time", "selection"], () => {
    if (store.dragging) return;
    show(null);
    viewport.draw();
  });
  return {};
};

/** Whether a point lies in a convex polygon, in either order of its corners, or beyond it by no more than the tolerance. */
export function isInside([x, z]: [number, number], polygon: [number, number][]): boolean {
  const sides = polygon.map(([ax, az], k) => {
    const [bx, bz] = polygon[(k + 1) % polygon.length];
    return ((bx - ax) * (z - az) - (bz - az) * (x - ax)) / Math.max(Math.hypot(bx - ax, bz - az), 1e-9);
  });
  return sides.every((side) => side >= -TOLERANCE_M) || sides.every((side) => side <= TOLERANCE_M);
}
