/** The dialog Fix motion: lists segments that are not certified, each to be replanned or pushed out. */
import { describeMotion, describeSegment, joinSegments, uncertified } from "../../certificate_text";
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { ClearResult, SampledTrackState, Segment, SegmentChange } from "../../generated/messages";
import { icon } from "../../icons";
import type { Motion } from "../../sampled_motion";
import { on, store } from "../../store";

const WORKING = "Working …";

export const install: Install = (editor) => {
  const dialog = new FixMotionDialog(editor);
  return {
    actions: [
      {
        name: "fix-motion",
        title: "Fix motion: what is certified, and how to fix the rest",
        keys: ["I"],
        group: "Time",
        run: () => dialog.open(),
      },
    ],
    corner: [dialog.comparison.element],
    receive(message) {
      if (message.type === "motion_certificate") dialog.refresh();
      else if (message.type === "clear_result") dialog.showResult(message);
      else if (message.type === "job" && message.status === "running") {
        dialog.showProgress(message.job, message.done, message.text);
      } else if (message.type === "job") dialog.end(message.job, message.status === "failed" ? message.text : "");
    },
  };
};

class FixMotionDialog {
  readonly comparison = new BeforeAfter(() => this.editor.seek(store.timeS));
  private readonly list = h("div", { class: "segments" });
  private readonly head = h("p", { class: "soft" });
  private readonly note = h("p", { class: "note", role: "status" });
  private readonly bar = h("progress", { max: 1, "aria-label": "Progress" });
  private readonly progress = h(
    "div",
    { class: "line", hidden: true },
    this.bar,
    this.button("Cancel", "", () => this.cancel()),
  );
  private readonly explanation = h(
    "p",
    { class: "note" },
    h("strong", {}, "Fix"),
    " tries both ways and keeps the better one. ",
    h("strong", {}, "Go around"),
    " plans a new path from one pose to the next, for example where arms swap over and under. ",
    h("strong", {}, "Push out"),
    " keeps the motion and moves only what overlaps; feet stay planted. Neither changes your keys.",
  );
  private readonly all = h(
    "button",
    {
      class: "wide primary",
      type: "button",
      title: "Goes around where limbs change sides, pushes out elsewhere; your poses stay. One undo reverts everything",
      click: () => this.start({ type: "clear_all", preferred_actor: store.active, move_keys: false }),
    },
    icon("check"),
    "Fix everything",
  );
  private readonly moveOut = h("button", {
    class: "wide",
    type: "button",
    title: "Also moves keyed poses that overlap, as little as necessary. One undo reverts everything",
    click: () => this.start({ type: "clear_all", preferred_actor: store.active, move_keys: true }),
  });
  private readonly dialog = h(
    "dialog",
    { class: "sheet clearing", "aria-label": "Fix motion" },
    h("form", { method: "dialog" }, h("button", { class: "quiet corner", "aria-label": "Close" }, "✕")),
    h("h2", {}, "Fix motion"),
    this.head,
    this.list,
    this.explanation,
    this.note,
    this.progress,
    h(
      "div",
      { class: "sheet-foot" },
      this.all,
      this.moveOut,
      this.button("Done", "", () => this.dialog.close()),
    ),
  );
  private job = ""; // the running job, empty for none
  private overlappingKeys: number[] = []; // times of keyed poses that overlap, of the last result
  private before = new Map<number, Motion>();

  constructor(private readonly editor: Editor) {
    document.body.append(this.dialog);
    this.dialog.addEventListener("cancel", () => this.job && this.cancel()); // Escape
    on(["state"], () => this.refresh());
  }

  open(): void {
    this.note.textContent = "";
    this.overlappingKeys = [];
    this.draw();
    if (!this.dialog.open) this.dialog.showModal();
  }

  refresh(): void {
    if (this.dialog.open) this.draw();
  }

  showResult(result: ClearResult): void {
    const count = result.cleared;
    const flawed = result.changes.filter((change) => change.flawed).length;
    const but = flawed
      ? `, ${flawed === count ? "but look at what is left to fix by hand" : `${flawed} with flaws`}`
      : "";
    const fixed = count ? `Fixed ${count} ${count === 1 ? "segment" : "segments"}${but}.` : "";
    this.overlappingKeys = result.overlapping_keys ?? [];
    fill(
      this.note,
      [fixed, ...result.remaining].join(" "),
      h("ul", {}, ...result.changes.map((change) => h("li", {}, this.changeLink(change.text, change.at_s)))),
    );
    if (count) this.comparison.show(this.before, result.changes);
    this.draw();
  }

  private changeLink(text: string, timeS: number): HTMLElement {
    const look = () => {
      this.dialog.close();
      this.editor.seek(timeS);
    };
    return h("button", { class: "link", type: "button", title: "Go there", click: look }, text);
  }

  showProgress(job: string, done: number, text: string): void {
    if (job !== this.job) return;
    if (done > 0) this.bar.value = done;
    this.note.textContent = text || WORKING;
  }

  end(job: string, problem: string): void {
    if (job !== this.job) return;
    this.job = "";
    if (problem || this.note.textContent === WORKING) this.note.textContent = problem;
    this.draw();
  }

  private start(command: Parameters<Editor["command"]>[0]): void {
    this.note.textContent = WORKING;
    this.bar.removeAttribute("value");
    this.before = new Map(store.motions);
    this.job = this.editor.command(command);
    this.draw();
  }

  private cancel(): void {
    this.editor.connection.send({ type: "cancel_job", job: this.job });
  }

  private button(text: string, title: string, click: () => void): HTMLButtonElement {
    return h(
      "button",
      { class: "wide", type: "button", title: title || undefined, disabled: title !== "" && this.job !== "", click },
      text,
    );
  }

  private draw(): void {
    const still = store.certificate?.pose ? uncertified(store.certificate) : [];
    const bad = still.length ? [] : joinSegments(uncertified(store.certificate));
    const tracks = (store.state?.actors ?? [])
      .flatMap((actor) => actor.sampled_tracks.map((track) => ({ track, owner: actor.name })))
      .filter(({ track }) => !bad.some((segment) => overlapInTime(track, segment)));
    this.head.textContent = headline(bad.length > 0);
    this.all.hidden = this.explanation.hidden = bad.length === 0;
    this.moveOut.hidden = still.length === 0 && this.overlappingKeys.length === 0;
    this.moveOut.textContent = still.length ? "Separate the overlapping parts" : "Separate overlapping poses too";
    this.progress.hidden = this.job === "";
    this.all.disabled = this.moveOut.disabled = this.job !== "";
    const rows = tracks.map(({ track, owner }) => this.trackRow(track, owner));
    fill(this.list, ...bad.map((segment) => this.segmentRow(segment)), ...rows);
  }

  /** A sampled track between two keys, which can be replaced by plain interpolation. */
  private trackRow(track: SampledTrackState, owner: string): HTMLElement {
    const several = (store.state?.actors.length ?? 1) > 1;
    const blend = () => this.editor.command({ type: "blend_again", track: track.id });
    return h(
      "div",
      { class: "segment-row" },
      h("span", { class: "segment-mark track-mark", "aria-hidden": "true" }),
      h(
        "div",
        {},
        h("strong", {}, `${timeSpan(track.start_s, track.end_s)}: ${track.name}`),
        several && h("span", { class: "soft" }, ` of ${owner}`),
      ),
      this.button(
        "Blend again",
        `Remove "${track.name}" and interpolate between the keys around it: of a walk, the footsteps are lost`,
        blend,
      ),
    );
  }

  private segmentRow(segment: Segment): HTMLElement {
    const actors = store.state?.actors ?? [];
    const actor = segment.actors.includes(store.active) ? store.active : segment.actors[0];
    const name = actors.find((one) => one.id === actor)?.name ?? "";
    const moves = actors.length > 1 ? ` ${name} will move.` : "";
    const before = actors.flatMap((one) => one.sampled_tracks).find((track) => overlapInTime(track, segment));
    const note = before ? ` It has a motion of its own (“${before.name}”).` : "";
    const { start_s, end_s } = segment;
    const fix = (how: "best" | "detour" | "push_out") => () =>
      this.start({ type: "clear_segment", actor, start_s, end_s, how });
    const look = () => {
      this.dialog.close();
      this.editor.seek(segment.at_s);
    };
    const time = h(
      "button",
      { class: "link", type: "button", title: "Go to the deepest overlap", click: look },
      timeSpan(start_s, end_s),
    );
    const around = "Plan a new path between the poses at both ends, around everything in the way; takes some seconds";
    const out = "Keep the motion and move only what overlaps; the poses at both ends stay";
    const best = "Try both ways and keep the one that changes the motion less; the other one is named for comparison";
    const buttons = [
      this.button("Fix", best, fix("best")),
      this.button("Go around", around, fix("detour")),
      this.button("Push out", out, fix("push_out")),
    ];
    return h(
      "div",
      { class: "segment-row" },
      h("span", { class: `segment-mark ${segment.verdict.replace(" ", "-")}`, "aria-hidden": "true" }),
      h("div", {}, time, `: ${describeSegment(segment)}.${moves}${note}`),
      actor === undefined ? "" : h("div", { class: "segment-fixes" }, ...buttons),
    );
  }
}

/** A switch over the view between the motion before and after it was fixed. */
export class BeforeAfter {
  private static shown: BeforeAfter | null = null; // one comparison at a time
  readonly element = h("div", { class: "before-after", role: "group", "aria-label": "Before and after", hidden: true });
  private readonly note = h("span", {});
  private readonly before = this.button("Before", true);
  private readonly after = this.button("After", false);

  constructor(private readonly redraw: () => void) {
    const close = h(
      "button",
      { type: "button", class: "quiet", "aria-label": "Stop comparing", click: () => this.hide() },
      "✕",
    );
    this.element.append(this.before, this.after, this.note, close);
  }

  show(before: Map<number, Motion>, changes: SegmentChange[]): void {
    if (before.size === 0) return;
    BeforeAfter.shown?.hide();
    BeforeAfter.shown = this;
    store.motionsBefore = before;
    this.note.textContent = changes.length === 1 ? changes[0].text : `${changes.length} segments changed`;
    this.note.title = changes.map((change) => change.text).join("\n"); // which joint changed most, in each
    this.element.hidden = false;
    this.choose(false);
  }

  private hide(): void {
    this.element.hidden = true;
    this.choose(false);
    store.motionsBefore = null;
  }

  private choose(before: boolean): void {
    store.showsBefore = before;
    this.before.setAttribute("aria-pressed", String(before));
    this.after.setAttribute("aria-pressed", String(!before));
    this.redraw();
  }

  private button(text: string, before: boolean): HTMLElement {
    return h("button", { type: "button", "aria-pressed": "false", click: () => this.choose(before) }, text);
  }
}

function headline(bad: boolean): string {
  const found = store.certificate;
  if (!found && store.motions.size) return "Checking …";
  if (!found?.segments.length) {
    const pose = found?.pose ? `${describeMotion(found)}. ` : "";
    return `${pose}Nothing moves yet: set two keys, or open a clip.`;
  }
  const rest = bad
    ? "Interpolating between two poses can lead through a body. Choose for each segment:"
    : `Proven for ${found.frames} frames and everything between them, as glTF players interpolate.`;
  return `${describeMotion(found)}. ${rest}`;
}

/** Whether a track and a segment share more than an end. */
function overlapInTime(track: { start_s: number; end_s: number }, segment: Segment): boolean {
  return track.start_s < segment.end_s - 1e-4 && track.end_s > segment.start_s + 1e-4;
}

function timeSpan(startS: number, endS: number): string {
  return `${startS.toFixed(2)}–${endS.toFixed(2)} s`;
}
