/** Chains: paths across a body or strands of an object, found by a press and drawn over the picture. */
import * as THREE from "three";
import { ActorChains, ChainEnd, Chain as SentChain } from "../generated/messages";
import { store } from "../store";
import type { At } from "../view/tools";
import type { Viewport } from "../view/viewport";

export type Chain = Required<SentChain>;

export const COLOURS = ["#7048e8", "#099268"];
const THICK_M = 0.007;
const KNOB_M = 0.017;

export function chainsOf(actor: number): ActorChains | null {
  return store.state?.features.tangles.actors.find((one) => one.actor === actor) ?? null;
}

export function same(a: Chain, b: Chain): boolean {
  return a.actor === b.actor && a.thing === b.thing && a.start === b.start && a.end === b.end;
}

/** Left arm, head top to left hand tip, chair: left upright. */
export function titleOf(chain: Chain): string {
  const state = store.state;
  if (chain.thing) return `${state?.things.find((one) => one.id === chain.thing)?.name ?? "Object"}, ${words(chain.start)}`;
  const limb = chainsOf(chain.actor)?.limbs.find((one) => one.start === chain.start && one.end === chain.end);
  const own = limb ? words(limb.name) : `${words(chain.start)} to ${words(chain.end)}`;
  const who = state?.actors.find((one) => one.id === chain.actor)?.name ?? "";
  return (state?.actors.length ?? 1) > 1 ? `${who}’s ${own}` : own.charAt(0).toUpperCase() + own.slice(1);
}

export function words(name: string): string {
  return name.replaceAll("_", " ");
}

/** What a press takes hold of: an end of a chain, or the strand of an object that is nearest. */
export interface Touched {
  actor: number;
  joint: number;
  strand: Chain | null;
}

export function touched(viewport: Viewport, at: At): Touched | null {
  const body = viewport.pick(at.x, at.y);
  const thing = viewport.things.pick(at.ray);
  if (thing && (!body || thing.distance < body.distance)) {
    const strand = nearestStrand(viewport, thing.thing, thing.point);
    return strand && { actor: 0, joint: -1, strand };
  }
  return body && { actor: body.actor, joint: body.joint, strand: null };
}

function nearestStrand(viewport: Viewport, thing: number, point: THREE.Vector3): Chain | null {
  const group = viewport.things.object(thing);
  if (!group) return null;
  const local = group.worldToLocal(point.clone());
  const segment = new THREE.Line3(), nearest = new THREE.Vector3();
  let best: Chain | null = null, least = Infinity;
  for (const strand of store.state?.features.tangles.strands ?? []) {
    if (strand.thing !== thing) continue;
    for (let k = 1; k < strand.points.length; k++) {
      segment.set(new THREE.Vector3(...strand.points[k - 1]), new THREE.Vector3(...strand.points[k]));
      const away = segment.closestPointToPoint(local, true, nearest).distanceTo(local);
      if (away < least) [least, best] = [away, { actor: 0, thing, start: strand.name, end: "" }];
    }
  }
  return best;
}

/** The limb that a joint belongs to; the trunk where it belongs to none. */
export function limbAt({ actor, joint }: Touched): Chain | null {
  const limbs = chainsOf(actor)?.limbs ?? [];
  const parents = store.figures.get(store.state?.actors.find((one) => one.id === actor)?.figure ?? "")?.joints ?? [];
  for (let j = joint; j >= 0; j = parents[j]?.parent ?? -1) {
    const limb = limbs.find((one) => one.joints.includes(j));
    if (limb) return { actor, thing: 0, start: limb.start, end: limb.end };
  }
  return null;
}

/** The path from one end to another; the tips of hands, feet and head stand for their joints. */
export function pathBetween(from: Touched, to: Touched): Chain | null {
  if (from.actor !== to.actor || from.joint === to.joint) return null;
  const start = endAt(from), end = endAt(to);
  return start && end ? { actor: from.actor, thing: 0, start: start.name, end: end.name } : null;
}

function endAt({ actor, joint }: Touched): ChainEnd | null {
  const ends = chainsOf(actor)?.ends.filter((end) => end.joint === joint) ?? [];
  return ends.find((end) => end.offset.some(Boolean)) ?? ends[0] ?? null;
}

/** The vertices of a chain where they are now. */
export function pointsOf(viewport: Viewport, chain: Chain): THREE.Vector3[] {
  if (chain.thing) {
    const group = viewport.things.object(chain.thing);
    const strand = store.state?.features.tangles.strands.find((one) => one.thing === chain.thing && one.name === chain.start);
    return group && strand ? strand.points.map((point) => group.localToWorld(new THREE.Vector3(...point))) : [];
  }
  const character = viewport.character(chain.actor);
  const ends = chainsOf(chain.actor)?.ends ?? [];
  const start = ends.find((end) => end.name === chain.start), end = ends.find((one) => one.name === chain.end);
  if (!character || !start || !end) return [];
  const at = (one: ChainEnd) => character.bones[one.joint].localToWorld(new THREE.Vector3(...one.offset));
  const tip = (one: ChainEnd) => (one.offset.some(Boolean) ? [at(one)] : []);
  const middle = jointPath(character.shape.joints.map((one) => one.parent), start.joint, end.joint);
  return [...tip(start), ...middle.map((joint) => character.jointPosition(joint)), ...tip(end)];
}

/** The joints from one to another across the tree. */
function jointPath(parents: number[], from: number, to: number): number[] {
  const up = (joint: number) => {
    const way = [joint];
    while (parents[way.at(-1)!] >= 0) way.push(parents[way.at(-1)!]);
    return way;
  };
  const a = up(from), b = up(to);
  const meeting = a.find((joint) => b.includes(joint)) ?? a.at(-1)!;
  return [...a.slice(0, a.indexOf(meeting) + 1), ...b.slice(0, b.indexOf(meeting)).reverse()];
}

/** Rods and knobs over the picture, placed anew at every frame. */
export class ChainMarks {
  private readonly group = new THREE.Group();
  private readonly rod = new THREE.CylinderGeometry(THICK_M, THICK_M, 1, 10);
  private readonly knob = new THREE.SphereGeometry(KNOB_M, 14, 10);
  private readonly materials = COLOURS.map((colour) => new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true, opacity: 0.9, toneMapped: false }));

  constructor(private readonly viewport: Viewport, private readonly chains: () => (Chain | null)[]) {
    viewport.overlay.add(this.group);
    viewport.beforeFrame.push(() => this.place());
  }

  private place(): void {
    let used = 0;
    this.chains().forEach((chain, number) => {
      const points = chain ? pointsOf(this.viewport, chain) : [];
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
