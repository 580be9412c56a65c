import { describe, expect, it } from "vitest";
import { describeMotion, describeSegment, joinSegments, overlappingParts } from "../src/certificate_text";
import type { MotionCertificate, Segment } from "../src/generated/messages";

function segment(start: number, end: number, verdict = "certified", clearance = 0.02): Segment {
  return {
    start_s: start,
    end_s: end,
    verdict,
    clearance_m: clearance,
    a: "left hand",
    b: "chest",
    at_s: start,
    actors: [1],
  } as Segment;
}

function certificate(segments: Segment[], overlaps: MotionCertificate["overlaps"] = []): MotionCertificate {
  return { type: "motion_certificate", job: "", fps: 10, frames: 21, segments, overlaps } as MotionCertificate;
}

describe("joinSegments", () => {
  it("joins dense segments of the same verdict and keeps the smallest clearance", () => {
    const dense = [segment(0, 0.05, "certified", 0.03), segment(0.05, 0.1, "certified", 0.01), segment(0.1, 0.15)];
    const joined = joinSegments(dense);
    expect(joined).toHaveLength(1);
    expect(joined[0]).toMatchObject({ start_s: 0, end_s: 0.15, clearance_m: 0.01 });
  });

  it("keeps segments between ordinary keys, different verdicts and gaps apart", () => {
    expect(joinSegments([segment(0, 1), segment(1, 2)])).toHaveLength(2);
    expect(joinSegments([segment(0, 0.05), segment(0.05, 0.1, "overlaps", -0.01)])).toHaveLength(2);
    expect(joinSegments([segment(0, 0.05), segment(0.5, 0.55)])).toHaveLength(2);
  });
});

describe("describeMotion", () => {
  it("rounds clearance down", () => {
    expect(describeMotion(certificate([segment(0, 1, "certified", 0.0129), segment(1, 2)]))).toBe(
      "Motion certified, 12 mm clear",
    );
  });

  it("says when parts touch, and leaves out distances over a metre", () => {
    expect(describeMotion(certificate([segment(0, 1, "certified", 0.0004)]))).toBe("Motion certified, touching");
    expect(describeMotion(certificate([segment(0, 1, "certified", 5)]))).toBe("Motion certified");
  });

  it("rounds penetration up and counts the segments", () => {
    const bad = [segment(0, 1), segment(1, 2, "passes through", -0.0301), segment(2, 3, "overlaps", -0.001)];
    expect(describeMotion(certificate(bad))).toBe("1 of 3 segments passes through, 1 overlaps, by up to 31 mm");
    expect(describeMotion(certificate([segment(0, 1, "overlaps", -0.0001)]))).toBe("Parts overlap, by up to 1 mm");
  });
});

describe("describeSegment", () => {
  it("names the parts, the depth and the time", () => {
    expect(describeSegment(segment(1, 2, "overlaps", -0.004))).toBe("Left hand and chest overlap by 4 mm near 1.00 s");
    expect(describeSegment(segment(1, 2, "passes through", -0.004))).toContain("pass through each other");
    expect(describeSegment(segment(1, 2, "certified", 3))).toBe("Certified");
  });
});

describe("overlappingParts", () => {
  const overlaps = [{ actor: 1, first: 5, last: 9, parts: ["left_hand"] }] as MotionCertificate["overlaps"];
  const found = certificate([], overlaps);

  it("returns the parts of an actor that overlap at a time", () => {
    expect(overlappingParts(found, 1, 0.5)).toEqual(["left_hand"]);
    expect(overlappingParts(found, 1, 0.9)).toEqual(["left_hand"]);
    expect(overlappingParts(found, 1, 0.4)).toEqual([]);
    expect(overlappingParts(found, 2, 0.5)).toEqual([]);
    expect(overlappingParts(null, 1, 0.5)).toEqual([]);
  });
});
