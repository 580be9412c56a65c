/** The small figures in the corner of the picture. */
import { fill, h } from "../dom";
import { Posed } from "../generated/messages";
import { on, store } from "../store";
import type { Studio } from "../editor";

export function readout(studio: Studio): HTMLElement {
  const main = h("div", { class: "readout", "aria-live": "off" });
  const other = h("div", { class: "readout duel" });
  const lost = h("div", { class: "lost", role: "alert", hidden: true }, h("span", { class: "spinner" }), h("span", {}, "The server is gone. Waiting for it; nothing is lost."));
  on(["pose", "options", "welcome", "state"], () => {
    show(main, store.posed, store.duel ? titleOf(store.state?.actors.find((a) => a.id === store.active)?.method) : "");
    show(other, store.duelPosed, titleOf(store.duel ?? undefined));
    other.hidden = !store.duel;
  });
  on(["link"], () => (lost.hidden = studio.link !== "lost"));
  return h("div", { class: "readouts" }, main, ...studio.features.flatMap((feature) => feature.readouts ?? []), other, lost);
}

function titleOf(method: string | undefined): string {
  return store.welcome?.methods.find((one) => one.name === method)?.title ?? method ?? "";
}

function show(element: HTMLElement, posed: Posed | null, title: string): void {
  const figures: HTMLElement[] = [];
  if (posed) {
    figures.push(figure(`${posed.milliseconds < 10 ? posed.milliseconds.toFixed(1) : posed.milliseconds.toFixed(0)} ms`, "Time the solver took for this frame"));
    if (posed.clearance_m != null) {
      const mm = Math.round(1000 * posed.clearance_m);
      figures.push(figure(`${mm} mm clear`, "Smallest gap between parts that must not touch; negative: they overlap", mm < 0));
    }
    figures.push(figure(`${posed.pass_throughs} pass-through${posed.pass_throughs === 1 ? "" : "s"} in this drag`, "How often a part went through another in the drag that you have just made", posed.pass_throughs > 0));
  }
  element.hidden = !posed && !title;
  fill(element, title && h("strong", {}, title), ...figures);
}

function figure(text: string, about: string, bad = false): HTMLElement {
  return h("span", { class: bad ? "bad" : "", title: about }, text);
}
