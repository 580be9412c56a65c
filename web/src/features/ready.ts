/** Ready-made poses to start from, found by typing a word of their name. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { ReadyGroup } from "../generated/messages";
import { activeActor, on, store } from "../store";
import type { Studio } from "../studio";

const SHOWN = 8; // rows of the list

export const install: Install = (studio) => {
  let groups: ReadyGroup[] = [];
  const list = h("select", { class: "ready-list", size: SHOWN, "aria-label": "Ready-made poses" });
  const search = h("input", { type: "search", class: "grow", placeholder: "sit, kneel, folded …", "aria-label": "Find a pose" });
  const note = h("p", { class: "note", hidden: true }, "Ready-made poses are of the human.");
  const box = h("div", {}, search, list, note);
  const draw = () => {
    const words = search.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
    const fits = (name: string) => words.every((word) => name.toLowerCase().includes(word));
    fill(list, ...groups.map((group) => ({ group, names: group.names.filter(fits) })).filter(({ names }) => names.length > 0).map(({ group, names }) =>
      h("optgroup", { label: group.title }, ...names.map((name) => h("option", { value: `${group.library}/${name}` }, name))),
    ));
  };
  search.addEventListener("input", draw);
  search.addEventListener("keydown", (event) => event.key === "Enter" && list.options.length && apply(studio, list.options[0].value));
  list.addEventListener("change", () => apply(studio, list.value));
  on(["link"], () => studio.link === "open" && !groups.length && studio.connection.send({ type: "list_ready_poses" }));
  on(["state"], () => {
    const human = activeActor()?.figure === "human";
    list.hidden = search.hidden = !human;
    note.hidden = human;
  });
  return {
    sections: [{ title: "Ready poses", element: box, order: 28 }],
    receive(message) {
      if (message.type !== "ready_poses") return;
      groups = message.groups;
      draw();
    },
  };
};

function apply(studio: Studio, value: string): void {
  const [library, name] = [value.slice(0, value.indexOf("/")), value.slice(value.indexOf("/") + 1)];
  studio.command({ type: "apply_ready_pose", actor: store.active, library: library as "basic", name });
}
