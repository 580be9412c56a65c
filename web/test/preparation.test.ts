import { expect, test } from "vitest";
import { preparationText } from "../src/ui/preparation";

const state = { done: 0.4, what: "posing", seconds_left: 28, visible: true, ready: false, problem: "" };

test("says what is prepared, how much of it is done and how long it takes", () => {
  expect(preparationText(state)).toBe("Preparing posing: 40 %, about 30 s left");
  expect(preparationText({ ...state, seconds_left: 150 })).toBe("Preparing posing: 40 %, about 3 min left");
});

test("guesses no time as long as there is nothing to guess from", () => {
  expect(preparationText({ ...state, done: 0, what: "", seconds_left: null })).toBe("Preparing the studio: 0 %");
});
