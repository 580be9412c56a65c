/**
 * Dragging the body with one or more pointers: streams the targets to the server and shows the poses it returns.
 * All stations of a drag: docs/architecture.md, "The path of a drag".
 */
import * as THREE from "three";
import type { Connection } from "../connection";
import type { DragHandle, DragResult } from "../generated/messages";
import { usesTouch } from "../labels";
import { bothSides, handOf, limbOf } from "../limbs";
import { floats } from "../sampled_motion";
import { notify, selectedJoints, store, usesFk } from "../store";
import { showMessage } from "../ui/toast";
import type { Character } from "./character";
import type { ActorHit, SurfaceHit, Viewport } from "./viewport";

/** One pointer that holds a point of the body. */
interface Grip {
  joint: number;
  limb: Set<number> | null; // the joints of its limb, which is dragged in front of the rest of the body
  pointInJoint: THREE.Vector3;
  plane: THREE.Plane;
  target: THREE.Vector3; // in world coordinates
  orientation: THREE.Quaternion | null;
  surface: THREE.Vector3 | null; // normal of the surface that the target lies on: a palm is laid on it
  comparedSide: boolean;
  alone: boolean; // only this part turns
  start: THREE.Vector3; // the target at first
  leader: number | null; // of a joint that is dragged along because it is selected too: the pointer that it follows
  fkStart: { centre: THREE.Vector3; rotation: THREE.Quaternion } | null; // of a joint turned by FK: where it was when the drag began
  palm: boolean; // a hand, whose palm is laid on surfaces
  thickness: number; // how far in front of a surface the dragged point stays
}

const FRAME_MS = 1000 / 60;
const IN_FRONT_M = 0.05; // how far in front of the body a limb is dragged: about its thickness
const FINGER_M = 0.014; // the same for a finger
const MAX_DEPTH_CHANGE_M = 0.8; // a hit on the own body that is this much nearer to the camera than the dragged point is ignored
const BEHIND_M = 0.15; // depth of the plane of drags behind the body, from the root
const MAX_SNAP_M = 0.5; // how far in depth a limb moves to lie on what is under the pointer
const TIMEOUT_MS = 1500; // a result that takes longer counts as lost
const MAX_FRAMES = 4; // solver frames in one message
const FOLLOWER_POINTER_BASE = -1000; // a joint that is dragged along has this pointer number less its own
const NEAR_JOINT = 0.07; // a press this near to a selected joint counts as on it, relative to the height of the figure
const ROUND_TRIPS = 600; // kept for the benchmark

export class BodyDrag {
  private readonly grips = new Map<number, Grip>();
  private actor = 0;
  private sequence = 0;
  private outstanding = false;
  private dirty = false;
  private settled = true;
  private lastSent = 0;
  private lastSequence = 0;
  private newest = 0; // the sequence number from which on messages have the newest targets
  roundTrips: number[] = [];

  constructor(
    private readonly viewport: Viewport,
    private readonly connection: Connection,
  ) {}

  get active(): boolean {
    return this.grips.size > 0;
  }

  /** The joint that is held, the first of several. */
  get heldJoint(): number | null {
    return this.grips.values().next().value?.joint ?? null;
  }

  /** Whether the server has answered the newest targets. */
  get caughtUp(): boolean {
    return !this.dirty && this.lastSequence >= this.newest;
  }

  has(pointer: number): boolean {
    return this.grips.has(pointer);
  }

  /** Start to drag a point of the body; false when this part is held already or another actor is dragged. */
  grab(pointer: number, hit: ActorHit, comparedSide: boolean): boolean {
    const actor = hit.actor || store.active;
    if (this.active && actor !== this.actor) return false;
    if ([...this.grips.values()].some((grip) => grip.joint === hit.joint)) return false;
    const character = comparedSide ? this.viewport.comparedCharacter : this.viewport.character(actor);
    if (!character) return false;
    this.actor = actor;
    store.dragging = true;
    const hand = handOf(character, hit.joint);
    const fk = !comparedSide && usesFk(actor, hit.joint);
    this.grips.set(pointer, {
      joint: hit.joint,
      start: hit.point.clone(),
      leader: null,
      fkStart: fk ? { centre: character.jointPosition(hit.joint), rotation: character.jointRotation(hit.joint) } : null,
      limb: limbOf(character, hand ?? hit.joint),
      palm: hand === hit.joint,
      thickness: hand !== null && hand !== hit.joint ? FINGER_M : IN_FRONT_M,
      pointInJoint: character.bones[hit.joint].worldToLocal(hit.point.clone()),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(this.viewport.orbit.facing, hit.point),
      target: hit.point.clone(),
      orientation: null,
      surface: null,
      comparedSide,
      alone: fk,
    });
    if (!fk && !comparedSide) this.grabTogether(pointer, hit, character);
    this.settled = false;
    this.dirty = true;
    this.sendIfReady();
    return true;
  }

  /** Joints that are selected together with the one nearest to a grabbed point are moved by the same displacement. */
  private grabTogether(pointer: number, hit: ActorHit, character: Character): void {
    const joints = this.actor === store.active ? selectedJoints() : [];
    const away = (joint: number) => character.jointPosition(joint).distanceTo(hit.point);
    const nearest = joints.toSorted((a, b) => away(a) - away(b))[0];
    if (joints.length < 2 || (nearest !== hit.joint && away(nearest) > NEAR_JOINT * character.shape.height)) return;
    for (const other of joints) {
      if (other === nearest || other === hit.joint || usesFk(this.actor, other)) continue;
      const at = character.jointPosition(other);
      this.grips.set(FOLLOWER_POINTER_BASE - other, {
        ...this.grips.get(pointer)!,
        joint: other,
        limb: null,
        palm: false,
        pointInJoint: new THREE.Vector3(),
        target: at,
        start: at.clone(),
        leader: pointer,
      });
    }
  }

  /** Move a joint to a position of the world, for the arrows at the selected joint. */
  pull(pointer: number, joint: number, position: THREE.Vector3): void {
    const character = this.viewport.character(store.active);
    if (!character) return;
    if (!this.has(pointer)) {
      const point = character.jointPosition(joint);
      const normal = this.viewport.orbit.facing.negate();
      if (!this.grab(pointer, { actor: store.active, joint, point, normal, distance: 0 }, false)) return;
    }
    const grip = this.grips.get(pointer)!;
    if (grip.fkStart) this.turnTowards(grip, position);
    else grip.target.copy(position);
    this.changed(pointer);
  }

  /** Turn a joint about its centre, so that the grabbed point goes towards a position (FK). */
  private turnTowards(grip: Grip, position: THREE.Vector3): void {
    const { centre, rotation } = grip.fkStart!;
    const from = grip.start.clone().sub(centre).normalize();
    const to = position.clone().sub(centre).normalize();
    grip.orientation = new THREE.Quaternion().setFromUnitVectors(from, to).multiply(rotation);
    grip.pointInJoint.set(0, 0, 0);
    grip.target.copy(centre);
  }

  /** The target of a pointer has changed: joints that follow it move by the same displacement. */
  private changed(pointer: number): void {
    const main = this.grips.get(pointer)!;
    for (const grip of this.grips.values())
      if (grip.leader === pointer) grip.target.copy(grip.start).add(main.target).sub(main.start);
    this.dirty = true;
    this.settled = false;
    this.sendIfReady();
  }

  /** Rotate a joint in place, for the rotation gizmo; unless `alone`, the body follows. */
  turn(pointer: number, joint: number, orientation: THREE.Quaternion, alone: boolean): void {
    const character = this.viewport.character(store.active);
    if (!character) return;
    this.actor = store.active;
    store.dragging = true;
    const known = this.grips.get(pointer);
    const target = known?.target ?? character.jointPosition(joint);
    this.grips.set(pointer, {
      joint,
      limb: null,
      palm: false,
      thickness: 0,
      start: target,
      leader: null,
      fkStart: null,
      pointInJoint: new THREE.Vector3(),
      plane: new THREE.Plane(),
      target,
      orientation: orientation.clone(),
      surface: null,
      comparedSide: false,
      alone,
    });
    this.dirty = true;
    this.settled = false;
    this.sendIfReady();
  }

  /** Follow the pointer in a plane parallel to the view; with `behind`, on the far side of the body there. */
  move(pointer: number, x: number, y: number, behind = false): void {
    const grip = this.grips.get(pointer);
    if (!grip || (grip.orientation && !grip.fkStart)) return;
    const ray = this.viewport.ray(x, y);
    const at = ray.intersectPlane(grip.plane, new THREE.Vector3());
    if (!at) return;
    if (grip.fkStart) this.turnTowards(grip, at);
    else grip.target.copy(behind && grip.limb ? this.behindBody(grip.limb, ray, at) : this.onSurface(grip, ray, at));
    this.changed(pointer);
  }

  /** The point on the far side of the body under the pointer; beside it, in a plane behind the body. */
  private behindBody(limb: Set<number>, ray: THREE.Ray, at: THREE.Vector3): THREE.Vector3 {
    const character = this.viewport.character(this.actor)!;
    const far = this.viewport.farSideOfBody(ray, this.actor, store.symmetric ? bothSides(character, limb) : limb);
    if (far !== null) return ray.at(far + IN_FRONT_M, at);
    const { facing } = this.viewport.orbit;
    const root = character.jointPosition(0);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, root.addScaledVector(facing, BEHIND_M));
    return ray.intersectPlane(plane, at) ?? at;
  }

  /** Move what is dragged away from the viewer, by metres along the view direction. */
  moveInDepth(metres: number): void {
    for (const grip of this.grips.values()) {
      const away = this.viewport.orbit.facing.multiplyScalar(metres);
      grip.plane.translate(away);
      grip.target.add(away);
    }
    this.dirty = true;
    this.settled = false;
    this.sendIfReady();
  }

  /** The target of a limb on the object or other character under the pointer, else in front of the own body. */
  private onSurface(grip: Grip, ray: THREE.Ray, at: THREE.Vector3): THREE.Vector3 {
    grip.surface = null;
    if (!grip.limb) return at;
    const depth = ray.origin.distanceTo(at);
    const own = this.viewport.nearestBody(ray, this.actor, grip.limb, grip.comparedSide);
    const other = grip.comparedSide ? null : this.viewport.nearestOther(ray, this.actor);
    if (other && other.distance <= (own?.distance ?? Infinity)) {
      const near = other.distance - grip.thickness;
      if (near > 0 && Math.abs(near - depth) < MAX_SNAP_M) return this.laidOn(grip, other, ray, at);
    }
    const body = (own?.distance ?? Infinity) - grip.thickness;
    const far = body < depth - MAX_DEPTH_CHANGE_M;
    return own && body < depth && !far && body > 0 ? this.laidOn(grip, own, ray, at) : at;
  }

  /** The target on a surface: a hand lays its palm on it, other limbs stay one limb thickness in front. */
  private laidOn(grip: Grip, hit: SurfaceHit, ray: THREE.Ray, at: THREE.Vector3): THREE.Vector3 {
    if (!grip.palm || grip.comparedSide) return ray.at(hit.distance - grip.thickness, at);
    grip.surface = hit.normal;
    return at.copy(hit.point);
  }

  /** Release a pointer; releasing the last one commits the pose. */
  release(pointer: number): void {
    if (this.dirty && this.has(pointer)) this.sendTargets(MAX_FRAMES); // so that a quick flick ends where it was released
    if (!this.grips.delete(pointer)) return;
    for (const [number, grip] of this.grips) if (grip.leader === pointer) this.grips.delete(number);
    this.showHeld();
    if (this.active) {
      this.dirty = true;
      this.sendIfReady();
      return;
    }
    this.outstanding = false;
    store.dragging = false;
    this.connection.command({ type: "release", actor: this.actor });
    if (!store.hasDragged) {
      store.hasDragged = true;
      localStorage.setItem("writhe.touched", "yes");
      showMessage(
        `Well done. ${usesTouch() ? "Double-tap a part" : "Double-click a part"} to pin it: it stays in place while you drag others.`,
      );
    }
    store.recording = false;
    notify("options");
  }

  /** End all drags and return to the pose before them. */
  cancel(): boolean {
    if (!this.active) return false;
    this.drop();
    this.connection.send({ type: "cancel_drag" });
    notify("pose");
    return true;
  }

  /** End all drags without committing them, when the connection is lost. */
  drop(): void {
    this.grips.clear();
    store.dragging = false;
    this.outstanding = false;
    this.showHeld();
  }

  /** Show the pose that the server has solved. */
  receive(message: DragResult): void {
    if (message.sequence < this.lastSequence) return;
    this.lastSequence = message.sequence;
    if (message.sequence === this.sequence) {
      this.outstanding = false;
      this.roundTrips.push(performance.now() - this.lastSent);
      if (this.roundTrips.length > ROUND_TRIPS) this.roundTrips.shift();
    }
    this.settled = message.settled;
    const character = this.viewport.character(message.actor);
    character?.setPose(floats(message.pose.q));
    character?.setTouching(message.pose.touching);
    if (message.comparison && this.viewport.comparedCharacter) {
      this.viewport.comparedCharacter.setPose(floats(message.comparison.q));
      this.viewport.comparedCharacter.setTouching(message.comparison.touching);
    }
    store.poseReport = message.pose;
    store.comparedPose = message.comparison ?? null;
    if (character) this.viewport.pinMarkers.follow(character);
    this.showHeld();
    this.viewport.draw();
    notify("pose");
    if (this.active) requestAnimationFrame(() => this.sendIfReady());
  }

  /** Send the newest targets, unless a result is outstanding. */
  private sendIfReady(): void {
    if (!this.active || (!this.dirty && this.settled)) return;
    const now = performance.now();
    if (this.outstanding && now - this.lastSent < TIMEOUT_MS) return;
    this.sendTargets(Math.min(MAX_FRAMES, Math.max(1, Math.round((now - this.lastSent) / FRAME_MS))));
  }

  private sendTargets(frames: number): void {
    const sent = this.connection.send({
      type: "drag",
      sequence: ++this.sequence,
      actor: this.actor,
      handles: [...this.grips.values()].map(toHandle),
      frames,
      mirrored: store.symmetric,
    });
    if (!sent) return;
    if (this.dirty) this.newest = this.sequence;
    this.outstanding = true;
    this.dirty = false;
    this.lastSent = performance.now();
  }

  /** World positions of the points that are held. */
  heldPoints(): THREE.Vector3[] {
    return this.shownGrips().map((grip) => this.pointOf(grip));
  }

  private shownGrips(): Grip[] {
    return [...this.grips.values()].filter((grip) => !grip.orientation && !grip.comparedSide);
  }

  private pointOf(grip: Grip): THREE.Vector3 {
    return this.viewport.character(this.actor)!.bones[grip.joint].localToWorld(grip.pointInJoint.clone());
  }

  private showHeld(): void {
    this.viewport.pinMarkers.setHeld(
      this.shownGrips().map((grip) => ({ at: this.pointOf(grip), target: grip.target })),
    );
    this.viewport.draw();
  }
}

function toHandle(grip: Grip): DragHandle {
  const turn = grip.orientation;
  return {
    joint: grip.joint,
    point_in_joint: grip.pointInJoint.toArray(),
    position_in_world: grip.target.toArray(),
    orientation_in_world: turn ? [turn.w, turn.x, turn.y, turn.z] : null,
    alone: grip.alone,
    surface_normal: grip.surface?.toArray() ?? null,
  };
}
