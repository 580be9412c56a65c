/** Arithmetic of the timeline: frames, ticks, rows and neighbouring keys. */
import type { KeyState, PinState, State } from "../generated/messages";

const TICK_STEPS_S = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];
const LONGEST_TICK_S = 1200;
const MAX_TICKS = 12;
export const SAME_TIME_S = 1e-4;

/** The time of the nearest frame. */
export function snapToFrame(timeS: number, fps: number): number {
  return Math.round(timeS * fps) / fps;
}

/** A time as a CSS percentage of the duration. */
export function percentAt(timeS: number, durationS: number): string {
  return `${(100 * timeS) / (durationS || 1)}%`;
}

/** Start and end of a pin's range within the timeline. */
export function pinRange(pin: Pick<PinState, "start_s" | "end_s">, durationS: number): [number, number] {
  const start = Math.min(Math.max(pin.start_s ?? 0, 0), durationS);
  return [start, Math.max(start, Math.min(pin.end_s ?? durationS, durationS))];
}

/** Times of the ruler's ticks, at a round step of which at most 12 are seen at once. */
export function tickTimes(durationS: number, visibleS = durationS): number[] {
  const step = TICK_STEPS_S.find((one) => visibleS / one <= MAX_TICKS) ?? LONGEST_TICK_S;
  const count = Math.floor((durationS + 1e-6) / step) + 1;
  return Array.from({ length: count }, (_, k) => Number((k * step).toFixed(2)));
}

/** A row of the timeline: the keys of one kind of an actor, of an object (actor 0) or of the scene (both 0). */
export interface Row {
  actor: number;
  object: number;
  kind: string;
  name: string;
}

/** A row of pose keys for every actor, and one for every other kind of key in use. */
export function timelineRows(state: State): Row[] {
  const rows: Row[] = [];
  const addOtherKinds = (actor: number, object: number, name: string) => {
    const own = state.keys.filter((key) => key.actor === actor && key.object === object && key.kind !== "pose");
    for (const kind of new Set(own.map((key) => key.kind))) rows.push({ actor, object, kind, name });
  };
  for (const { id, name } of state.actors) {
    rows.push({ actor: id, object: 0, kind: "pose", name });
    addOtherKinds(id, 0, name);
  }
  for (const { id, name } of state.objects) addOtherKinds(0, id, name);
  addOtherKinds(0, 0, "");
  return rows;
}

function keyTimes(keys: KeyState[], actor: number, object: number | null): number[] {
  return keys.filter((key) => (object ? key.object === object : key.actor === actor)).map((key) => key.time_s);
}

/** Time of the last key before a time, of the selected object or else of the active actor; null when there is none. */
export function previousKeyTime(keys: KeyState[], actor: number, object: number | null, timeS: number): number | null {
  const earlier = keyTimes(keys, actor, object).filter((time) => time < timeS - SAME_TIME_S);
  return earlier.length ? Math.max(...earlier) : null;
}

/** Time of the first key after a time, of the selected object or else of the active actor; null when there is none. */
export function nextKeyTime(keys: KeyState[], actor: number, object: number | null, timeS: number): number | null {
  const later = keyTimes(keys, actor, object).filter((time) => time > timeS + SAME_TIME_S);
  return later.length ? Math.min(...later) : null;
}
