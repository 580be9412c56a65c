/** Where joints are in a configuration: local transforms, and the path of one joint through a motion. */
import * as THREE from "three";
import type { FigureShape, JointShape } from "../generated/messages";
import type { Motion } from "../sampled_motion";

// joint kinds, as in the Python package
const FIXED = 0;
const HINGE = 1;
const PRISMATIC = 2;
const BALL = 3;
const COORDINATES = [0, 1, 1, 4, 7]; // numbers in q by joint kind; kind 4 is the free root

const vector = new THREE.Vector3();
const turn = new THREE.Quaternion();

/** The local transform T(offset) R(rest) Q(q) of a joint, as in kernels/skeleton/kinematics.py; `from`: where q starts. */
export function localFrame(
  { kind, offset, rest, axis, q_start }: JointShape,
  q: Float32Array,
  from: number,
  position: THREE.Vector3,
  rotation: THREE.Quaternion,
): void {
  const at = from + q_start;
  position.fromArray(offset);
  rotation.set(rest[1], rest[2], rest[3], rest[0]);
  if (kind === FIXED) return;
  if (kind === HINGE) {
    rotation.multiply(turn.setFromAxisAngle(vector.fromArray(axis), q[at]));
  } else if (kind === PRISMATIC) {
    position.add(vector.fromArray(axis).multiplyScalar(q[at]).applyQuaternion(rotation));
  } else {
    const free = kind === BALL ? 0 : 3;
    if (free) position.add(vector.fromArray(q, at).applyQuaternion(rotation));
    const i = at + free;
    rotation.multiply(turn.set(q[i + 1], q[i + 2], q[i + 3], q[i]));
  }
}

/** The number of entries of a configuration. */
export function configurationSize(shape: FigureShape): number {
  return shape.joints.reduce((most, joint) => Math.max(most, joint.q_start + COORDINATES[joint.kind]), 0);
}

/** A joint over time: world positions (frames x 3, m) and rotations relative to the rest pose (frames x 3, degrees). */
export interface JointPath {
  positions: Float32Array;
  rotations: Float32Array;
}

/** The path of a joint in the frames from `first` to before `stop`. */
export function jointPath(shape: FigureShape, motion: Motion, joint: number, first: number, stop: number): JointPath {
  const chain: JointShape[] = [];
  for (let j = joint; j >= 0; j = shape.joints[j].parent) chain.unshift(shape.joints[j]);
  const count = Math.max(0, stop - first);
  const path = { positions: new Float32Array(3 * count), rotations: new Float32Array(3 * count) };
  const at = new THREE.Vector3();
  const world = new THREE.Quaternion();
  const [step, local] = [new THREE.Vector3(), new THREE.Quaternion()];
  const euler = new THREE.Euler();
  for (let k = 0; k < count; k++) {
    at.set(0, 0, 0);
    world.identity();
    for (const one of chain) {
      localFrame(one, motion.q, (first + k) * motion.size, step, local);
      at.add(step.applyQuaternion(world));
      world.multiply(local);
    }
    at.toArray(path.positions, 3 * k);
    const { rest } = shape.joints[joint];
    local.premultiply(turn.set(-rest[1], -rest[2], -rest[3], rest[0]));
    euler.setFromQuaternion(local, "YXZ");
    [euler.x, euler.y, euler.z].forEach((angle, c) => {
      path.rotations[3 * k + c] = continued(path.rotations, 3 * (k - 1) + c, (180 / Math.PI) * angle);
    });
  }
  return path;
}

/** An angle in degrees plus the whole turns that bring it nearest to the one before. */
function continued(angles: Float32Array, before: number, angle: number): number {
  return before < 0 ? angle : angle + 360 * Math.round((angles[before] - angle) / 360);
}
