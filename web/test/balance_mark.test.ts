import { describe, expect, it } from "vitest";
import { isInside } from "../src/features/posing/balance_mark";

const SQUARE: [number, number][] = [
  [0, 0],
  [0.2, 0],
  [0.2, 0.2],
  [0, 0.2],
];

describe("isInside", () => {
  it("holds in either order of the corners, and within the tolerance of a drag", () => {
    for (const polygon of [SQUARE, SQUARE.toReversed()]) {
      expect(isInside([0.1, 0.1], polygon)).toBe(true);
      expect(isInside([0.206, 0.1], polygon)).toBe(true);
      expect(isInside([0.23, 0.1], polygon)).toBe(false);
      expect(isInside([0.1, -0.05], polygon)).toBe(false);
    }
  });
});
