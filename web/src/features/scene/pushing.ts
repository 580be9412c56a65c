/** Holds: two parts keep their relative distance, position or rotation, such as two hands on a bar. */
import * as THREE from "three";
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { RelationState } from "../../generated/messages";
import { icon } from "../../icons";
import { plainName } from "../../labels";
import { activeActor, notify, on, store } from "../../store";
import { iconButton } from "../../ui/buttons";
import type { Mode } from "../../view/tools";

type Kept = "place" | "distance" | "direction";
const KINDS: [Kept, string, string][] = [
  ["distance", "Distance", "The two parts keep their distance: two hands on a bar"],
  ["place", "Position", "The second part keeps its position relative to the first: a hand on a leg"],
  ["direction", "Rotation", "The second part keeps its rotation relative to the first: palms that face each other"],
];
const COLOUR = "#0ca678";

export const install: Install = (editor) => {
  const kind = h(
    "select",
    { "aria-label": "What two parts keep", title: "What stays constant between the two parts" },
    ...KINDS.map(([value, title, about]) => h("option", { value, title: about }, title)),
  );
  const mode = holdMode(editor, () => kind.value as Kept);
  const toggle = () => editor.tools.enter(editor.tools.mode === mode ? null : mode);
  showLines(editor);
  return {
    sections: [
      {
        title: "Holds",
        about: "Two parts keep their relative distance, position or rotation in every drag: two hands on a bar",
        element: panel(editor, kind, mode, toggle),
        order: 46,
        folded: true,
      },
    ],
    actions: [{ name: "hold-parts", title: "Add a hold between two parts", keys: ["H"], group: "Pose", run: toggle }],
  };
};

/** Two presses on the body add a hold of the second part relative to the first. */
function holdMode(editor: Editor, kept: () => Kept): Mode {
  let first: { actor: number; joint: number } | null = null;
  const firstHint = "Click the first part";
  const mode: Mode = {
    hint: firstHint,
    down(at) {
      const hit = editor.viewport.jointAt(at.x, at.y);
      if (!hit) return null;
      const { actor } = hit;
      return {
        move: () => undefined,
        cancel: () => undefined,
        up: () => {
          if (first === null || first.actor !== actor) {
            first = { actor, joint: hit.joint };
            store.active = actor;
            store.selected = hit.joint;
            mode.hint = "Click the second part";
            notify("selection", "options");
          } else if (first.joint !== hit.joint) {
            editor.command({ type: "add_relation", actor, joint: hit.joint, other: first.joint, kept: kept() });
            editor.tools.enter(null);
          }
        },
      };
    },
    hover: (at) => at !== null && editor.viewport.pick(at.x, at.y) !== null,
    onLeave: () => {
      first = null;
      mode.hint = firstHint;
    },
  };
  return mode;
}

function holds(): RelationState[] {
  return (store.state?.features.pushing.relations ?? []).filter((one) => one.actor === activeActor()?.id);
}

/** A line between the parts of every hold. */
function showLines(editor: Editor): void {
  const material = new THREE.LineDashedMaterial({
    color: COLOUR,
    depthTest: false,
    transparent: true,
    dashSize: 0.03,
    gapSize: 0.015,
  });
  const lines = new THREE.Group();
  editor.viewport.overlay.add(lines);
  on(["state", "selection"], () => {
    lines.children.forEach((line) => (line as THREE.Line).geometry.dispose());
    lines.clear();
    holds().forEach(() => {
      const line = new THREE.Line(
        new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
        material,
      );
      line.renderOrder = 9;
      line.frustumCulled = false;
      lines.add(line);
    });
    editor.viewport.draw();
  });
  editor.viewport.beforeFrame.push(() => {
    const character = editor.viewport.character(store.active);
    const at = (name: string) =>
      character!.jointPosition(character!.shape.joints.findIndex((joint) => joint.name === name)).clone();
    lines.visible = character !== null && !store.playing;
    if (!character) return;
    holds().forEach(({ joint, other }, k) => {
      const line = lines.children[k] as THREE.Line | undefined;
      line?.geometry.setFromPoints([at(joint), at(other)]);
      line?.computeLineDistances();
    });
  });
}

function panel(editor: Editor, kind: HTMLSelectElement, mode: Mode, toggle: () => void): HTMLElement {
  const list = h("ul", { class: "relations" });
  const about = h("p", { class: "note" });
  const start = h(
    "button",
    { class: "wide", type: "button", title: "Click two parts of the body (H)", click: toggle },
    icon("link"),
    "Hold two parts",
  );
  const describe = () => (about.textContent = `${KINDS.find(([value]) => value === kind.value)![2]}.`);
  kind.addEventListener("change", describe);
  describe();
  on(["options"], () => start.setAttribute("aria-pressed", String(editor.tools.mode === mode)));
  on(["state", "selection"], () =>
    fill(
      list,
      ...holds().map((one) => {
        const text = `${plainName(one.joint)} – ${plainName(one.other)}: ${kindTitle(one.kept)}`;
        return h(
          "li",
          {},
          h("span", {}, text),
          iconButton(
            "close",
            `Remove hold: ${text}`,
            () =>
              editor.command({
                type: "remove_relation",
                actor: one.actor,
                joint: one.joint,
                other: one.other,
                kept: one.kept as Kept,
              }),
            "tiny",
          ),
        );
      }),
    ),
  );
  return h(
    "div",
    {},
    h("label", { class: "field", title: "What stays constant between the two parts" }, h("span", {}, "Keep"), kind),
    about,
    h("div", { class: "gap" }),
    start,
    list,
  );
}

function kindTitle(kept: string): string {
  return KINDS.find(([value]) => value === kept)?.[1].toLowerCase() ?? kept;
}
