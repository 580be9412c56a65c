/** Who takes a press in the picture: a mode that was chosen, then the features' handles. */
import * as THREE from "three";
import { tell } from "../store";
import type { Viewport } from "./viewport";

/** Where the pointer is. */
export interface At {
  x: number; // of the page
  y: number;
  ray: THREE.Ray;
  shift: boolean;
  touch: boolean;
}

/** A press that was taken: what becomes of it. */
export interface Taken {
  move(at: At): void;
  up(at: At, moved: boolean): void;
  cancel(): void;
}

export interface Tool {
  /** What to do with a press here; null leaves it to the others. */
  down(at: At): Taken | null;
  /** Whether a press here would be taken (for the cursor); null: the pointer is elsewhere. */
  hover?(at: At | null): boolean;
}

/** A tool that takes every press until it is left, as drawing does. */
export interface Mode extends Tool {
  hint: string; // shown over the picture
  left?(): void;
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
    if (before !== mode) before?.left?.();
    tell("options");
  }

  at(event: PointerEvent): At {
    const { clientX: x, clientY: y } = event;
    return { x, y, ray: this.viewport.ray(x, y), shift: event.shiftKey, touch: event.pointerType === "touch" };
  }

  down(at: At): Taken | null {
    if (this.viewport.onDuelSide(at.x)) return null;
    for (const tool of [...(this.mode ? [this.mode] : []), ...this.handles]) {
      const taken = tool.down(at);
      if (taken) return taken;
    }
    return null;
  }

  hover(at: At | null): boolean {
    const tools = [...(this.mode ? [this.mode] : []), ...this.handles];
    return tools.map((tool) => tool.hover?.(at) ?? false).some(Boolean);
  }
}
