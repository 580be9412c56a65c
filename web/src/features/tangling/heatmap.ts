/** Heat map of the linking of every pair of strands, during a drag and at the playhead. */
import { fill, h } from "../../dom";
import type { Install } from "../../feature";
import { plainName } from "../../labels";
import { linkingAt } from "../../sampled_motion";
import { activeActor, on, store } from "../../store";
import { heatColour } from "../../ui/heat_colour";

const MAX_STRANDS = 9;
const FULL_COLOUR = 0.6; // linking that is drawn in full colour
const LINKING =
  "How far two limbs are wound around each other (the Gauss linking integral): 0 apart, " +
  "about 0.4 in folded arms, 1 for a full turn. The sign tells which one lies over the other";

export const install: Install = () => ({
  sections: [{ title: "Linking", element: heatMap(), order: 60, about: LINKING }],
});

function heatMap(): HTMLElement {
  const grid = h("div", { class: "heat", title: LINKING });
  const note = h("p", { class: "note" }, "Drag the body to see how the limbs wind around each other.");
  on(["pose", "state", "time", "selection"], () => {
    const values = currentLinking();
    const strands = store.figures.get(activeActor()?.figure ?? "")?.strands ?? [];
    const shown = values !== null && strands.length >= 2 && strands.length <= MAX_STRANDS;
    grid.hidden = !shown;
    note.hidden = shown;
    if (!shown) return;
    const n = strands.length;
    grid.style.gridTemplateColumns = `auto repeat(${n}, 1fr)`;
    const cells: HTMLElement[] = [h("span", {})];
    strands.forEach((name) => cells.push(h("span", { class: "heat-name", title: plainName(name) }, abbreviate(name))));
    strands.forEach((row, i) => {
      cells.push(h("span", { class: "heat-name", title: plainName(row) }, abbreviate(row)));
      strands.forEach((column, j) =>
        cells.push(cell(i, j, matrixEntry(values, n, i, j), `${plainName(row)} and ${plainName(column)}`)),
      );
    });
    fill(grid, ...cells);
  });
  return h("div", {}, grid, note);
}

/** The linking of every pair of strands in the current drag, or else of the motion at the playhead. */
function currentLinking(): ArrayLike<number> | null {
  const motion = store.motions.get(store.active);
  if (store.dragging || !motion?.pairs) return store.poseReport?.linking ?? null;
  return linkingAt(motion, store.timeS);
}

/** Entry (i, j) of the symmetric matrix whose upper triangle is given row by row; null on the diagonal. */
function matrixEntry(values: ArrayLike<number>, n: number, i: number, j: number): number | null {
  if (i === j) return null;
  const [a, b] = i < j ? [i, j] : [j, i];
  return values[a * n - (a * (a + 1)) / 2 + (b - a - 1)] ?? 0;
}

function cell(i: number, j: number, value: number | null, title: string): HTMLElement {
  const element = h("span", {
    class: value === null ? "heat-cell none" : "heat-cell",
    title: value === null ? "" : `${title}: ${value.toFixed(2)}`,
  });
  if (value !== null) {
    element.style.background = heatColour(value, FULL_COLOUR);
    if (j > i && Math.abs(value) >= 0.1) element.textContent = value.toFixed(1).replace("0.", ".");
  }
  return element;
}

/** Abbreviation of a strand: "l.arm" for "left_arm". */
function abbreviate(name: string): string {
  const [first, second] = name.split("_");
  return second ? `${first[0]}.${second.slice(0, 3)}` : first.slice(0, 5);
}
