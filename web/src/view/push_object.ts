/** An object on its way: asked of the server step by step, so that bodies give way to it. */
import * as THREE from "three";
import { Pushed } from "../generated/messages";
import { floats, store, tell } from "../store";
import type { Studio } from "../editor";
import type { Place } from "./transform_gizmo";

const FRAME_MS = 1000 / 60;
const LOST_MS = 1500; // an answer that took this long is not coming
const ARRIVED_M = 1e-3;
const LAST_FRAMES = 4; // a quick flick ends where it was let go

/** The newest wish is sent when the last one was answered. */
export class Push {
  private thing: number | null = null;
  private readonly wanted = { position: new THREE.Vector3(), rotation: new THREE.Quaternion() };
  private sequence = 0;
  private outstanding = false;
  private dirty = false;
  private lastSent = 0;

  constructor(private readonly studio: Studio) {}

  get active(): boolean {
    return this.thing !== null;
  }

  /** Move an object towards a place; the first wish takes hold of it. */
  want(thing: number, { position, rotation }: Place): void {
    if (this.thing !== null && this.thing !== thing) return;
    this.thing = thing;
    store.dragging = true;
    this.wanted.position.copy(position);
    this.wanted.rotation.copy(rotation);
    this.dirty = true;
    this.pump();
  }

  /** Let go: where the object has come to, and how the bodies stand, is kept. */
  finish(): void {
    if (this.thing === null) return;
    const thing = this.thing;
    if (this.dirty) this.send(LAST_FRAMES);
    this.studio.command({ type: "keep_push", thing });
    this.drop();
  }

  /** The link broke: what was in the hand is lost. */
  drop(): void {
    if (this.thing !== null) this.studio.viewport.things.warn(this.thing, false);
    this.thing = null;
    this.outstanding = this.dirty = false;
    store.dragging = false;
    tell("options");
  }

  answer(message: Pushed): void {
    if (message.sequence !== this.sequence || message.thing !== this.thing) return;
    this.outstanding = false;
    const { viewport } = this.studio;
    const group = viewport.things.object(message.thing);
    const [w, x, y, z] = message.rotation;
    group?.position.fromArray(message.position);
    group?.quaternion.set(x, y, z, w);
    viewport.things.warn(message.thing, message.blocked);
    for (const { actor, q } of message.actors) viewport.character(actor)?.setPose(floats(q));
    const active = viewport.character(store.active);
    if (active) viewport.marks.follow(active);
    viewport.draw();
    // an object on its way, or a body still moving, goes on while it is held
    const behind = group ? group.position.distanceTo(this.wanted.position) > ARRIVED_M : false;
    if (behind && !message.blocked) this.dirty = true;
    requestAnimationFrame(() => this.pump());
  }

  private pump(): void {
    const now = performance.now();
    if (this.thing === null || !this.dirty || (this.outstanding && now - this.lastSent < LOST_MS)) return;
    this.send(Math.min(4, Math.max(1, Math.round((now - this.lastSent) / FRAME_MS))));
  }

  private send(frames: number): void {
    const { position, rotation: r } = this.wanted;
    const sent = this.studio.connection.send({
      type: "push_thing", sequence: ++this.sequence, thing: this.thing!,
      position: position.toArray(), rotation: [r.w, r.x, r.y, r.z], frames,
    });
    if (!sent) return;
    this.outstanding = true;
    this.dirty = false;
    this.lastSent = performance.now();
  }
}
