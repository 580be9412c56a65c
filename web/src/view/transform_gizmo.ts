/** Transform gizmo: arrows that translate along an axis and rings that rotate about one. */
import * as THREE from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { Gesture, PointerAt, Tool } from "./view_tools";
import type { Viewport } from "./viewport";

const COLOURS = ["#e8590c", "#2b8a3e", "#1971c2"];
const AXES = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
const NEAR_PX = 11;
const NEAR_TOUCH_PX = 22;
const FREE = 0.45; // fraction of the radius within which a press drags a solid object itself
const TIP = 1.35; // arrows end outside the rings

export interface Placement {
  position: THREE.Vector3;
  rotation: THREE.Quaternion;
}

/** What the gizmo moves. */
export interface Movable {
  placement(): Placement | null; // null hides the gizmo
  preview(placement: Placement): void;
  commit(placement: Placement): void;
  cancelled?(): void; // after `preview` of the initial placement
}

interface Handle {
  kind: "shift" | "turn";
  axis: number;
  line: THREE.Mesh;
}

export class TransformGizmo implements Tool {
  private readonly group = new THREE.Group();
  private readonly handles: Handle[] = [];
  private held: Placement | null = null;

  constructor(
    private readonly viewport: Viewport,
    private readonly movable: Movable,
    rings: number[],
    arrows = [0, 1, 2],
    private readonly solid = false,
  ) {
    for (const axis of arrows) this.add("shift", axis, arrow(axis));
    for (const axis of rings) this.add("turn", axis, ring(axis));
    this.group.visible = false;
    viewport.overlay.add(this.group);
  }

  /** Place the handles; called before every frame. */
  show(): void {
    const place = this.held ?? this.movable.placement();
    this.group.visible = place !== null;
    if (!place) return;
    this.group.position.copy(place.position);
    this.group.scale.setScalar(0.085 * this.viewport.orbit.camera.position.distanceTo(place.position));
    this.group.updateMatrixWorld(true);
  }

  down(at: PointerAt): Gesture | null {
    const handle = this.handleAt(at);
    const start = this.movable.placement();
    if (!handle || !start) return null;
    const from = { position: start.position.clone(), rotation: start.rotation.clone() };
    const now = { position: from.position.clone(), rotation: from.rotation.clone() };
    const follow =
      handle.kind === "shift" ? translate(from, AXES[handle.axis], at.ray) : rotate(from, AXES[handle.axis], at.ray);
    this.held = now;
    const end = (then: () => void) => {
      this.held = null;
      then();
      this.viewport.draw();
    };
    const restore = () => {
      this.movable.preview(from);
      this.movable.cancelled?.();
    };
    return {
      move: ({ ray }) => {
        follow(ray, now);
        this.movable.preview(now);
        this.viewport.draw();
      },
      up: (_, moved) => end(() => (moved ? this.movable.commit(now) : restore())),
      cancel: () => end(restore),
    };
  }

  hover(at: PointerAt | null): boolean {
    const found = at && this.handleAt(at);
    let changed = false;
    for (const { line } of this.handles) {
      const material = line.material as THREE.MeshBasicMaterial;
      const opacity = line === found?.line ? 1 : 0.75;
      changed ||= material.opacity !== opacity;
      material.opacity = opacity;
    }
    if (changed) this.viewport.draw();
    return !!found;
  }

  /** Page coordinates of a handle, for tests. */
  grip(kind: "shift" | "turn", axis: number): { x: number; y: number } {
    return this.viewport.onPage(this.pointsOf({ kind, axis })[kind === "shift" ? 8 : 4]);
  }

  private add(kind: "shift" | "turn", axis: number, geometry: THREE.BufferGeometry): void {
    const material = new THREE.MeshBasicMaterial({
      color: COLOURS[axis],
      depthTest: false,
      transparent: true,
      opacity: 0.75,
      toneMapped: false,
    });
    const line = new THREE.Mesh(geometry, material);
    line.renderOrder = 8;
    this.handles.push({ kind, axis, line });
    this.group.add(line);
  }

  private pointsOf({ kind, axis }: { kind: string; axis: number }): THREE.Vector3[] {
    const across = AXES[(axis + 1) % 3],
      other = AXES[(axis + 2) % 3];
    const local =
      kind === "shift"
        ? Array.from({ length: 9 }, (_, k) => AXES[axis].clone().multiplyScalar(TIP * (0.45 + (0.55 * k) / 8)))
        : Array.from({ length: 64 }, (_, k) =>
            across
              .clone()
              .multiplyScalar(Math.cos((k / 32) * Math.PI))
              .addScaledVector(other, Math.sin((k / 32) * Math.PI)),
          );
    return local.map((point) => this.group.localToWorld(point));
  }

  private handleAt(at: PointerAt): Handle | null {
    if (!this.group.visible) return null;
    let best: Handle | null = null,
      least = at.touch ? NEAR_TOUCH_PX : NEAR_PX;
    const middle = this.viewport.onPage(this.group.position);
    const across = new THREE.Vector3()
      .setFromMatrixColumn(this.viewport.orbit.camera.matrix, 0)
      .multiplyScalar(this.group.scale.x);
    const free = (this.solid ? FREE : 0) * (this.viewport.onPage(across.add(this.group.position)).x - middle.x);
    for (const handle of this.handles) {
      for (const point of this.pointsOf(handle)) {
        const { x, y } = this.viewport.onPage(point);
        if (Math.hypot(x - middle.x, y - middle.y) < free) continue;
        const distance = Math.hypot(x - at.x, y - at.y);
        if (distance < least) [least, best] = [distance, handle];
      }
    }
    // nearer to the middle than to a handle, a press is one on the part itself
    return this.solid && Math.hypot(at.x - middle.x, at.y - middle.y) < least ? null : best;
  }
}

type Follow = (ray: THREE.Ray, out: Placement) => void;

/** Translation along an axis: the point of the axis nearest to the ray, relative to where it was grabbed. */
function translate(from: Placement, axis: THREE.Vector3, grabbed: THREE.Ray): Follow {
  const along = (ray: THREE.Ray) => {
    const across = new THREE.Vector3().crossVectors(axis, ray.direction);
    const normal = across.clone().cross(ray.direction);
    const slant = axis.dot(normal);
    return Math.abs(slant) < 1e-6 ? 0 : ray.origin.clone().sub(from.position).dot(normal) / slant;
  };
  const start = along(grabbed);
  return (ray, out) => out.position.copy(from.position).addScaledVector(axis, along(ray) - start);
}

/** Rotation about an axis by the angle between the grabbed and the current point of its plane. */
function rotate(from: Placement, axis: THREE.Vector3, grabbed: THREE.Ray): Follow {
  const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(axis, from.position);
  const on = (ray: THREE.Ray) => ray.intersectPlane(plane, new THREE.Vector3())?.sub(from.position).normalize() ?? null;
  const start = on(grabbed);
  return (ray, out) => {
    const now = on(ray);
    if (!start || !now) return;
    const angle = Math.atan2(start.clone().cross(now).dot(axis), start.dot(now));
    out.rotation.setFromAxisAngle(axis, angle).multiply(from.rotation);
  };
}

function arrow(axis: number): THREE.BufferGeometry {
  const shaft = new THREE.CylinderGeometry(0.02, 0.02, 0.6 * TIP, 8).translate(0, 0.72 * TIP, 0);
  const head = new THREE.ConeGeometry(0.075, 0.2, 16).translate(0, 1.05 * TIP, 0);
  const turn = new THREE.Quaternion().setFromUnitVectors(AXES[1], AXES[axis]);
  return mergeGeometries([shaft, head]).applyQuaternion(turn);
}

function ring(axis: number): THREE.BufferGeometry {
  const turn = new THREE.Quaternion().setFromUnitVectors(AXES[2], AXES[axis]);
  return new THREE.TorusGeometry(1, 0.022, 8, 72).applyQuaternion(turn);
}
