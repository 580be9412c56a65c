/** Dragging an object that pushes bodies: streams its target placement and shows what the server returns. */
import * as THREE from "three";
import type { Editor } from "../editor";
import type { Pushed } from "../generated/messages";
import { floats } from "../sampled_motion";
import { notify, store } from "../store";
import { showMessage } from "../ui/toast";
import type { Placement } from "./transform_gizmo";

const FRAME_MS = 1000 / 60;
const TIMEOUT_MS = 1500; // a result that takes longer counts as lost
const ARRIVED_M = 1e-3;
const MOVED = 1e-3; // change of a coordinate of a pose that counts as pushed
const MAX_FRAMES = 4; // solver frames in one message

/** Sends the newest target once the previous one has been answered. */
export class ObjectPush {
  private object: number | null = null;
  private readonly target = { position: new THREE.Vector3(), rotation: new THREE.Quaternion() };
  private sequence = 0;
  private outstanding = false;
  private dirty = false;
  private lastSent = 0;
  private readonly poses = new Map<number, { first: Float32Array; last: Float32Array }>(); // by actor

  constructor(private readonly editor: Editor) {}

  get active(): boolean {
    return this.object !== null;
  }

  /** Move an object towards a placement; the first call starts the drag. */
  moveTo(object: number, { position, rotation }: Placement): void {
    if (this.object !== null && this.object !== object) return;
    this.object = object;
    store.dragging = true;
    this.target.position.copy(position);
    this.target.rotation.copy(rotation);
    this.dirty = true;
    this.sendIfReady();
  }

  /** End the drag and commit where the object and the bodies are. */
  commit(): void {
    if (this.object === null) return;
    const object = this.object;
    if (this.dirty) this.send(MAX_FRAMES); // so that a quick flick ends where it was released
    this.editor.command({ type: "commit_push", object });
    this.showKeyedCharacters();
    this.drop();
  }

  /** End the drag without committing it. */
  drop(): void {
    if (this.object !== null) this.editor.viewport.objects.showBlocked(this.object, false);
    this.object = null;
    this.poses.clear();
    this.outstanding = this.dirty = false;
    store.dragging = false;
    notify("options");
  }

  /** Show the object and the bodies as the server has moved them. */
  receive(message: Pushed): void {
    if (message.sequence !== this.sequence || message.object !== this.object) return;
    this.outstanding = false;
    const { viewport } = this.editor;
    const group = viewport.objects.object(message.object);
    const [w, x, y, z] = message.rotation;
    group?.position.fromArray(message.position);
    group?.quaternion.set(x, y, z, w);
    viewport.objects.showBlocked(message.object, message.blocked);
    for (const { actor, q } of message.actors) {
      const pose = floats(q);
      viewport.character(actor)?.setPose(pose);
      this.poses.set(actor, { first: this.poses.get(actor)?.first ?? pose, last: pose });
    }
    const active = viewport.character(store.active);
    if (active) viewport.pinMarkers.follow(active);
    viewport.draw();
    // go on while the object has not reached its target and is not blocked
    const behind = group ? group.position.distanceTo(this.target.position) > ARRIVED_M : false;
    if (behind && !message.blocked) this.dirty = true;
    requestAnimationFrame(() => this.sendIfReady());
  }

  /** Name the characters that were pushed and have keys: their pose is keyed at the playhead. */
  private showKeyedCharacters(): void {
    const { actors, keys } = store.state!;
    const pushed = actors.filter(({ id }) => {
      const pose = this.poses.get(id);
      const moved = pose?.last.some((value, i) => Math.abs(value - pose.first[i]) > MOVED);
      return moved && keys.some((key) => key.actor === id && key.kind === "pose");
    });
    const names = pushed.map((actor) => actor.name).join(", ");
    if (names) showMessage(`Pushed and keyed at ${store.timeS.toFixed(2)} s: ${names}.`);
  }

  private sendIfReady(): void {
    const now = performance.now();
    if (this.object === null || !this.dirty || (this.outstanding && now - this.lastSent < TIMEOUT_MS)) return;
    this.send(Math.min(MAX_FRAMES, Math.max(1, Math.round((now - this.lastSent) / FRAME_MS))));
  }

  private send(frames: number): void {
    const { position, rotation: r } = this.target;
    const sent = this.editor.connection.send({
      type: "push_object",
      sequence: ++this.sequence,
      object: this.object!,
      position: position.toArray(),
      rotation: [r.w, r.x, r.y, r.z],
      frames,
    });
    if (!sent) return;
    this.outstanding = true;
    this.dirty = false;
    this.lastSent = performance.now();
  }
}
