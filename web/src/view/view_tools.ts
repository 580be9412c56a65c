/** Tools that handle presses in the view: the current mode first, then the features' handles. */
import type * as THREE from "three";
import type { PickedPart } from "../generated/messages";
import { notify, store } from "../store";
import type { Viewport } from "./viewport";

/** Position and state of the pointer. */
export interface PointerAt {
  x: number; // page coordinates, pixels
  y: number;
  ray: THREE.Ray; // camera ray in world coordinates
  shift: boolean;
  touch: boolean;
}

/** A press that a tool has taken, until it is released or cancelled. */
export interface Gesture {
  move(at: PointerAt): void;
  up(at: PointerAt, moved: boolean): void;
  cancel(): void;
}

export interface Tool {
  /** Take a press; null leaves it to the next tool, the body or the camera. */
  down(at: PointerAt): Gesture | null;
  /** Whether a press here would be taken, for the cursor; null when the pointer is outside of the view. */
  hover?(at: PointerAt | null): boolean;
}

/** A tool that is offered every press first until it is left, such as drawing. */
export interface Mode extends Tool {
  hint: string; // shown over the view
  onLeave?(): void;
}

export class Tools {
  private readonly handles: Tool[] = [];
  mode: Mode | null = null;

  constructor(private readonly viewport: Viewport) {}

  add(...tools: Tool[]): void {
    this.handles.push(...tools);
  }

  /** Enter a mode, or leave it with null. */
  enter(mode: Mode | null): void {
    const before = this.mode;
    this.mode = mode;
    if (before !== mode) before?.onLeave?.();
    notify("options");
  }

  at(event: PointerEvent): PointerAt {
    const { clientX: x, clientY: y } = event;
    return { x, y, ray: this.viewport.ray(x, y), shift: event.shiftKey, touch: event.pointerType === "touch" };
  }

  down(at: PointerAt): Gesture | null {
    if (this.viewport.onComparedSide(at.x)) return null;
    for (const tool of [...(this.mode ? [this.mode] : []), ...this.handles]) {
      const taken = tool.down(at);
      if (taken) return taken;
    }
    return null;
  }

  hover(at: PointerAt | null): boolean {
    const tools = [...(this.mode ? [this.mode] : []), ...this.handles];
    return tools.map((tool) => tool.hover?.(at) ?? false).some(Boolean);
  }
}

/** The nearest part or object under the pointer, {} for the floor, null for the sky. */
export function pickedPart(viewport: Viewport, { x, y, ray }: PointerAt): PickedPart | null {
  const body = viewport.pick(x, y),
    object = viewport.objects.pick(ray);
  if (body && (!object || body.distance < object.distance))
    return { actor: body.actor || store.active, joint: body.joint };
  if (object) return { object: object.object };
  return ray.direction.y < -0.05 ? {} : null;
}
