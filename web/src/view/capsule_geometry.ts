/** The surface of a capsule between two points. */
import * as THREE from "three";

export function capsuleGeometry(a: readonly number[], b: readonly number[], radius: number): THREE.BufferGeometry {
  const start = new THREE.Vector3().fromArray(a),
    end = new THREE.Vector3().fromArray(b);
  const along = end.clone().sub(start);
  const geometry = new THREE.CapsuleGeometry(radius, along.length(), 8, 20);
  const turned = new THREE.Quaternion();
  if (along.lengthSq() > 0) turned.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
  return geometry.applyMatrix4(
    new THREE.Matrix4().compose(start.add(end).multiplyScalar(0.5), turned, new THREE.Vector3(1, 1, 1)),
  );
}
