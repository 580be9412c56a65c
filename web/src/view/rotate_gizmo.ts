/** Rotation gizmo: three rings around the selected joint; dragging one rotates the joint. */
import * as THREE from "three";
import { store } from "../store";
import type { Viewport } from "./viewport";

const COLOURS = ["#e8590c", "#2b8a3e", "#1971c2"];
const AXES = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
const HINGE = 1;
const BALL = 3;
const FREE = 0.6; // fraction of the radius within which a press drags the body instead

export class RotateGizmo {
  private readonly group = new THREE.Group();
  private readonly rings: THREE.Mesh[];
  private held: {
    axis: THREE.Vector3;
    plane: THREE.Plane;
    start: THREE.Vector3;
    orientation: THREE.Quaternion;
  } | null = null;
  private hovered = -1;

  constructor(private readonly viewport: Viewport) {
    this.rings = AXES.map((axis, i) => {
      const geometry = new THREE.TorusGeometry(1, 0.022, 8, 72);
      geometry.applyQuaternion(new THREE.Quaternion().setFromUnitVectors(AXES[2], axis));
      const material = new THREE.MeshBasicMaterial({
        color: COLOURS[i],
        depthTest: false,
        transparent: true,
        opacity: 0.75,
        toneMapped: false,
      });
      const ring = new THREE.Mesh(geometry, material);
      ring.renderOrder = 8;
      return ring;
    });
    this.group.add(...this.rings);
    this.group.visible = false;
    viewport.overlay.add(this.group);
  }

  /** Place the rings at the selected joint, or hide them. */
  place(): void {
    const character = this.viewport.character(store.active);
    const joint = store.selected;
    const kind = joint === null ? 0 : (character?.shape.joints[joint]?.kind ?? 0);
    this.group.visible = character !== null && joint !== null && (kind >= BALL || kind === HINGE) && !store.playing;
    if (!this.group.visible || !character || joint === null) return;
    character.jointPosition(joint, this.group.position);
    if (!this.held) this.group.quaternion.copy(character.jointRotation(joint));
    const distance = this.viewport.orbit.camera.position.distanceTo(this.group.position);
    this.group.scale.setScalar(Math.max(0.05 * character.shape.height, 0.045 * distance));
    this.group.updateMatrixWorld(true);
  }

  hover(x: number, y: number): boolean {
    const ring = this.ringAt(x, y);
    if (ring !== this.hovered) {
      this.hovered = ring;
      this.rings.forEach((mesh, i) => ((mesh.material as THREE.MeshBasicMaterial).opacity = i === ring ? 1 : 0.75));
      this.viewport.draw();
    }
    return ring >= 0;
  }

  grab(x: number, y: number): boolean {
    const ring = this.ringAt(x, y);
    const character = this.viewport.character(store.active);
    if (ring < 0 || store.selected === null || !character) return false;
    const axis = AXES[ring].clone().applyQuaternion(this.group.quaternion);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(axis, this.group.position);
    const start = this.onPlane(plane, x, y);
    if (!start) return false;
    this.held = { axis, plane, start, orientation: character.jointRotation(store.selected) };
    return true;
  }

  drag(x: number, y: number): { joint: number; orientation: THREE.Quaternion } | null {
    if (!this.held || store.selected === null) return null;
    const { axis, plane, start, orientation } = this.held;
    const now = this.onPlane(plane, x, y);
    if (!now) return null;
    const angle = Math.atan2(start.clone().cross(now).dot(axis), start.dot(now));
    const turn = new THREE.Quaternion().setFromAxisAngle(axis, angle);
    this.group.quaternion.copy(turn.clone().multiply(orientation));
    return { joint: store.selected, orientation: turn.multiply(orientation) };
  }

  drop(): void {
    this.held = null;
  }

  private onPlane(plane: THREE.Plane, x: number, y: number): THREE.Vector3 | null {
    const at = this.viewport.ray(x, y).intersectPlane(plane, new THREE.Vector3());
    return at ? at.sub(this.group.position).normalize() : null;
  }

  /** Index of the ring within a few pixels of the pointer, -1 for none. */
  private ringAt(x: number, y: number): number {
    if (!this.group.visible || this.viewport.onComparedSide(x)) return -1;
    let best = -1,
      least = 9;
    const point = new THREE.Vector3();
    const { viewport, group } = this,
      middle = viewport.onPage(group.position);
    point.setFromMatrixColumn(viewport.orbit.camera.matrixWorld, 0).multiplyScalar(group.scale.x).add(group.position);
    const radius = Math.abs(viewport.onPage(point).x - middle.x);
    if (Math.hypot(x - middle.x, y - middle.y) < FREE * radius) return -1;
    AXES.forEach((axis, i) => {
      const across = new THREE.Vector3(axis.y + axis.z, axis.x, 0).normalize();
      const other = new THREE.Vector3().crossVectors(axis, across);
      for (let k = 0; k < 64; k++) {
        const angle = (k / 32) * Math.PI;
        point.copy(across).multiplyScalar(Math.cos(angle)).addScaledVector(other, Math.sin(angle));
        const at = this.viewport.onPage(this.group.localToWorld(point));
        const distance = Math.hypot(at.x - x, at.y - y);
        if (distance < least) [least, best] = [distance, i];
      }
    });
    return best;
  }
}
