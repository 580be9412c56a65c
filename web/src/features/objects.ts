/** Objects: added from the panel, dragged over the floor, moved, turned and resized, keyed over time. */
import * as THREE from "three";
import { fill, h } from "../dom";
import { Install } from "../feature";
import { chooseFile } from "../files";
import { ThingState } from "../generated/messages";
import { icon } from "../icons";
import { on, store, tell } from "../store";
import type { Studio } from "../editor";
import { Movable, Mover, Place } from "../view/transform_gizmo";
import { Push } from "../view/push_object";
import { Tool } from "../view/tools";

const ALL_AXES = [0, 1, 2];
const WIDTHS: { [kind: string]: [string, number][] } = {
  box: [["Width", 0], ["Height", 1], ["Depth", 2]],
  ball: [["Diameter", 0]],
  capsule: [["Thickness", 0], ["Length", 1]],
  cylinder: [["Diameter", 0], ["Height", 1]],
};

export const install: Install = (studio) => {
  const push = new Push(studio);
  const mover = new Mover(studio.viewport, movable(studio, push), ALL_AXES, ALL_AXES, true);
  studio.movers.objects = mover;
  studio.viewport.beforeFrame.push(() => mover.show());
  on(["link"], () => studio.link === "lost" && push.drop());
  on(["selection", "state", "options"], () => {
    studio.viewport.things.select(store.selectedThing);
    studio.viewport.draw();
  });
  return {
    sections: [{ title: "Objects", element: section(studio), order: 40 }],
    tools: [mover, dragging(studio, push)],
    receive(message) {
      if (message.type === "pushed") push.answer(message);
    },
    keys: [{ kind: "place", title: "place", colour: "var(--accent)" }],
    actions: [
      { name: "gives-way", title: "Bodies give way to moved objects", keys: ["U"], group: "Pose", run: () => { store.givesWay = !store.givesWay; tell("options"); } },
      { name: "key-object", title: "Key the selected object", keys: ["Shift+O"], group: "Time", enabled: () => store.selectedThing !== null, run: () => studio.command({ type: "key_thing", thing: store.selectedThing!, time_s: store.timeS }) },
      { name: "remove-object", title: "Remove the selected object", keys: ["Shift+Delete"], group: "Pose", enabled: () => store.selectedThing !== null, run: () => studio.command({ type: "remove_thing", thing: store.selectedThing! }) },
    ],
  };
};

function selectThing(thing: number | null): void {
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

/** An object is shown at a place: bodies give way to it, or it stands there without regard. */
function show(studio: Studio, push: Push, thing: number, place: Place): void {
  const group = studio.viewport.things.object(thing);
  if (store.givesWay) {
    if (push.active || !group?.position.equals(place.position) || !group.quaternion.equals(place.rotation)) push.want(thing, place);
  } else {
    group?.position.copy(place.position);
    group?.quaternion.copy(place.rotation);
    studio.viewport.draw();
  }
}

function keep(studio: Studio, push: Push, thing: number, place: Place): void {
  if (push.active) push.finish();
  else sendPlace(studio, thing, place);
}

function movable(studio: Studio, push: Push): Movable {
  const object = () => (store.selectedThing === null || store.playing ? null : studio.viewport.things.object(store.selectedThing));
  return {
    place: () => {
      const group = push.active ? null : object(); // no handles in the way of what is dragged
      return group && { position: group.position, rotation: group.quaternion };
    },
    preview: (place) => show(studio, push, store.selectedThing!, place),
    keep: (place) => keep(studio, push, store.selectedThing!, place),
    dropped: () => push.finish(),
  };
}

/** Drag an object over the floor, with Shift up and down as well; a click selects it. */
function dragging(studio: Studio, push: Push): Tool {
  const { viewport } = studio;
  const hitAt = (x: number, y: number, ray: THREE.Ray) => {
    const hit = viewport.things.pick(ray);
    const body = hit && viewport.pick(x, y);
    return hit && (!body || hit.distance < body.distance) ? hit : null;
  };
  return {
    down: ({ x, y, ray, shift }) => {
      const hit = hitAt(x, y, ray);
      const group = hit && viewport.things.object(hit.thing);
      if (!hit || !group || push.active) return null;
      const start = group.position.clone(), rotation = group.quaternion.clone();
      const wanted: Place = { position: start.clone(), rotation };
      const plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), -hit.point.y);
      const flat = !shift && Math.abs(ray.direction.y) < 0.15; // seen from the side: across the view
      if (flat || shift) plane.setFromNormalAndCoplanarPoint(viewport.orbit.facing, hit.point);
      return {
        move: (at) => {
          const to = at.ray.intersectPlane(plane, new THREE.Vector3());
          if (!to || to.distanceTo(hit.point) > 30) return;
          wanted.position.copy(start).add(to.sub(hit.point));
          if (flat) wanted.position.y = start.y;
          show(studio, push, hit.thing, wanted);
        },
        up: (_, moved) => {
          selectThing(hit.thing);
          if (moved) keep(studio, push, hit.thing, wanted);
        },
        cancel: () => {
          show(studio, push, hit.thing, { position: start, rotation });
          push.finish();
        },
      };
    },
    hover: (at) => at !== null && hitAt(at.x, at.y, at.ray) !== null,
  };
}

function section(studio: Studio): HTMLElement {
  const add = h("div", { class: "chips" });
  const list = h("div", { class: "chips", role: "radiogroup", "aria-label": "Objects in the scene" });
  const details = h("div", {});
  const givesWay = h("button", { class: "wide", type: "button", title: "Whoever stands in the way of an object that you move steps aside, or stops it (U)", click: () => studio.run("gives-way") }, icon("push") as unknown as Node, "Bodies give way");
  on(["options"], () => givesWay.setAttribute("aria-pressed", String(store.givesWay)));
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
  return h("div", {}, add, h("div", { class: "gap" }), givesWay, h("div", { class: "gap" }), list, details);
}

/** Select what was added as soon as it is there. */
function addThing(studio: Studio, kind: string): void {
  const before = new Set(store.state?.things.map((thing) => thing.id));
  const request = studio.command({ type: "add_thing", kind, actor: store.active });
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
    const input = h("input", { type: "number", class: "compact", min: 0.1, max: 2000, step: "any", value: Number((100 * thing.size[axis]).toFixed(1)), "aria-label": `${label} in centimetres` });
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
    h("p", { class: "note" }, thing.keys.length ? `${thing.keys.length} place key${thing.keys.length === 1 ? "" : "s"}; moving it keys it at the playhead.` : "Drag it over the floor, with Shift up and down; arrows lift it, rings turn it."),
  );
}

