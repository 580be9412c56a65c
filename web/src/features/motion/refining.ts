/** Refines the segment between two selected keys, or a planned path, as a whole; shown before and after. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { RefineResult, RefineSegment } from "../../generated/messages";
import { jointLabel } from "../../labels";
import type { Motion } from "../../sampled_motion";
import { activeActor, on, store } from "../../store";
import { reveal } from "../../ui/section";
import { showMessage } from "../../ui/toast";
import { BeforeAfter } from "./fix_motion";

const PROFILES: [RefineSegment["profile"], string, string][] = [
  ["bell", "Ease in and out", "The speed rises and falls like a bell from the first pose to the last"],
  ["uniform", "Even speed", "The same speed all the way"],
  ["keep", "Keep the timing", "Smooth only. Choose this if the motion has to match another character or object"],
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
  private readonly waypoints = h("input", { type: "checkbox", checked: true });
  private readonly slide = h("select", { "aria-label": "What slides", change: () => this.draw() });
  private readonly along = h("select", { "aria-label": "Along what" });
  private readonly alongField = h("label", { class: "field" }, h("span", {}, "Along"), this.along);
  private readonly hint = h("p", { class: "note", role: "status" });
  private readonly button = h(
    "button",
    { type: "button", class: "wide primary", title: "The poses at both ends stay", click: () => this.start() },
    "Refine",
  );
  private job = ""; // the running job, empty for none
  private before = new Map<number, Motion>();
  private offeredFor = ""; // the joints in the lists

  constructor(private readonly editor: Editor) {
    this.element = h(
      "div",
      { class: "refine" },
      h("label", { class: "field" }, h("span", {}, "Speed"), this.profile),
      h(
        "label",
        { class: "check", title: "The poses of keys within the segment stay as they are" },
        this.waypoints,
        " Keep the keys in between",
      ),
      h(
        "label",
        { class: "field", title: "A part that slides along another, as a hand along the thigh" },
        h("span", {}, "Slides"),
        this.slide,
      ),
      this.alongField,
      this.button,
      this.hint,
    );
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
    const held = { slide: this.slide.value, along: this.slide.value ? this.along.value : "" };
    const waypoints = this.waypoints.checked;
    this.job = this.editor.command({
      type: "refine_segment",
      actor: store.active,
      profile,
      waypoints,
      ...held,
      ...segment,
    });
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

  /** Offer the joints of the active character. */
  private offer(): void {
    const joints = store.figures.get(activeActor()?.figure ?? "")?.joints.map((joint) => joint.name) ?? [];
    if (joints.join() === this.offeredFor) return;
    this.offeredFor = joints.join();
    const options = () => joints.map((name) => h("option", { value: name }, jointLabel(name)));
    fill(this.slide, h("option", { value: "" }, "nothing"), ...options());
    fill(this.along, ...options());
  }

  private draw(): void {
    this.offer();
    this.alongField.hidden = !this.slide.value;
    const segment = this.segment();
    this.button.disabled = !segment || this.job !== "";
    this.button.textContent = this.job ? "Refining …" : "Refine";
    this.hint.textContent = segment
      ? `From ${segment.start_s.toFixed(2)} s to ${segment.end_s.toFixed(2)} s; the poses at both ends stay.`
      : "Select two pose keys on the timeline, or move to a planned path.";
  }
}
