/** Mouse and fingers: on the body they pose, beside it they move the camera. */
import { Connection } from "../connection";
import { activeActor, store, tell } from "../store";
import { say } from "../ui/toast";
import { jointWords } from "../labels";
import { Gizmo } from "./rotate_gizmo";
import { Posing } from "./drag";
import { At, Taken, Tools } from "./tools";
import { ActorHit, Viewport } from "./viewport";

const CLICK_PX = 4;
const TAP_PX = 10;
const DOUBLE_TAP_MS = 350;
const PIN_PX = 9, PIN_TOUCH_PX = 18;

interface Finger {
  x: number;
  y: number;
  startX: number;
  startY: number;
  role: "pose" | "turn" | "camera" | "slide" | "press" | "tool";
  taken: Taken | null;
  joint: number | null;
  actor: number;
  moved: boolean;
}

export class Pointers {
  private readonly fingers = new Map<number, Finger>();
  private lastTap = { time: 0, joint: -1 };
  private hoverQueued = false;

  constructor(
    private readonly viewport: Viewport,
    private readonly posing: Posing,
    private readonly gizmo: Gizmo,
    private readonly tools: Tools,
    private readonly connection: Connection,
  ) {
    const { canvas } = viewport;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  private down(event: PointerEvent): void {
    this.viewport.canvas.setPointerCapture(event.pointerId);
    const { clientX: x, clientY: y } = event;
    const finger: Finger = { x, y, startX: x, startY: y, role: "camera", taken: null, joint: null, actor: 0, moved: false };
    this.fingers.set(event.pointerId, finger);
    if (event.button === 2 || event.button === 1) {
      finger.role = event.shiftKey || event.button === 1 ? "slide" : "camera";
      return;
    }
    finger.taken = store.playing ? null : this.tools.down(this.tools.at(event));
    if (finger.taken) {
      finger.role = "tool";
      return;
    }
    const hit = this.pinAt(x, y, event.pointerType === "touch") ?? this.viewport.pick(x, y);
    if (hit && !store.playing) {
      finger.joint = hit.joint;
      finger.actor = hit.actor || store.active;
    }
    if (this.gizmo.grab(x, y)) {
      finger.role = "turn";
      return;
    }
    if (!hit || store.playing) return;
    if (finger.actor !== store.active && !this.posing.active) {
      store.active = finger.actor;
      store.selected = null;
      tell("selection", "state");
    }
    finger.role = "press"; // becomes a drag once it moves; a click otherwise
    this.pressed.set(event.pointerId, () => this.posing.grab(event.pointerId, hit, this.viewport.onDuelSide(x)));
    if (event.pointerType === "touch") navigator.vibrate?.(8);
  }

  private readonly pressed = new Map<number, () => boolean>();

  private move(event: PointerEvent): void {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) {
      if (event.pointerType === "mouse") this.queueHover(this.tools.at(event));
      return;
    }
    const { clientX: x, clientY: y } = event;
    const dx = x - finger.x, dy = y - finger.y;
    const slack = event.pointerType === "touch" ? TAP_PX : CLICK_PX;
    finger.moved ||= Math.hypot(x - finger.startX, y - finger.startY) > slack;
    if (finger.role === "press" && finger.moved) {
      finger.role = this.pressed.get(event.pointerId)?.() ? "pose" : "camera";
      this.pressed.delete(event.pointerId);
    }
    if (finger.role === "pose") this.posing.move(event.pointerId, x, y);
    else if (finger.role === "tool") finger.taken!.move(this.tools.at(event));
    else if (finger.role === "turn" && finger.moved) {
      const turn = this.gizmo.drag(x, y);
      if (turn) this.posing.turn(event.pointerId, turn.joint, turn.orientation);
    } else if (finger.role === "camera" || finger.role === "slide") this.moveCamera(event.pointerId, dx, dy);
    finger.x = x;
    finger.y = y;
  }

  /** One finger circles; two slide and pinch. */
  private moveCamera(pointer: number, dx: number, dy: number): void {
    const { orbit, canvas } = this.viewport;
    const others = [...this.fingers].filter(([id, f]) => id !== pointer && f.role === "camera").map(([, f]) => f);
    const finger = this.fingers.get(pointer)!;
    if (others.length > 0) {
      const other = others[0];
      const before = Math.hypot(finger.x - other.x, finger.y - other.y);
      const after = Math.hypot(finger.x + dx - other.x, finger.y + dy - other.y);
      if (before > 5 && after > 5) orbit.zoom(before / after);
      orbit.slide(dx / 2, dy / 2, canvas.clientHeight);
    } else if (finger.role === "slide") orbit.slide(dx, dy, canvas.clientHeight);
    else orbit.turn(dx, dy);
    this.viewport.draw();
  }

  private up(event: PointerEvent): void {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    this.fingers.delete(event.pointerId);
    this.pressed.delete(event.pointerId);
    if (finger.taken) {
      if (event.type === "pointerup") finger.taken.up(this.tools.at(event), finger.moved);
      else finger.taken.cancel();
      return;
    }
    if (finger.role === "turn") this.gizmo.drop();
    if (finger.role === "pose" || (finger.role === "turn" && finger.moved)) {
      this.posing.release(event.pointerId);
    } else if (!finger.moved && event.type === "pointerup" && event.button !== 2) {
      this.click(finger, event);
    }
  }

  /** A click selects and pins; a tap selects and a second tap pins; beside the body, neither. */
  private click(finger: Finger, event: PointerEvent): void {
    if (finger.joint === null) {
      store.selected = store.selectedThing = null;
      tell("selection");
      return;
    }
    const { startX: x, startY: y } = finger;
    const joint = (this.pinAt(x, y, event.pointerType === "touch") ?? this.viewport.jointAt(x, y))?.joint ?? finger.joint;
    const now = event.timeStamp; // when it happened, not when a busy page came to it
    const twice = now - this.lastTap.time < DOUBLE_TAP_MS && this.lastTap.joint === joint;
    this.lastTap = { time: twice ? 0 : now, joint };
    store.selected = joint;
    if (event.pointerType === "mouse" || twice) this.togglePin(joint, event.shiftKey);
    tell("selection");
  }

  /** The pinned joint whose mark is under the pointer: marks lie over everything, and so they are taken first. */
  private pinAt(x: number, y: number, touch: boolean): ActorHit | null {
    const actor = activeActor();
    const character = actor && this.viewport.character(actor.id);
    if (!character || this.viewport.onDuelSide(x)) return null;
    let best: ActorHit | null = null, least = touch ? PIN_TOUCH_PX : PIN_PX;
    for (const { joint } of actor.pins) {
      const point = character.jointPosition(joint), at = this.viewport.onPage(point);
      const away = Math.hypot(at.x - x, at.y - y);
      if (away < least) [least, best] = [away, { actor: actor.id, joint, point, distance: 0 }];
    }
    return best;
  }

  togglePin(joint: number, both: boolean): void {
    const actor = activeActor();
    if (!actor) return;
    const pinned = actor.pins.find((pin) => pin.joint === joint);
    const hold = pinned && pinned.both === both ? "none" : pinned && !both ? "none" : both ? "both" : "position";
    this.connection.command({ type: "set_pin", actor: actor.id, joint, hold });
    const name = jointWords(store.figures.get(actor.figure)?.joints[joint]?.name ?? "part");
    if (hold === "none") say(`Freed the ${name}.`);
    else say(`Pinned the ${name}${both ? " with its direction" : ""}: it stays while you drag others, at every time of the clip.`);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? 24 * event.deltaY : event.deltaY;
    this.viewport.orbit.zoom(Math.exp(Math.max(-120, Math.min(120, pixels)) * 0.0014));
    this.viewport.draw();
  }

  private queueHover(at: At): void {
    if (this.hoverQueued) return;
    this.hoverQueued = true;
    requestAnimationFrame(() => {
      this.hoverQueued = false;
      if (this.fingers.size === 0) this.hover(store.playing ? null : at);
    });
  }

  private hover(at: At | null): void {
    const ring = this.tools.hover(at) || (at !== null && this.gizmo.hover(at.x, at.y));
    const hit = at && !ring ? this.pinAt(at.x, at.y, false) ?? this.viewport.pick(at.x, at.y) : null;
    this.viewport.canvas.style.cursor = ring || hit ? "grab" : "default";
    let changed = ring;
    for (const actor of store.state?.actors ?? []) {
      const joint = hit && hit.actor === actor.id ? hit.joint : null;
      changed = this.viewport.character(actor.id)?.setHovered(joint) || changed;
    }
    if (changed) this.viewport.draw();
  }
}
