/** Parts that keep their place, distance or direction to each other: hands on a bar, a hand on a leg. */
import * as THREE from "three";
import { fill, h } from "../dom";
import { Install } from "../feature";
import { RelationState } from "../generated/messages";
import { icon } from "../icons";
import { activeActor, on, store, tell } from "../store";
import type { Studio } from "../editor";
import { iconButton } from "../ui/topbar";
import { Mode } from "../view/tools";

type Kept = "place" | "distance" | "direction";
const KINDS: [Kept, string, string][] = [
  ["distance", "Distance", "They stay as far apart as they are: two hands on a bar"],
  ["place", "Place", "The second stays where it is, seen from the first: a hand on a leg"],
  ["direction", "Direction", "The second stays turned as it is, seen from the first: palms facing"],
];
const COLOUR = "#0ca678";

export const install: Install = (studio) => {
  const kind = h("select", { "aria-label": "What two parts keep", title: "What two parts keep of each other" }, ...KINDS.map(([value, title, about]) => h("option", { value, title: about }, title)));
  const mode = holdMode(studio, () => kind.value as Kept);
  const toggle = () => studio.tools.enter(studio.tools.mode === mode ? null : mode);
  showLines(studio);
  return {
    sections: [{ title: "Holds", about: "Two parts keep their distance, place or direction to each other in every drag: two hands on a bar", element: panel(studio, kind, mode, toggle), order: 46, folded: true }],
    actions: [{ name: "hold-parts", title: "Two parts hold each other", keys: ["H"], group: "Pose", run: toggle }],
  };
};

/** Two presses on the body: the second part keeps what it is to the first. */
function holdMode(studio: Studio, kept: () => Kept): Mode {
  let first: { actor: number; joint: number } | null = null;
  const ask = "Press the first of two parts that hold each other";
  const mode: Mode = {
    hint: ask,
    down(at) {
      const hit = studio.viewport.jointAt(at.x, at.y);
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
            mode.hint = "Now the other part";
            tell("selection", "options");
          } else if (first.joint !== hit.joint) {
            studio.command({ type: "hold_parts", actor, joint: hit.joint, other: first.joint, kept: kept() });
            studio.tools.enter(null);
          }
        },
      };
    },
    hover: (at) => at !== null && studio.viewport.pick(at.x, at.y) !== null,
    left: () => {
      first = null;
      mode.hint = ask;
    },
  };
  return mode;
}

function held(): RelationState[] {
  return (store.state?.features.pushing.relations ?? []).filter((one) => one.actor === activeActor()?.id);
}

/** A line between the parts of every hold. */
function showLines(studio: Studio): void {
  const material = new THREE.LineDashedMaterial({ color: COLOUR, depthTest: false, transparent: true, dashSize: 0.03, gapSize: 0.015 });
  const lines = new THREE.Group();
  studio.viewport.overlay.add(lines);
  on(["state", "selection"], () => {
    lines.children.forEach((line) => (line as THREE.Line).geometry.dispose());
    lines.clear();
    held().forEach(() => {
      const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]), material);
      line.renderOrder = 9;
      line.frustumCulled = false;
      lines.add(line);
    });
    studio.viewport.draw();
  });
  studio.viewport.beforeFrame.push(() => {
    const character = studio.viewport.character(store.active);
    const at = (name: string) => character!.jointPosition(character!.shape.joints.findIndex((joint) => joint.name === name)).clone();
    lines.visible = character !== null && !store.playing;
    if (!character) return;
    held().forEach(({ joint, other }, k) => {
      const line = lines.children[k] as THREE.Line | undefined;
      line?.geometry.setFromPoints([at(joint), at(other)]);
      line?.computeLineDistances();
    });
  });
}

function panel(studio: Studio, kind: HTMLSelectElement, mode: Mode, toggle: () => void): HTMLElement {
  const list = h("ul", { class: "relations" });
  const about = h("p", { class: "note" });
  const start = h("button", { class: "wide", type: "button", title: "Click two parts of the body that hold each other (H)", click: toggle }, icon("link") as unknown as Node, "Hold two parts");
  const words = () => (about.textContent = `${KINDS.find(([value]) => value === kind.value)![2]}.`);
  kind.addEventListener("change", words);
  words();
  on(["options"], () => start.setAttribute("aria-pressed", String(studio.tools.mode === mode)));
  on(["state", "selection"], () =>
    fill(list, ...held().map((one) => {
      const text = `${plain(one.joint)} – ${plain(one.other)}: ${one.kept}`;
      return h("li", {}, h("span", {}, text), iconButton("close", `Let go: ${text}`, () => studio.command({ type: "let_go_parts", actor: one.actor, joint: one.joint, other: one.other, kept: one.kept as Kept }), "tiny"));
    })),
  );
  return h("div", {}, h("label", { class: "field", title: "What two parts keep of each other" }, h("span", {}, "Keep"), kind), about, h("div", { class: "gap" }), start, list);
}

const plain = (joint: string) => joint.replaceAll("_", " ");
