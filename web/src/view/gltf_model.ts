/** The glTF file of a character as three.js loads it: meshes, materials, textures and morph targets. */

import * as THREE from "three";
import { type GLTF, GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
import { clone } from "three/examples/jsm/utils/SkeletonUtils.js";

interface Loaded {
  gltf: GLTF;
  nodes: Map<number, THREE.Object3D>; // by their number in the file
}

const loaded = new Map<string, Promise<Loaded>>();

/** Load a file once; actors with the same body share its geometry and textures. */
function load(url: string): Promise<Loaded> {
  let found = loaded.get(url);
  if (!found) {
    found = read(url);
    found.catch(() => loaded.delete(url));
    loaded.set(url, found);
  }
  return found;
}

async function read(url: string): Promise<Loaded> {
  const { MeshoptDecoder } = await import("three/examples/jsm/libs/meshopt_decoder.module.js");
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
  const gltf = await loader.loadAsync(url);
  const nodes = new Map<number, THREE.Object3D>();
  for (const [object, { nodes: number }] of gltf.parser.associations)
    if (number !== undefined && "isObject3D" in object) nodes.set(number, object as THREE.Object3D);
  return { gltf, nodes };
}

/** One copy of a character's file, posed by setting the local transforms of its joints. */
export class Model {
  private constructor(
    readonly root: THREE.Object3D,
    private readonly joints: (THREE.Object3D | null)[],
    private readonly unitsM: number[],
  ) {}

  /** joints: the node of each joint; unitsM: the metres per unit of each node's translation. */
  static async open(url: string, joints: number[], unitsM: number[]): Promise<Model> {
    const { gltf, nodes } = await load(url);
    const root = clone(gltf.scene);
    const copies = new Map<THREE.Object3D, THREE.Object3D>();
    pair(gltf.scene, root, copies);
    root.traverse((object) => {
      if (object instanceof THREE.Light || object instanceof THREE.Camera) object.visible = false;
      if (!(object instanceof THREE.Mesh)) return;
      object.castShadow = object.receiveShadow = true;
      object.frustumCulled = false; // bounds are those of the rest pose
    });
    return new Model(
      root,
      joints.map((node) => copies.get(nodes.get(node)!) ?? null),
      unitsM,
    );
  }

  /** Take over the poses of the character's bones, joint by joint. */
  pose(bones: THREE.Bone[]): void {
    this.joints.forEach((joint, j) => {
      if (!joint) return;
      joint.position.copy(bones[j].position).divideScalar(this.unitsM[j]);
      joint.quaternion.copy(bones[j].quaternion);
    });
  }

  setLayer(layer: number): void {
    this.root.traverse((object) => object.layers.set(layer));
  }
}

function pair(original: THREE.Object3D, copy: THREE.Object3D, out: Map<THREE.Object3D, THREE.Object3D>): void {
  out.set(original, copy);
  original.children.forEach((child, i) => pair(child, copy.children[i], out));
}
