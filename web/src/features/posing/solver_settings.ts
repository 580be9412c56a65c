/** Solver settings: the example postures, and the sliders for the weights of the default method. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { SolverSettingsState } from "../../generated/messages";
import { chooseFile } from "../../import_export";
import { on, store } from "../../store";

type Weight = "naturalness" | "grip" | "steadiness";
const WEIGHTS: [Weight, string, string][] = [
  ["naturalness", "Naturalness", "How strongly poses follow the example postures chosen above. Right: more like them."],
  ["grip", "Follow the pointer", "How strongly the dragged part follows the pointer. Right: it stays closer to it."],
  ["steadiness", "Steadiness", "How strongly the rest of the body stays in place. Left: it leans and follows sooner."],
];

export const install: Install = (editor) => ({
  sections: [{ title: "Posing", element: section(editor), order: 25, folded: true }],
  poseButtons: [
    toggle(
      editor,
      "soft_pins",
      "Keep placed parts",
      "Parts that you have dragged stay in place, as far as possible, while you drag others; pins hold firmly. " +
        "Applying a pose or moving the playhead resets this.",
    ),
    toggle(
      editor,
      "balance",
      "Keep the balance",
      "The body leans so that it would not fall over while you drag its arms, trunk or head. " +
        "A dragged pelvis or leg moves the weight.",
    ),
    toggle(
      editor,
      "steps",
      "Step when out of reach",
      "Standing feet take steps when you drag a hand or the head farther than the body reaches. Off: feet stay where they are.",
    ),
    toggle(editor, "gaze", "Gaze follows the hand", "The head turns a little towards a hand while you drag it."),
  ],
});

/** A switch of the solver. */
function toggle(
  editor: Editor,
  setting: "soft_pins" | "gaze" | "balance" | "steps",
  label: string,
  title: string,
): HTMLElement {
  const box = h("input", { type: "checkbox" });
  box.addEventListener("change", () => send(editor, { [setting]: box.checked }));
  on(["state"], () => (box.checked = store.state?.features.solver_settings[setting] ?? setting !== "steps"));
  return h("label", { class: "check whole", title }, box, label);
}

function section(editor: Editor): HTMLElement {
  const postures = h("select", { "aria-label": "Postures" });
  const note = h("p", { class: "note" });
  const sliders = new Map(
    WEIGHTS.map(([name, label, about]) => [
      name,
      h("input", { type: "range", min: -1, max: 1, step: 0.1, "aria-label": label, title: about }),
    ]),
  );
  const back = h(
    "button",
    {
      class: "link",
      type: "button",
      title: "Reset all three weights",
      click: () => send(editor, { naturalness: 1, grip: 1, steadiness: 1 }),
    },
    "Reset to defaults",
  );
  postures.addEventListener("change", () => send(editor, { postures: postures.value }));
  sliders.forEach((slider, name) =>
    slider.addEventListener("change", () => send(editor, { [name]: 10 ** Number(slider.value) })),
  );
  on(["state"], () => {
    const state = store.state?.features.solver_settings;
    if (!state) return;
    fill(
      postures,
      ...state.choices.map((one) => h("option", { value: one.name, selected: one.name === state.postures }, one.title)),
    );
    note.textContent = state.choices.find((one) => one.name === state.postures)?.about ?? "";
    sliders.forEach((slider, name) => {
      if (document.activeElement !== slider) slider.value = String(Math.log10(state[name]));
    });
    back.hidden = WEIGHTS.every(([name]) => Math.abs(Math.log10(state[name])) < 0.01);
  });
  const own = h(
    "button",
    {
      class: "link",
      type: "button",
      title: "Open a .parquet file made with writhe db build",
      click: () => chooseFile(editor, "motion", ".parquet"),
    },
    "Postures from a file …",
  );
  const aboutPostures =
    "Example postures that define what looks natural. They exist for the human; other figures are posed without them.";
  return h(
    "div",
    {},
    h("label", { class: "field", title: aboutPostures }, h("span", {}, "Postures"), postures),
    note,
    h("div", { class: "gap" }, own),
    ...WEIGHTS.map(([name, label, about]) =>
      h("label", { class: "field", title: about }, h("span", {}, label), sliders.get(name)!),
    ),
    back,
  );
}

function send(editor: Editor, change: Partial<SolverSettingsState>): void {
  const { postures, naturalness, grip, steadiness, soft_pins, gaze, balance, steps } = {
    ...store.state!.features.solver_settings,
    ...change,
  };
  editor.command({
    type: "set_solver_settings",
    postures,
    naturalness,
    grip,
    steadiness,
    soft_pins,
    gaze,
    balance,
    steps,
  });
}
