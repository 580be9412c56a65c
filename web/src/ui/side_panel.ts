/** The side panel: character, pose, comparison and the features' sections. */
import { toggleComparison } from "../actions";
import { fill, h } from "../dom";
import type { Editor } from "../editor";
import type { Section } from "../feature";
import { icon } from "../icons";
import { chooseFile } from "../import_export";
import { jointLabel, usesTouch } from "../labels";
import { activeActor, notify, on, selectedJoints, store } from "../store";
import { iconButton } from "./buttons";
import { sectionElement } from "./section";

export function panel(editor: Editor): HTMLElement {
  const sections: Section[] = [
    { title: "Character", element: character(editor), order: 10 },
    { title: "Pose", element: pose(editor), order: 20 },
    {
      title: "Compare",
      element: compare(editor),
      order: 70,
      about: "One drag poses two characters, each with its own method",
    },
    ...editor.features.flatMap((feature) => feature.sections ?? []),
  ];
  sections.sort((a, b) => a.order - b.order);
  return h("aside", { class: "panel", "aria-label": "Settings" }, ...sections.map(sectionElement));
}

function choice(
  label: string,
  about: string,
  changed: (value: string) => void,
): { row: HTMLElement; select: HTMLSelectElement; note: HTMLElement } {
  const select = h("select", { "aria-label": label, title: about });
  select.addEventListener("change", () => changed(select.value));
  const note = h("p", { class: "note" });
  return { row: h("label", { class: "field", title: about }, h("span", {}, label), select), select, note };
}

function options(select: HTMLSelectElement, entries: { name: string; title: string }[], value: string): void {
  fill(
    select,
    ...entries.map((entry) => h("option", { value: entry.name, selected: entry.name === value }, entry.title)),
  );
  select.value = value;
}

function character(editor: Editor): HTMLElement {
  const chips = h("div", { class: "chips", role: "radiogroup", "aria-label": "Characters" });
  const OWN = "\u0000own",
    MIXED = "\u0000mixed";
  const figure = choice("Body", "The body to pose. Another one starts from its rest pose.", (value) => {
    if (value === OWN) {
      chooseFile(editor, "figure");
      update();
    } else editor.command({ type: "choose_figure", actor: store.active, figure: value });
  });
  const method = choice("Method", "How the rest of the body follows your drag.", (value) =>
    editor.command({ type: "choose_method", actor: store.active, method: value }),
  );
  const scene = choice(
    "Scene",
    "Objects around the character; bodies cannot pass through them.",
    (value) => value !== MIXED && editor.command({ type: "choose_scene", scene: value }),
  );
  const update = () => {
    const actor = activeActor();
    if (!actor || !store.welcome) return;
    const objects = store.state!.objects;
    const current = objects.length === 0 ? "empty" : objects.length === 1 ? objects[0].kind : MIXED;
    const known = store.welcome.scenes.some((one) => one.name === current);
    options(
      scene.select,
      known ? store.welcome.scenes : [...store.welcome.scenes, { name: MIXED, title: "Custom" }],
      known ? current : MIXED,
    );
    const own = [...new Set(store.state!.actors.map((a) => a.figure))].filter(
      (name) => !store.welcome!.figures.some((f) => f.name === name),
    );
    const figures = [...store.welcome.figures, ...own.map((name) => ({ name, title: name }))];
    if (store.welcome.import_suffixes.length) figures.push({ name: OWN, title: "From a file …" });
    options(figure.select, figures, actor.figure);
    options(method.select, store.welcome.methods, actor.method);
    method.note.textContent = store.welcome.methods.find((one) => one.name === actor.method)?.about ?? "";
    fill(
      chips,
      ...store.state!.actors.map((one) =>
        h(
          "button",
          {
            class: `chip ${one.id === actor.id ? "on" : ""}`,
            type: "button",
            role: "radio",
            "aria-checked": String(one.id === actor.id),
            title: `Edit ${one.name}`,
            click: () => {
              store.active = one.id;
              store.selected = null;
              notify("selection", "state", "time");
            },
          },
          one.name,
        ),
      ),
      iconButton(
        "plus",
        "Add another character",
        () => editor.command({ type: "add_actor", figure: actor.figure }),
        "small",
      ),
      store.state!.actors.length > 1 &&
        iconButton(
          "trash",
          `Remove ${actor.name}`,
          () => editor.command({ type: "remove_actor", actor: actor.id }),
          "small",
        ),
    );
  };
  on(["state", "welcome", "selection"], update);
  return h("div", {}, chips, figure.row, scene.row, method.row, method.note);
}

function pose(editor: Editor): HTMLElement {
  const run = (name: string) => editor.run(name);
  const button = (name: string, symbol: string, text: string, about: string) =>
    h("button", { class: "wide", type: "button", title: about, click: () => run(name) }, icon(symbol), text);
  const limb = button("reset-limb", "reset", "Reset limb", "Reset the selected limb to its starting pose (Shift+R)");
  const pin = button(
    "pin",
    "pin",
    "Pin",
    "Keep the selected part in place while you drag others and between keys (P); bars on the timeline say when: " +
      "round markers pin the position, square ones the rotation too",
  );
  const symmetric = button("symmetric", "mirror", "Symmetric", "The other side moves as the mirror image (X)");
  on(["options"], () => symmetric.setAttribute("aria-pressed", String(store.symmetric)));
  const chosen = h("p", { class: "note" });
  on(["selection", "state"], () => {
    const actor = activeActor();
    const name =
      store.selected === null ? "" : (store.figures.get(actor?.figure ?? "")?.joints[store.selected]?.name ?? "");
    const pinned = actor?.pins.find((one) => one.joint === store.selected);
    limb.disabled = pin.disabled = !name;
    pin.lastChild!.textContent = pinned ? "Unpin" : "Pin";
    const more = selectedJoints().length - 1;
    chosen.textContent = name
      ? `Selected: ${jointLabel(name)}${more > 0 ? ` and ${more} more, which are dragged together` : ""}${pinned ? (pinned.both ? ", position and rotation pinned" : ", pinned") : ""}`
      : `${actor?.pins.length ?? 0} pinned; the bars on the timeline say when. ${usesTouch() ? "Double-tap a part" : "Select a part and press P"} to pin or unpin it.`;
  });
  return h(
    "div",
    {},
    h(
      "div",
      { class: "grid" },
      button("mirror", "mirror", "Mirror", "Swap left and right (M)"),
      button("reset", "reset", "Reset", "Back to the starting pose"),
      pin,
      limb,
      symmetric,
      ...editor.features.flatMap((feature) => feature.poseButtons ?? []),
    ),
    chosen,
  );
}

function compare(editor: Editor): HTMLElement {
  const toggle = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "One drag poses two characters, each with its own method (D)",
      click: () => toggleComparison(editor),
    },
    icon("compare"),
    "Side by side",
  );
  const other = choice("Method 2", "The method of the second character", (value) => editor.compareWith(value));
  on(["options", "welcome", "state"], () => {
    toggle.setAttribute("aria-pressed", String(store.comparedMethod !== null));
    other.row.hidden = store.comparedMethod === null;
    if (store.comparedMethod && store.welcome) options(other.select, store.welcome.methods, store.comparedMethod);
  });
  return h("div", {}, toggle, other.row);
}
