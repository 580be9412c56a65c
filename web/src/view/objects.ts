/** The objects of the scene, drawn from their collision shapes at their placement at a time. */
import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import type { ObjectState, Solid } from "../generated/messages";
import { capsuleGeometry } from "./capsule_geometry";

export interface ObjectHit {
  object: number;
  point: THREE.Vector3;
  normal: THREE.Vector3; // of the surface there, in the world
  distance: number;
}

interface ShownObject {
  state: ObjectState;
  group: THREE.Group;
  solids: string; // JSON of the shapes that the meshes were built from
}

export class SceneObjects {
  readonly group = new THREE.Group();
  private readonly material = new THREE.MeshStandardMaterial({ roughness: 0.7 });
  private readonly selectedMaterial = new THREE.MeshStandardMaterial({ roughness: 0.7 });
  private readonly blockedMaterial = new THREE.MeshStandardMaterial({ roughness: 0.7, color: "#d6336c" });
  private readonly shown = new Map<number, ShownObject>();
  private selected: number | null = null;

  setColour(colour: string, accent: string): void {
    this.material.color.set(colour);
    this.selectedMaterial.color.set(colour).lerp(new THREE.Color(accent), 0.45);
  }

  show(objects: ObjectState[], timeS: number): void {
    for (const [id, { group }] of this.shown) {
      if (objects.some((object) => object.id === id)) continue;
      discard(group);
      this.shown.delete(id);
    }
    for (const state of objects) {
      const solids = JSON.stringify(state.solids);
      const before = this.shown.get(state.id);
      if (before?.solids === solids) {
        before.state = state;
        continue;
      }
      if (before) discard(before.group);
      const group = new THREE.Group();
      for (const solid of state.solids) {
        const mesh = new THREE.Mesh(
          solid.kind === "capsule" ? capsuleGeometry(solid.points[0], solid.points[1], solid.radius) : hull(solid),
          this.material,
        );
        mesh.castShadow = mesh.receiveShadow = true;
        group.add(mesh);
      }
      this.group.add(group);
      this.shown.set(state.id, { state, group, solids });
    }
    this.setTime(timeS);
    this.select(this.selected);
  }

  /** Place every object as its keys are at a time. */
  setTime(timeS: number): void {
    for (const { state, group } of this.shown.values()) placeAt(state, timeS, group);
  }

  /** The group of an object's meshes. */
  object(object: number): THREE.Group | null {
    return this.shown.get(object)?.group ?? null;
  }

  select(object: number | null): void {
    this.selected = object;
    for (const [id, { group }] of this.shown) paint(group, id === object ? this.selectedMaterial : this.material);
  }

  /** Show whether an object is blocked by a body that cannot be pushed further. */
  showBlocked(object: number, on: boolean): void {
    const group = this.object(object);
    if (group)
      paint(group, on ? this.blockedMaterial : object === this.selected ? this.selectedMaterial : this.material);
  }

  /** The first object along a ray, ignoring those in `without`. */
  pick(ray: THREE.Ray, without?: Set<number>): ObjectHit | null {
    const caster = new THREE.Raycaster(ray.origin, ray.direction);
    let best: ObjectHit | null = null;
    for (const [object, { group }] of this.shown) {
      if (without?.has(object)) continue;
      group.updateWorldMatrix(true, true);
      const hit = caster.intersectObject(group, true)[0];
      if (!hit?.face || (best && hit.distance >= best.distance)) continue;
      const normal = hit.face.normal.clone().transformDirection(hit.object.matrixWorld);
      best = { object, point: hit.point, normal, distance: hit.distance };
    }
    return best;
  }
}

const turn = new THREE.Quaternion();

/** Linear interpolation of position and slerp of rotation between keys, constant outside, as in the Python KeyMotion. */
export function placeAt(state: ObjectState, timeS: number, out: THREE.Object3D): void {
  const after = state.keys.findIndex((key) => key.time_s > timeS);
  const next = after < 0 ? state.keys.at(-1) : state.keys[after];
  const last = after > 0 ? state.keys[after - 1] : next;
  const from = last ?? state,
    to = next ?? state;
  const span = last && next ? next.time_s - last.time_s : 0;
  const share = span > 0 ? (timeS - last!.time_s) / span : 0;
  const [w, x, y, z] = from.rotation,
    [w2, x2, y2, z2] = to.rotation;
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

/** The convex hull of spheres around the points. */
function hull({ points, radius }: Solid): THREE.BufferGeometry {
  const ball = new THREE.IcosahedronGeometry(radius, 1).attributes.position;
  const corners = points.flatMap((point) =>
    Array.from({ length: ball.count }, (_, i) =>
      new THREE.Vector3().fromBufferAttribute(ball, i).add(new THREE.Vector3(...point)),
    ),
  );
  return new ConvexGeometry(corners);
}
