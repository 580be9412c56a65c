/** A drawn path in the view: a smooth line through its control points, with a handle at each. */
import * as THREE from "three";
import type { PointerAt } from "./view_tools";
import type { Viewport } from "./viewport";

const HANDLE_PX = 14;
const COLOUR = "#7048e8",
  START = "#2b8a3e";
const line = new THREE.LineBasicMaterial({ color: COLOUR, depthTest: false });
const dot = new THREE.MeshBasicMaterial({ color: COLOUR, depthTest: false, toneMapped: false });
const first = new THREE.MeshBasicMaterial({ color: START, depthTest: false, toneMapped: false });
const ball = new THREE.SphereGeometry(0.014, 16, 12);

export class PathLine {
  private readonly group = new THREE.Group();
  points: THREE.Vector3[] = [];

  constructor(private readonly viewport: Viewport) {
    viewport.overlay.add(this.group);
  }

  show(points: THREE.Vector3[], handles: boolean): void {
    this.points = points;
    for (const child of this.group.children) if (child instanceof THREE.Line) child.geometry.dispose();
    this.group.clear();
    if (points.length >= 2) {
      const smooth =
        points.length > 2 ? new THREE.CatmullRomCurve3(points, false, "centripetal").getPoints(80) : points;
      this.group.add(new THREE.Line(new THREE.BufferGeometry().setFromPoints(smooth), line));
    }
    if (handles)
      points.forEach((point, k) => {
        const mesh = new THREE.Mesh(ball, k === 0 ? first : dot);
        mesh.position.copy(point);
        mesh.renderOrder = 9;
        this.group.add(mesh);
      });
    this.viewport.draw();
  }

  /** The handle under the pointer, or -1. */
  handleAt(at: PointerAt): number {
    const reach = at.touch ? 2 * HANDLE_PX : HANDLE_PX;
    const away = this.points.map((point) => {
      const { x, y } = this.viewport.onPage(point);
      return Math.hypot(x - at.x, y - at.y);
    });
    const best = away.indexOf(Math.min(...away));
    return away[best] <= reach ? best : -1;
  }
}

/** `count` points at equal arc length along a stroke, both ends included. */
export function resample(stroke: THREE.Vector3[], count: number): THREE.Vector3[] {
  return new THREE.CatmullRomCurve3(stroke, false, "centripetal").getSpacedPoints(count - 1);
}
