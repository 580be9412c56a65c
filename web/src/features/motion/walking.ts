/** Walk: click the floor or a chair, and the character walks there from the playhead on. */
import * as THREE from "three";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import { notify, store } from "../../store";
import { wideButton } from "../../ui/buttons";
import { showMessage } from "../../ui/toast";
import type { Mode, PointerAt } from "../../view/view_tools";

const FLOOR = new THREE.Plane(new THREE.Vector3(0, 1, 0), 0);

export const install: Install = (editor) => {
  const mode = walkMode(editor);
  return {
    timeButtons: [
      wideButton("Walk to …", "Click the floor, a chair or an object: the character walks there (N)", () =>
        editor.run("walk"),
      ),
    ],
    actions: [
      {
        name: "walk",
        title: "Walk: click the floor, a chair or an object to walk there",
        keys: ["N"],
        group: "Time",
        run: () => editor.tools.enter(editor.tools.mode === mode ? null : mode),
      },
    ],
    receive(message) {
      if (message.type !== "walked") return;
      editor.seek(message.end_s);
      editor.viewport.frameEveryone();
      const wrong = message.conflicts.slice(0, 2).join(", ");
      if (wrong)
        showMessage(
          `The walk was added, but some constraints are not kept: ${wrong}. The strip on the timeline shows where.`,
          "problem",
        );
      else
        showMessage(
          `The walk ends at ${message.end_s.toFixed(2)} s. Move the playhead on, or choose a pose: it is keyed after the walk.`,
        );
    },
  };
};

function walkMode(editor: Editor): Mode {
  const go = (at: PointerAt) => {
    const object = editor.viewport.objects.pick(at.ray);
    const floor = at.ray.intersectPlane(FLOOR, new THREE.Vector3());
    if (object === null && !floor) return showMessage("Click the floor where the character should walk to.");
    editor.tools.enter(null);
    store.selectedObject = null; // the walk is watched, not the chair
    notify("selection");
    const [x, z] = floor ? [clamped(floor.x), clamped(floor.z)] : [0, 0];
    editor.command({ type: "walk_to", actor: store.active, x, z, object: object?.object ?? 0 });
  };
  return {
    hint: "Click the floor, a chair or an object to walk there. Escape cancels.",
    down: (at) => ({ move: () => {}, up: () => go(at), cancel: () => {} }),
    hover: () => true,
  };
}

function clamped(value: number): number {
  return Math.min(100, Math.max(-100, value));
}
