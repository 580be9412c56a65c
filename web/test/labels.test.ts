import { describe, expect, it } from "vitest";
import { jointLabel } from "../src/labels";

describe("jointLabel", () => {
  it("uses the everyday names of hands, feet and toes", () => {
    expect(jointLabel("left_wrist")).toBe("left hand");
    expect(jointLabel("right_ankle")).toBe("right foot");
    expect(jointLabel("left_toe")).toBe("left toes");
  });

  it("keeps other joints, without underscores", () => {
    expect(jointLabel("left_elbow")).toBe("left elbow");
    expect(jointLabel("wrist_twist_left")).toBe("wrist twist left");
  });
});
