/** Standard camera views: front, side, top, three-quarter and back. */
import { h } from "../../dom";
import type { Install } from "../../feature";
import { store } from "../../store";
import { THREE_QUARTER } from "../../view/orbit_camera";

// title, label of the button, shortcut, yaw and pitch in radians
const VIEWS: [string, string, string, number, number][] = [
  ["Front", "Front", "1", 0, 0.03],
  ["Side", "Side", "2", Math.PI / 2, 0.03],
  ["Top", "Top", "3", 0, 1.5],
  ["Three-quarter", "¾", "4", ...THREE_QUARTER],
  ["Back", "Back", "5", Math.PI, 0.03],
];

export const install: Install = (editor) => {
  const look = (yaw: number, pitch: number) => editor.viewport.lookFrom(store.active, yaw, pitch);
  const actions = VIEWS.map(([title, , key, yaw, pitch]) => ({
    name: `view-${title.toLowerCase()}`,
    title: `${title} view`,
    keys: [key],
    group: "View" as const,
    run: () => look(yaw, pitch),
  }));
  const buttons = VIEWS.map(([title, label, key, yaw, pitch]) =>
    h(
      "button",
      {
        type: "button",
        title: `${title} view of the character (${key})`,
        "aria-label": title,
        click: () => look(yaw, pitch),
      },
      label,
    ),
  );
  return { actions, corner: [h("div", { class: "views", role: "group", "aria-label": "Camera views" }, ...buttons)] };
};
