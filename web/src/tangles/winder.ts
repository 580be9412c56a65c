/** Takes the bodies to a tangle by gated steps, one message at a time, until they are there. */
import { TangleGoal, TangleStepped, Winding } from "../generated/messages";
import { floats, store } from "../store";
import type { Studio } from "../editor";

const LOST_MS = 2000; // an answer that took this long is not coming

export class Winder {
  private goal: TangleGoal | null = null;
  private movers: number[] = [];
  private held = false; // whether the person still holds the slider
  private fresh = true;
  private outstanding = false;
  private sequence = 0;
  private sentAt = 0;
  onWinding: (found: Winding) => void = () => {};
  onEnd: (reached: boolean) => void = () => {};

  constructor(private readonly studio: Studio) {}

  get active(): boolean {
    return this.goal !== null;
  }

  /** Go for a goal; with `held` it may still change and nothing is kept yet. */
  wind(goal: TangleGoal, movers: number[], held: boolean): void {
    this.fresh ||= !this.goal;
    this.goal = goal;
    this.movers = movers;
    this.held = held;
    store.dragging = true;
    this.pump();
  }

  /** Give up where it is: the pose so far is kept. */
  stop(): void {
    if (!this.goal) return;
    this.end();
    this.studio.command({ type: "keep_wound", movers: this.movers });
  }

  receive(message: TangleStepped): void {
    if (!this.goal || message.sequence !== this.sequence) return;
    this.outstanding = false;
    for (const { actor, q } of message.actors) {
      const character = this.studio.viewport.character(actor);
      character?.setPose(floats(q));
      if (character && actor === store.active) this.studio.viewport.marks.follow(character);
    }
    this.onWinding(message.winding);
    this.studio.viewport.draw();
    if (this.held || !(message.reached || message.stalled)) {
      requestAnimationFrame(() => this.pump());
      return;
    }
    const goal = this.goal;
    this.end();
    if (message.reached) this.studio.command({ type: "keep_wound", movers: this.movers });
    else this.studio.command({ type: "wind_tangle", tangle: goal, movers: this.movers }); // shakes, and says why
    this.onEnd(message.reached);
  }

  private end(): void {
    this.goal = null;
    this.fresh = true;
    this.outstanding = false;
    store.dragging = false;
  }

  private pump(): void {
    if (!this.goal || (this.outstanding && performance.now() - this.sentAt < LOST_MS)) return;
    const sent = this.studio.connection.send({ type: "wind_step", sequence: ++this.sequence, tangle: this.goal, movers: this.movers, fresh: this.fresh });
    if (!sent) return this.end();
    this.fresh = false;
    this.outstanding = true;
    this.sentAt = performance.now();
  }
}
