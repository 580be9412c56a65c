import { describe, expect, it } from "vitest";
import { jointPath } from "../src/tangles/chains";

// hips 0, chest 1, left shoulder 2, left hand 3, right shoulder 4, right hand 5
const PARENTS = [-1, 0, 1, 2, 1, 4];

describe("jointPath", () => {
  it("goes up to the common ancestor and down again", () => {
    expect(jointPath(PARENTS, 3, 5)).toEqual([3, 2, 1, 4, 5]);
  });

  it("goes along one branch in either direction", () => {
    expect(jointPath(PARENTS, 0, 3)).toEqual([0, 1, 2, 3]);
    expect(jointPath(PARENTS, 3, 0)).toEqual([3, 2, 1, 0]);
    expect(jointPath(PARENTS, 2, 2)).toEqual([2]);
  });
});
