/** Objects of the scene: added, dragged over the floor, moved, rotated, resized and keyed. */
import * as THREE from "three";
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { ListedHold, ObjectState } from "../../generated/messages";
import { icon } from "../../icons";
import { chooseFile } from "../../import_export";
import { notify, on, store } from "../../store";
import { wideButton } from "../../ui/buttons";
import type { ObjectHit } from "../../view/objects";
import { ObjectPush } from "../../view/push_object";
import { type Movable, type Placement, TransformGizmo } from "../../view/transform_gizmo";
import type { Gesture, Tool } from "../../view/view_tools";
import { carryingHolds } from "./holds";

const ALL_AXES = [0, 1, 2];
const WIDTHS: { [kind: string]: [string, number][] } = {
  box: [
    ["Width", 0],
    ["Height", 1],
    ["Depth", 2],
  ],
  ball: [["Diameter", 0]],
  capsule: [
    ["Thickness", 0],
    ["Length", 1],
  ],
  cylinder: [
    ["Diameter", 0],
    ["Height", 1],
  ],
  bar: [
    ["Length", 0],
    ["Thickness", 1],
  ],
  stand: [
    ["Width", 0],
    ["Height", 1],
    ["Depth", 2],
  ],
};

export const install: Install = (editor) => {
  const push = new ObjectPush(editor);
  const gizmo = new TransformGizmo(editor.viewport, movable(editor, push), ALL_AXES, ALL_AXES, true);
  editor.gizmos.objects = gizmo;
  editor.viewport.beforeFrame.push(() => gizmo.show());
  on(["link"], () => editor.link === "lost" && push.drop());
  on(["selection", "state", "options"], () => {
    editor.viewport.objects.select(store.selectedObject);
    editor.viewport.draw();
  });
  return {
    sections: [{ title: "Objects", element: section(editor), order: 40 }],
    tools: [gizmo, dragTool(editor, push)],
    receive(message) {
      if (message.type === "pushed") push.receive(message);
    },
    keys: [{ kind: "place", title: "Transform", colour: "var(--accent)" }],
    actions: [
      {
        name: "push-bodies",
        title: "Moved objects push bodies",
        keys: ["U"],
        group: "Pose",
        run: () => {
          store.pushesBodies = !store.pushesBodies;
          notify("options");
        },
      },
      {
        name: "key-object",
        title: "Key the selected object",
        keys: ["Shift+O"],
        group: "Time",
        enabled: () => store.selectedObject !== null,
        run: () => editor.command({ type: "key_object", object: store.selectedObject!, time_s: store.timeS }),
      },
      {
        name: "remove-object",
        title: "Remove the selected object",
        keys: ["Shift+Delete"],
        group: "Pose",
        enabled: () => store.selectedObject !== null,
        run: () => editor.command({ type: "remove_object", object: store.selectedObject! }),
      },
    ],
  };
};

function selectObject(object: number | null): void {
  store.selectedObject = object;
  store.selected = null;
  notify("selection");
}

function selected(): ObjectState | null {
  return store.state?.objects.find((object) => object.id === store.selectedObject) ?? null;
}

function sendPlacement(editor: Editor, object: number, { position, rotation: r }: Placement): void {
  editor.command({ type: "place_object", object, position: position.toArray(), rotation: [r.w, r.x, r.y, r.z] });
}

/** Show an object at a placement, pushing bodies out of its way if that is switched on. */
function show(editor: Editor, push: ObjectPush, object: number, placement: Placement): void {
  const group = editor.viewport.objects.object(object);
  if (store.pushesBodies) {
    if (push.active || !group?.position.equals(placement.position) || !group.quaternion.equals(placement.rotation))
      push.moveTo(object, placement);
  } else {
    group?.position.copy(placement.position);
    group?.quaternion.copy(placement.rotation);
    editor.viewport.draw();
  }
}

function commit(editor: Editor, push: ObjectPush, object: number, placement: Placement): void {
  if (push.active) push.commit();
  else sendPlacement(editor, object, placement);
}

function movable(editor: Editor, push: ObjectPush): Movable {
  const object = () =>
    store.selectedObject === null || store.playing ? null : editor.viewport.objects.object(store.selectedObject);
  return {
    placement: () => {
      const group = push.active ? null : object(); // the gizmo is hidden while the object is dragged
      return group && { position: group.position, rotation: group.quaternion };
    },
    preview: (placement) => show(editor, push, store.selectedObject!, placement),
    commit: (placement) => commit(editor, push, store.selectedObject!, placement),
    cancelled: () => push.commit(),
  };
}

const FLAT_DEPTH = 4; // metres away from the viewer per metre upwards, where the floor is seen from the side

/** Drags an object over the floor, with Shift parallel to the view; a click selects it. */
function dragTool(editor: Editor, push: ObjectPush): Tool {
  const { viewport } = editor;
  const hitAt = (x: number, y: number, ray: THREE.Ray) => {
    const hit = viewport.objects.pick(ray);
    const body = hit && viewport.pick(x, y);
    return hit && (!body || hit.distance < body.distance) ? hit : null;
  };
  return {
    down: ({ x, y, ray, shift }) => {
      const hit = hitAt(x, y, ray);
      const group = hit && viewport.objects.object(hit.object);
      if (!hit || !group || push.active) return null;
      const carrier = carryingHolds().find((hold) => hold.object === hit.object);
      if (carrier) return dragCarried(editor, carrier, hit);
      const start = group.position.clone(),
        rotation = group.quaternion.clone();
      const target: Placement = { position: start.clone(), rotation };
      const plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), -hit.point.y);
      const flat = !shift && Math.abs(ray.direction.y) < 0.15; // the floor is seen from the side
      if (flat || shift) plane.setFromNormalAndCoplanarPoint(viewport.orbit.facing, hit.point);
      return {
        move: (at) => {
          const to = at.ray.intersectPlane(plane, new THREE.Vector3());
          if (!to || to.distanceTo(hit.point) > 30) return;
          target.position.copy(start).add(to.sub(hit.point));
          if (flat) {
            const up = target.position.y - start.y;
            const away = viewport.orbit.facing.setY(0).normalize();
            target.position.addScaledVector(away, up * FLAT_DEPTH).setY(start.y);
          }
          show(editor, push, hit.object, target);
        },
        up: (_, moved) => {
          selectObject(hit.object);
          if (moved) commit(editor, push, hit.object, target);
        },
        cancel: () => {
          show(editor, push, hit.object, { position: start, rotation });
          push.commit();
        },
      };
    },
    hover: (at) => at !== null && hitAt(at.x, at.y, at.ray) !== null,
  };
}

const CARRIED = -1; // pointer number of a drag by an object; those of the page are not negative

/** Drags the hand that carries an object by a point of the object; a click selects the object. */
function dragCarried(editor: Editor, { other_actor, other_joint }: ListedHold, hit: ObjectHit): Gesture {
  const { drag } = editor;
  return {
    move: ({ x, y }) => {
      const held = { ...hit, actor: other_actor, joint: other_joint };
      if (drag.has(CARRIED) || drag.grab(CARRIED, held, false)) drag.move(CARRIED, x, y);
    },
    up: (_, moved) => (moved ? drag.release(CARRIED) : selectObject(hit.object)),
    cancel: () => drag.cancel(),
  };
}

function section(editor: Editor): HTMLElement {
  const add = h("div", { class: "chips" });
  const list = h("div", { class: "chips", role: "radiogroup", "aria-label": "Objects in the scene" });
  const details = h("div", {});
  const pushToggle = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Objects that you move push bodies out of their way, and stop where a body cannot move (U)",
      click: () => editor.run("push-bodies"),
    },
    icon("push"),
    "Objects push bodies",
  );
  on(["options"], () => pushToggle.setAttribute("aria-pressed", String(store.pushesBodies)));
  let offered = "";
  on(["state", "selection"], () => {
    const kinds = store.state?.features.objects.kinds ?? [];
    if (kinds.map((kind) => kind.name).join() !== offered) {
      offered = kinds.map((kind) => kind.name).join();
      fill(
        add,
        ...kinds.map((kind) =>
          h(
            "button",
            { class: "chip add", type: "button", title: kind.about, click: () => addObject(editor, kind.name) },
            `+ ${kind.title}`,
          ),
        ),
        h(
          "button",
          {
            class: "chip add",
            type: "button",
            title: "Open a mesh (.obj, .glb) as an object, or a scene file with your own objects (docs/scenes.md)",
            click: () => chooseFile(editor, "object", ".json,.obj,.glb,.gltf,.bin"),
          },
          "From a file …",
        ),
      );
    }
    fill(
      list,
      ...(store.state?.objects ?? []).map((object) =>
        h(
          "button",
          {
            class: `chip ${object.id === store.selectedObject ? "on" : ""}`,
            type: "button",
            role: "radio",
            "aria-checked": String(object.id === store.selectedObject),
            title: `Select ${object.name}`,
            click: () => selectObject(object.id === store.selectedObject ? null : object.id),
          },
          object.name,
        ),
      ),
    );
    const object = selected();
    if (!details.contains(document.activeElement) || !object) fill(details, object && detailsOf(editor, object));
  });
  return h("div", {}, add, h("div", { class: "gap" }), pushToggle, h("div", { class: "gap" }), list, details);
}

/** Add an object and select it once the server has created it. */
function addObject(editor: Editor, kind: string): void {
  const before = new Set(store.state?.objects.map((object) => object.id));
  const request = editor.command({ type: "add_object", kind, actor: store.active });
  const stop = on(["state"], () => {
    if (store.state?.request !== request) return;
    const fresh = store.state.objects.find((object) => !before.has(object.id));
    stop();
    if (fresh) selectObject(fresh.id);
  });
}

/** Name, size and buttons of the selected object. */
function detailsOf(editor: Editor, object: ObjectState): HTMLElement {
  const name = h("input", {
    type: "text",
    class: "grow",
    value: object.name,
    maxlength: 80,
    "aria-label": "Name of the object",
  });
  name.addEventListener("change", () => editor.command({ type: "rename_object", object: object.id, name: name.value }));
  const widths = object.resizable ? (WIDTHS[object.kind] ?? []) : [];
  const count = object.keys.length;
  const keyTitle = "Key its position and rotation at the playhead; it moves from key to key (Shift+O)";
  return h(
    "div",
    {},
    h("label", { class: "field" }, h("span", {}, "Name"), name),
    ...widths.map(([label, axis]) => sizeField(editor, object, label, axis)),
    massField(editor, object),
    h(
      "div",
      { class: "grid gap" },
      wideButton("Put down", "Lower it onto what is below it: another object, or the floor", () =>
        editor.command({ type: "put_down_object", object: object.id }),
      ),
      wideButton("Key object", keyTitle, () => editor.run("key-object"), "key"),
      wideButton("Remove", "Remove the object (Shift+Delete)", () => editor.run("remove-object"), "trash"),
    ),
    h(
      "p",
      { class: "note" },
      count
        ? `${count} transform key${count === 1 ? "" : "s"}; moving the object sets one at the playhead.`
        : "Drag it over the floor, with Shift up and down; arrows move it, rings rotate it.",
    ),
  );
}

/** A field for the size of an object along one axis, in centimetres. */
function sizeField(editor: Editor, object: ObjectState, label: string, axis: number): HTMLElement {
  const title = `${label} in centimetres`;
  const input = h("input", {
    type: "number",
    class: "compact",
    min: 0.1,
    max: 2000,
    step: "any",
    value: Number((100 * object.size[axis]).toFixed(1)),
    "aria-label": title,
  });
  input.addEventListener("change", () => {
    const size: [number, number, number] = [...(selected() ?? object).size];
    size[axis] = Number(input.value) / 100;
    if (size[axis] > 0) editor.command({ type: "resize_object", object: object.id, size });
  });
  return h("label", { class: "field", title }, h("span", {}, label), h("span", { class: "unit" }, input, "cm"));
}

/** A field for the mass of an object, which counts in the balance of who carries it; empty: by volume. */
function massField(editor: Editor, object: ObjectState): HTMLElement {
  const title = "Mass in kilograms: it counts in the balance of who carries it. Empty: by its volume";
  const input = h("input", {
    type: "number",
    class: "compact",
    min: 0,
    max: 1000,
    step: "any",
    value: Number(object.mass_kg.toPrecision(3)),
    "aria-label": "Mass in kilograms",
  });
  input.addEventListener("change", () => {
    const mass_kg = input.value.trim() === "" ? null : Number(input.value);
    editor.command({ type: "weigh_object", object: object.id, mass_kg });
  });
  return h("label", { class: "field", title }, h("span", {}, "Mass"), h("span", { class: "unit" }, input, "kg"));
}
