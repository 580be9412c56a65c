/** Which postures poses are drawn to, and how strongly, in plain words. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { chooseFile } from "../files";
import { SolvingState } from "../generated/messages";
import { on, store } from "../store";
import type { Studio } from "../editor";

type Weight = "naturalness" | "grip" | "steadiness";
const WEIGHTS: [Weight, string, string][] = [
  ["naturalness", "Natural", "How strongly poses are drawn to the postures chosen above. Left: freer. Right: more like them."],
  ["grip", "Grip", "How hard your finger pulls compared with everything else. Right: the hand stays closer to the finger."],
  ["steadiness", "Steady", "How firmly the body stays where it stands. Left: it leans and follows sooner."],
];

export const install: Install = (studio) => ({
  sections: [{ title: "Posing", element: section(studio), order: 25, folded: true }],
  poseButtons: [placedStay(studio)],
});

/** Whether what was just dragged stays, softly, while other parts are. */
function placedStay(studio: Studio): HTMLElement {
  const box = h("input", { type: "checkbox" });
  box.addEventListener("change", () => send(studio, { placed_stay: box.checked }));
  on(["state"], () => (box.checked = store.state?.features.solving.placed_stay ?? true));
  return h("label", { class: "check whole", title: "What you have just dragged keeps its place while you drag other parts, as far as it can; pins hold firmly. A new pose or another time starts afresh." }, box, "Placed parts stay");
}

function section(studio: Studio): HTMLElement {
  const postures = h("select", { "aria-label": "Postures" });
  const note = h("p", { class: "note" });
  const sliders = new Map(WEIGHTS.map(([name, label, about]) => [name, h("input", { type: "range", min: -1, max: 1, step: 0.1, "aria-label": label, title: about })]));
  const back = h("button", { class: "link", type: "button", title: "All weights as they come", click: () => send(studio, { naturalness: 1, grip: 1, steadiness: 1 }) }, "As usual");
  postures.addEventListener("change", () => send(studio, { postures: postures.value }));
  sliders.forEach((slider, name) => slider.addEventListener("change", () => send(studio, { [name]: 10 ** Number(slider.value) })));
  on(["state"], () => {
    const state = store.state?.features.solving;
    if (!state) return;
    fill(postures, ...state.choices.map((one) => h("option", { value: one.name, selected: one.name === state.postures }, one.title)));
    note.textContent = state.choices.find((one) => one.name === state.postures)?.about ?? "";
    sliders.forEach((slider, name) => {
      if (document.activeElement !== slider) slider.value = String(Math.log10(state[name]));
    });
    back.hidden = WEIGHTS.every(([name]) => Math.abs(Math.log10(state[name])) < 0.01);
  });
  const own = h("button", { class: "link", type: "button", title: "Open a .parquet file made with writhe db build", click: () => chooseFile(studio, false, ".parquet") }, "Postures from a file …");
  const about = "Examples that tell what looks natural. They are of the human; other figures are posed without.";
  return h(
    "div",
    {},
    h("label", { class: "field", title: about }, h("span", {}, "Postures"), postures),
    note,
    h("div", { class: "gap" }, own),
    ...WEIGHTS.map(([name, label, words]) => h("label", { class: "field", title: words }, h("span", {}, label), sliders.get(name)!)),
    back,
  );
}

function send(studio: Studio, change: Partial<SolvingState>): void {
  const { postures, naturalness, grip, steadiness, placed_stay } = { ...store.state!.features.solving, ...change };
  studio.command({ type: "set_solving", postures, naturalness, grip, steadiness, placed_stay });
}
