/** What is under the pointer: a part of a character, an object, or the floor. */
import type { PickedPart } from "../generated/messages";
import { store } from "../store";
import type { PointerAt } from "./view_tools";
import type { Viewport } from "./viewport";

/** The nearest part or object under the pointer, {} for the floor, null for the sky. */
export function pickedPart(viewport: Viewport, { x, y, ray }: PointerAt): PickedPart | null {
  const body = viewport.pick(x, y),
    object = viewport.objects.pick(ray);
  if (body && (!object || body.distance < object.distance))
    return { actor: body.actor || store.active, joint: body.joint };
  if (object) return { object: object.object };
  return ray.direction.y < -0.05 ? {} : null;
}
