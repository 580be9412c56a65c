import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Editor } from "../src/editor";
import { Playback } from "../src/playback";
import { store } from "../src/store";
import { documentState } from "./fixtures";

let frames: ((now: number) => void)[] = [];
const seek = vi.fn();

function tick(now: number): void {
  const due = frames;
  frames = [];
  due.forEach((frame) => frame(now));
}

beforeEach(() => {
  frames = [];
  seek.mockClear();
  vi.stubGlobal("requestAnimationFrame", (frame: (now: number) => void) => frames.push(frame));
  vi.spyOn(performance, "now").mockReturnValue(1000);
  Object.assign(store, { state: documentState({ duration_s: 2 }), timeS: 0, playing: false, speed: 1, loop: true });
});

describe("Playback", () => {
  const playback = new Playback({ seek } as unknown as Editor);

  it("advances by the time that has passed, at the chosen speed", () => {
    store.speed = 0.5;
    playback.start();
    tick(1400);
    expect(store.timeS).toBeCloseTo(0.2);
    tick(1800);
    expect(store.timeS).toBeCloseTo(0.4);
  });

  it("wraps around when looping", () => {
    store.timeS = 1.5;
    playback.start();
    tick(2000);
    expect(store.playing).toBe(true);
    expect(store.timeS).toBeCloseTo(0.5);
  });

  it("stops at the end otherwise, and seeks there", () => {
    store.loop = false;
    store.timeS = 1.5;
    playback.start();
    tick(2000);
    expect(store.playing).toBe(false);
    expect(seek).toHaveBeenCalledWith(2);
    expect(frames).toHaveLength(0);
  });

  it("starts over from the end", () => {
    store.timeS = 2;
    playback.start();
    expect(store.timeS).toBe(0);
  });

  it("toggles", () => {
    playback.toggle();
    expect(store.playing).toBe(true);
    playback.toggle();
    expect(store.playing).toBe(false);
  });
});
