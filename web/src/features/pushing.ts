/** Objects pushed into characters, who give way; parts that keep their place to each other. */
import * as THREE from "three";
import { fill, h } from "../dom";
import { Install } from "../feature";
import { Pushed } from "../generated/messages";
import { activeActor, floats, on, store, tell } from "../store";
import type { Studio } from "../studio";
import { iconButton } from "../ui/topbar";
import { At, Mode, Taken } from "../view/tools";

const FRAME_MS = 1000 / 60;
const LOST_MS = 1500; // an answer that took this long is not coming

export const install: Install = (studio) => {
  const push = new Push(studio);
  const holding = holdMode(studio);
  const toggle = (mode: Mode) => studio.tools.enter(studio.tools.mode === mode ? null : mode);
  return {
    sections: [{ title: "Obstacles and holds", element: panel(studio, () => toggle(push), () => toggle(holding)), order: 45 }],
    actions: [
      { name: "push", title: "Push objects into the figure", keys: ["U"], group: "Pose", enabled: () => !!store.state?.things.length, run: () => toggle(push) },
      { name: "hold-parts", title: "Two parts keep their place to each other", keys: ["H"], group: "Pose", run: () => toggle(holding) },
    ],
    receive(message) {
      if (message.type === "pushed") push.answer(message);
    },
  };
};

/** Every press on an object pushes it; the newest wish is sent when the last one was answered. */
class Push implements Mode {
  hint = "Drag an object into the figure: it gives way";
  private thing: number | null = null;
  private wanted = new THREE.Vector3();
  private turn: [number, number, number, number] = [1, 0, 0, 0];
  private sequence = 0;
  private outstanding = false;
  private dirty = false;
  private lastSent = 0;

  constructor(private readonly studio: Studio) {}

  down(at: At): Taken | null {
    const { viewport } = this.studio;
    const hit = viewport.things.pick(at.ray);
    const body = viewport.pick(at.x, at.y);
    if (!hit || this.thing !== null || (body && body.point.distanceTo(at.ray.origin) < hit.distance)) return null;
    const group = viewport.things.object(hit.thing)!;
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(viewport.orbit.facing, hit.point);
    const grip = group.position.clone().sub(hit.point);
    const { x, y, z, w } = group.quaternion;
    this.thing = hit.thing;
    this.turn = [w, x, y, z];
    this.wanted.copy(group.position);
    store.dragging = true;
    return {
      move: (to) => {
        const point = to.ray.intersectPlane(plane, new THREE.Vector3());
        if (!point) return;
        this.wanted.copy(point.add(grip));
        this.dirty = true;
        this.pump();
      },
      up: (_, moved) => this.finish(moved),
      cancel: () => this.finish(true),
    };
  }

  hover(at: At | null): boolean {
    return at !== null && this.studio.viewport.things.pick(at.ray) !== null;
  }

  left(): void {
    if (this.thing !== null) this.finish(true);
  }

  answer(message: Pushed): void {
    if (message.sequence !== this.sequence || message.thing !== this.thing) return;
    this.outstanding = false;
    const { viewport } = this.studio;
    const group = viewport.things.object(message.thing);
    const [w, x, y, z] = message.rotation;
    group?.position.fromArray(message.position);
    group?.quaternion.set(x, y, z, w);
    for (const { actor, q } of message.actors) viewport.character(actor)?.setPose(floats(q));
    viewport.draw();
    // an object that was stopped, or a body still moving, goes on while it is held
    const behind = group ? group.position.distanceTo(this.wanted) > 1e-3 : false;
    if (behind && !message.blocked) this.dirty = true;
    requestAnimationFrame(() => this.pump());
  }

  private pump(): void {
    const now = performance.now();
    if (this.thing === null || !this.dirty || (this.outstanding && now - this.lastSent < LOST_MS)) return;
    const frames = Math.min(4, Math.max(1, Math.round((now - this.lastSent) / FRAME_MS)));
    const sent = this.studio.connection.send({
      type: "push_thing", sequence: ++this.sequence, thing: this.thing,
      position: this.wanted.toArray(), rotation: this.turn, frames,
    });
    if (!sent) return;
    this.outstanding = true;
    this.dirty = false;
    this.lastSent = now;
  }

  private finish(moved: boolean): void {
    const thing = this.thing;
    this.thing = null;
    this.outstanding = this.dirty = false;
    store.dragging = false;
    if (moved && thing !== null) this.studio.command({ type: "keep_push", thing });
    tell("options");
  }
}

/** Two presses on the body: the second part keeps its place seen from the first. */
function holdMode(studio: Studio): Mode {
  let first: { actor: number; joint: number } | null = null;
  const ask = "Press the part that is held, then the part that holds it";
  const mode: Mode = {
    hint: ask,
    down(at) {
      const hit = studio.viewport.pick(at.x, at.y);
      if (!hit) return null;
      const actor = hit.actor || store.active;
      return {
        move: () => undefined,
        cancel: () => undefined,
        up: () => {
          if (first === null || first.actor !== actor) {
            first = { actor, joint: hit.joint };
            store.selected = hit.joint;
            tell("selection");
          } else if (first.joint !== hit.joint) {
            studio.command({ type: "hold_parts", actor, joint: hit.joint, other: first.joint });
            first = null;
            studio.tools.enter(null);
          }
        },
      };
    },
    hover: (at) => at !== null && studio.viewport.pick(at.x, at.y) !== null,
    left: () => { first = null; },
  };
  return mode;
}

function panel(studio: Studio, push: () => void, holding: () => void): HTMLElement {
  const list = h("ul", { class: "relations" });
  const pushing = h("button", { class: "wide", type: "button", title: "Drag an object into the figure (U)", click: push }, "Push objects");
  const hold = h("button", { class: "wide", type: "button", title: "Two parts keep their place to each other (H)", click: holding }, "Hold two parts");
  on(["state", "selection", "options"], () => {
    pushing.disabled = !store.state?.things.length;
    const actor = activeActor();
    const found = (store.state?.features.pushing.relations ?? []).filter((one) => one.actor === actor?.id);
    fill(list, ...found.map((one) =>
      h("li", {}, `${words(one.joint)} holds ${words(one.other)}`,
        iconButton("close", `Let go of ${words(one.other)}`, () => studio.command({ type: "let_go_parts", actor: one.actor, joint: one.joint, other: one.other }), "tiny"),
      ),
    ));
  });
  return h("div", {}, h("div", { class: "grid" }, pushing, hold), list);
}

const words = (joint: string) => joint.replaceAll("_", " ");
