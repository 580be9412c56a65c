import { describe, expect, it } from "vitest";
import { floats, linkingAt, poseAt, withFrames } from "../src/sampled_motion";
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

describe("withFrames", () => {
  const message = {
    fps: 10,
    frames: 2,
    first: 0,
    size: 3,
    q: unalignedBytes(1, 2, 3, 4, 5, 6),
    linking: unalignedBytes(0.25, -0.5),
  };

  it("finds the sizes of a frame from the lengths of the arrays", () => {
    const motion = withFrames(undefined, message);
    expect([motion.size, motion.pairs]).toEqual([3, 1]);
    expect([...poseAt(motion, 0.1)!]).toEqual([4, 5, 6]);
    expect([...linkingAt(motion, 0.1)]).toEqual([-0.5]);
  });

  it("replaces the sent frames and keeps the others", () => {
    const part = { ...message, frames: 3, first: 1, q: unalignedBytes(7, 8, 9), linking: unalignedBytes(0.75) };
    const motion = withFrames(withFrames(undefined, message), { ...part, frames: 3 });
    expect([...poseAt(motion, 0)!]).toEqual([1, 2, 3]);
    expect([...poseAt(motion, 0.1)!]).toEqual([7, 8, 9]);
    const shorter = withFrames(motion, {
      ...part,
      frames: 1,
      first: 1,
      q: unalignedBytes(),
      linking: unalignedBytes(),
    });
    expect([shorter.frames, ...shorter.q]).toEqual([1, 1, 2, 3]);
  });
});

describe("floats", () => {
  it("reads bytes that are not aligned to four", () => {
    const bytes = unalignedBytes(1.5, -2);
    expect(bytes.byteOffset % 4).not.toBe(0);
    expect([...floats(bytes)]).toEqual([1.5, -2]);
  });
});
