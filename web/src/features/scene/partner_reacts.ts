/** The switch for partners that react, and their poses while another character is dragged. */
import { h } from "../../dom";
import type { Install } from "../../feature";
import { floats } from "../../sampled_motion";
import { on, store } from "../../store";

export const install: Install = (editor) => {
  const box = h("input", { type: "checkbox" });
  const label = h(
    "label",
    {
      class: "check whole",
      title:
        "While you drag one character, the nearest other one reacts: it takes an offered hand, steadies itself " +
        "when it is pushed.",
    },
    box,
    "Partner reacts",
  );
  const set = (value: boolean) => editor.command({ type: "set_partner_reacts", on: value });
  box.addEventListener("change", () => set(box.checked));
  on(["state"], () => {
    box.checked = store.state?.features.partner_reacts.on ?? false;
    label.hidden = (store.state?.actors.length ?? 0) < 2;
  });
  return {
    poseButtons: [label],
    actions: [
      {
        name: "partner-reacts",
        title: "Partner reacts",
        keys: [],
        group: "Pose",
        run: () => set(!(store.state?.features.partner_reacts.on ?? false)),
      },
    ],
    receive(message) {
      if (message.type !== "drag_result") return;
      for (const { actor, q } of message.features?.partner_reacts?.actors ?? [])
        editor.viewport.character(actor)?.setPose(floats(q));
    },
  };
};
