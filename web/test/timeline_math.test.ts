import { describe, expect, it } from "vitest";
import {
  nextKeyTime,
  percentAt,
  previousKeyTime,
  snapToFrame,
  tickTimes,
  timelineRows,
} from "../src/timeline/timeline_math";
import { documentState, poseKey } from "./fixtures";

describe("snapToFrame", () => {
  it("rounds to whole frames", () => {
    expect(snapToFrame(0.51, 10)).toBeCloseTo(0.5);
    expect(snapToFrame(1 / 3, 24)).toBeCloseTo(8 / 24);
    expect(snapToFrame(-0.26, 10)).toBeCloseTo(-0.3);
  });
});

describe("percentAt", () => {
  it("is relative to the duration, and defined without one", () => {
    expect(percentAt(1, 4)).toBe("25%");
    expect(percentAt(0, 0)).toBe("0%");
  });
});

describe("tickTimes", () => {
  it("marks at most 13 round times whatever the duration", () => {
    for (const duration of [0.1, 0.5, 1, 2, 4, 7.3, 60, 600, 3600]) {
      const times = tickTimes(duration);
      expect(times.length).toBeGreaterThanOrEqual(2);
      expect(times.length).toBeLessThanOrEqual(13);
      expect(times.at(-1)!).toBeLessThanOrEqual(duration + 1e-6);
    }
    expect(tickTimes(4)).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]);
    expect(tickTimes(60, 4).slice(0, 3)).toEqual([0, 0.5, 1]); // of which 4 s are seen at once
  });
});

describe("previousKeyTime and nextKeyTime", () => {
  const keys = [poseKey(1, 2), poseKey(2, 0.5), poseKey(3, 1, { actor: 2 }), poseKey(4, 1.5, { actor: 0, object: 7 })];

  it("go through the keys of the active actor in order of time", () => {
    expect(nextKeyTime(keys, 1, null, 0)).toBe(0.5);
    expect(nextKeyTime(keys, 1, null, 0.5)).toBe(2);
    expect(previousKeyTime(keys, 1, null, 2)).toBe(0.5);
  });

  it("are null past the last and before the first key", () => {
    expect(nextKeyTime(keys, 1, null, 2)).toBeNull();
    expect(previousKeyTime(keys, 1, null, 0.5)).toBeNull();
  });

  it("use the keys of the selected object instead", () => {
    expect(nextKeyTime(keys, 1, 7, 0)).toBe(1.5);
  });
});

describe("timelineRows", () => {
  it("has a pose row for every actor and one row for every other kind of key", () => {
    const state = documentState({
      actors: [
        { id: 1, name: "Human" },
        { id: 2, name: "Human 2" },
      ] as never,
      objects: [{ id: 7, name: "Box" }] as never,
      keys: [
        poseKey(1, 0),
        poseKey(2, 1, { kind: "path" }),
        poseKey(3, 2, { kind: "path" }),
        poseKey(4, 0, { actor: 0, object: 7, kind: "place" }),
        poseKey(5, 0, { actor: 0, kind: "tangle" }),
      ],
    });
    expect(timelineRows(state).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "Human pose",
      "Human path",
      "Human 2 pose",
      "Box place",
      " tangle",
    ]);
  });

  it("has no row for an object without keys", () => {
    const state = documentState({ objects: [{ id: 7, name: "Box" }] as never });
    expect(timelineRows(state).map((row) => row.name)).toEqual(["Human"]);
  });
});
