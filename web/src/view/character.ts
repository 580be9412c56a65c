/** A figure in the scene: bones and a skinned mesh, with colours for overlapping and hovered parts. */
import * as THREE from "three";
import type { FigureShape } from "../generated/messages";
import { floats } from "../sampled_motion";
import type { Model } from "./gltf_model";
import { configurationSize, localFrame } from "./joint_frames";

const OVERLAP = new THREE.Color("#e5383b");

export interface BodyColours {
  colour: THREE.Color;
  hover: THREE.Color;
}

export class Character {
  readonly root = new THREE.Group();
  readonly bones: THREE.Bone[] = [];
  readonly restInverse: THREE.Matrix4[] = [];
  readonly q: Float32Array;
  version = 0; // counts poses: pickers skin the vertices again when it has changed
  readonly vertices: Float32Array;
  readonly triangles: Uint32Array;
  readonly skinJoints: Uint16Array;
  readonly skinWeights: Float32Array;
  private readonly material: THREE.MeshStandardMaterial;
  private readonly colours: THREE.BufferAttribute;
  private readonly mesh: THREE.SkinnedMesh;
  private touching = new Set<number>();
  private hovered: number | null = null;
  private model: Model | null = null; // the character's own file, once it is loaded
  private layer = 0;
  private readonly margins: { min: THREE.Vector3; max: THREE.Vector3 };
  private readonly partJoints = new Map<string, Set<number>>();

  constructor(
    readonly shape: FigureShape,
    private colouring: BodyColours,
  ) {
    const skinned = shape.vertices.length > 0;
    this.buildBones();
    const body = skinned ? meshOf(shape) : capsuleMesh(shape, this.bones);
    this.vertices = body.vertices;
    this.triangles = body.triangles;
    this.skinJoints = body.joints;
    this.skinWeights = body.weights;
    for (const capsule of shape.capsules) {
      if (!this.partJoints.has(capsule.part)) this.partJoints.set(capsule.part, new Set());
      this.partJoints.get(capsule.part)!.add(capsule.joint);
    }
    this.q = new Float32Array(configurationSize(shape));
    this.margins = this.skinMargins();
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(this.vertices, 3));
    geometry.setAttribute("skinIndex", new THREE.BufferAttribute(this.skinJoints, 4));
    geometry.setAttribute("skinWeight", new THREE.BufferAttribute(this.skinWeights, 4));
    const count = this.vertices.length / 3;
    this.colours = new THREE.BufferAttribute(new Float32Array(4 * count).fill(1), 4);
    this.colours.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("color", this.colours);
    geometry.setIndex(new THREE.BufferAttribute(this.triangles, 1));
    geometry.computeVertexNormals();
    this.material = new THREE.MeshStandardMaterial({ vertexColors: true, roughness: 0.62, metalness: 0 });
    this.mesh = new THREE.SkinnedMesh(geometry, this.material);
    this.mesh.castShadow = true;
    this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.root.add(this.mesh, ...this.bones.filter((_, j) => shape.joints[j].parent < 0));
    this.mesh.bind(new THREE.Skeleton(this.bones, this.restInverse), new THREE.Matrix4());
    this.paint();
  }

  /** Put the figure into a pose. */
  setPose(q: Float32Array): void {
    this.q.set(q.subarray(0, this.q.length));
    for (let j = 0; j < this.bones.length; j++) this.placeBone(j);
    this.model?.pose(this.bones);
    this.root.updateMatrixWorld(true);
    this.version++;
  }

  setColours(colouring: BodyColours): void {
    this.colouring = colouring;
    this.paint();
  }

  setLayer(layer: number): void {
    this.layer = layer;
    this.mesh.layers.set(layer);
    this.model?.setLayer(layer);
  }

  /** Whether the character is shown with its own materials. */
  get hasModel(): boolean {
    return this.model !== null;
  }

  /** Show the character's own file; the plain body then only marks hovered and overlapping parts. */
  setModel(model: Model): void {
    this.model = model;
    this.root.add(model.root);
    this.material.transparent = true;
    this.material.depthWrite = false;
    this.material.polygonOffset = true;
    this.material.polygonOffsetFactor = this.material.polygonOffsetUnits = -2;
    this.material.needsUpdate = true;
    this.mesh.castShadow = this.mesh.receiveShadow = false;
    model.setLayer(this.layer);
    model.pose(this.bones);
    this.root.updateMatrixWorld(true);
    this.paint();
  }

  /** Make the figure transparent, for onion skins. */
  makeTransparent(colour: THREE.Color, opacity: number): void {
    this.colouring = { colour, hover: colour };
    this.material.opacity = opacity;
    // drawn first and without writing depth, so that the body covers it where they coincide
    this.material.blending = THREE.CustomBlending;
    this.material.blendSrcAlpha = THREE.OneFactor; // the canvas itself stays opaque
    this.material.depthWrite = false;
    this.mesh.castShadow = false;
    this.mesh.receiveShadow = false;
    this.mesh.renderOrder = -1;
    this.paint();
  }

  /** Colour the parts that overlap something red. */
  setTouching(parts: string[]): void {
    const joints = new Set<number>();
    for (const part of parts) {
      for (const joint of this.partJoints.get(part) ?? []) joints.add(joint);
      const named = this.shape.joints.findIndex((joint) => joint.name === part);
      if (named >= 0) joints.add(named);
    }
    if (joints.size === this.touching.size && [...joints].every((joint) => this.touching.has(joint))) return;
    this.touching = joints;
    this.paint();
  }

  /** Highlight a joint's part; false when it was already. */
  setHovered(joint: number | null): boolean {
    if (joint === this.hovered) return false;
    this.hovered = joint;
    this.paint();
    return true;
  }

  jointPosition(joint: number, out = new THREE.Vector3()): THREE.Vector3 {
    return out.setFromMatrixPosition(this.bones[joint].matrixWorld);
  }

  /** A box around the body in its pose: around the joints, with the margins that the skin has at rest. */
  bounds(): THREE.Box3 {
    const box = new THREE.Box3();
    this.bones.forEach((_, j) => box.expandByPoint(this.jointPosition(j)));
    box.min.sub(this.margins.min);
    box.max.add(this.margins.max);
    return box;
  }

  /** The direction in which the body faces over the ground: an angle about the vertical from +Z. */
  facing(): number {
    const rest = new THREE.Quaternion().setFromRotationMatrix(this.restInverse[0]);
    const ahead = new THREE.Vector3(0, 0, 1).applyQuaternion(this.jointRotation(0).multiply(rest));
    const level = Math.hypot(ahead.x, ahead.z) > 0.3; // not of a body that lies
    return this.shape.facing_rad + (level ? Math.atan2(ahead.x, ahead.z) : 0);
  }

  jointRotation(joint: number): THREE.Quaternion {
    return new THREE.Quaternion().setFromRotationMatrix(this.bones[joint].matrixWorld);
  }

  dispose(): void {
    this.root.removeFromParent();
    this.mesh.geometry.dispose();
    this.mesh.skeleton.dispose();
    this.material.dispose();
  }

  /** How far the skin reaches beyond the joints in the rest pose, at either end of each axis. */
  private skinMargins(): { min: THREE.Vector3; max: THREE.Vector3 } {
    const joints = new THREE.Box3(),
      skin = new THREE.Box3().setFromArray(this.vertices);
    this.bones.forEach((_, j) => joints.expandByPoint(this.jointPosition(j)));
    const zero = new THREE.Vector3();
    if (skin.isEmpty()) return { min: zero, max: zero.clone() };
    return { min: joints.min.sub(skin.min).max(zero), max: skin.max.sub(joints.max).max(zero) };
  }

  private buildBones(): void {
    this.shape.joints.forEach((joint) => {
      const bone = new THREE.Bone();
      bone.name = joint.name;
      this.bones.push(bone);
      if (joint.parent >= 0) this.bones[joint.parent].add(bone);
      bone.position.fromArray(joint.offset);
      setQuaternion(bone.quaternion, joint.rest);
    });
    this.shape.joints.forEach((joint, j) => {
      if (joint.parent < 0) this.bones[j].updateMatrixWorld(true);
    });
    for (const bone of this.bones) this.restInverse.push(bone.matrixWorld.clone().invert());
  }

  /** Set a bone to the joint's local transform. */
  private placeBone(j: number): void {
    const bone = this.bones[j];
    localFrame(this.shape.joints[j], this.q, 0, bone.position, bone.quaternion);
  }

  /** Vertex colours: the body's, lighter where hovered, red where parts overlap; else clear over a model. */
  private paint(): void {
    const { colour, hover } = this.colouring;
    const array = this.colours.array as Float32Array;
    const marked = this.touching.size > 0 || this.hovered !== null;
    this.mesh.visible = marked || this.model === null;
    for (let v = 0; v < array.length / 4; v++) {
      let red = 0,
        light = 0;
      if (marked) {
        for (let slot = 4 * v; slot < 4 * v + 4; slot++) {
          if (this.touching.has(this.skinJoints[slot])) red += this.skinWeights[slot];
          if (this.skinJoints[slot] === this.hovered) light += this.skinWeights[slot];
        }
      }
      for (let c = 0; c < 3; c++) {
        const base = channel(colour, c) + light * (channel(hover, c) - channel(colour, c));
        array[4 * v + c] = base + Math.min(1, red) * (channel(OVERLAP, c) - base);
      }
      array[4 * v + 3] = this.model ? Math.min(1, 0.75 * red + 0.3 * light) : 1;
    }
    this.colours.needsUpdate = true;
  }
}

function channel(colour: THREE.Color, index: number): number {
  return index === 0 ? colour.r : index === 1 ? colour.g : colour.b;
}

function setQuaternion(out: THREE.Quaternion, [w, x, y, z]: [number, number, number, number]): void {
  out.set(x, y, z, w);
}

interface SkinnedMeshData {
  vertices: Float32Array;
  triangles: Uint32Array;
  joints: Uint16Array;
  weights: Float32Array;
}

function meshOf(shape: FigureShape): SkinnedMeshData {
  return {
    vertices: floats(shape.vertices),
    triangles: new Uint32Array(shape.triangles.slice().buffer),
    joints: new Uint16Array(shape.skin_joints.slice().buffer),
    weights: floats(shape.skin_weights),
  };
}

/** The capsules of a figure without a mesh, each bound to its joint. */
function capsuleMesh(shape: FigureShape, bones: THREE.Bone[]): SkinnedMeshData {
  const vertices: number[] = [],
    triangles: number[] = [],
    joints: number[] = [],
    weights: number[] = [];
  const up = new THREE.Vector3(0, 1, 0);
  for (const capsule of shape.capsules) {
    const start = new THREE.Vector3(...capsule.start),
      end = new THREE.Vector3(...capsule.end);
    const along = end.clone().sub(start);
    const geometry = new THREE.CapsuleGeometry(capsule.radius, along.length(), 8, 20);
    const place = new THREE.Matrix4().compose(
      start.add(end).multiplyScalar(0.5),
      along.lengthSq() > 0 ? new THREE.Quaternion().setFromUnitVectors(up, along.normalize()) : new THREE.Quaternion(),
      new THREE.Vector3(1, 1, 1),
    );
    geometry.applyMatrix4(place.premultiply(bones[capsule.joint].matrixWorld));
    const first = vertices.length / 3;
    vertices.push(...geometry.attributes.position.array);
    for (const index of geometry.index!.array) triangles.push(first + index);
    for (let v = 0; v < geometry.attributes.position.count; v++) {
      joints.push(capsule.joint, 0, 0, 0);
      weights.push(1, 0, 0, 0);
    }
    geometry.dispose();
  }
  return {
    vertices: new Float32Array(vertices),
    triangles: new Uint32Array(triangles),
    joints: new Uint16Array(joints),
    weights: new Float32Array(weights),
  };
}
