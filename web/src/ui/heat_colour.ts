/** Colour of a signed value in the heat maps. */

/** Share of the full colour in percent: 100 for values of size `full` or more. */
export function heatPercent(value: number, full: number): number {
  return Math.round(100 * Math.min(1, Math.abs(value) / full));
}

/** CSS colour between that of zero and that of the sign of the value. */
export function heatColour(value: number, full: number): string {
  const sign = value < 0 ? "minus" : "plus";
  return `color-mix(in oklab, var(--heat-${sign}) ${heatPercent(value, full)}%, var(--heat-zero))`;
}
