import { beforeEach, describe, expect, it, vi } from "vitest";
import { activeActor, notify, on, receiveMotion, store } from "../src/store";
import { documentState, unalignedBytes } from "./fixtures";

beforeEach(() => {
  store.state = null;
  store.motions.clear();
  store.active = 0;
});

describe("notify", () => {
  it("calls a listener of several topics once", () => {
    const listener = vi.fn();
    const stop = on(["state", "time"], listener);
    notify("state", "time");
    expect(listener).toHaveBeenCalledTimes(1);
    notify("selection");
    expect(listener).toHaveBeenCalledTimes(1);
    stop();
    notify("state", "time");
    expect(listener).toHaveBeenCalledTimes(1);
  });
});

describe("activeActor", () => {
  it("falls back to the first actor", () => {
    expect(activeActor()).toBeNull();
    const human = { id: 1, name: "Human" };
    const other = { id: 2, name: "Human 2" };
    store.state = documentState({ actors: [human, other] as never });
    expect(activeActor()?.id).toBe(1);
    store.active = 2;
    expect(activeActor()?.id).toBe(2);
  });
});

describe("receiveMotion", () => {
  const message = {
    type: "motion" as const,
    actor: 1,
    fps: 30,
    frames: 2,
    first: 0,
    size: 1,
    q: unalignedBytes(1, 2),
    linking: new Uint8Array(),
  };

  it("keeps a motion and counts it", () => {
    const before = store.motionVersion;
    receiveMotion(message);
    expect(store.motions.get(1)?.frames).toBe(2);
    expect(store.motionVersion).toBe(before + 1);
  });

  it("removes the motion of an actor that has none any more", () => {
    receiveMotion(message);
    receiveMotion({ ...message, frames: 0, q: new Uint8Array() });
    expect(store.motions.has(1)).toBe(false);
  });
});
