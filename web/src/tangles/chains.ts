/** Chains of a tangle: paths across a body or strands of an object, picked by a press and drawn over the view. */
import * as THREE from "three";
import type { ActorChains, ChainEnd, TangleChain } from "../generated/messages";
import { plainName } from "../labels";
import { store } from "../store";
import type { PointerAt } from "../view/view_tools";
import type { Viewport } from "../view/viewport";

export type Chain = Required<TangleChain>;

export const CHAIN_COLOURS = ["#7048e8", "#099268"];
const ROD_RADIUS_M = 0.007;
const KNOB_RADIUS_M = 0.017;

export function chainsOf(actor: number): ActorChains | null {
  return store.state?.features.tangles.actors.find((one) => one.actor === actor) ?? null;
}

export function sameChain(a: Chain, b: Chain): boolean {
  return a.actor === b.actor && a.object === b.object && a.start === b.start && a.end === b.end;
}

/** Title of a chain: "Left arm", "Head top to left hand tip" or "Chair, left upright". */
export function chainTitle(chain: Chain): string {
  const state = store.state;
  if (chain.object)
    return `${state?.objects.find((one) => one.id === chain.object)?.name ?? "Object"}, ${plainName(chain.start)}`;
  const limb = chainsOf(chain.actor)?.limbs.find((one) => one.start === chain.start && one.end === chain.end);
  const own = limb ? plainName(limb.name) : `${plainName(chain.start)} to ${plainName(chain.end)}`;
  const owner = state?.actors.find((one) => one.id === chain.actor)?.name ?? "";
  return (state?.actors.length ?? 1) > 1 ? `${owner}’s ${own}` : own.charAt(0).toUpperCase() + own.slice(1);
}

/** What a press has picked: a joint of a body, or the nearest strand of an object. */
export interface PickedEnd {
  actor: number;
  joint: number;
  strand: Chain | null;
}

/** The joint or strand under the pointer. */
export function pickEnd(viewport: Viewport, at: PointerAt): PickedEnd | null {
  const body = viewport.pick(at.x, at.y);
  const object = viewport.objects.pick(at.ray);
  if (object && (!body || object.distance < body.distance)) {
    const strand = nearestStrand(viewport, object.object, object.point);
    return strand && { actor: 0, joint: -1, strand };
  }
  return body && { actor: body.actor, joint: body.joint, strand: null };
}

function nearestStrand(viewport: Viewport, object: number, point: THREE.Vector3): Chain | null {
  const group = viewport.objects.object(object);
  if (!group) return null;
  const local = group.worldToLocal(point.clone());
  const segment = new THREE.Line3(),
    nearest = new THREE.Vector3();
  let best: Chain | null = null,
    least = Infinity;
  for (const strand of store.state?.features.tangles.strands ?? []) {
    if (strand.object !== object) continue;
    for (let k = 1; k < strand.points.length; k++) {
      segment.set(new THREE.Vector3(...strand.points[k - 1]), new THREE.Vector3(...strand.points[k]));
      const distance = segment.closestPointToPoint(local, true, nearest).distanceTo(local);
      if (distance < least) [least, best] = [distance, { actor: 0, object, start: strand.name, end: "" }];
    }
  }
  return best;
}

/** The limb that a joint or its nearest ancestor belongs to; null when there is none. */
export function limbAt({ actor, joint }: PickedEnd): Chain | null {
  const limbs = chainsOf(actor)?.limbs ?? [];
  const parents = store.figures.get(store.state?.actors.find((one) => one.id === actor)?.figure ?? "")?.joints ?? [];
  for (let j = joint; j >= 0; j = parents[j]?.parent ?? -1) {
    const limb = limbs.find((one) => one.joints.includes(j));
    if (limb) return { actor, object: 0, start: limb.start, end: limb.end };
  }
  return null;
}

/** The chain between two joints of a body; hands, feet and head count to their tips. */
export function chainBetween(from: PickedEnd, to: PickedEnd): Chain | null {
  if (from.actor !== to.actor || from.joint === to.joint) return null;
  const start = endAt(from),
    end = endAt(to);
  return start && end ? { actor: from.actor, object: 0, start: start.name, end: end.name } : null;
}

function endAt({ actor, joint }: PickedEnd): ChainEnd | null {
  const ends = chainsOf(actor)?.ends.filter((end) => end.joint === joint) ?? [];
  return ends.find((end) => end.offset.some(Boolean)) ?? ends[0] ?? null;
}

/** The vertices of a chain in world coordinates. */
export function chainPoints(viewport: Viewport, chain: Chain): THREE.Vector3[] {
  if (chain.object) {
    const group = viewport.objects.object(chain.object);
    const strand = store.state?.features.tangles.strands.find(
      (one) => one.object === chain.object && one.name === chain.start,
    );
    return group && strand ? strand.points.map((point) => group.localToWorld(new THREE.Vector3(...point))) : [];
  }
  const character = viewport.character(chain.actor);
  const ends = chainsOf(chain.actor)?.ends ?? [];
  const start = ends.find((end) => end.name === chain.start),
    end = ends.find((one) => one.name === chain.end);
  if (!character || !start || !end) return [];
  const at = (one: ChainEnd) => character.bones[one.joint].localToWorld(new THREE.Vector3(...one.offset));
  const tip = (one: ChainEnd) => (one.offset.some(Boolean) ? [at(one)] : []);
  const middle = jointPath(
    character.shape.joints.map((one) => one.parent),
    start.joint,
    end.joint,
  );
  return [...tip(start), ...middle.map((joint) => character.jointPosition(joint)), ...tip(end)];
}

/** The joints from one to another along the tree, both included. */
export function jointPath(parents: number[], from: number, to: number): number[] {
  const ancestors = (joint: number) => {
    const line = [joint];
    while (parents[line.at(-1)!] >= 0) line.push(parents[line.at(-1)!]);
    return line;
  };
  const a = ancestors(from),
    b = ancestors(to);
  const common = a.find((joint) => b.includes(joint)) ?? a.at(-1)!;
  return [...a.slice(0, a.indexOf(common) + 1), ...b.slice(0, b.indexOf(common)).reverse()];
}

/** Rods and knobs that show the chains over the view, updated before every frame. */
export class ChainMarkers {
  private readonly group = new THREE.Group();
  private readonly rod = new THREE.CylinderGeometry(ROD_RADIUS_M, ROD_RADIUS_M, 1, 10);
  private readonly knob = new THREE.SphereGeometry(KNOB_RADIUS_M, 14, 10);
  private readonly materials = CHAIN_COLOURS.map(
    (colour) =>
      new THREE.MeshBasicMaterial({
        color: colour,
        depthTest: false,
        transparent: true,
        opacity: 0.9,
        toneMapped: false,
      }),
  );

  constructor(
    private readonly viewport: Viewport,
    private readonly chains: () => (Chain | null)[],
  ) {
    viewport.overlay.add(this.group);
    viewport.beforeFrame.push(() => this.place());
  }

  private place(): void {
    let used = 0;
    this.chains().forEach((chain, number) => {
      const points = chain ? chainPoints(this.viewport, chain) : [];
      points.forEach((point, k) => {
        const ball = this.mesh(used++, this.knob, number);
        ball.position.copy(point);
        ball.scale.setScalar(k === 0 ? 1.35 : 1); // the start is larger: chains have a direction
        ball.quaternion.identity();
        if (k === 0) return;
        const along = point.clone().sub(points[k - 1]);
        const rod = this.mesh(used++, this.rod, number);
        rod.position.copy(point).addScaledVector(along, -0.5);
        rod.scale.set(1, Math.max(along.length(), 1e-6), 1);
        rod.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along.normalize());
      });
    });
    while (this.group.children.length > used) this.group.children.at(-1)!.removeFromParent();
  }

  private mesh(index: number, geometry: THREE.BufferGeometry, number: number): THREE.Mesh {
    const present = this.group.children[index] as THREE.Mesh | undefined;
    const mesh = present ?? new THREE.Mesh();
    if (!present) this.group.add(mesh);
    mesh.geometry = geometry;
    mesh.material = this.materials[number % 2];
    mesh.renderOrder = 8;
    return mesh;
  }
}
