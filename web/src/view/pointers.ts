/** Mouse and touch input: on the body it poses, elsewhere it moves the camera. */
import type { Connection } from "../connection";
import { jointLabel } from "../labels";
import { activeActor, notify, store } from "../store";
import { SelectionBox, toggleSelected } from "../ui/selection_box";
import { showMessage } from "../ui/toast";
import type { BodyDrag } from "./drag";
import type { RotateGizmo } from "./rotate_gizmo";
import type { Gesture, PointerAt, Tools } from "./view_tools";
import type { ActorHit, Viewport } from "./viewport";

const CLICK_PX = 4;
const TAP_PX = 10;
const DOUBLE_TAP_MS = 350;
const PIN_PX = 9,
  PIN_TOUCH_PX = 18;

/** A mouse button or finger that is down. */
interface Press {
  x: number;
  y: number;
  startX: number;
  startY: number;
  role: "pose" | "turn" | "camera" | "pan" | "press" | "tool" | "box";
  gesture: Gesture | null; // of the tool that took it
  joint: number | null;
  actor: number;
  moved: boolean;
}

export class Pointers {
  private readonly presses = new Map<number, Press>();
  private lastTap = { time: 0, joint: -1 };
  private hoverQueued = false;
  private readonly selectionBox: SelectionBox;

  constructor(
    private readonly viewport: Viewport,
    private readonly drag: BodyDrag,
    private readonly rotateGizmo: RotateGizmo,
    private readonly tools: Tools,
    private readonly connection: Connection,
  ) {
    const { canvas } = viewport;
    this.selectionBox = new SelectionBox(viewport);
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
    const press: Press = {
      x,
      y,
      startX: x,
      startY: y,
      role: "camera",
      gesture: null,
      joint: null,
      actor: 0,
      moved: false,
    };
    this.presses.set(event.pointerId, press);
    if (event.button === 2 || event.button === 1) {
      press.role = event.shiftKey || event.button === 1 ? "pan" : "camera";
      return;
    }
    press.gesture = store.playing ? null : this.tools.down(this.tools.at(event));
    if (press.gesture) {
      press.role = "tool";
      return;
    }
    const hit = this.pinAt(x, y, event.pointerType === "touch") ?? this.viewport.pick(x, y);
    if (hit && !store.playing) {
      press.joint = hit.joint;
      press.actor = hit.actor || store.active;
    }
    if (this.rotateGizmo.grab(x, y)) {
      press.role = "turn";
      return;
    }
    if (!hit && event.shiftKey && !store.playing) press.role = "box";
    if (!hit || store.playing || !store.prepared) return;
    if (press.actor !== store.active && !this.drag.active) {
      store.active = press.actor;
      store.selected = null;
      notify("selection", "state");
    }
    press.role = "press"; // becomes a drag once the pointer moves, otherwise a click
    this.pendingGrabs.set(event.pointerId, () => this.drag.grab(event.pointerId, hit, this.viewport.onComparedSide(x)));
    if (event.pointerType === "touch") navigator.vibrate?.(8);
  }

  /** Cancel what the pointers are doing: drags return to where they began. False if they do nothing. */
  cancel(): boolean {
    const busy = [...this.presses.values()].filter((press) => press.role !== "camera" && press.role !== "pan");
    this.presses.clear();
    this.selectionBox.hide();
    this.pendingGrabs.clear();
    for (const press of busy) press.gesture?.cancel();
    this.rotateGizmo.drop();
    return this.drag.cancel() || busy.length > 0;
  }

  private readonly pendingGrabs = new Map<number, () => boolean>();

  private move(event: PointerEvent): void {
    const press = this.presses.get(event.pointerId);
    if (!press) {
      if (event.pointerType === "mouse") this.queueHover(this.tools.at(event));
      return;
    }
    const { clientX: x, clientY: y } = event;
    const dx = x - press.x,
      dy = y - press.y;
    const slack = event.pointerType === "touch" ? TAP_PX : CLICK_PX;
    press.moved ||= Math.hypot(x - press.startX, y - press.startY) > slack;
    if (press.role === "press" && press.moved) {
      press.role = this.pendingGrabs.get(event.pointerId)?.() ? "pose" : "camera";
      this.pendingGrabs.delete(event.pointerId);
    }
    if (press.role === "box") this.selectionBox.show(press.startX, press.startY, x, y);
    else if (press.role === "pose") this.drag.move(event.pointerId, x, y, event.altKey);
    else if (press.role === "tool") press.gesture!.move(this.tools.at(event));
    else if (press.role === "turn" && press.moved) {
      const turn = this.rotateGizmo.drag(x, y);
      if (turn) this.drag.turn(event.pointerId, turn.joint, turn.orientation, !event.shiftKey);
    } else if (press.role === "camera" || press.role === "pan") this.moveCamera(event.pointerId, dx, dy);
    press.x = x;
    press.y = y;
  }

  /** One finger orbits; two pan and pinch-zoom. */
  private moveCamera(pointer: number, dx: number, dy: number): void {
    const { orbit, canvas } = this.viewport;
    const others = [...this.presses].filter(([id, f]) => id !== pointer && f.role === "camera").map(([, f]) => f);
    const press = this.presses.get(pointer)!;
    if (others.length > 0) {
      const other = others[0];
      const before = Math.hypot(press.x - other.x, press.y - other.y);
      const after = Math.hypot(press.x + dx - other.x, press.y + dy - other.y);
      if (before > 5 && after > 5) orbit.zoom(before / after);
      orbit.pan(dx / 2, dy / 2, canvas.clientHeight);
    } else if (press.role === "pan") orbit.pan(dx, dy, canvas.clientHeight);
    else orbit.turn(dx, dy);
    this.viewport.draw();
  }

  private up(event: PointerEvent): void {
    const press = this.presses.get(event.pointerId);
    if (!press) return;
    this.presses.delete(event.pointerId);
    this.pendingGrabs.delete(event.pointerId);
    if (press.gesture) {
      if (event.type === "pointerup") press.gesture.up(this.tools.at(event), press.moved);
      else press.gesture.cancel();
      return;
    }
    if (press.role === "turn") this.rotateGizmo.drop();
    if (press.role === "box" && press.moved) {
      this.selectionBox.select();
      return;
    }
    if (press.role === "pose" || (press.role === "turn" && press.moved)) {
      this.drag.release(event.pointerId);
    } else if (!press.moved && event.type === "pointerup" && event.button !== 2) {
      this.click(press, event);
    }
  }

  /** A click or tap selects, a double one toggles the pin; elsewhere it deselects. */
  private click(press: Press, event: PointerEvent): void {
    if (press.joint === null) {
      store.selected = store.selectedObject = null;
      notify("selection");
      return;
    }
    const { startX: x, startY: y } = press;
    const joint =
      (this.pinAt(x, y, event.pointerType === "touch") ?? this.viewport.jointAt(x, y))?.joint ?? press.joint;
    const now = event.timeStamp; // the time of the event itself: a busy page may handle it late
    const twice = now - this.lastTap.time < DOUBLE_TAP_MS && this.lastTap.joint === joint;
    this.lastTap = { time: twice ? 0 : now, joint };
    if (event.shiftKey && !twice) toggleSelected(joint);
    else store.selected = joint;
    if (!event.shiftKey) store.selectedTogether.clear();
    if (twice) this.togglePin(joint, event.shiftKey);
    notify("selection");
  }

  /** The pinned joint whose marker is under the pointer. Markers are drawn on top, so they are picked first. */
  private pinAt(x: number, y: number, touch: boolean): ActorHit | null {
    const actor = activeActor();
    const character = actor && this.viewport.character(actor.id);
    if (!character || this.viewport.onComparedSide(x)) return null;
    let best: ActorHit | null = null,
      least = touch ? PIN_TOUCH_PX : PIN_PX;
    for (const { joint } of actor.pins) {
      const point = character.jointPosition(joint),
        at = this.viewport.onPage(point);
      const away = Math.hypot(at.x - x, at.y - y);
      if (away < least)
        [least, best] = [
          away,
          { actor: actor.id, joint, point, normal: this.viewport.orbit.facing.negate(), distance: 0 },
        ];
    }
    return best;
  }

  togglePin(joint: number, both: boolean): void {
    const actor = activeActor();
    if (!actor) return;
    const pinned = actor.pins.find((pin) => pin.joint === joint);
    const hold = pinned && pinned.both === both ? "none" : pinned && !both ? "none" : both ? "both" : "position";
    this.connection.command({ type: "set_pin", actor: actor.id, joint, hold });
    const name = jointLabel(store.figures.get(actor.figure)?.joints[joint]?.name ?? "part");
    if (hold === "none") showMessage(`Unpinned the ${name}.`);
    else
      showMessage(
        `Pinned the ${name}${both ? " with its rotation" : ""}: it stays in place while you drag others, over the whole clip.`,
      );
  }

  /** The wheel zooms towards the pointer; while a part is dragged, it moves that part away from the viewer or nearer. */
  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? 24 * event.deltaY : event.deltaY;
    if (this.drag.active) {
      this.drag.moveInDepth(-0.0004 * pixels);
      return;
    }
    const { orbit } = this.viewport;
    orbit.zoom(
      Math.exp(Math.max(-120, Math.min(120, pixels)) * 0.0014),
      this.viewport.ray(event.clientX, event.clientY),
    );
    this.viewport.draw();
  }

  private queueHover(at: PointerAt): void {
    if (this.hoverQueued) return;
    this.hoverQueued = true;
    requestAnimationFrame(() => {
      this.hoverQueued = false;
      if (this.presses.size === 0) this.hover(store.playing ? null : at);
    });
  }

  private hover(at: PointerAt | null): void {
    const ring = this.tools.hover(at) || (at !== null && this.rotateGizmo.hover(at.x, at.y));
    const hit = at && !ring ? (this.pinAt(at.x, at.y, false) ?? this.viewport.pick(at.x, at.y)) : null;
    this.viewport.canvas.style.cursor = ring || hit ? "grab" : "default";
    let changed = ring;
    for (const actor of store.state?.actors ?? []) {
      const joint = hit && hit.actor === actor.id ? hit.joint : null;
      changed = this.viewport.character(actor.id)?.setHovered(joint) || changed;
    }
    if (changed) this.viewport.draw();
  }
}
