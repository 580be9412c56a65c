/** The objects of the scene, drawn from their collision shapes. */
import * as THREE from "three";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { Solid, ThingState } from "../generated/messages";

export class Things {
  readonly group = new THREE.Group();
  private readonly material = new THREE.MeshStandardMaterial({ roughness: 0.7 });
  private shown = "";

  setColour(colour: string): void {
    this.material.color.set(colour);
  }

  show(things: ThingState[]): void {
    const stamp = JSON.stringify(things);
    if (stamp === this.shown) return;
    this.shown = stamp;
    for (const mesh of [...this.group.children] as THREE.Mesh[]) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
    }
    for (const thing of things) {
      for (const solid of thing.solids) {
        const mesh = new THREE.Mesh(solid.kind === "capsule" ? tube(solid) : hull(solid), this.material);
        mesh.castShadow = mesh.receiveShadow = true;
        this.group.add(mesh);
      }
    }
  }
}

function tube({ points: [a, b], radius }: Solid): THREE.BufferGeometry {
  const start = new THREE.Vector3(...a), end = new THREE.Vector3(...b);
  const along = end.clone().sub(start);
  const geometry = new THREE.CapsuleGeometry(radius, along.length(), 6, 16);
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
  return geometry.applyMatrix4(new THREE.Matrix4().compose(start.add(end).multiplyScalar(0.5), turn, new THREE.Vector3(1, 1, 1)));
}

/** The hull of balls around the points. */
function hull({ points, radius }: Solid): THREE.BufferGeometry {
  const ball = new THREE.IcosahedronGeometry(radius, 1).attributes.position;
  const corners = points.flatMap((point) =>
    Array.from({ length: ball.count }, (_, i) => new THREE.Vector3().fromBufferAttribute(ball, i).add(new THREE.Vector3(...point))),
  );
  return new ConvexGeometry(corners);
}
