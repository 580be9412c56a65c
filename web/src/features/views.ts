/** The camera's usual places: from the front, the side, above, and a little aslant. */
import { h } from "../dom";
import { Install } from "../feature";
import { store } from "../store";

const VIEWS: [string, string, number, number][] = [
  ["Front", "1", 0, 0.03],
  ["Side", "2", Math.PI / 2, 0.03],
  ["Top", "3", 0, 1.5],
  ["Aslant", "4", 0.42, 0.12],
];

export const install: Install = (studio) => {
  const look = (yaw: number, pitch: number) => {
    studio.viewport.orbit.from(yaw, pitch);
    studio.viewport.frame(store.active, null);
  };
  const actions = VIEWS.map(([title, key, yaw, pitch]) => ({
    name: `view-${title.toLowerCase()}`, title: `Look: ${title.toLowerCase()}`, keys: [key], group: "View" as const, run: () => look(yaw, pitch),
  }));
  const buttons = VIEWS.map(([title, key, yaw, pitch]) => h("button", { type: "button", title: `Look at the character: ${title.toLowerCase()} (${key})`, click: () => look(yaw, pitch) }, title));
  return { actions, corner: [h("div", { class: "views", role: "group", "aria-label": "Views" }, ...buttons)] };
};
