/** Fingers on the body: what each holds, the stream of drags, the release. */
import * as THREE from "three";
import { Connection } from "../connection";
import { Answer, Hold } from "../generated/messages";
import { floats, store, tell } from "../store";
import { say } from "../ui/toast";
import { byFinger } from "../labels";
import { Character } from "./character";
import { ActorHit, Viewport } from "./viewport";

interface Grip {
  joint: number;
  limb: Set<number> | null; // what moves along with it, to be dragged in front of the rest
  pointInJoint: THREE.Vector3;
  plane: THREE.Plane;
  offset: THREE.Vector3;
  wanted: THREE.Vector3;
  orientation: THREE.Quaternion | null;
  duelSide: boolean;
}

const FRAME_MS = 1000 / 60;
const IN_FRONT_M = 0.05; // how far in front of the body a limb is dragged: about its thickness
const MOST_BEHIND_M = 0.8;
const LOST_MS = 1500; // an answer that took this long is not coming

export class Posing {
  private readonly grips = new Map<number, Grip>();
  private actor = 0;
  private sequence = 0;
  private outstanding = false;
  private dirty = false;
  private settled = true;
  private lastSent = 0;
  private lastSequence = 0;
  private newest = 0; // the first message that held the newest wish
  roundTrips: number[] = [];

  constructor(private readonly viewport: Viewport, private readonly connection: Connection) {}

  get active(): boolean {
    return this.grips.size > 0;
  }

  /** Whether the newest wish has been answered. */
  get caughtUp(): boolean {
    return !this.dirty && this.lastSequence >= this.newest;
  }

  has(pointer: number): boolean {
    return this.grips.has(pointer);
  }

  /** Take hold of the body; false when this part is held already. */
  grab(pointer: number, hit: ActorHit, duelSide: boolean): boolean {
    const actor = hit.actor || store.active;
    if (this.active && actor !== this.actor) return false;
    if ([...this.grips.values()].some((grip) => grip.joint === hit.joint)) return false;
    const character = duelSide ? this.viewport.duelCharacter : this.viewport.character(actor);
    if (!character) return false;
    this.actor = actor;
    store.dragging = true;
    this.grips.set(pointer, {
      joint: hit.joint,
      limb: limbOf(character, hit.joint),
      pointInJoint: character.bones[hit.joint].worldToLocal(hit.point.clone()),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(this.viewport.orbit.facing, hit.point),
      offset: new THREE.Vector3(),
      wanted: hit.point.clone(),
      orientation: null,
      duelSide,
    });
    this.settled = false;
    this.dirty = true;
    this.pump();
    return true;
  }

  /** Turn a joint where it is, by the gizmo. */
  turn(pointer: number, joint: number, orientation: THREE.Quaternion): void {
    const character = this.viewport.character(store.active);
    if (!character) return;
    this.actor = store.active;
    store.dragging = true;
    const known = this.grips.get(pointer);
    const wanted = known?.wanted ?? character.jointPosition(joint);
    this.grips.set(pointer, {
      joint, limb: null, pointInJoint: new THREE.Vector3(), plane: new THREE.Plane(), offset: new THREE.Vector3(),
      wanted, orientation: orientation.clone(), duelSide: false,
    });
    this.dirty = true;
    this.settled = false;
    this.pump();
  }

  move(pointer: number, x: number, y: number): void {
    const grip = this.grips.get(pointer);
    if (!grip || grip.orientation) return;
    const ray = this.viewport.ray(x, y);
    const at = ray.intersectPlane(grip.plane, new THREE.Vector3());
    if (!at) return;
    grip.wanted.copy(this.inFront(grip, ray, at));
    this.dirty = true;
    this.settled = false;
    this.pump();
  }

  /** A limb dragged over the body goes in front of it, as it looks on the screen, not through it. */
  private inFront(grip: Grip, ray: THREE.Ray, at: THREE.Vector3): THREE.Vector3 {
    if (!grip.limb) return at;
    const body = this.viewport.nearestBody(ray, this.actor, grip.limb, grip.duelSide) - IN_FRONT_M;
    const wanted = ray.origin.distanceTo(at);
    const far = body < wanted - MOST_BEHIND_M; // another one passing by in front, not the own body
    return body < wanted && !far && body > 0 ? ray.at(body, at) : at;
  }

  /** A finger lets go; with the last one the pose is kept. */
  release(pointer: number): void {
    if (this.dirty && this.has(pointer)) this.sendWish(4); // a quick flick ends where it was let go
    if (!this.grips.delete(pointer)) return;
    this.showHeld();
    if (this.active) {
      this.dirty = true;
      this.pump();
      return;
    }
    this.outstanding = false;
    store.dragging = false;
    this.connection.command({ type: "release", actor: this.actor });
    if (!store.touched) {
      store.touched = true;
      localStorage.setItem("writhe.touched", "yes");
      say(`Well done. ${byFinger() ? "Tap a part twice" : "Click a part"} to pin it: it stays where it is while you drag others.`);
    }
    store.recording = false;
    tell("options");
  }

  /** The link broke: what was in the hand is lost, the document is not. */
  drop(): void {
    this.grips.clear();
    store.dragging = false;
    this.outstanding = false;
    this.showHeld();
  }

  answer(message: Answer): void {
    if (message.sequence < this.lastSequence) return;
    this.lastSequence = message.sequence;
    if (message.sequence === this.sequence) {
      this.outstanding = false;
      this.roundTrips.push(performance.now() - this.lastSent);
      if (this.roundTrips.length > 600) this.roundTrips.shift();
    }
    this.settled = message.settled;
    const character = this.viewport.character(message.actor);
    character?.setPose(floats(message.pose.q));
    character?.setTouching(message.pose.touching);
    if (message.duel && this.viewport.duelCharacter) {
      this.viewport.duelCharacter.setPose(floats(message.duel.q));
      this.viewport.duelCharacter.setTouching(message.duel.touching);
    }
    store.posed = message.pose;
    store.duelPosed = message.duel ?? null;
    if (character) this.viewport.marks.follow(character);
    this.showHeld();
    this.viewport.draw();
    tell("pose");
    if (this.active) requestAnimationFrame(() => this.pump());
  }

  /** Send the newest wish, one at a time: the next goes when the answer is here. */
  private pump(): void {
    if (!this.active || (!this.dirty && this.settled)) return;
    const now = performance.now();
    if (this.outstanding && now - this.lastSent < LOST_MS) return;
    this.sendWish(Math.min(4, Math.max(1, Math.round((now - this.lastSent) / FRAME_MS))));
  }

  private sendWish(frames: number): void {
    const sent = this.connection.send({
      type: "drag",
      sequence: ++this.sequence,
      actor: this.actor,
      holds: [...this.grips.values()].map(toHold),
      frames,
    });
    if (!sent) return;
    if (this.dirty) this.newest = this.sequence;
    this.outstanding = true;
    this.dirty = false;
    this.lastSent = performance.now();
  }

  /** Where the points held are now. */
  heldPoints(): THREE.Vector3[] {
    return this.shownGrips().map((grip) => this.pointOf(grip));
  }

  private shownGrips(): Grip[] {
    return [...this.grips.values()].filter((grip) => !grip.orientation && !grip.duelSide);
  }

  private pointOf(grip: Grip): THREE.Vector3 {
    return this.viewport.character(this.actor)!.bones[grip.joint].localToWorld(grip.pointInJoint.clone());
  }

  private showHeld(): void {
    this.viewport.marks.setHeld(this.shownGrips().map((grip) => ({ at: this.pointOf(grip), wanted: grip.wanted })));
    this.viewport.draw();
  }
}

function toHold(grip: Grip): Hold {
  const turn = grip.orientation;
  return {
    joint: grip.joint,
    point_in_joint: grip.pointInJoint.toArray(),
    position_in_world: grip.wanted.toArray(),
    orientation_in_world: turn ? [turn.w, turn.x, turn.y, turn.z] : null,
  };
}

/** The limb of a joint: from where it leaves the trunk to its end; null for the trunk itself. */
function limbOf(character: Character, joint: number): Set<number> | null {
  const { joints } = character.shape;
  const children = (j: number) => joints.filter((one) => one.parent === j).length;
  let top = joint;
  while (joints[top].parent >= 0 && children(joints[top].parent) === 1) top = joints[top].parent;
  const limb = new Set([top]);
  joints.forEach((one, j) => limb.has(one.parent) && limb.add(j)); // parents come first
  return limb.size > joints.length / 2 ? null : limb;
}
