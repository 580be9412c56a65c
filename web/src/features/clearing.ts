/** What passes through is made clear: a list of stretches, each to go round or to be pushed out. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { Stretch } from "../generated/messages";
import { icon } from "../icons";
import { on, store } from "../store";
import type { Studio } from "../editor";
import { sentence, summary } from "./certificate";

export const install: Install = (studio) => {
  const sheet = new ClearingSheet(studio);
  return {
    actions: [{ name: "clear-motion", title: "In-betweens: what is certified, and how to make it so", keys: ["I"], group: "Time", run: () => sheet.open() }],
    receive(message) {
      if (message.type === "motion_certificate") sheet.show();
      else if (message.type === "cleared") sheet.cleared(message.cleared, message.left);
      else if (message.type === "job" && message.status === "running") sheet.working(message.job, message.done, message.text);
      else if (message.type === "job") sheet.ended(message.job, message.status === "failed" ? message.text : "");
    },
  };
};

class ClearingSheet {
  private readonly list = h("div", { class: "stretches" });
  private readonly head = h("p", { class: "soft" });
  private readonly note = h("p", { class: "note", role: "status" });
  private readonly bar = h("progress", { max: 1, "aria-label": "Progress" });
  private readonly progress = h("div", { class: "line", hidden: true }, this.bar, h("button", { class: "wide", type: "button", click: () => this.studio.connection.send({ type: "cancel_job", job: this.busy }) }, "Cancel"));
  private readonly meaning = h("p", { class: "note" }, h("strong", {}, "Go round"), " finds a new way from one pose to the next, as arms that swap over and under need. ", h("strong", {}, "Push out"), " keeps the motion and moves only what overlaps. Neither changes your poses.");
  private readonly all = h("button", { class: "wide primary", type: "button", title: "Go round where limbs change over and under, push out elsewhere; your poses stay. One command, which undo takes back", click: () => this.ask({ type: "clear_all", prefer: store.active }) }, icon("check") as unknown as Node, "Make everything clear");
  private readonly dialog = h("dialog", { class: "sheet clearing", "aria-label": "In-betweens" },
    h("form", { method: "dialog" }, h("button", { class: "quiet corner", "aria-label": "Close" }, "✕")),
    h("h2", {}, "In-betweens"), this.head, this.list, this.meaning, this.note, this.progress,
    h("div", { class: "sheet-foot" }, this.all, h("button", { class: "wide", type: "button", click: () => this.dialog.close() }, "Done")));
  private busy = "";

  constructor(private readonly studio: Studio) {
    document.body.append(this.dialog);
    on(["state"], () => this.dialog.open && this.draw());
  }

  open(): void {
    this.note.textContent = "";
    this.draw();
    if (!this.dialog.open) this.dialog.showModal();
  }

  show(): void {
    if (this.dialog.open) this.draw();
  }

  cleared(count: number, left: string[]): void {
    this.note.textContent = [count ? `Made clear: ${count} ${count === 1 ? "stretch" : "stretches"}.` : "", ...left].join(" ");
  }

  working(job: string, done: number, text: string): void {
    if (job !== this.busy) return;
    if (done > 0) this.bar.value = done;
    this.note.textContent = text || "Working …";
  }

  ended(job: string, problem: string): void {
    if (job !== this.busy) return;
    this.busy = "";
    if (problem || this.note.textContent === "Working …") this.note.textContent = problem;
    this.draw();
  }

  private ask(command: Parameters<Studio["command"]>[0]): void {
    this.note.textContent = "Working …";
    this.bar.removeAttribute("value");
    this.busy = this.studio.command(command);
    this.draw();
  }

  private draw(): void {
    const found = store.certificate;
    const stretches = found?.stretches ?? [];
    const bad = stretches.filter((one) => one.verdict !== "certified");
    const ways = (store.state?.actors ?? []).flatMap((actor) => actor.ways.map((way) => ({ ...way, actor }))).filter((way) => !bad.some((one) => within(way, one)));
    this.head.textContent = !found && store.motions.size ? "Being checked …" : stretches.length ? `${summary(found!)}. ${bad.length ? "Blending two poses can lead through a body. Choose for each stretch:" : `Proven for ${found!.frames} frames and everything between them, as glTF files are played.`}` : "Nothing moves yet: set two keys, or open a clip.";
    this.all.hidden = this.meaning.hidden = bad.length === 0;
    this.progress.hidden = this.busy === "";
    this.all.disabled = this.busy !== "";
    fill(this.list, ...bad.map((one) => this.row(one)), ...ways.map((way) => h("div", { class: "stretch-row" },
      h("span", { class: "stretch-mark way-mark", "aria-hidden": "true" }),
      h("div", {}, h("strong", {}, `${span(way.start_s, way.end_s)}: ${way.name}`), (store.state?.actors.length ?? 1) > 1 && h("span", { class: "soft" }, ` of ${way.actor.name}`)),
      h("button", { class: "wide", type: "button", disabled: this.busy !== "", title: "Join the keys by plain blending, as their easing says", click: () => this.studio.command({ type: "blend_again", way: way.id }) }, "Blend again"))));
  }

  private row(stretch: Stretch): HTMLElement {
    const actor = stretch.actors.includes(store.active) ? store.active : stretch.actors[0];
    const name = store.state?.actors.find((one) => one.id === actor)?.name ?? "";
    const go = (how: "round" | "out") => () => this.ask({ type: "clear_stretch", actor, start_s: stretch.start_s, end_s: stretch.end_s, how });
    const moves = (store.state?.actors.length ?? 1) > 1 ? ` ${name} gives way.` : "";
    const stale = store.state?.actors.flatMap((one) => one.ways).find((way) => within(way, stretch));
    return h("div", { class: "stretch-row" },
      h("span", { class: `stretch-mark ${stretch.verdict.replace(" ", "-")}`, "aria-hidden": "true" }),
      h("div", {}, h("button", { class: "link", type: "button", title: "Look at the worst moment", click: () => { this.dialog.close(); this.studio.seek(stretch.at_s); } }, span(stretch.start_s, stretch.end_s)), `: ${sentence(stretch)}.${moves}${stale ? ` It was “${stale.name}” before its poses changed.` : ""}`),
      actor === undefined ? "" : h("div", { class: "stretch-ways" },
        h("button", { class: "wide", type: "button", disabled: this.busy !== "", title: "Find a new way between the poses at both ends, round whatever is there; takes some seconds", click: go("round") }, "Go round"),
        h("button", { class: "wide", type: "button", disabled: this.busy !== "", title: "Keep the motion, and move only what overlaps; the poses at both ends stay", click: go("out") }, "Push out")));
  }
}

/** Whether a way lies in a stretch, or a stretch in it. */
function within(way: { start_s: number; end_s: number }, stretch: Stretch): boolean {
  return way.start_s < stretch.end_s - 1e-4 && way.end_s > stretch.start_s + 1e-4;
}

function span(start: number, end: number): string {
  return `${start.toFixed(2)}–${end.toFixed(2)} s`;
}
