/** Undo and redo: say what was taken back, and go there where it lies at another time. */
import { State } from "./generated/messages";
import { Motion, store } from "./store";
import { poseAt, type Studio } from "./editor";
import { say } from "./ui/toast";

export class Undoing {
  private asked = "";
  private words = "";
  private motions = new Map<number, Motion>();
  private keys: State["keys"] = [];

  constructor(private readonly studio: Studio) {}

  ask(type: "undo" | "redo"): void {
    const state = store.state;
    if (!state) return;
    this.words = type === "undo" ? `Undone: ${state.undo}` : `Done again: ${state.redo}`;
    this.motions = new Map(store.motions);
    this.keys = state.keys;
    this.asked = this.studio.command({ type });
  }

  /** The document after it. */
  take(state: State): void {
    if (!this.asked || state.request !== this.asked) return;
    this.asked = "";
    const times = this.changedTimes(state);
    if (times.length === 0 || times.some((time) => Math.abs(time - store.timeS) < 1e-3)) {
      say(`${this.words}.`);
      return;
    }
    const nearest = times.reduce((a, b) => (Math.abs(b - store.timeS) < Math.abs(a - store.timeS) ? b : a));
    this.studio.seek(nearest);
    say(`${this.words}, at ${nearest.toFixed(2)} s.`);
  }

  /** The times of keys, before and after, at which poses are others now, or keys came or went. */
  private changedTimes(state: State): number[] {
    const stamp = (key: State["keys"][number]) => `${key.actor} ${key.thing} ${key.kind} ${key.time_s.toFixed(3)}`;
    const before = new Set(this.keys.map(stamp)), after = new Set(state.keys.map(stamp));
    const changed = [...this.keys, ...state.keys].filter((key) => {
      if (!before.has(stamp(key)) || !after.has(stamp(key))) return true;
      const old = this.motions.get(key.actor);
      if (!old || old === store.motions.get(key.actor)) return false;
      const was = poseAt(old, key.time_s), is = poseAt(store.motions.get(key.actor), key.time_s);
      return !was || !is || was.some((value, i) => Math.abs(value - is[i]) > 1e-4);
    });
    return [...new Set(changed.map((key) => key.time_s))];
  }
}
