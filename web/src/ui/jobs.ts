/** What the server is busy with: a bar for each, and a button to give it up. */
import { h } from "../dom";
import { JobState } from "../generated/messages";
import type { Studio } from "../editor";
import { say } from "./toast";
import { iconButton } from "./topbar";

interface Card {
  box: HTMLElement;
  bar: HTMLProgressElement;
  text: HTMLElement;
}

export class JobCards {
  readonly element = h("div", { class: "jobs", "aria-live": "polite" });
  private readonly cards = new Map<string, Card>();

  constructor(private readonly studio: Studio) {}

  show(state: JobState): void {
    if (state.status !== "running") {
      this.cards.get(state.job)?.box.remove();
      this.cards.delete(state.job);
      if (state.status === "failed") say(state.text, "problem");
      return;
    }
    if (state.quiet) return;
    const card = this.cards.get(state.job) ?? this.add(state);
    if (state.done > 0) card.bar.value = state.done;
    card.text.textContent = state.text;
  }

  /** The link broke, and with it went what the server was busy with. */
  clear(): void {
    this.cards.forEach(({ box }) => box.remove());
    this.cards.clear();
  }

  private add({ job, title }: JobState): Card {
    const bar = h("progress", { max: 1, "aria-label": title });
    const text = h("small", {});
    const cancel = iconButton("close", `Cancel: ${title}`, () => this.studio.connection.send({ type: "cancel_job", job }), "small");
    const box = h("div", { class: "job" }, h("div", { class: "job-words" }, h("strong", {}, title), text, bar), cancel);
    const card = { box, bar, text };
    this.cards.set(job, card);
    this.element.append(box);
    return card;
  }
}
