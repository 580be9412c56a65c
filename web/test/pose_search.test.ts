import { describe, expect, it } from "vitest";
import { searchWords, wordDistance } from "../src/ui/pose_search";

const POSES = [
  "stand",
  "arms folded",
  "sit, arms folded",
  "sit cross-legged",
  "sit, hands on thighs",
  "wave high",
  "kneel",
];

function ranked(typed: string): string[] {
  const words = searchWords(typed);
  return POSES.map((name) => ({ name, distance: wordDistance(words, name) }))
    .filter((one) => one.distance !== null)
    .sort((a, b) => a.distance! - b.distance!)
    .map((one) => one.name);
}

describe("searchWords", () => {
  it("drops words without meaning for the search", () => {
    expect(searchWords("Hands on the knees")).toEqual(["hands", "knees"]);
  });

  it("keeps them when nothing else was typed", () => {
    expect(searchWords("on the")).toEqual(["on", "the"]);
    expect(searchWords("   ")).toEqual([]);
  });
});

describe("wordDistance", () => {
  it("finds synonyms", () => {
    expect(ranked("arms crossed")[0]).toBe("arms folded");
    expect(ranked("hands on knees")).toEqual(["sit, hands on thighs"]);
    expect(ranked("hello")).toEqual(["wave high"]);
  });

  it("matches the beginning of a word while it is typed", () => {
    expect(ranked("kne")).toContain("kneel");
  });

  it("requires every word", () => {
    expect(wordDistance(searchWords("sit folded"), "arms folded")).toBeNull();
    expect(ranked("sit folded")).toEqual(["sit, arms folded", "sit cross-legged"]); // by a synonym
    expect(ranked("xyz")).toEqual([]);
  });

  it("prefers the literal word, the shorter name and the order that was typed", () => {
    const distance = (typed: string, name: string) => wordDistance(searchWords(typed), name)!;
    expect(distance("folded", "arms folded")).toBeLessThan(distance("crossed", "arms folded"));
    expect(distance("arms folded", "arms folded")).toBeLessThan(distance("arms folded", "sit, arms folded"));
    expect(distance("sit folded", "sit, arms folded")).toBeLessThan(distance("folded sit", "sit, arms folded"));
  });
});
