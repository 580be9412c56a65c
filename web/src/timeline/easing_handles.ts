/** The easing from a key to the next, drawn over the motion curves, with two handles to change it. */
import { h, svg } from "../dom";
import type { Editor } from "../editor";
import type { KeyState } from "../generated/messages";
import { activeActor, store } from "../store";
import { customEase, easeHandles, type Handles } from "./easing";
import { percentAt } from "./timeline_math";

const INSET = 0.2; // share of the height above and below progress 1 and 0
const STEP = 0.05; // of the arrow keys

export class EasingHandles {
  readonly element = h("div", { class: "easing", hidden: true });
  private readonly curve = svg("svg", {
    class: "easing-curve",
    preserveAspectRatio: "none",
    viewBox: "0 0 100 100",
  });
  private readonly grips: HTMLElement[];
  private handles: Handles = [0, 0, 1, 1];
  private keys: [KeyState, KeyState] | null = null;
  private held = -1;

  constructor(
    private readonly editor: Editor,
    private readonly height: number,
  ) {
    this.grips = [0, 1].map((side) => this.grip(side));
    this.element.append(this.curve, ...this.grips);
  }

  /** Show the easing of the selected key, or of the one before the playhead. */
  draw(): void {
    if (this.held >= 0) return;
    this.keys = spanOfKeys();
    const handles = this.keys && easeHandles(this.keys[0].ease);
    this.element.hidden = !handles;
    if (!this.keys || !handles) return;
    const { duration_s } = store.state!;
    this.element.style.left = percentAt(this.keys[0].time_s, duration_s);
    this.element.style.width = percentAt(this.keys[1].time_s - this.keys[0].time_s, duration_s);
    this.handles = [...handles];
    this.place();
  }

  /** Put the handles back while one is dragged; false if none is. */
  cancel(): boolean {
    if (this.held < 0) return false;
    this.held = -1;
    this.editor.previews.clear();
    this.draw();
    return true;
  }

  private place(): void {
    const [x1, y1, x2, y2] = this.handles;
    const y = (value: number) => 100 * (1 - INSET - (1 - 2 * INSET) * value);
    const at = (a: number, b: number) => `${(100 * a).toFixed(1)} ${y(b).toFixed(1)}`;
    this.curve.replaceChildren(
      svg("path", { d: `M${at(0, 0)}L${at(x1, y1)}M${at(1, 1)}L${at(x2, y2)}`, class: "easing-arm" }),
      svg("path", { d: `M${at(0, 0)}C${at(x1, y1)} ${at(x2, y2)} ${at(1, 1)}` }),
    );
    this.grips.forEach((grip, side) => {
      grip.style.left = `${100 * this.handles[2 * side]}%`;
      grip.style.top = `${y(this.handles[2 * side + 1])}%`;
    });
  }

  private grip(side: number): HTMLElement {
    const label = side ? "Easing into the next key" : "Easing out of the key";
    const grip = h("button", {
      class: "easing-grip",
      type: "button",
      title: `${label}: drag this handle`,
      "aria-label": label,
    });
    grip.addEventListener("pointerdown", (event) => {
      event.stopPropagation();
      grip.setPointerCapture(event.pointerId);
      this.held = side;
    });
    grip.addEventListener("pointermove", (event) => {
      if (this.held !== side) return;
      const box = this.element.getBoundingClientRect();
      const y = (event.clientY - box.top) / this.height;
      this.set(side, (event.clientX - box.left) / box.width, (1 - INSET - y) / (1 - 2 * INSET));
      this.editor.previews.show({ keys: [this.keys![0].id], by_s: 0, ease: customEase(this.handles) });
    });
    const drop = () => {
      if (this.held !== side) return;
      this.held = -1;
      this.commit();
    };
    grip.addEventListener("pointerup", drop);
    grip.addEventListener("pointercancel", () => this.cancel());
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      this.set(side, this.handles[2 * side] + STEP * step[0], this.handles[2 * side + 1] + STEP * step[1]);
      this.commit();
    });
    return grip;
  }

  private set(side: number, x: number, y: number): void {
    const next = [...this.handles] as Handles;
    next[2 * side] = x;
    next[2 * side + 1] = y;
    this.handles = customEase(next).split(" ").map(Number) as Handles;
    this.place();
  }

  private commit(): void {
    const ease = customEase(this.handles);
    if (this.keys && ease !== this.keys[0].ease)
      this.editor.command({ type: "set_ease", keys: [this.keys[0].id], ease });
  }
}

/** The selected pose key of the active actor, else the one before the playhead, with the key after it. */
function spanOfKeys(): [KeyState, KeyState] | null {
  const actor = activeActor();
  const keys = (store.state?.keys ?? [])
    .filter((key) => key.actor === actor?.id && key.kind === "pose")
    .sort((a, b) => a.time_s - b.time_s);
  let k = keys.findIndex((key) => store.selectedKeys.has(key.id));
  if (k < 0) k = keys.findLastIndex((key) => key.time_s <= store.timeS + 1e-4);
  k = Math.min(k, keys.length - 2);
  return k < 0 ? null : [keys[k], keys[k + 1]];
}
