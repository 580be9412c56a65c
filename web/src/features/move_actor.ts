/** Move the active actor about the scene with arrows and a ring, its whole motion with it. */
import * as THREE from "three";
import { h } from "../dom";
import { Install } from "../feature";
import { icon } from "../icons";
import { on, store, tell } from "../store";
import type { Studio } from "../editor";
import { Movable, Mover, Place } from "../view/transform_gizmo";

const X_AND_Z = [0, 2], UPRIGHT = [1];
const UP = new THREE.Vector3(0, 1, 0);

export const install: Install = (studio) => {
  const mover = new Mover(studio.viewport, movable(studio), UPRIGHT, X_AND_Z);
  studio.movers.placing = mover;
  studio.viewport.beforeFrame.push(() => mover.show());
  const toggle = () => {
    store.placing = !store.placing;
    store.selected = store.selectedThing = null;
    tell("selection", "options");
    studio.viewport.draw();
  };
  const button = h("button", { class: "wide", type: "button", title: "Move and turn the whole character, its motion included (B)", click: toggle }, icon("move") as unknown as Node, "Move");
  on(["options", "selection"], () => {
    if (store.selected !== null || store.selectedThing !== null) store.placing = false;
    button.setAttribute("aria-pressed", String(store.placing));
  });
  return {
    poseButtons: [button],
    tools: [mover],
    actions: [{ name: "place-actor", title: "Move the whole character", keys: ["B"], group: "Pose", run: toggle }],
  };
};

/** The actor as something to move: shown by moving its root, sent as a shift and a turn. */
function movable(studio: Studio): Movable {
  const floor = (): THREE.Vector3 | null => {
    const character = studio.viewport.character(store.active);
    if (!character || !store.placing || store.playing) return null;
    const at = character.jointPosition(0);
    return at.setY(0);
  };
  let start: THREE.Vector3 | null = null;
  const from = () => (start ??= floor()!.clone());
  const clear = () => {
    const root = studio.viewport.character(store.active)?.root;
    root?.position.set(0, 0, 0);
    root?.quaternion.identity();
    root?.updateMatrixWorld(true);
    start = null;
  };
  const shape = (place: Place) => {
    const turn = 2 * Math.atan2(place.rotation.y, place.rotation.w);
    return { turn: Math.atan2(Math.sin(turn), Math.cos(turn)), shift: place.position.clone().sub(from()) };
  };
  on(["state"], clear);
  return {
    place: () => {
      const position = start ?? floor();
      return position && { position: position.clone(), rotation: new THREE.Quaternion() };
    },
    preview: (place) => {
      const character = studio.viewport.character(store.active);
      if (!character) return;
      const { turn, shift } = shape(place);
      const centre = from();
      character.root.quaternion.setFromAxisAngle(UP, turn);
      character.root.position.copy(centre).sub(centre.clone().applyQuaternion(character.root.quaternion)).add(shift);
      character.root.updateMatrixWorld(true);
      studio.viewport.marks.follow(character);
    },
    keep: (place) => {
      const { turn, shift } = shape(place);
      studio.command({ type: "move_actor", actor: store.active, shift: shift.toArray(), turn_rad: turn });
    },
  };
}
