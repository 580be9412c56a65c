/** Ray picking of a skinned body: skins the vertices on the CPU and intersects every triangle. */
import * as THREE from "three";
import type { Character } from "./character";

export interface Hit {
  joint: number;
  point: THREE.Vector3; // world
  normal: THREE.Vector3; // of the surface there, in the world
  distance: number;
}

/** Picks points of a character; the skinned vertices are cached until its pose changes. */
export class Picker {
  private readonly skinned: Float32Array;
  private readonly matrices: Float32Array;
  private version = -1;

  constructor(readonly character: Character) {
    this.skinned = new Float32Array(character.vertices.length);
    this.matrices = new Float32Array(16 * character.bones.length);
  }

  /** The first point of the body along a ray, ignoring triangles of the joints in `without`. */
  pick(ray: THREE.Ray, without?: Set<number>): Hit | null {
    this.skin();
    const { origin, direction } = ray;
    const { triangles, skinJoints } = this.character;
    let nearest = Infinity,
      found = -1;
    for (let t = 0; t < triangles.length; t += 3) {
      const distance = intersectTriangle(
        origin,
        direction,
        this.skinned,
        3 * triangles[t],
        3 * triangles[t + 1],
        3 * triangles[t + 2],
      );
      if (distance < nearest) {
        if (without?.has(skinJoints[4 * triangles[t]])) continue;
        nearest = distance;
        found = t;
      }
    }
    if (found < 0) return null;
    const point = direction.clone().multiplyScalar(nearest).add(origin);
    return { joint: this.dominantJoint(found, point), point, normal: this.normal(found), distance: nearest };
  }

  private normal(triangle: number): THREE.Vector3 {
    const [a, b, c] = [0, 1, 2].map((k) =>
      new THREE.Vector3().fromArray(this.skinned, 3 * this.character.triangles[triangle + k]),
    );
    return b.sub(a).cross(c.sub(a)).normalize();
  }

  /** The joint with the largest skin weight at the corner of the triangle nearest to the point. */
  private dominantJoint(triangle: number, point: THREE.Vector3): number {
    const { triangles, skinJoints, skinWeights } = this.character;
    let corner = triangles[triangle],
      least = Infinity;
    for (let k = 0; k < 3; k++) {
      const v = triangles[triangle + k];
      const d = Math.hypot(
        this.skinned[3 * v] - point.x,
        this.skinned[3 * v + 1] - point.y,
        this.skinned[3 * v + 2] - point.z,
      );
      if (d < least) [least, corner] = [d, v];
    }
    let best = 4 * corner;
    for (let slot = best; slot < 4 * corner + 4; slot++) if (skinWeights[slot] > skinWeights[best]) best = slot;
    return skinJoints[best];
  }

  private skin(): void {
    const { character, skinned, matrices } = this;
    if (this.version === character.version) return;
    this.version = character.version;
    const matrix = new THREE.Matrix4();
    character.bones.forEach((bone, j) =>
      matrix.multiplyMatrices(bone.matrixWorld, character.restInverse[j]).toArray(matrices, 16 * j),
    );
    const { vertices, skinJoints, skinWeights } = character;
    for (let v = 0; v < vertices.length / 3; v++) {
      const x = vertices[3 * v],
        y = vertices[3 * v + 1],
        z = vertices[3 * v + 2];
      let sx = 0,
        sy = 0,
        sz = 0;
      for (let slot = 4 * v; slot < 4 * v + 4; slot++) {
        const w = skinWeights[slot];
        if (w === 0) continue;
        const m = 16 * skinJoints[slot];
        sx += w * (matrices[m] * x + matrices[m + 4] * y + matrices[m + 8] * z + matrices[m + 12]);
        sy += w * (matrices[m + 1] * x + matrices[m + 5] * y + matrices[m + 9] * z + matrices[m + 13]);
        sz += w * (matrices[m + 2] * x + matrices[m + 6] * y + matrices[m + 10] * z + matrices[m + 14]);
      }
      skinned[3 * v] = sx;
      skinned[3 * v + 1] = sy;
      skinned[3 * v + 2] = sz;
    }
  }
}

/** Distance along the ray to the front face of triangle (a, b, c), Möller-Trumbore; infinity when it misses. */
function intersectTriangle(
  o: THREE.Vector3,
  d: THREE.Vector3,
  p: Float32Array,
  a: number,
  b: number,
  c: number,
): number {
  const e1x = p[b] - p[a],
    e1y = p[b + 1] - p[a + 1],
    e1z = p[b + 2] - p[a + 2];
  const e2x = p[c] - p[a],
    e2y = p[c + 1] - p[a + 1],
    e2z = p[c + 2] - p[a + 2];
  const hx = d.y * e2z - d.z * e2y,
    hy = d.z * e2x - d.x * e2z,
    hz = d.x * e2y - d.y * e2x;
  const det = e1x * hx + e1y * hy + e1z * hz;
  if (det < 1e-12) return Infinity;
  const sx = o.x - p[a],
    sy = o.y - p[a + 1],
    sz = o.z - p[a + 2];
  const u = (sx * hx + sy * hy + sz * hz) / det;
  if (u < 0 || u > 1) return Infinity;
  const qx = sy * e1z - sz * e1y,
    qy = sz * e1x - sx * e1z,
    qz = sx * e1y - sy * e1x;
  const v = (d.x * qx + d.y * qy + d.z * qz) / det;
  if (v < 0 || u + v > 1) return Infinity;
  const distance = (e2x * qx + e2y * qy + e2z * qz) / det;
  return distance > 0 ? distance : Infinity;
}
