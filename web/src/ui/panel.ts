/** The side panel: who, how, pins, comparison, and the features' sections. */
import { toggleDuel } from "../actions";
import { fill, h } from "../dom";
import { icon } from "../icons";
import { activeActor, on, store, tell } from "../store";
import type { Studio } from "../editor";
import { chooseFile } from "../files";
import type { Section } from "../feature";
import { sectionElement } from "./section";
import { byFinger, jointWords } from "../labels";
import { iconButton } from "./topbar";

export function panel(studio: Studio): HTMLElement {
  const sections: Section[] = [
    { title: "Character", element: character(studio), order: 10 },
    { title: "Pose", element: pose(studio), order: 20 },
    { title: "Compare", element: compare(studio), order: 70, about: "Two characters under one gesture, each posed by its own method" },
    ...studio.features.flatMap((feature) => feature.sections ?? []),
  ];
  sections.sort((a, b) => a.order - b.order);
  return h("aside", { class: "panel", "aria-label": "Settings" }, ...sections.map(sectionElement));
}

function choice(label: string, about: string, changed: (value: string) => void): { row: HTMLElement; select: HTMLSelectElement; note: HTMLElement } {
  const select = h("select", { "aria-label": label, title: about });
  select.addEventListener("change", () => changed(select.value));
  const note = h("p", { class: "note" });
  return { row: h("label", { class: "field", title: about }, h("span", {}, label), select), select, note };
}

function options(select: HTMLSelectElement, entries: { name: string; title: string }[], value: string): void {
  fill(select, ...entries.map((entry) => h("option", { value: entry.name, selected: entry.name === value }, entry.title)));
  select.value = value;
}

function character(studio: Studio): HTMLElement {
  const chips = h("div", { class: "chips", role: "radiogroup", "aria-label": "Characters" });
  const OWN = "\u0000own", MIXED = "\u0000mixed";
  const figure = choice("Body", "The body to pose. Changing it starts from its resting pose.", (value) => {
    if (value === OWN) {
      chooseFile(studio, true);
      update();
    } else studio.command({ type: "choose_figure", actor: store.active, figure: value });
  });
  const method = choice("Method", "How the rest of the body follows your drag.", (value) => studio.command({ type: "choose_method", actor: store.active, method: value }));
  const scene = choice("Scene", "What stands around the character; bodies cannot pass through it.", (value) => value !== MIXED && studio.command({ type: "choose_scene", scene: value }));
  const update = () => {
    const actor = activeActor();
    if (!actor || !store.welcome) return;
    const things = store.state!.things;
    const plain = things.length === 0 ? "empty" : things.length === 1 ? things[0].kind : MIXED;
    const known = store.welcome.scenes.some((one) => one.name === plain);
    options(scene.select, known ? store.welcome.scenes : [...store.welcome.scenes, { name: MIXED, title: "As placed" }], known ? plain : MIXED);
    const own = [...new Set(store.state!.actors.map((a) => a.figure))].filter((name) => !store.welcome!.figures.some((f) => f.name === name));
    const figures = [...store.welcome.figures, ...own.map((name) => ({ name, title: name }))];
    if (store.welcome.import_suffixes.length) figures.push({ name: OWN, title: "Own file …" });
    options(figure.select, figures, actor.figure);
    options(method.select, store.welcome.methods, actor.method);
    method.note.textContent = store.welcome.methods.find((one) => one.name === actor.method)?.about ?? "";
    fill(
      chips,
      ...store.state!.actors.map((one) =>
        h("button", { class: `chip ${one.id === actor.id ? "on" : ""}`, type: "button", role: "radio", "aria-checked": String(one.id === actor.id), title: `Work on ${one.name}`, click: () => { store.active = one.id; store.selected = null; tell("selection", "state", "time"); } }, one.name),
      ),
      iconButton("plus", "Add another character", () => studio.command({ type: "add_actor", figure: actor.figure }), "small"),
      store.state!.actors.length > 1 && iconButton("trash", `Remove ${actor.name}`, () => studio.command({ type: "remove_actor", actor: actor.id }), "small"),
    );
  };
  on(["state", "welcome", "selection"], update);
  return h("div", {}, chips, figure.row, scene.row, method.row, method.note);
}

function pose(studio: Studio): HTMLElement {
  const run = (name: string) => studio.run(name);
  const button = (name: string, symbol: string, text: string, about: string) =>
    h("button", { class: "wide", type: "button", title: about, click: () => run(name) }, icon(symbol) as unknown as Node, text);
  const limb = button("reset-limb", "reset", "Reset limb", "Put the selected limb back (Shift+R)");
  const pin = button("pin", "pin", "Pin", "Hold the selected part where it is while you drag others (P). Pins belong to the character and hold at every time of the clip: round marks hold the place, square ones the direction too");
  const chosen = h("p", { class: "note" });
  on(["selection", "state"], () => {
    const actor = activeActor();
    const name = store.selected === null ? "" : (store.figures.get(actor?.figure ?? "")?.joints[store.selected]?.name ?? "");
    const pinned = actor?.pins.find((one) => one.joint === store.selected);
    limb.disabled = pin.disabled = !name;
    pin.lastChild!.textContent = pinned ? "Unpin" : "Pin";
    chosen.textContent = name ? `Selected: ${jointWords(name)}${pinned ? (pinned.both ? ", pinned with its direction" : ", pinned") : ""}` : `${actor?.pins.length ?? 0} pinned, at every time of the clip. ${byFinger() ? "Tap a part twice" : "Click a part"} to pin or free it.`;
  });
  return h("div", {}, h("div", { class: "grid" }, button("mirror", "mirror", "Mirror", "Swap left and right (M)"), button("reset", "reset", "Reset", "Back to the starting pose"), pin, limb, ...studio.features.flatMap((feature) => feature.poseButtons ?? [])), chosen);
}

function compare(studio: Studio): HTMLElement {
  const toggle = h("button", { class: "wide", type: "button", title: "Two characters under one gesture, each with its own method (D)", click: () => toggleDuel(studio) }, icon("duel") as unknown as Node, "Side by side");
  const other = choice("Against", "The method of the second character", (value) => studio.setDuel(value));
  on(["options", "welcome", "state"], () => {
    toggle.setAttribute("aria-pressed", String(store.duel !== null));
    other.row.hidden = store.duel === null;
    if (store.duel && store.welcome) options(other.select, store.welcome.methods, store.duel);
  });
  return h("div", {}, toggle, other.row);
}
