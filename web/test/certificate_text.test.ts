import { describe, expect, it } from "vitest";
import {
  describeFile,
  describeMotion,
  describeSegment,
  type FileCertificate,
  joinSegments,
  overlappingParts,
  uncertified,
} from "../src/certificate_text";
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
    start_depth_m: Math.max(0, -clearance),
    end_depth_m: 0,
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
    expect(joinSegments([segment(0, 0.05), segment(0.05, 0.1, "penetrating", -0.01)])).toHaveLength(2);
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
    const bad = [segment(0, 1), segment(1, 2, "passes through", -0.0301), segment(2, 3, "penetrating", -0.001)];
    expect(describeMotion(certificate(bad))).toBe("1 of 3 segments passes through, 1 overlaps, by up to 31 mm");
    expect(describeMotion(certificate([segment(0, 1, "penetrating", -0.0001)]))).toBe("Parts overlap, by up to 1 mm");
  });
});

describe("describeSegment", () => {
  it("names the parts, the depth and the time", () => {
    expect(describeSegment(segment(1, 2, "penetrating", -0.004))).toBe(
      "Left hand and chest overlap by 4 mm near 1.00 s",
    );
    expect(describeSegment(segment(1, 2, "passes through", -0.004))).toContain("pass through each other");
    expect(describeSegment(segment(1, 2, "certified", 3))).toBe("Certified");
  });

  it("never calls an improving or undecided segment certified", () => {
    expect(describeSegment(segment(1, 2, "improving", -0.01))).toBe(
      "Left hand and chest start 10 mm deep and move apart, ending clear",
    );
    expect(describeSegment(segment(1, 2, "undecided", 0.01))).toMatch(/^Not proven/);
    expect(
      uncertified(certificate([segment(0, 1), segment(1, 2, "improving"), segment(2, 3, "undecided")])),
    ).toHaveLength(2);
  });
});

describe("a document in which nothing moves", () => {
  const still = (verdict: string, clearance: number) => ({
    ...certificate([]),
    pose: segment(0, 0, verdict, clearance),
  });

  it("says whether the pose is clear, touching or overlapping", () => {
    expect(describeMotion(still("certified", 0.0129))).toBe("Pose clear, by 12 mm");
    expect(describeMotion(still("certified", -0.0004))).toBe("Pose touching: left hand and chest");
    expect(describeMotion(still("penetrating", -0.0436))).toBe("Pose overlaps: left hand and chest, by 44 mm");
    expect(uncertified(still("penetrating", -0.0436))).toHaveLength(1);
    expect(uncertified(still("certified", 0.1))).toHaveLength(0);
  });

  it("never calls an empty certificate certified", () => {
    expect(describeMotion(certificate([]))).toBe("No motion to check");
  });

  it("counts what is not tested", () => {
    expect(describeMotion({ ...still("certified", 3), untested_pairs: 7 })).toBe(
      "Pose clear; 7 shape pairs at joints not tested",
    );
  });
});

describe("describeFile", () => {
  const file = (change: Partial<FileCertificate>): FileCertificate => ({
    certified: false,
    verdict: "penetrating",
    frames: 61,
    interpolation: "both",
    pass_throughs: 0,
    penetration_m: 0.0123,
    note: "",
    ...change,
  });

  it("claims a certificate only for certified files", () => {
    expect(describeFile(file({ certified: true, verdict: "certified" }))).toContain("Certified: the file’s 61 frames");
    expect(describeFile(file({}))).toContain("Not certified: parts overlap by up to 13 mm");
    expect(describeFile(file({ verdict: "improving" }))).toContain("at the start and move apart");
    expect(describeFile(file({ verdict: "undecided" }))).toContain("could not be proven");
    expect(describeFile(file({ verdict: "undecided", note: "it has no shapes" }))).toBe(
      " Not checked: it has no shapes.",
    );
    expect(describeFile(null)).toBe(" It was not checked.");
  });

  it("speaks of a pose when there is one frame", () => {
    const still = file({ certified: true, verdict: "certified", frames: 1 });
    expect(describeFile(still)).toBe(" Certified: the pose is free of penetration.");
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
