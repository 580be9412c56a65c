/** Diagnostics of the last drag, in the corner of the view. */
import { fill, h } from "../dom";
import type { Editor } from "../editor";
import type { PoseReport } from "../generated/messages";
import { on, store } from "../store";

export function readout(editor: Editor): HTMLElement {
  const main = h("div", { class: "readout", "aria-live": "off" });
  const other = h("div", { class: "readout comparison" });
  const lost = h(
    "div",
    { class: "lost", role: "alert", hidden: true },
    h("span", { class: "spinner" }),
    h("span", {}, "Connection lost. Reconnecting; your work is saved."),
  );
  on(["pose", "options", "welcome", "state"], () => {
    show(
      main,
      store.poseReport,
      store.comparedMethod ? methodTitle(store.state?.actors.find((a) => a.id === store.active)?.method) : "",
    );
    show(other, store.comparedPose, methodTitle(store.comparedMethod ?? undefined));
    other.hidden = !store.comparedMethod;
  });
  on(["link"], () => (lost.hidden = editor.link !== "lost"));
  return h(
    "div",
    { class: "readouts" },
    main,
    ...editor.features.flatMap((feature) => feature.readouts ?? []),
    other,
    lost,
  );
}

function methodTitle(method: string | undefined): string {
  return store.welcome?.methods.find((one) => one.name === method)?.title ?? method ?? "";
}

function show(element: HTMLElement, posed: PoseReport | null, title: string): void {
  const values: HTMLElement[] = [];
  if (posed) {
    values.push(
      value(
        `${posed.milliseconds < 10 ? posed.milliseconds.toFixed(1) : posed.milliseconds.toFixed(0)} ms`,
        "Solver time of this frame",
      ),
    );
    if (posed.clearance_m != null) {
      const mm = Math.round(1000 * posed.clearance_m);
      values.push(
        value(
          `${mm} mm clear`,
          "Smallest distance between parts that must not touch; negative where they overlap",
          mm < 0,
        ),
      );
    }
    values.push(
      value(
        `${posed.pass_throughs} pass-through${posed.pass_throughs === 1 ? "" : "s"} in this drag`,
        "How often a part passed through another one in the last drag",
        posed.pass_throughs > 0,
      ),
    );
  }
  element.hidden = !posed && !title;
  fill(element, title && h("strong", {}, title), ...values);
}

function value(text: string, about: string, bad = false): HTMLElement {
  return h("span", { class: bad ? "bad" : "", title: about }, text);
}
