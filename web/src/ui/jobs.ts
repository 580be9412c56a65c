/** Long jobs of the server: a progress bar and a cancel button for each. */
import { h } from "../dom";
import type { Editor } from "../editor";
import type { JobState } from "../generated/messages";
import { iconButton } from "./buttons";
import { showMessage } from "./toast";

interface Card {
  box: HTMLElement;
  bar: HTMLProgressElement;
  text: HTMLElement;
}

const SLOW_MS = 400; // a command that takes longer shows that it is being worked on

export class JobCards {
  readonly element = h("div", { class: "jobs", "aria-live": "polite" });
  private readonly cards = new Map<string, Card>();
  private readonly busy = h(
    "div",
    { class: "job busy" },
    h("div", { class: "job-text" }, h("strong", {}, "Working …"), h("progress", { "aria-label": "Working" })),
  );

  constructor(private readonly editor: Editor) {}

  /** Show soon that the server works on commands; called when one is sent, and with every message received. */
  showBusy(afterMs = SLOW_MS): void {
    if (afterMs > 0) setTimeout(() => this.showBusy(0), afterMs);
    else if (this.editor.connection.waiting === 0) this.busy.remove();
    else if (!this.busy.isConnected) this.element.append(this.busy);
  }

  show(state: JobState): void {
    if (state.status !== "running") {
      this.cards.get(state.job)?.box.remove();
      this.cards.delete(state.job);
      if (state.status === "failed") showMessage(state.text, "problem");
      return;
    }
    if (state.quiet) return;
    const card = this.cards.get(state.job) ?? this.add(state);
    if (state.done > 0) card.bar.value = state.done;
    card.text.textContent = state.text;
  }

  /** Cancel the job that was started last, of those that show their progress; false if there is none. */
  cancelNewest(): boolean {
    const job = [...this.cards.keys()].at(-1);
    if (job) this.editor.connection.send({ type: "cancel_job", job });
    return job !== undefined;
  }

  /** Remove all cards: the jobs of a connection end with it. */
  clear(): void {
    this.cards.forEach(({ box }) => box.remove());
    this.cards.clear();
  }

  private add({ job, title }: JobState): Card {
    const bar = h("progress", { max: 1, "aria-label": title });
    const text = h("small", {});
    const cancel = iconButton(
      "close",
      `Cancel: ${title}`,
      () => this.editor.connection.send({ type: "cancel_job", job }),
      "small",
    );
    const box = h("div", { class: "job" }, h("div", { class: "job-text" }, h("strong", {}, title), text, bar), cancel);
    const card = { box, bar, text };
    this.cards.set(job, card);
    this.element.append(box);
    return card;
  }
}
