import { describe, expect, it } from "vitest";
import { bestMatches, searchWords, wordDistance } from "../src/ui/word_search";

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
  it("finds how to carry something by the word", () => {
    const actions = ["Grip an object or shake hands", "Lift what the hands hold", "Mirror the pose"];
    expect(bestMatches(actions, "carry", (name) => name)).toContain("Grip an object or shake hands");
  });

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

describe("bestMatches", () => {
  const ACTIONS = ["Grip an object or shake hands", "Lift what the hands hold", "Walk: click the floor", "Pin it"];
  const find = (typed: string) => bestMatches(ACTIONS, typed, (one) => one)[0];

  it("finds actions by everyday words", () => {
    expect(find("handshake")).toBe("Grip an object or shake hands");
    expect(find("carry")).toBe("Lift what the hands hold");
    expect(find("grab")).toBe("Grip an object or shake hands");
    expect(find("freeze")).toBe("Pin it");
  });

  it("moves entries with a cost down", () => {
    const cost = (one: string) => (one.startsWith("Hand pose") ? 4 : 0);
    const found = bestMatches(["Hand pose: grip", ...ACTIONS], "grip", (one) => one, undefined, cost);
    expect(found[0]).toBe("Grip an object or shake hands");
    expect(found).toContain("Hand pose: grip");
  });

  it("ranks names before descriptions", () => {
    const objects = [
      { name: "Add: Stand", about: "Two posts that a bar lies on" },
      { name: "Add: Bar", about: "On a stand, to hold with one hand or both" },
    ];
    const found = bestMatches(
      objects,
      "add bar",
      (one) => one.name,
      (one) => one.about,
    );
    expect(found.map((one) => one.name)).toEqual(["Add: Bar", "Add: Stand"]);
  });

  it("finds nothing where nothing matches", () => {
    expect(bestMatches(ACTIONS, "spaceship", (one) => one)).toEqual([]);
  });
});
