/** Arrows at the selected joint: they move it along the axes of the world, in depth too, whatever the view. */
import * as THREE from "three";
import type { Install } from "../../feature";
import { store } from "../../store";
import { TransformGizmo } from "../../view/transform_gizmo";

const POINTER = -2; // of a drag by an arrow; those of the page are not negative

export const install: Install = (editor) => {
  const { viewport, drag } = editor;
  let joint: number | null = null; // while an arrow is dragged
  const gizmo = new TransformGizmo(
    viewport,
    {
      placement: () => {
        const character = viewport.character(store.active);
        if (!character || store.selected === null || store.playing || !store.prepared) return null;
        if (store.dragging && joint === null) return null;
        return { position: character.jointPosition(store.selected), rotation: new THREE.Quaternion() };
      },
      preview: ({ position }) => {
        const start = viewport.character(store.active)!.jointPosition(store.selected!);
        if (joint === null && position.distanceTo(start) < 1e-6) return; // pressed, not moved yet
        joint ??= store.selected!;
        drag.pull(POINTER, joint, position);
      },
      commit: () => {
        joint = null;
        drag.release(POINTER);
      },
      cancelled: () => {
        if (joint !== null) drag.cancel();
        joint = null;
      },
    },
    [],
    [0, 1, 2],
    true,
  );
  editor.gizmos.joint_arrows = gizmo;
  viewport.beforeFrame.push(() => gizmo.show());
  return { tools: [gizmo] };
};
