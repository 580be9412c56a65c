/** What the page knows: the document's state, motions, bodies, and this page's own choices. */
import { FigureShape, MotionCertificate, MotionData, Posed, State, Welcome, ActorState } from "./generated/messages";

export interface Motion {
  fps: number;
  frames: number;
  size: number;
  q: Float32Array;
  linking: Float32Array;
  pairs: number;
}

export interface Store {
  welcome: Welcome | null;
  state: State | null;
  figures: Map<string, FigureShape>;
  motions: Map<number, Motion>;
  motionVersion: number; // counts motions received
  active: number;
  selected: number | null; // a joint of the active actor
  selectedThing: number | null;
  selectedKeys: Set<number>;
  placing: boolean; // whether the active actor is being moved as a whole
  dragging: boolean; // whether a body or an object is in someone's hands
  givesWay: boolean; // whether bodies give way to objects that are moved
  timeS: number;
  playing: boolean;
  speed: number;
  loop: boolean;
  onion: boolean;
  graph: boolean;
  recording: boolean;
  duel: string | null;
  posed: Posed | null; // the newest answer
  duelPosed: Posed | null;
  certificate: MotionCertificate | null; // of the whole motion; null while it is not known
  touched: boolean; // whether the person has dragged anything yet
}

export type Topic = "state" | "pose" | "time" | "selection" | "options" | "link" | "welcome";

export const store: Store = {
  welcome: null,
  state: null,
  figures: new Map(),
  motions: new Map(),
  motionVersion: 0,
  active: 0,
  selected: null,
  selectedThing: null,
  selectedKeys: new Set(),
  placing: false,
  dragging: false,
  givesWay: true,
  timeS: 0,
  playing: false,
  speed: 1,
  loop: true,
  onion: false,
  graph: false,
  recording: false,
  duel: null,
  posed: null,
  duelPosed: null,
  certificate: null,
  touched: localStorage.getItem("writhe.touched") === "yes",
};

const listeners = new Map<Topic, Set<() => void>>();

/** Call a listener when one of these changes; what comes back stops it. */
export function on(topics: Topic[], listener: () => void): () => void {
  for (const topic of topics) {
    if (!listeners.has(topic)) listeners.set(topic, new Set());
    listeners.get(topic)!.add(listener);
  }
  return () => topics.forEach((topic) => listeners.get(topic)?.delete(listener));
}

export function tell(...topics: Topic[]): void {
  const called = new Set<() => void>();
  for (const topic of topics) listeners.get(topic)?.forEach((listener) => called.add(listener));
  called.forEach((listener) => listener());
}

export function activeActor(): ActorState | null {
  const actors = store.state?.actors ?? [];
  return actors.find((actor) => actor.id === store.active) ?? actors[0] ?? null;
}

export function floats(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer); // the view may be unaligned
}

export function takeMotion(message: MotionData): void {
  store.motionVersion++;
  if (message.frames === 0) {
    store.motions.delete(message.actor);
    return;
  }
  const q = floats(message.q);
  const linking = floats(message.linking);
  const { fps, frames } = message;
  store.motions.set(message.actor, { fps, frames, size: q.length / frames, q, linking, pairs: linking.length / frames });
}
