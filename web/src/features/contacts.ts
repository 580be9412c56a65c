/** Contacts: click two things that may touch, or let a part rest where it is. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { PartOf } from "../generated/messages";
import { icon } from "../icons";
import { on, store } from "../store";
import type { Studio } from "../editor";
import { say } from "../ui/toast";
import { iconButton } from "../ui/topbar";
import { At, Mode } from "../view/tools";

export const install: Install = (studio) => {
  const rest = h("button", { class: "wide", type: "button", title: "Bring the selected part onto what is nearest to it; the two may touch from now on (C)", click: () => studio.run("contact") }, icon("contact") as unknown as Node, "Rest here");
  const pick = h("button", { class: "wide", type: "button", title: "Click two things that may touch: a hand and a thigh, the hips and a seat", click: () => studio.run("allow-contact") }, icon("link") as unknown as Node, "May touch");
  on(["selection", "state"], () => (rest.disabled = store.selected === null));
  on(["options"], () => pick.setAttribute("aria-pressed", String(studio.tools.mode?.hint.startsWith("Click") ?? false)));
  let asked = "", before: string[] = [];
  const restHere = () => {
    before = store.state?.features.contacts.contacts ?? [];
    asked = studio.command({ type: "declare_contact", actor: store.active, joint: store.selected! });
  };
  return {
    receive(message) {
      if (message.type !== "state" || message.request !== asked || !asked) return;
      const fresh = message.features.contacts.contacts.find((words) => !before.includes(words));
      say(fresh ? `Rests: ${fresh}. They may touch from now on; “Contacts” in the panel lists them.` : "It rests there already.");
      asked = "";
    },
    poseButtons: [rest, pick],
    sections: [{ title: "Contacts", about: "Parts that may touch, and so overlap by up to a centimetre; all others keep apart", element: list(studio), order: 45, folded: true }],
    actions: [
      { name: "contact", title: "The selected part rests here", keys: ["C"], group: "Pose", enabled: () => store.selected !== null, run: restHere },
      { name: "allow-contact", title: "Click two things that may touch", keys: ["Shift+T"], group: "Pose", run: () => studio.tools.enter(studio.tools.mode ? null : picking(studio)) },
      { name: "forget-contacts", title: "Forget declared contacts", keys: ["Shift+C"], group: "Pose", enabled: () => !!store.state?.contacts.length, run: () => studio.command({ type: "forget_contacts" }) },
    ],
  };
};

function list(studio: Studio): HTMLElement {
  const box = h("div", {});
  on(["state"], () => {
    const contacts = store.state?.features.contacts.contacts ?? [];
    fill(
      box,
      !contacts.length && h("p", { class: "note" }, "Nothing may touch yet. Choose “May touch” and click two parts, or select a part and choose “Rest here”."),
      ...contacts.map((words, index) => h("div", { class: "line" }, h("span", {}, words), iconButton("close", `Forget: ${words}`, () => studio.command({ type: "forget_contact", index }), "small"))),
    );
  });
  return box;
}

/** Two clicks: each on a body, an object or the floor. */
function picking(studio: Studio): Mode {
  let first: PartOf | null = null;
  const mode: Mode = {
    hint: "Click the first thing that may touch.",
    down: (at) => {
      const what = pointedAt(studio, at);
      return what && {
        move: () => {},
        cancel: () => {},
        up: (_, moved) => {
          if (moved) return;
          if (!first) {
            first = what;
            mode.hint = "Click what it may touch.";
            studio.tools.enter(mode);
          } else {
            studio.command({ type: "allow_contact", one: first, other: what });
            studio.tools.enter(null);
          }
        },
      };
    },
    hover: (at) => at !== null && pointedAt(studio, at) !== null,
  };
  return mode;
}

function pointedAt(studio: Studio, { x, y, ray }: At): PartOf | null {
  const body = studio.viewport.pick(x, y), thing = studio.viewport.things.pick(ray);
  if (body && (!thing || body.distance < thing.distance)) return { actor: body.actor || store.active, joint: body.joint };
  if (thing) return { thing: thing.thing };
  return ray.direction.y < -0.05 ? {} : null;
}
