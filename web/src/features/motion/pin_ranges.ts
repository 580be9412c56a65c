/** A bar on the timeline for every pin of the active character: when it holds. Its ends can be dragged. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { PinState } from "../../generated/messages";
import { jointLabel } from "../../labels";
import { activeActor, on, store } from "../../store";
import { percentAt, pinRange, SAME_TIME_S, snapToFrame } from "../../timeline/timeline_math";
import { wideButton } from "../../ui/buttons";

export const install: Install = (editor) => {
  const lane = h("div", { class: "pin-lane", role: "group", "aria-label": "Pins" });
  let drawn = "";
  on(["state", "selection"], () => {
    const { state } = store;
    const actor = activeActor();
    if (!state || !actor) return;
    const shown = actor.animated ? actor.pins : [];
    const content = JSON.stringify([
      actor.id,
      shown.map(({ joint, start_s, end_s, acts }) => [joint, start_s, end_s, acts]),
      state.duration_s,
      state.fps,
    ]);
    if (content === drawn) return;
    drawn = content;
    lane.hidden = shown.length === 0;
    fill(lane, ...shown.map((pin) => bar(editor, actor.id, pin)));
  });
  return {
    lanes: [lane],
    poseButtons: [
      wideButton("Pin standing feet", "Pin each foot while it stands at one place on the floor", () =>
        editor.run("pin-contacts"),
      ),
    ],
    actions: [
      {
        name: "pin-contacts",
        title: "Pin the feet while they stand on the floor",
        keys: [],
        group: "Pose",
        enabled: () => activeActor()?.animated ?? false,
        run: () => editor.command({ type: "pin_contacts", actor: store.active }),
      },
    ],
  };
};

function nameOf(joint: number): string {
  const figure = store.figures.get(activeActor()?.figure ?? "");
  return jointLabel(figure?.joints[joint]?.name ?? "");
}

function bar(editor: Editor, actor: number, pin: PinState): HTMLElement {
  const { duration_s: duration } = store.state!;
  const name = nameOf(pin.joint);
  const [start, end] = pinRange(pin, duration);
  const always = pin.start_s == null && pin.end_s == null;
  const when = always ? "all the time" : `from ${start.toFixed(2)} to ${end.toFixed(2)} s`;
  const element = h(
    "div",
    {
      class: `pin-bar ${always ? "always" : ""}`,
      "data-joint": pin.joint,
      title: `${name} is pinned ${when}. Drag an end to change it, double-click for all the time.`,
    },
    ...idle(pin.acts ?? [], start, end),
    h("span", { class: "pin-name" }, name),
  );
  place(element, start, end);
  element.append(handle(editor, actor, pin, "start", element), handle(editor, actor, pin, "end", element));
  element.addEventListener("pointerdown", (event) => event.stopPropagation());
  element.addEventListener("dblclick", () =>
    editor.command({ type: "set_pin_range", actor, joint: pin.joint, start_s: null, end_s: null }),
  );
  return h("div", { class: "pin-row" }, element);
}

/** Gaps in a bar where the pin does not act: between keys with its joint in different places, in walks, at the end. */
function idle(acts: [number, number][], start: number, end: number): HTMLElement[] {
  const gaps: HTMLElement[] = [];
  let from = start;
  for (const [begin, stop] of [...acts, [end, end]]) {
    if (begin > from + SAME_TIME_S) {
      const gap = h("span", { class: "pin-gap" });
      gap.style.left = percentAt(from - start, end - start);
      gap.style.width = percentAt(begin - from, end - start);
      gaps.push(gap);
    }
    from = Math.max(from, stop);
  }
  return gaps;
}

function place(element: HTMLElement, start: number, end: number): void {
  const { duration_s: duration } = store.state!;
  element.style.left = percentAt(start, duration);
  element.style.width = percentAt(end - start, duration);
}

/** One end of a bar: dragged, or moved by a frame with the arrow keys. */
function handle(editor: Editor, actor: number, pin: PinState, which: "start" | "end", bar: HTMLElement): HTMLElement {
  const button = h("button", {
    class: `pin-handle pin-${which}`,
    type: "button",
    "aria-label": `${which === "start" ? "Start" : "End"} of the pin of ${nameOf(pin.joint)}`,
  });
  const range = () => pinRange(pin, store.state!.duration_s);
  let moved: [number, number] | null = null;
  const set = (timeS: number) => {
    const { fps, duration_s: duration } = store.state!;
    const [start, end] = range();
    const time = Math.min(Math.max(snapToFrame(timeS, fps), 0), duration);
    moved = which === "start" ? [Math.min(time, end), end] : [start, Math.max(time, start)];
    place(bar, ...moved);
  };
  const send = () => {
    if (!moved) return;
    const [start, end] = moved;
    moved = null;
    const { duration_s: duration } = store.state!;
    editor.command({
      type: "set_pin_range",
      actor,
      joint: pin.joint,
      start_s: start <= 0 ? null : start,
      end_s: end >= duration ? null : end,
    });
  };
  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.stopPropagation();
    button.setPointerCapture(event.pointerId);
    button.onpointermove = (move) => {
      const box = bar.closest(".lanes")!.querySelector(".ruler")!.getBoundingClientRect();
      set(((move.clientX - box.left) / box.width) * store.state!.duration_s);
    };
  });
  const drop = () => {
    button.onpointermove = null;
    send();
  };
  button.addEventListener("pointerup", drop);
  button.addEventListener("pointercancel", drop);
  button.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (!step) return;
    set(range()[which === "start" ? 0 : 1] + step / store.state!.fps);
    send();
    event.preventDefault();
  });
  return button;
}
