/** The objects of the scene, drawn from their collision shapes, where they are at a time. */
import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { Solid, ThingState } from "../generated/messages";

export interface ThingHit {
  thing: number;
  point: THREE.Vector3;
  distance: number;
}

interface Shown {
  state: ThingState;
  group: THREE.Group;
  made: string; // what the meshes were made from
}

export class Things {
  readonly group = new THREE.Group();
  private readonly material = new THREE.MeshStandardMaterial({ roughness: 0.7 });
  private readonly chosen = new THREE.MeshStandardMaterial({ roughness: 0.7 });
  private readonly stopped = new THREE.MeshStandardMaterial({ roughness: 0.7, color: "#d6336c" });
  private readonly shown = new Map<number, Shown>();
  private selected: number | null = null;

  setColour(colour: string, accent: string): void {
    this.material.color.set(colour);
    this.chosen.color.set(colour).lerp(new THREE.Color(accent), 0.45);
  }

  show(things: ThingState[], timeS: number): void {
    for (const [id, { group }] of this.shown) {
      if (things.some((thing) => thing.id === id)) continue;
      discard(group);
      this.shown.delete(id);
    }
    for (const state of things) {
      const made = JSON.stringify(state.solids);
      const before = this.shown.get(state.id);
      if (before?.made === made) {
        before.state = state;
        continue;
      }
      if (before) discard(before.group);
      const group = new THREE.Group();
      for (const solid of state.solids) {
        const mesh = new THREE.Mesh(solid.kind === "capsule" ? tube(solid) : hull(solid), this.material);
        mesh.castShadow = mesh.receiveShadow = true;
        group.add(mesh);
      }
      this.group.add(group);
      this.shown.set(state.id, { state, group, made });
    }
    this.setTime(timeS);
    this.select(this.selected);
  }

  /** Put every object where its keys say it is. */
  setTime(timeS: number): void {
    for (const { state, group } of this.shown.values()) placeAt(state, timeS, group);
  }

  /** The object's group, to be moved while it is dragged. */
  object(thing: number): THREE.Group | null {
    return this.shown.get(thing)?.group ?? null;
  }

  select(thing: number | null): void {
    this.selected = thing;
    for (const [id, { group }] of this.shown) paint(group, id === thing ? this.chosen : this.material);
  }

  /** Show that an object is stopped by a body that has no way out. */
  warn(thing: number, on: boolean): void {
    const group = this.object(thing);
    if (group) paint(group, on ? this.stopped : thing === this.selected ? this.chosen : this.material);
  }

  pick(ray: THREE.Ray): ThingHit | null {
    const caster = new THREE.Raycaster(ray.origin, ray.direction);
    let best: ThingHit | null = null;
    for (const [thing, { group }] of this.shown) {
      group.updateWorldMatrix(true, true);
      const hit = caster.intersectObject(group, true)[0];
      if (hit && (!best || hit.distance < best.distance)) best = { thing, point: hit.point, distance: hit.distance };
    }
    return best;
  }
}

const turn = new THREE.Quaternion();

/** Straight lines and even turns between keys, still before and after, as KeyMotion has it. */
function placeAt(state: ThingState, timeS: number, out: THREE.Object3D): void {
  const after = state.keys.findIndex((key) => key.time_s > timeS);
  const next = after < 0 ? state.keys.at(-1) : state.keys[after];
  const last = after > 0 ? state.keys[after - 1] : next;
  const from = last ?? state, to = next ?? state;
  const span = last && next ? next.time_s - last.time_s : 0;
  const share = span > 0 ? (timeS - last!.time_s) / span : 0;
  const [w, x, y, z] = from.rotation, [w2, x2, y2, z2] = to.rotation;
  out.position.fromArray(from.position).lerp(new THREE.Vector3(...to.position), share);
  out.quaternion.set(x, y, z, w).slerp(turn.set(x2, y2, z2, w2), share);
}

function paint(group: THREE.Group, material: THREE.Material): void {
  for (const mesh of group.children as THREE.Mesh[]) mesh.material = material;
}

function discard(group: THREE.Group): void {
  group.removeFromParent();
  for (const mesh of group.children as THREE.Mesh[]) mesh.geometry.dispose();
}

function tube({ points: [a, b], radius }: Solid): THREE.BufferGeometry {
  const start = new THREE.Vector3(...a), end = new THREE.Vector3(...b);
  const along = end.clone().sub(start);
  const geometry = new THREE.CapsuleGeometry(radius, along.length(), 8, 20);
  const turned = new THREE.Quaternion();
  if (along.lengthSq() > 0) turned.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
  return geometry.applyMatrix4(new THREE.Matrix4().compose(start.add(end).multiplyScalar(0.5), turned, new THREE.Vector3(1, 1, 1)));
}

/** The hull of balls around the points. */
function hull({ points, radius }: Solid): THREE.BufferGeometry {
  const ball = new THREE.IcosahedronGeometry(radius, 1).attributes.position;
  const corners = points.flatMap((point) =>
    Array.from({ length: ball.count }, (_, i) => new THREE.Vector3().fromBufferAttribute(ball, i).add(new THREE.Vector3(...point))),
  );
  return new ConvexGeometry(corners);
}
