/** Drives the bodies to a target tangle step by step, one message at a time, until it is reached. */

import type { Editor } from "../editor";
import type { TangleGoal, Winding, WindStepResult } from "../generated/messages";
import { floats } from "../sampled_motion";
import { store } from "../store";

const TIMEOUT_MS = 2000; // a result that takes longer counts as lost

export class TangleWinder {
  private goal: TangleGoal | null = null;
  private movers: number[] = [];
  private held = false; // whether the slider is still being dragged
  private fresh = true; // whether the next step starts a new drive
  private outstanding = false;
  private sequence = 0;
  private sentAt = 0;
  onWinding: (found: Winding) => void = () => {};
  onEnd: (reached: boolean) => void = () => {};

  constructor(private readonly editor: Editor) {}

  get active(): boolean {
    return this.goal !== null;
  }

  /** Drive to a goal; while `held` the goal may still change and nothing is committed. */
  wind(goal: TangleGoal, movers: number[], held: boolean): void {
    this.fresh ||= !this.goal;
    this.goal = goal;
    this.movers = movers;
    this.held = held;
    store.dragging = true;
    this.sendIfReady();
  }

  /** Stop and commit the pose reached so far. */
  stop(): void {
    if (!this.goal) return;
    this.end();
    this.editor.command({ type: "commit_winding", movers: this.movers });
  }

  receive(message: WindStepResult): void {
    if (!this.goal || message.sequence !== this.sequence) return;
    this.outstanding = false;
    for (const { actor, q } of message.actors) {
      const character = this.editor.viewport.character(actor);
      character?.setPose(floats(q));
      if (character && actor === store.active) this.editor.viewport.pinMarkers.follow(character);
    }
    this.onWinding(message.winding);
    this.editor.viewport.draw();
    if (this.held || !(message.reached || message.stalled)) {
      requestAnimationFrame(() => this.sendIfReady());
      return;
    }
    const goal = this.goal;
    this.end();
    if (message.reached) this.editor.command({ type: "commit_winding", movers: this.movers });
    // stalled: the server goes on in the background with perturbations, and reports why if it fails
    else this.editor.command({ type: "wind_tangle", tangle: goal, movers: this.movers });
    this.onEnd(message.reached);
  }

  private end(): void {
    this.goal = null;
    this.fresh = true;
    this.outstanding = false;
    store.dragging = false;
  }

  private sendIfReady(): void {
    if (!this.goal || (this.outstanding && performance.now() - this.sentAt < TIMEOUT_MS)) return;
    const sent = this.editor.connection.send({
      type: "wind_step",
      sequence: ++this.sequence,
      tangle: this.goal,
      movers: this.movers,
      fresh: this.fresh,
    });
    if (!sent) {
      this.end();
      return;
    }
    this.fresh = false;
    this.outstanding = true;
    this.sentAt = performance.now();
  }
}
