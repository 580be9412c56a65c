/** Holds: two things stay together, such as a rod in a hand, a hand on a shoulder, two hands that shake. */
import * as THREE from "three";
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { ListedHold, PickedPart, RelationState } from "../../generated/messages";
import { icon } from "../../icons";
import { plainName } from "../../labels";
import { floats } from "../../sampled_motion";
import { activeActor, notify, on, store } from "../../store";
import { iconButton } from "../../ui/buttons";
import { showMessage } from "../../ui/toast";
import type { Mode } from "../../view/view_tools";
import { pickedPart } from "../../view/view_tools";
import type { Viewport } from "../../view/viewport";

type Kept = "place" | "distance" | "direction";
const KINDS: [Kept, string, string][] = [
  ["place", "Position", "The first part keeps its position relative to the second, such as a hand on a leg"],
  ["distance", "Distance", "The two parts keep their distance"],
  [
    "direction",
    "Rotation",
    "The first part keeps its rotation relative to the second, such as palms that face each other",
  ],
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
  showRelationLines(editor);
  editor.viewport.beforeFrame.push(() => placeCarried(editor.viewport));
  return {
    sections: [
      {
        title: "Holds",
        about: "Two things stay together: a rod in a hand, a hand on a shoulder or a leg, two hands that shake",
        element: panel(editor, kind, mode, toggle),
        order: 18,
      },
    ],
    actions: [{ name: "hold-parts", title: "Hold two things together", keys: ["H"], group: "Pose", run: toggle }],
    receive(message) {
      if (message.type !== "drag_result") return;
      for (const { actor, q } of message.features?.holds?.actors ?? [])
        editor.viewport.character(actor)?.setPose(floats(q));
    },
  };
};

/** Two presses keep the first thing together with the second. */
function holdMode(editor: Editor, kept: () => Kept): Mode {
  let first: PickedPart | null = null;
  const firstHint = "Click what follows: a hand, a part of the body or an object";
  const mode: Mode = {
    hint: firstHint,
    down(at) {
      const found = pickedPart(editor.viewport, at);
      if (!found) return null;
      const what = found.actor ? { ...found, joint: editor.viewport.jointAt(at.x, at.y)?.joint } : found;
      return {
        move: () => undefined,
        cancel: () => undefined,
        up: (_, moved) => {
          if (moved) return;
          if (first === null) {
            if (!what.actor && !what.object) {
              showMessage("Click a part of a character or an object first.");
              return;
            }
            first = what;
            mode.hint = "Click what it is held on: a part of any character, an object, or the floor to pin it";
            if (what.actor) {
              store.active = what.actor;
              store.selected = what.joint ?? null;
            }
            notify("selection", "options");
          } else if (JSON.stringify(first) !== JSON.stringify(what)) {
            editor.command({ type: "add_hold", part: first, other: what, kept: kept() });
            editor.tools.enter(null);
          }
        },
      };
    },
    hover: (at) => at !== null && pickedPart(editor.viewport, at) !== null,
    onLeave: () => {
      first = null;
      mode.hint = firstHint;
    },
  };
  return mode;
}

const base = new THREE.Matrix4(),
  local = new THREE.Matrix4(),
  unused = new THREE.Vector3();

/** Place carried objects where their carrier is; after the end of the hold, where they were left. */
function placeCarried(viewport: Viewport): void {
  for (const hold of [...(store.state?.features.holds.holds ?? [])].reverse()) {
    const group = hold.carries ? viewport.objects.object(hold.object) : null;
    if (!group || (hold.start_s !== null && store.timeS < hold.start_s - 1e-4)) continue;
    if (hold.end_s !== null && store.timeS > hold.end_s + 1e-4) {
      if (hasLaterKey(hold)) continue;
      const [x, y, z, w, i, j, k] = hold.left;
      group.position.set(x, y, z);
      group.quaternion.set(i, j, k, w);
      continue;
    }
    const carrier = hold.other_actor
      ? viewport.character(hold.other_actor)?.bones[hold.other_joint]
      : viewport.objects.object(hold.other_object);
    if (!carrier) continue;
    carrier.updateWorldMatrix(true, false);
    const [w, x, y, z] = hold.rotation;
    local.compose(new THREE.Vector3(...hold.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
    base.multiplyMatrices(carrier.matrixWorld, local).decompose(group.position, group.quaternion, unused);
  }
}

/** The holds by which characters carry objects at the playhead. */
export function carryingHolds(): ListedHold[] {
  const now = store.timeS;
  return (store.state?.features.holds.holds ?? []).filter(
    ({ carries, other_actor, start_s, end_s }) =>
      carries && other_actor && now >= (start_s ?? 0) - 1e-4 && now <= (end_s ?? Infinity) + 1e-4,
  );
}

function hasLaterKey(hold: ListedHold): boolean {
  const keys = store.state?.objects.find((one) => one.id === hold.object)?.keys ?? [];
  return keys.some((key) => key.time_s > hold.end_s! && key.time_s <= store.timeS);
}

/** Relations between parts of the active character. */
function relations(): RelationState[] {
  return (store.state?.features.relations.relations ?? []).filter((one) => one.actor === activeActor()?.id);
}

/** A line between the two parts of every relation of the active character. */
function showRelationLines(editor: Editor): void {
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
    relations().forEach(() => {
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
    relations().forEach(({ joint, other }, k) => {
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
    { class: "wide", type: "button", title: "Click two things: parts of characters or objects (H)", click: toggle },
    icon("link"),
    "Hold two things",
  );
  const describe = () => (about.textContent = `${KINDS.find(([value]) => value === kind.value)![2]}.`);
  kind.addEventListener("change", describe);
  describe();
  on(["options"], () => start.setAttribute("aria-pressed", String(editor.tools.mode === mode)));
  on(["state", "selection"], () =>
    fill(
      list,
      ...(store.state?.features.holds.holds ?? []).map((one) => holdRow(editor, one)),
      ...relations().map((one) => {
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
    start,
    list,
    h(
      "details",
      {},
      h("summary", {}, "Two parts of one character"),
      h("label", { class: "field", title: "What stays constant between the two parts" }, h("span", {}, "Keep"), kind),
      about,
    ),
  );
}

/** A hold with buttons for its beginning and end at the playhead, and to let go. */
function holdRow(editor: Editor, hold: ListedHold): HTMLElement {
  const from = hold.start_s === null ? "" : ` from ${hold.start_s.toFixed(1)} s`;
  const to = hold.end_s === null ? "" : ` to ${hold.end_s.toFixed(1)} s`;
  const text = `${hold.text}${from}${to}`;
  const ends = store.timeS > (hold.start_s ?? 0) + 1e-4;
  const begins = hold.end_s === null || store.timeS < hold.end_s - 1e-4;
  return h(
    "li",
    {},
    h("span", {}, text),
    iconButton(
      "first",
      `Begin the hold at the playhead: ${text}`,
      () =>
        begins
          ? editor.command({ type: "set_hold_range", hold: hold.id, start_s: store.timeS, end_s: hold.end_s })
          : showMessage("Move the playhead to a time before the hold ends."),
      "tiny",
    ),
    iconButton(
      "last",
      `End the hold at the playhead: ${text}`,
      () =>
        ends
          ? editor.command({ type: "set_hold_range", hold: hold.id, start_s: hold.start_s, end_s: store.timeS })
          : showMessage("Move the playhead to the time at which the hold ends."),
      "tiny",
    ),
    iconButton(
      "close",
      `Remove the hold: ${text}`,
      () => editor.command({ type: "remove_hold", hold: hold.id }),
      "tiny",
    ),
  );
}

function kindTitle(kept: string): string {
  return KINDS.find(([value]) => value === kept)?.[1].toLowerCase() ?? kept;
}
