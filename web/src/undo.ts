/** Undo and redo: shows what was undone and moves the playhead there when it lies at another time. */
import type { Editor } from "./editor";
import type { KeyState, State } from "./generated/messages";
import { type Motion, poseAt } from "./sampled_motion";
import { store } from "./store";
import { showMessage } from "./ui/toast";

export class UndoRedo {
  private pending = ""; // the request that was sent last
  private message = "";
  private motionsBefore = new Map<number, Motion>();
  private keysBefore: KeyState[] = [];

  constructor(private readonly editor: Editor) {}

  request(type: "undo" | "redo"): void {
    const state = store.state;
    if (!state) return;
    this.message = type === "undo" ? `Undone: ${state.undo}` : `Redone: ${state.redo}`;
    this.motionsBefore = new Map(store.motions);
    this.keysBefore = state.keys;
    this.pending = this.editor.command({ type });
  }

  /** Handle the state of the document after the request. */
  receive(state: State): void {
    if (!this.pending || state.request !== this.pending) return;
    this.pending = "";
    const times = this.changedTimes(state);
    if (times.length === 0 || times.some((time) => Math.abs(time - store.timeS) < 1e-3)) {
      showMessage(`${this.message}.`);
      return;
    }
    const distance = (time: number) => Math.abs(time - store.timeS);
    const nearest = times.reduce((a, b) => (distance(b) < distance(a) ? b : a));
    this.editor.seek(nearest);
    showMessage(`${this.message}, at ${nearest.toFixed(2)} s.`);
  }

  /** Times of keys that were added or removed, or whose pose has changed. */
  private changedTimes(state: State): number[] {
    const identity = (key: KeyState) => `${key.actor} ${key.object} ${key.kind} ${key.time_s.toFixed(3)}`;
    const before = new Set(this.keysBefore.map(identity));
    const after = new Set(state.keys.map(identity));
    const changed = [...this.keysBefore, ...state.keys].filter((key) => {
      if (!before.has(identity(key)) || !after.has(identity(key))) return true;
      const old = this.motionsBefore.get(key.actor);
      if (!old || old === store.motions.get(key.actor)) return false;
      const was = poseAt(old, key.time_s);
      const is = poseAt(store.motions.get(key.actor), key.time_s);
      return !was || !is || was.some((value, i) => Math.abs(value - is[i]) > 1e-4);
    });
    return [...new Set(changed.map((key) => key.time_s))];
  }
}
