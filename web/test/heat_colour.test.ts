import { describe, expect, it } from "vitest";
import { heatColour, heatPercent } from "../src/ui/heat_colour";

describe("heatColour", () => {
  it("grows with the size of the value up to full colour", () => {
    expect(heatPercent(0, 0.5)).toBe(0);
    expect(heatPercent(-0.25, 0.5)).toBe(50);
    expect(heatPercent(7, 0.5)).toBe(100);
  });

  it("depends on the sign", () => {
    expect(heatColour(-0.1, 0.5)).toContain("--heat-minus) 20%");
    expect(heatColour(0.1, 0.5)).toContain("--heat-plus) 20%");
  });
});
