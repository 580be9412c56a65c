/** Shared state of the page: the document as the server last sent it, motions, figures and view options. */
import type {
  ActorState,
  FigureShape,
  MotionCertificate,
  MotionData,
  PoseReport,
  State,
  Welcome,
} from "./generated/messages";
import { type Motion, withFrames } from "./sampled_motion";

export interface Store {
  welcome: Welcome | null;
  state: State | null;
  figures: Map<string, FigureShape>;
  motions: Map<number, Motion>; // by actor
  previews: Map<number, Motion>; // by actor: shown while keys are being dragged
  motionVersion: number; // counts motions received
  motionsBefore: Map<number, Motion> | null; // before the last fix, to compare with
  showsBefore: boolean; // whether those are shown
  active: number; // the actor that is edited
  selected: number | null; // a joint of the active actor
  selectedTogether: Set<number>; // the multi-selection; used only if it contains `selected`
  selectedObject: number | null;
  selectedKeys: Set<number>;
  movingActor: boolean; // whether the gizmo that moves the whole active actor is shown
  dragging: boolean; // whether a body or an object is being dragged
  symmetric: boolean; // whether the other side of the body moves as the mirror image
  pushesBodies: boolean; // whether dragged objects push bodies out of their way
  blend: number; // share of a preset or saved pose that is blended into the current one
  timeS: number; // the playhead
  playing: boolean;
  speed: number;
  loop: boolean;
  onion: boolean;
  graph: boolean; // whether the linking graph is shown
  curves: boolean; // whether the motion curves of the selected joint are shown
  recording: boolean;
  comparedMethod: string | null; // method of the second character, while two are compared
  poseReport: PoseReport | null; // of the newest frame of a drag
  comparedPose: PoseReport | null;
  certificate: MotionCertificate | null; // of the whole motion; null while it is being checked
  prepared: boolean; // whether the server can pose bodies; false while it compiles
  hasDragged: boolean; // whether the user has dragged anything yet; the first hint is shown until then
}

export type Topic = "state" | "pose" | "time" | "selection" | "options" | "link" | "welcome" | "preview";

export const store: Store = {
  welcome: null,
  state: null,
  figures: new Map(),
  motions: new Map(),
  previews: new Map(),
  motionVersion: 0,
  motionsBefore: null,
  showsBefore: false,
  active: 0,
  selected: null,
  selectedTogether: new Set(),
  selectedObject: null,
  selectedKeys: new Set(),
  movingActor: false,
  dragging: false,
  symmetric: false,
  pushesBodies: true,
  blend: 1,
  timeS: 0,
  playing: false,
  speed: 1,
  loop: true,
  onion: false,
  graph: false,
  curves: false,
  recording: false,
  comparedMethod: null,
  poseReport: null,
  comparedPose: null,
  certificate: null,
  prepared: true,
  hasDragged: localStorage.getItem("writhe.touched") === "yes",
};

const listeners = new Map<Topic, Set<() => void>>();

/** Call a listener whenever one of the topics changes; the returned function unsubscribes it. */
export function on(topics: Topic[], listener: () => void): () => void {
  for (const topic of topics) {
    if (!listeners.has(topic)) listeners.set(topic, new Set());
    listeners.get(topic)!.add(listener);
  }
  return () => topics.forEach((topic) => listeners.get(topic)?.delete(listener));
}

/** Call the listeners of the topics, each once. */
export function notify(...topics: Topic[]): void {
  const called = new Set<() => void>();
  for (const topic of topics) listeners.get(topic)?.forEach((listener) => called.add(listener));
  called.forEach((listener) => listener());
}

/** The actor that is edited; the first one where that is gone. */
export function activeActor(): ActorState | null {
  const actors = store.state?.actors ?? [];
  return actors.find((actor) => actor.id === store.active) ?? actors[0] ?? null;
}

/** The selected joints of the active actor: several, or the only one. */
export function selectedJoints(): number[] {
  const { selected, selectedTogether } = store;
  if (selected === null) return [];
  return selectedTogether.has(selected) ? [...selectedTogether] : [selected];
}

/** Whether a limb is posed joint by joint (FK) instead of by inverse kinematics. */
export function usesFk(actor: number, joint: number): boolean {
  return (
    store.state?.features.limb_modes.limbs.some((limb) => limb.actor === actor && limb.joints.includes(joint)) ?? false
  );
}

/** The motion that is shown: the current one, that of changed keys, or while comparing that before the last fix. */
export function shownMotion(actor: number): Motion | undefined {
  return (
    (store.showsBefore ? store.motionsBefore?.get(actor) : undefined) ??
    store.previews.get(actor) ??
    store.motions.get(actor)
  );
}

/** Keep an actor's motion; a motion without frames removes it. */
export function receiveMotion(message: MotionData): void {
  store.motionVersion++;
  if (message.frames === 0) store.motions.delete(message.actor);
  else store.motions.set(message.actor, withFrames(store.motions.get(message.actor), message));
}
