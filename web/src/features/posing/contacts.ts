/** Contacts: pairs of parts that may touch, declared by two clicks or by resting a part on what is nearest. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { PickedPart } from "../../generated/messages";
import { icon } from "../../icons";
import { on, store } from "../../store";
import { iconButton } from "../../ui/buttons";
import { showMessage } from "../../ui/toast";
import type { Mode } from "../../view/view_tools";
import { pickedPart } from "../../view/view_tools";

export const install: Install = (editor) => {
  const rest = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Bring the selected part into contact with what is nearest to it, and allow that contact (C)",
      click: () => editor.run("contact"),
    },
    icon("contact"),
    "Rest here",
  );
  const pick = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Click two parts or objects that may touch: a hand and a thigh, the hips and a seat",
      click: () => editor.run("allow-contact"),
    },
    icon("link"),
    "Add contact",
  );
  on(["selection", "state"], () => (rest.disabled = store.selected === null));
  let picking: Mode | null = null;
  on(["options"], () => pick.setAttribute("aria-pressed", String(picking !== null && editor.tools.mode === picking)));
  const togglePicking = () => {
    picking = editor.tools.mode ? null : pickContact(editor);
    editor.tools.enter(picking);
  };
  let request = "";
  let before: string[] = [];
  const restHere = () => {
    before = store.state?.features.contacts.contacts ?? [];
    request = editor.command({ type: "declare_contact", actor: store.active, joint: store.selected! });
  };
  return {
    receive(message) {
      if (message.type !== "state" || message.request !== request || !request) return;
      const added = message.features.contacts.contacts.find((text) => !before.includes(text));
      showMessage(
        added
          ? `In contact: ${added}. Allowed contacts are listed in “Contacts” in the panel.`
          : "It is already in contact.",
      );
      request = "";
    },
    poseButtons: [rest, pick],
    sections: [
      {
        title: "Contacts",
        about: "Parts that may touch and overlap by up to a centimetre; all others keep apart",
        element: list(editor),
        order: 45,
        folded: true,
      },
    ],
    actions: [
      {
        name: "contact",
        title: "Rest the selected part here",
        keys: ["C"],
        group: "Pose",
        enabled: () => store.selected !== null,
        run: restHere,
      },
      {
        name: "allow-contact",
        title: "Allow contact between two parts",
        keys: ["Shift+T"],
        group: "Pose",
        run: togglePicking,
      },
      {
        name: "remove-contacts",
        title: "Remove all allowed contacts",
        keys: ["Shift+C"],
        group: "Pose",
        enabled: () => !!store.state?.contacts.length,
        run: () => editor.command({ type: "remove_all_contacts" }),
      },
    ],
  };
};

function list(editor: Editor): HTMLElement {
  const box = h("div", {});
  on(["state"], () => {
    const contacts = store.state?.features.contacts.contacts ?? [];
    fill(
      box,
      !contacts.length &&
        h(
          "p",
          { class: "note" },
          "No contacts are allowed yet. Choose “Add contact” and click two parts, or select a part and choose “Rest here”.",
        ),
      ...contacts.map((text, index) =>
        h(
          "div",
          { class: "line" },
          h("span", {}, text),
          iconButton(
            "close",
            `Remove contact: ${text}`,
            () => editor.command({ type: "remove_contact", index }),
            "small",
          ),
        ),
      ),
    );
  });
  return box;
}

/** Two clicks, each on a body, an object or the floor, allow a contact. */
function pickContact(editor: Editor): Mode {
  let first: PickedPart | null = null;
  const mode: Mode = {
    hint: "Click the first part or object.",
    down: (at) => {
      const what = pickedPart(editor.viewport, at);
      return (
        what && {
          move: () => {},
          cancel: () => {},
          up: (_, moved) => {
            if (moved) return;
            if (!first) {
              first = what;
              mode.hint = "Click the part or object that it may touch.";
              editor.tools.enter(mode);
            } else {
              editor.command({ type: "allow_contact", one: first, other: what });
              editor.tools.enter(null);
            }
          },
        }
      );
    },
    hover: (at) => at !== null && pickedPart(editor.viewport, at) !== null,
  };
  return mode;
}
