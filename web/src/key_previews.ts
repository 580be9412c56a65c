/** Shows the motion as it will be while keys are being changed: their poses, times or easing. */
import type { Connection } from "./connection";
import type { LiveFrames, Outgoing, PreviewKeys } from "./generated/messages";
import { floats } from "./sampled_motion";
import { activeActor, notify, store } from "./store";

const TIMES = 400; // kept for the benchmark

type Change = Pick<PreviewKeys, "keys" | "by_s" | "ease">;

export class KeyPreviews {
  private change: Change | null = null; // the newest one, not yet answered
  private shown: Change | null = null; // answered near the playhead
  private outstanding = false;
  private sequence = 0;
  private changedAt = 0;
  readonly firstMs: number[] = []; // from a change to the frames around the playhead
  readonly allMs: number[] = []; // to all frames

  constructor(private readonly connection: Connection) {}

  /** Show keys with another time or easing: the frames around the playhead at once, then the others. */
  show(change: Change): void {
    this.change = change;
    this.changedAt = performance.now();
    this.sendIfReady();
  }

  /** Show the motion as it is. */
  clear(): void {
    this.change = this.shown = null;
    this.sequence++;
    this.outstanding = false;
    if (!store.previews.size) return;
    store.previews.clear();
    notify("time");
  }

  receive(message: Outgoing): void {
    if (message.type === "drag_result") {
      const frames = message.features?.live_in_betweens as LiveFrames | undefined;
      if (frames && store.dragging) this.put(message.actor, frames, 0);
    } else if (message.type === "key_preview" && message.sequence === this.sequence) {
      this.outstanding = false;
      if (message.frames) this.put(message.actor, message.frames, message.length);
      if (!this.change) keep(this.shown ? this.firstMs : this.allMs, performance.now() - this.changedAt);
      notify("time");
      this.sendIfReady();
    }
  }

  private sendIfReady(): void {
    const change = this.change ?? this.shown;
    const actor = activeActor();
    if (!change || !actor || this.outstanding) return;
    const whole = this.change === null;
    this.shown = whole ? null : change;
    this.change = null;
    this.outstanding = this.connection.send({
      type: "preview_keys",
      sequence: ++this.sequence,
      actor: actor.id,
      whole,
      ...change,
    });
  }

  /** Put frames into the preview of an actor; `length` in frames, 0 if it stays. */
  private put(actor: number, { first, size, q }: LiveFrames, length: number): void {
    const part = floats(q);
    const now = store.previews.get(actor) ?? store.motions.get(actor);
    if (!now || now.size !== size) return;
    const frames = Math.max(length || now.frames, first + part.length / size);
    let preview = store.previews.get(actor);
    if (!preview || preview.frames !== frames) {
      const grown = new Float32Array(frames * size);
      grown.set(now.q.subarray(0, frames * size));
      preview = { ...now, frames, q: grown };
      store.previews.set(actor, preview);
    }
    preview.q.set(part, first * size);
    notify("preview");
  }
}

function keep(times: number[], ms: number): void {
  times.push(ms);
  if (times.length > TIMES) times.shift();
}
