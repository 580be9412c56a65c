/** The collision shapes of a character, drawn over it; they can be picked. */
import * as THREE from "three";
import type { CapsuleShape } from "../generated/messages";
import { capsuleGeometry } from "./capsule_geometry";
import type { Character } from "./character";

const LAYER = 1; // of the main view
const PLAIN = new THREE.MeshBasicMaterial({ color: "#1c7ed6", transparent: true, opacity: 0.18, depthTest: false });
const CHOSEN = new THREE.MeshBasicMaterial({ color: "#f76707", transparent: true, opacity: 0.6, depthTest: false });

export class ShapeOverlay {
  private character: Character | null = null;
  private meshes: THREE.Mesh[] = [];
  private chosen: number | null = null;

  /** Draw the shapes of a character, or none with null. */
  show(character: Character | null): void {
    if (character === this.character) return;
    for (const mesh of this.meshes) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
    }
    this.character = character;
    this.meshes = (character?.shape.capsules ?? []).map((capsule) => {
      const mesh = new THREE.Mesh(geometryOf(capsule, capsule.radius), PLAIN);
      mesh.layers.set(LAYER);
      mesh.renderOrder = 5;
      character!.bones[capsule.joint].add(mesh);
      return mesh;
    });
    character?.root.updateMatrixWorld(true);
    this.choose(this.chosen);
  }

  choose(shape: number | null): void {
    this.chosen = shape;
    this.meshes.forEach((mesh, i) => {
      mesh.material = i === shape ? CHOSEN : PLAIN;
    });
  }

  /** The nearest shape on a ray, or null. */
  pick(ray: THREE.Ray): number | null {
    const caster = new THREE.Raycaster(ray.origin, ray.direction);
    caster.layers.set(LAYER);
    const hit = caster.intersectObjects(this.meshes, false)[0];
    return hit ? this.meshes.indexOf(hit.object as THREE.Mesh) : null;
  }

  /** The distance of a ray from the axis of a shape: the radius with which it would touch the ray. */
  distance(shape: number, ray: THREE.Ray): number {
    const capsule = this.character!.shape.capsules[shape];
    const bone = this.character!.bones[capsule.joint].matrixWorld;
    const start = new THREE.Vector3(...capsule.start).applyMatrix4(bone);
    const end = new THREE.Vector3(...capsule.end).applyMatrix4(bone);
    return Math.sqrt(ray.distanceSqToSegment(start, end));
  }

  /** Draw a shape with another radius until the server answers. */
  preview(shape: number, radius: number): void {
    const mesh = this.meshes[shape];
    mesh.geometry.dispose();
    mesh.geometry = geometryOf(this.character!.shape.capsules[shape], radius);
  }
}

function geometryOf(capsule: CapsuleShape, radius: number): THREE.BufferGeometry {
  return capsuleGeometry(capsule.start, capsule.end, radius);
}
