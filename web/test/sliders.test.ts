import { describe, expect, it } from "vitest";
import { twoDigits } from "../src/tangles/sliders";

describe("twoDigits", () => {
  it("rounds, and never shows a negative zero", () => {
    expect(twoDigits(0.346)).toBe("0.35");
    expect(twoDigits(-1.5)).toBe("-1.50");
    expect(twoDigits(-0.001)).toBe("0.00");
  });
});
