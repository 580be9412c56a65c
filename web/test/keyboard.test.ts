import { describe, expect, it } from "vitest";
import { keyCombination } from "../src/keyboard";

function pressed(key: string, held: Partial<KeyboardEvent> = {}): string {
  return keyCombination({ key, ctrlKey: false, metaKey: false, shiftKey: false, ...held });
}

describe("keyCombination", () => {
  it("spells combinations as actions do, in lower case", () => {
    expect(pressed("k")).toBe("k");
    expect(pressed(" ")).toBe("space");
    expect(pressed("Z", { ctrlKey: true, shiftKey: true })).toBe("ctrl+shift+z");
  });

  it("takes Command on Apple keyboards as Ctrl", () => {
    expect(pressed("z", { metaKey: true })).toBe("ctrl+z");
  });

  it("leaves out Shift for the question mark, which needs it on most keyboards", () => {
    expect(pressed("?", { shiftKey: true })).toBe("?");
  });
});
