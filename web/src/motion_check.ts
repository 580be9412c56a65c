/** When to ask the server for a certificate of the motion, and of which state of the document its answer speaks. */
import type { MotionCertificate, Outgoing } from "./generated/messages";
import { store } from "./store";

const CHECK_AFTER_MS = 400; // without a further change

export class MotionCheck {
  found: MotionCertificate | null = null; // the newest answer, of the present state unless stale
  stale = false;
  private request = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private checked = ""; // what the newest request, and then its answer, is about
  private readonly ask: () => string; // sends CheckMotion and returns its request; "" if it cannot be sent now
  private readonly changed: () => void; // `found` or `stale` changed

  constructor(ask: () => string, changed: () => void) {
    this.ask = ask;
    this.changed = changed;
  }

  /** The document, or the connection, has changed: check the motion once it rests. */
  documentChanged(): void {
    clearTimeout(this.timer);
    if (judgedState() === this.checked) return;
    this.checkLater();
  }

  /**
   * Handle a message of the server. It judges the document as it is when the check runs, which may be newer than the
   * state that the page had when it asked, so an answer counts only for the state with the same revision.
   */
  receive(message: Outgoing): void {
    if (message.type === "error" && message.request === this.request) this.checked = "";
    if (message.type === "job" && message.job === this.request && message.status === "failed") this.checked = "";
    if (message.type !== "motion_certificate" || message.job !== this.request) return;
    if (message.revision !== store.state?.revision) {
      this.checked = "";
      this.checkLater();
      return;
    }
    clearTimeout(this.timer);
    this.checked = judgedState();
    this.found = store.certificate = message;
    this.stale = false;
    this.changed();
  }

  private checkLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), CHECK_AFTER_MS);
    this.invalidate();
  }

  private check(): void {
    const now = judgedState();
    if (now === this.checked) return;
    const request = this.ask();
    if (!request) return;
    this.request = request;
    this.checked = now;
    this.invalidate();
  }

  private invalidate(): void {
    store.certificate = null;
    this.stale = this.found !== null;
    this.changed();
  }
}

/** Everything that a certificate depends on, as a string: motions, objects, allowed contacts and unkeyed poses. */
function judgedState(): string {
  const state = store.state;
  if (!state) return "";
  const still = state.actors.filter((actor) => !store.motions.has(actor.id)).map((actor) => String(actor.q));
  return JSON.stringify([store.motionVersion, state.objects, state.contacts, still]);
}
