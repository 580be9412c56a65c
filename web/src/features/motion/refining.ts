/** Refines the segment between two selected keys, or a planned path, as a whole; shown before and after. */
import { h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { RefineResult, RefineSegment } from "../../generated/messages";
import type { Motion } from "../../sampled_motion";
import { activeActor, on, store } from "../../store";
import { reveal } from "../../ui/section";
import { showMessage } from "../../ui/toast";
import { BeforeAfter } from "./clearing";

const PROFILES: [RefineSegment["profile"], string, string][] = [
  ["bell", "Ease in and out", "The speed rises and falls like a bell from the first pose to the last"],
  ["uniform", "Even speed", "The same speed all the way"],
  ["keep", "Keep the timing", "Smooth only; needed if something else moves at the same time"],
];

export const install: Install = (editor) => {
  const panel = new RefinePanel(editor);
  return {
    sections: [
      {
        title: "Refine",
        element: panel.element,
        order: 56,
        folded: true,
        about: "Retimes and smooths a whole segment; feet stay planted, and parts do not overlap",
      },
    ],
    actions: [
      { name: "refine-segment", title: "Refine the segment", keys: [], group: "Time", run: () => panel.start() },
    ],
    corner: [panel.comparison.element],
    receive(message) {
      if (message.type === "refine_result") panel.show(message);
      else if (message.type === "job" && message.status !== "running")
        panel.end(message.job, message.status === "failed" ? message.text : "");
    },
  };
};

class RefinePanel {
  readonly element: HTMLElement;
  readonly comparison = new BeforeAfter(() => this.editor.seek(store.timeS));
  private readonly profile = h(
    "select",
    { "aria-label": "Speed" },
    ...PROFILES.map(([value, title, about]) => h("option", { value, title: about }, title)),
  );
  private readonly hint = h("p", { class: "note", role: "status" });
  private readonly button = h(
    "button",
    { type: "button", class: "wide primary", title: "The poses at both ends stay", click: () => this.start() },
    "Refine",
  );
  private job = ""; // the running job, empty for none
  private before = new Map<number, Motion>();

  constructor(private readonly editor: Editor) {
    this.element = h("div", { class: "refine" }, this.profile, this.button, this.hint);
    on(["state", "selection", "time"], () => this.draw());
  }

  /** Refine the segment between the selected keys, or the path at the playhead. */
  start(): void {
    reveal(this.element);
    const segment = this.segment();
    if (!segment) {
      showMessage("Select two pose keys of one character on the timeline, or move to a planned path.");
      return;
    }
    this.before = new Map(store.motions);
    const profile = this.profile.value as RefineSegment["profile"];
    this.job = this.editor.command({ type: "refine_segment", actor: store.active, profile, ...segment });
    this.draw();
  }

  show(result: RefineResult): void {
    if (result.job !== this.job) return;
    this.comparison.show(this.before, [{ text: result.text, at_s: result.at_s }]);
  }

  /** The job has ended; `problem` says why if it failed. */
  end(job: string, problem: string): void {
    if (job !== this.job) return;
    this.job = "";
    this.draw();
    if (problem) this.hint.textContent = problem;
  }

  private segment(): { start_s: number; end_s: number } | null {
    const times = (store.state?.keys ?? [])
      .filter((key) => key.kind === "pose" && key.actor === store.active && store.selectedKeys.has(key.id))
      .map((key) => key.time_s);
    if (times.length >= 2) return { start_s: Math.min(...times), end_s: Math.max(...times) };
    const here = store.timeS;
    const track = (activeActor()?.sampled_tracks ?? []).find((one) => one.start_s <= here && here <= one.end_s);
    return track ? { start_s: track.start_s, end_s: track.end_s } : null;
  }

  private draw(): void {
    const segment = this.segment();
    this.button.disabled = !segment || this.job !== "";
    this.button.textContent = this.job ? "Refining …" : "Refine";
    this.hint.textContent = segment
      ? `From ${segment.start_s.toFixed(2)} s to ${segment.end_s.toFixed(2)} s; the poses at both ends stay.`
      : "Select two pose keys on the timeline, or move to a planned path.";
  }
}
