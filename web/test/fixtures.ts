/** Messages and stand-ins shared by the tests. */
import type { KeyState, State } from "../src/generated/messages";
import type { Motion } from "../src/sampled_motion";

export function poseKey(id: number, timeS: number, more: Partial<KeyState> = {}): KeyState {
  return { id, actor: 1, object: 0, kind: "pose", time_s: timeS, ease: "smooth", ...more } as KeyState;
}

export function documentState(more: Partial<State> = {}): State {
  const empty = {
    type: "state",
    request: "",
    revision: 0,
    name: "Test",
    fps: 30,
    duration_s: 4,
    keys: [],
    objects: [],
    contacts: [],
  };
  return {
    ...empty,
    actors: [{ id: 1, name: "Human", figure: "human" }],
    undo: "",
    redo: "",
    ...more,
  } as unknown as State;
}

/** A motion with one degree of freedom, sampled at 10 frames per second. */
export function motionOf(...values: number[]): Motion {
  return {
    fps: 10,
    frames: values.length,
    size: 1,
    q: Float32Array.from(values),
    linking: new Float32Array(0),
    pairs: 0,
  };
}

/** The bytes of a float32 array at an odd offset, as the msgpack decoder may return them. */
export function unalignedBytes(...values: number[]): Uint8Array {
  const buffer = new Uint8Array(4 * values.length + 1);
  buffer.set(new Uint8Array(Float32Array.from(values).buffer), 1);
  return buffer.subarray(1);
}
