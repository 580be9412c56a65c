/** How the strands of the body are linked, pair by pair, as colours: live, and over the timeline. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { activeActor, on, store } from "../store";

const MOST_STRANDS = 9;
const LINKING = "How far two limbs are wound around each other (the Gauss linking integral): 0 apart, about 0.4 in folded arms, 1 once round. The sign says which lies over the other";

export const install: Install = () => ({ sections: [{ title: "Linking", element: heatMap(), order: 60, about: LINKING }] });

function heatMap(): HTMLElement {
  const grid = h("div", { class: "heat", title: LINKING });
  const note = h("p", { class: "note" }, "Shows how the limbs wind around each other as soon as you drag.");
  on(["pose", "state", "time", "selection"], () => {
    const values = current();
    const strands = store.figures.get(activeActor()?.figure ?? "")?.strands ?? [];
    const shown = values !== null && strands.length >= 2 && strands.length <= MOST_STRANDS;
    grid.hidden = !shown;
    note.hidden = shown;
    if (!shown) return;
    const n = strands.length;
    grid.style.gridTemplateColumns = `auto repeat(${n}, 1fr)`;
    const cells: HTMLElement[] = [h("span", {})];
    strands.forEach((name) => cells.push(h("span", { class: "heat-name", title: words(name) }, short(name))));
    strands.forEach((row, i) => {
      cells.push(h("span", { class: "heat-name", title: words(row) }, short(row)));
      strands.forEach((column, j) => cells.push(cell(i, j, pair(values, n, i, j), `${words(row)} and ${words(column)}`)));
    });
    fill(grid, ...cells);
  });
  return h("div", {}, grid, note);
}

/** The values of the drag, or of the motion at the playhead. */
function current(): ArrayLike<number> | null {
  const motion = store.motions.get(store.active);
  if (store.dragging || !motion?.pairs) return store.posed?.linking ?? null;
  const frame = Math.min(motion.frames - 1, Math.round(store.timeS * motion.fps));
  return motion.linking.subarray(frame * motion.pairs, (frame + 1) * motion.pairs);
}

/** Values come as the upper triangle, row by row. */
function pair(values: ArrayLike<number>, n: number, i: number, j: number): number | null {
  if (i === j) return null;
  const [a, b] = i < j ? [i, j] : [j, i];
  return values[a * n - (a * (a + 1)) / 2 + (b - a - 1)] ?? 0;
}

function cell(i: number, j: number, value: number | null, title: string): HTMLElement {
  const element = h("span", { class: value === null ? "heat-cell none" : "heat-cell", title: value === null ? "" : `${title}: ${value.toFixed(2)}` });
  if (value !== null) {
    const strength = Math.min(1, Math.abs(value) / 0.6);
    element.style.background = `color-mix(in oklab, var(--heat-${value < 0 ? "minus" : "plus"}) ${Math.round(100 * strength)}%, var(--heat-zero))`;
    if (j > i && Math.abs(value) >= 0.1) element.textContent = value.toFixed(1).replace("0.", ".");
  }
  return element;
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}

function short(name: string): string {
  const [first, second] = name.split("_");
  return second ? `${first[0]}.${second.slice(0, 3)}` : first.slice(0, 5);
}
