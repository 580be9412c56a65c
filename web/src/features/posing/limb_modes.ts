/** IK or FK, limb by limb: with FK a drag turns the part under the pointer alone. */
import { h } from "../../dom";
import type { Install } from "../../feature";
import { icon } from "../../icons";
import { on, store, usesFk } from "../../store";

export const install: Install = (editor) => {
  const forward = () => store.selected !== null && usesFk(store.active, store.selected);
  const enabled = () => store.selected !== null;
  const toggle = () =>
    editor.command({ type: "set_limb_mode", actor: store.active, joint: store.selected!, forward: !forward() });
  const button = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "FK for the limb of the selected part: a drag turns that part alone, what is below it follows (Shift+I)",
      click: toggle,
    },
    icon("curve"),
    "FK limb",
  );
  on(["selection", "state"], () => {
    button.disabled = !enabled();
    button.setAttribute("aria-pressed", String(forward()));
  });
  return {
    poseButtons: [button],
    actions: [
      {
        name: "limb-mode",
        title: "IK or FK for the selected limb",
        keys: ["Shift+I"],
        group: "Pose",
        enabled,
        run: toggle,
      },
    ],
  };
};
