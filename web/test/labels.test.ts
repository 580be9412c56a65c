import { describe, expect, it } from "vitest";
import { jointLabel, nameJointsByRole } from "../src/labels";

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

  it("calls joints of characters from files by their roles, else by their names without a namespace", () => {
    nameJointsByRole([["mixamorig:LeftHand", "left_wrist"]]);
    expect(jointLabel("mixamorig:LeftHand")).toBe("left hand");
    expect(jointLabel("mixamorig:HeadTop_End")).toBe("HeadTop End");
  });
});
