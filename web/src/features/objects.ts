/** Objects: added from the panel, dragged over the floor, moved, turned and resized, keyed over time. */
import * as THREE from "three";
import { fill, h } from "../dom";
import { Install } from "../feature";
import { chooseFile } from "../files";
import { ThingState } from "../generated/messages";
import { icon } from "../icons";
import { on, store, tell } from "../store";
import type { Studio } from "../studio";
import { Movable, Mover, Place } from "../view/mover";
import { Tool } from "../view/tools";

const ALL_AXES = [0, 1, 2];
const WIDTHS: { [kind: string]: [string, number][] } = {
  box: [["Width", 0], ["Height", 1], ["Depth", 2]],
  ball: [["Diameter", 0]],
  capsule: [["Thickness", 0], ["Length", 1]],
  cylinder: [["Diameter", 0], ["Height", 1]],
};

export const install: Install = (studio) => {
  const mover = new Mover(studio.viewport, movable(studio), ALL_AXES);
  studio.movers.objects = mover;
  studio.viewport.beforeFrame.push(() => mover.show());
  on(["selection", "state", "options"], () => {
    studio.viewport.things.select(store.selectedThing);
    studio.viewport.draw();
  });
  return {
    sections: [{ title: "Objects", element: section(studio), order: 40 }],
    tools: [mover, dragging(studio)],
    keys: [{ kind: "place", title: "place", colour: "var(--accent)" }],
    actions: [
      { name: "key-object", title: "Key the selected object", keys: ["Shift+O"], group: "Time", enabled: () => store.selectedThing !== null, run: () => studio.command({ type: "key_thing", thing: store.selectedThing!, time_s: store.timeS }) },
      { name: "remove-object", title: "Remove the selected object", keys: ["Shift+Delete"], group: "Pose", enabled: () => store.selectedThing !== null, run: () => studio.command({ type: "remove_thing", thing: store.selectedThing! }) },
    ],
  };
};

export function selectThing(thing: number | null): void {
  store.selectedThing = thing;
  store.selected = null;
  tell("selection");
}

function selected(): ThingState | null {
  return store.state?.things.find((thing) => thing.id === store.selectedThing) ?? null;
}

function sendPlace(studio: Studio, thing: number, { position, rotation: r }: Place): void {
  studio.command({ type: "place_thing", thing, position: position.toArray(), rotation: [r.w, r.x, r.y, r.z] });
}

function movable(studio: Studio): Movable {
  const object = () => (store.selectedThing === null || store.playing ? null : studio.viewport.things.object(store.selectedThing));
  return {
    place: () => {
      const group = object();
      return group && { position: group.position, rotation: group.quaternion };
    },
    preview: (place) => {
      object()?.position.copy(place.position);
      object()?.quaternion.copy(place.rotation);
    },
    keep: (place) => sendPlace(studio, store.selectedThing!, place),
  };
}

/** Drag an object over the floor; a click selects it. */
function dragging(studio: Studio): Tool {
  const { viewport } = studio;
  const hitAt = (x: number, y: number, ray: THREE.Ray) => {
    const hit = viewport.things.pick(ray);
    const body = hit && viewport.pick(x, y);
    return hit && (!body || hit.distance < body.distance) ? hit : null;
  };
  return {
    down: ({ x, y, ray }) => {
      const hit = hitAt(x, y, ray);
      const group = hit && viewport.things.object(hit.thing);
      if (!hit || !group) return null;
      const start = group.position.clone();
      const plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), -hit.point.y);
      const flat = Math.abs(ray.direction.y) < 0.15; // seen from the side: across the view instead
      if (flat) plane.setFromNormalAndCoplanarPoint(viewport.orbit.facing, hit.point);
      return {
        move: (at) => {
          const to = at.ray.intersectPlane(plane, new THREE.Vector3());
          if (!to || to.distanceTo(hit.point) > 30) return;
          group.position.copy(start).add(to.sub(hit.point));
          if (flat) group.position.y = start.y;
          viewport.draw();
        },
        up: (_, moved) => {
          selectThing(hit.thing);
          if (moved) sendPlace(studio, hit.thing, { position: group.position, rotation: group.quaternion });
        },
        cancel: () => group.position.copy(start),
      };
    },
    hover: (at) => at !== null && hitAt(at.x, at.y, at.ray) !== null,
  };
}

function section(studio: Studio): HTMLElement {
  const add = h("div", { class: "chips" });
  const list = h("div", { class: "chips", role: "radiogroup", "aria-label": "Objects in the scene" });
  const details = h("div", {});
  let offered = "";
  on(["state", "selection"], () => {
    const kinds = store.state?.features.objects.kinds ?? [];
    if (kinds.map((kind) => kind.name).join() !== offered) {
      offered = kinds.map((kind) => kind.name).join();
      fill(
        add,
        ...kinds.map((kind) => h("button", { class: "chip add", type: "button", title: kind.about, click: () => addThing(studio, kind.name) }, `+ ${kind.title}`)),
        h("button", { class: "chip add", type: "button", title: "Open a scene file with objects of your own (docs/scenes.md)", click: () => chooseFile(studio, false, ".json") }, "Own file …"),
      );
    }
    fill(list, ...(store.state?.things ?? []).map((thing) =>
      h("button", { class: `chip ${thing.id === store.selectedThing ? "on" : ""}`, type: "button", role: "radio", "aria-checked": String(thing.id === store.selectedThing), title: `Select ${thing.name}`, click: () => selectThing(thing.id === store.selectedThing ? null : thing.id) }, thing.name),
    ));
    const thing = selected();
    if (!details.contains(document.activeElement) || !thing) fill(details, thing && detailsOf(studio, thing));
  });
  return h("div", {}, add, h("div", { class: "gap" }), list, details);
}

/** Select what was added as soon as it is there. */
function addThing(studio: Studio, kind: string): void {
  const before = new Set(store.state?.things.map((thing) => thing.id));
  const request = studio.command({ type: "add_thing", kind });
  const stop = on(["state"], () => {
    if (store.state?.request !== request) return;
    const fresh = store.state.things.find((thing) => !before.has(thing.id));
    stop();
    if (fresh) selectThing(fresh.id);
  });
}

function detailsOf(studio: Studio, thing: ThingState): HTMLElement {
  const name = h("input", { type: "text", class: "grow", value: thing.name, maxlength: 80, "aria-label": "Name of the object" });
  name.addEventListener("change", () => studio.command({ type: "rename_thing", thing: thing.id, name: name.value }));
  const widths = thing.resizable ? (WIDTHS[thing.kind] ?? []) : [];
  const sizes = widths.map(([label, axis]) => {
    const input = h("input", { type: "number", class: "compact", min: 1, max: 2000, step: 1, value: Math.round(100 * thing.size[axis]), "aria-label": `${label} in centimetres` });
    input.addEventListener("change", () => {
      const size: [number, number, number] = [...(selected() ?? thing).size];
      size[axis] = Number(input.value) / 100;
      if (size[axis] > 0) studio.command({ type: "resize_thing", thing: thing.id, size });
    });
    return h("label", { class: "field", title: `${label} in centimetres` }, h("span", {}, label), h("span", { class: "unit" }, input, "cm"));
  });
  return h(
    "div",
    {},
    h("label", { class: "field" }, h("span", {}, "Name"), name),
    ...sizes,
    h("div", { class: "grid gap" },
      h("button", { class: "wide", type: "button", title: "Key where it is at the playhead: between keys it moves by itself (Shift+O)", click: () => studio.run("key-object") }, icon("key") as unknown as Node, "Key place"),
      h("button", { class: "wide", type: "button", title: "Remove the object (Shift+Delete)", click: () => studio.run("remove-object") }, icon("trash") as unknown as Node, "Remove"),
    ),
    h("p", { class: "note" }, thing.keys.length ? `${thing.keys.length} place key${thing.keys.length === 1 ? "" : "s"}; moving it keys it at the playhead.` : "Drag it over the floor; arrows lift it, rings turn it."),
  );
}

