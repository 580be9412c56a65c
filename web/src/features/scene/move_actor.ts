/** Moves the active actor with its whole motion, by arrows and a ring. */
import * as THREE from "three";
import { h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import { icon } from "../../icons";
import { notify, on, store } from "../../store";
import { type Movable, type Placement, TransformGizmo } from "../../view/transform_gizmo";

const X_AND_Z = [0, 2];
const VERTICAL = [1];
const UP = new THREE.Vector3(0, 1, 0);

export const install: Install = (editor) => {
  const gizmo = new TransformGizmo(editor.viewport, movable(editor), VERTICAL, X_AND_Z);
  editor.gizmos.move_actor = gizmo;
  editor.viewport.beforeFrame.push(() => gizmo.show());
  const toggle = () => {
    store.movingActor = !store.movingActor;
    store.selected = store.selectedObject = null;
    notify("selection", "options");
    editor.viewport.draw();
  };
  const button = h(
    "button",
    { class: "wide", type: "button", title: "Move and turn the whole character with its motion (B)", click: toggle },
    icon("move"),
    "Move",
  );
  on(["options", "selection"], () => {
    if (store.selected !== null || store.selectedObject !== null) store.movingActor = false;
    button.setAttribute("aria-pressed", String(store.movingActor));
  });
  return {
    poseButtons: [button],
    tools: [gizmo],
    actions: [{ name: "move-actor", title: "Move the whole character", keys: ["B"], group: "Pose", run: toggle }],
  };
};

/** The active actor for the gizmo: previewed by moving its root, committed as a translation and a turn. */
function movable(editor: Editor): Movable {
  const footprint = (): THREE.Vector3 | null => {
    const character = editor.viewport.character(store.active);
    if (!character || !store.movingActor || store.playing) return null;
    const at = character.jointPosition(0);
    return at.setY(0);
  };
  let start: THREE.Vector3 | null = null;
  const origin = () => (start ??= footprint()!.clone());
  const clear = () => {
    const root = editor.viewport.character(store.active)?.root;
    root?.position.set(0, 0, 0);
    root?.quaternion.identity();
    root?.updateMatrixWorld(true);
    start = null;
  };
  const difference = (placement: Placement) => {
    const turn = 2 * Math.atan2(placement.rotation.y, placement.rotation.w);
    return { turn: Math.atan2(Math.sin(turn), Math.cos(turn)), shift: placement.position.clone().sub(origin()) };
  };
  on(["state"], clear);
  return {
    placement: () => {
      const position = start ?? footprint();
      return position && { position: position.clone(), rotation: new THREE.Quaternion() };
    },
    preview: (placement) => {
      const character = editor.viewport.character(store.active);
      if (!character) return;
      const { turn, shift } = difference(placement);
      const centre = origin();
      character.root.quaternion.setFromAxisAngle(UP, turn);
      character.root.position.copy(centre).sub(centre.clone().applyQuaternion(character.root.quaternion)).add(shift);
      character.root.updateMatrixWorld(true);
      editor.viewport.pinMarkers.follow(character);
    },
    commit: (placement) => {
      const { turn, shift } = difference(placement);
      editor.command({ type: "move_actor", actor: store.active, shift: shift.toArray(), turn_rad: turn });
    },
  };
}
