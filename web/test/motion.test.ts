import { describe, expect, it } from "vitest";
import { floats, linkingAt, poseAt, toMotion } from "../src/motion";
import { motionOf, unalignedBytes } from "./fixtures";

describe("poseAt", () => {
  const motion = motionOf(0, 1, 2, 3);

  it("returns the nearest frame", () => {
    expect([...poseAt(motion, 0.1)!]).toEqual([1]);
    expect([...poseAt(motion, 0.14)!]).toEqual([1]);
    expect([...poseAt(motion, 0.16)!]).toEqual([2]);
  });

  it("holds the first and last pose outside of the motion", () => {
    expect([...poseAt(motion, -1)!]).toEqual([0]);
    expect([...poseAt(motion, 99)!]).toEqual([3]);
  });

  it("is null without a motion", () => {
    expect(poseAt(undefined, 0)).toBeNull();
  });
});

describe("toMotion", () => {
  const message = { fps: 10, frames: 2, q: unalignedBytes(1, 2, 3, 4, 5, 6), linking: unalignedBytes(0.25, -0.5) };

  it("finds the sizes of a frame from the lengths of the arrays", () => {
    const motion = toMotion(message);
    expect([motion.size, motion.pairs]).toEqual([3, 1]);
    expect([...poseAt(motion, 0.1)!]).toEqual([4, 5, 6]);
    expect([...linkingAt(motion, 0.1)]).toEqual([-0.5]);
  });
});

describe("floats", () => {
  it("reads bytes that are not aligned to four", () => {
    const bytes = unalignedBytes(1.5, -2);
    expect(bytes.byteOffset % 4).not.toBe(0);
    expect([...floats(bytes)]).toEqual([1.5, -2]);
  });
});
