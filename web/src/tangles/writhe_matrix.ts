/** The writhe matrix as an SVG picture: rows along the first chain, columns along the second. */
import { svg } from "../dom";
import type { Winding } from "../generated/messages";
import { floats } from "../sampled_motion";
import { heatColour, heatPercent } from "../ui/heat_colour";
import { CHAIN_COLOURS } from "./chains";

const WIDTH = 252;
const LEFT = 66; // room for the row labels
const TOP = 16;
const SLANT = 42; // angle of the column labels, in degrees
const FULL_COLOUR = 0.25; // entries of this size or more are drawn in full colour
const LEGIBLE_PX = 24; // smallest cell that shows its number

export interface Target {
  centre_first: number | null;
  centre_second: number | null;
}

/** The picture of a winding, with the target centre as a dashed ring. */
export function matrixPicture(found: Winding, target: Target): SVGElement {
  const rows = found.rows.length - 1,
    columns = found.columns.length - 1;
  const across = WIDTH - LEFT - 8;
  const cell = Math.min(40, across / columns, 190 / rows);
  const width = cell * columns,
    height = cell * rows;
  const x = (k: number) => LEFT + k * cell,
    y = (k: number) => TOP + k * cell;
  const names = vertexLabels(found.columns);
  const below = 16 + 5.6 * Math.sin((SLANT * Math.PI) / 180) * Math.max(...names.map((name) => name.length));
  const picture = svg("svg", {
    class: "matrix",
    viewBox: `0 0 ${WIDTH} ${(TOP + height + below).toFixed(0)}`,
    role: "img",
  });
  picture.setAttribute("aria-label", `Writhe matrix: ${found.writhe.toFixed(2)} in all`);
  const values = [...floats(found.matrix)];
  values.forEach((value, k) =>
    picture.append(entry(value, x(k % columns), y(Math.floor(k / columns)), cell, segmentNames(found, k))),
  );
  picture.append(svg("rect", { class: "matrix-frame", x: x(0), y: y(0), width, height, rx: 3 }));
  vertexLabels(found.rows).forEach((name, k) =>
    picture.append(
      text(name, LEFT - 7, y(k) + 3, { "text-anchor": "end" }, CHAIN_COLOURS[0]),
      tick(x(0) - 4, y(k), x(0), y(k)),
    ),
  );
  names.forEach((name, k) => {
    const at = `${x(k).toFixed(1)} ${(TOP + height + 12).toFixed(1)}`;
    picture.append(
      text(name, 0, 0, { "text-anchor": "end", transform: `translate(${at}) rotate(${-SLANT})` }, CHAIN_COLOURS[1]),
      tick(x(k), y(rows), x(k), y(rows) + 4),
    );
  });
  picture.append(
    text(`${found.writhe < 0 ? "−" : "+"}${Math.abs(found.writhe).toFixed(2)} turns`, x(columns), TOP - 5, {
      "text-anchor": "end",
      class: "matrix-sum",
    }),
  );
  const along = (c: number, from: number, size: number) => from + 0.5 * (1 + c) * size;
  if (Math.abs(found.writhe) > 0.03) {
    const cx = along(found.centre_second, LEFT, width),
      cy = along(found.centre_first, TOP, height);
    const turn = Math.PI / 4 - found.density; // angle of the density line from the direction of the first chain
    const dx = 0.24 * width * Math.sin(turn),
      dy = 0.24 * height * Math.cos(turn);
    picture.append(svg("line", { class: "matrix-axis", x1: cx - dx, y1: cy - dy, x2: cx + dx, y2: cy + dy }));
    if (cell >= LEGIBLE_PX)
      values.forEach(
        (value, k) =>
          Math.abs(value) >= 0.005 &&
          picture.append(number(value, x((k % columns) + 0.5), y(Math.floor(k / columns) + 0.5))),
      );
    picture.append(
      titled(
        svg("circle", { class: "matrix-centre", cx, cy, r: 4 }),
        `Centre ${found.centre_first.toFixed(2)}, ${found.centre_second.toFixed(2)}; the line shows the density`,
      ),
    );
  }
  if (target.centre_first !== null || target.centre_second !== null) {
    const cx = along(target.centre_second ?? found.centre_second, LEFT, width),
      cy = along(target.centre_first ?? found.centre_first, TOP, height);
    picture.append(titled(svg("circle", { class: "matrix-target", cx, cy, r: 8 }), "Target centre"));
  }
  return picture;
}

function entry(value: number, x: number, y: number, size: number, title: string): SVGElement {
  const box = svg("rect", { x: x + 0.5, y: y + 0.5, width: size - 1, height: size - 1, rx: 2 });
  // set by script: the content security policy forbids style attributes
  box.style.fill = heatColour(value, FULL_COLOUR);
  return titled(box, `${title}: ${value.toFixed(3)}`);
}

function number(value: number, x: number, y: number): SVGElement {
  const digits = Math.abs(value).toFixed(2).replace(/^0/, "");
  return text(`${value < 0 ? "−" : ""}${digits}`, x, y + 3.5, {
    "text-anchor": "middle",
    class: heatPercent(value, FULL_COLOUR) > 55 ? "matrix-number strong" : "matrix-number",
  });
}

/** The two segments that an entry belongs to. */
function segmentNames(found: Winding, k: number): string {
  const columns = found.columns.length - 1,
    row = Math.floor(k / columns),
    column = k % columns;
  const segment = (names: string[], i: number) => `${names[i]}–${names[i + 1]}`.replaceAll("_", " ");
  return `${segment(found.rows, row)} with ${segment(found.columns, column)}`;
}

/** Names of vertices without a common "left" or "right". */
function vertexLabels(names: string[]): string[] {
  const side = /^(left|right)_/.exec(names[0])?.[0] ?? "";
  const all = side && names.every((name) => name.startsWith(side));
  return names.map((name) => (all ? name.slice(side.length) : name).replaceAll("_", " "));
}

function text(
  content: string,
  x: number,
  y: number,
  attributes: { [name: string]: string } = {},
  colour = "",
): SVGElement {
  const element = svg("text", { x, y, ...attributes });
  if (colour) element.style.fill = `color-mix(in oklab, ${colour} 78%, var(--text))`;
  element.textContent = content;
  return element;
}

function tick(x1: number, y1: number, x2: number, y2: number): SVGElement {
  return svg("line", { class: "matrix-tick", x1, y1, x2, y2 });
}

function titled(element: SVGElement, about: string): SVGElement {
  const title = svg("title", {});
  title.textContent = about;
  element.append(title);
  return element;
}
