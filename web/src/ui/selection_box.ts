/** Selects several joints: one after the other, or those within a rectangle that is drawn over the view. */
import { h } from "../dom";
import { handOf } from "../limbs";
import { notify, store } from "../store";
import type { Viewport } from "../view/viewport";

/** Add a joint to the selection, or take it out. */
export function toggleSelected(joint: number): void {
  const joints = store.selected !== null && store.selectedTogether.has(store.selected) ? store.selectedTogether : null;
  const together = joints ?? new Set(store.selected === null ? [] : [store.selected]);
  if (together.delete(joint)) store.selected = [...together].at(-1) ?? null;
  else {
    together.add(joint);
    store.selected = joint;
  }
  store.selectedTogether = together;
}

export class SelectionBox {
  private readonly box = h("div", { class: "selection-box", hidden: true });
  private corners = [0, 0, 0, 0];

  constructor(private readonly viewport: Viewport) {
    document.body.append(this.box);
  }

  /** Show the rectangle between two points of the page. */
  show(x1: number, y1: number, x2: number, y2: number): void {
    this.corners = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
    const [left, top, right, bottom] = this.corners;
    this.box.hidden = false;
    Object.assign(this.box.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${right - left}px`,
      height: `${bottom - top}px`,
    });
  }

  hide(): void {
    this.box.hidden = true;
  }

  /** Select the joints of the active character within the rectangle; fingers only if there are no others. */
  select(): void {
    this.hide();
    const character = this.viewport.character(store.active);
    if (!character) return;
    const [left, top, right, bottom] = this.corners;
    const within = character.shape.joints
      .map((_, joint) => joint)
      .filter((joint) => {
        const { x, y } = this.viewport.onPage(character.jointPosition(joint));
        return x >= left && x <= right && y >= top && y <= bottom;
      });
    const others = within.filter((joint) => [null, joint].includes(handOf(character, joint)));
    const joints = others.length ? others : within;
    store.selectedTogether = new Set(joints);
    store.selected = joints[0] ?? null;
    notify("selection");
  }
}
