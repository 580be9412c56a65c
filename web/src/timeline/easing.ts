/** Easing of keys: names, labels and the handles of its curve (x: share of the time, y: progress). */

export type Handles = [number, number, number, number];

/** Labels of the named easings, as `writhe.easing` names them. */
export const EASE_NAMES: { [ease: string]: string } = {
  smooth: "Smooth",
  linear: "Linear",
  ease_in: "Ease in (slow start)",
  ease_out: "Ease out (slow end)",
  ease_in_out: "Ease in and out",
  hold: "Stepped",
};
const HANDLES: { [ease: string]: Handles } = {
  smooth: [1 / 3, 0, 2 / 3, 1],
  linear: [1 / 3, 1 / 3, 2 / 3, 2 / 3],
  ease_in: [0.42, 0, 1, 1],
  ease_out: [0, 0, 0.58, 1],
  ease_in_out: [0.42, 0, 0.58, 1],
};
export const LOWEST = -0.5;
export const HIGHEST = 1.5;

/** The handles of an easing; null for stepped keys. */
export function easeHandles(ease: string): Handles | null {
  if (ease === "hold") return null;
  return HANDLES[ease] ?? (ease.split(" ").map(Number) as Handles);
}

/** The easing with these handles, as it is stored: x from 0 to 1, y a little beyond. */
export function customEase([x1, y1, x2, y2]: Handles): string {
  const within = (value: number, low: number, high: number) =>
    String(Number(Math.min(high, Math.max(low, value)).toFixed(3)));
  return [within(x1, 0, 1), within(y1, LOWEST, HIGHEST), within(x2, 0, 1), within(y2, LOWEST, HIGHEST)].join(" ");
}
