import { beforeEach, describe, expect, it, vi } from "vitest";
import type { MotionCertificate } from "../src/generated/messages";
import { MotionCheck } from "../src/motion_check";
import { store } from "../src/store";
import { documentState } from "./fixtures";

let asked = 0;
let reachable = true;
const ask = () => (reachable ? `check-${++asked}` : "");

function answer(certified: boolean, revision: number): MotionCertificate {
  return { type: "motion_certificate", job: `check-${asked}`, certified, revision } as MotionCertificate;
}

/** A state of the document arrives, with a box at this position. */
function arrive(check: MotionCheck, revision: number, x: number): void {
  store.state = documentState({ revision, objects: [{ id: 1, position: [x, 0, 0] }] as never });
  check.documentChanged();
}

/** A state arrives, and the document rests until it is checked. */
function edit(check: MotionCheck, revision: number, x: number): void {
  arrive(check, revision, x);
  vi.advanceTimersByTime(500);
}

beforeEach(() => {
  vi.useFakeTimers();
  asked = 0;
  reachable = true;
  store.certificate = null;
});

describe("MotionCheck", () => {
  it("shows the answer until the document changes", () => {
    const check = new MotionCheck(ask, () => {});
    edit(check, 1, 0);
    check.receive(answer(true, 1));
    expect(store.certificate?.certified).toBe(true);
    edit(check, 2, 1);
    expect(store.certificate).toBeNull();
    expect(check.stale).toBe(true);
  });

  it("does not take the certificate of a later state for that of the state it asked about", () => {
    const check = new MotionCheck(ask, () => {});
    edit(check, 1, 0); // asks about a pose in the box
    arrive(check, 2, 1); // a job has moved it out ...
    check.receive(answer(true, 2)); // ... and the answer is about that
    expect(store.certificate?.certified).toBe(true);
    edit(check, 3, 0); // undone: the pose is in the box again
    expect(store.certificate).toBeNull();
    check.receive(answer(false, 3));
    expect(store.certificate?.certified).toBe(false);
  });

  it("asks again when the answer is about a state that has not arrived, or is gone", () => {
    for (const judged of [0, 2]) {
      const check = new MotionCheck(ask, () => {});
      edit(check, 1, 0);
      const before = asked;
      check.receive(answer(true, judged));
      expect(store.certificate).toBeNull();
      vi.advanceTimersByTime(500);
      expect(asked).toBe(before + 1);
    }
  });

  it("asks again when the check failed, or could not be sent", () => {
    const check = new MotionCheck(ask, () => {});
    reachable = false;
    edit(check, 1, 0);
    reachable = true;
    edit(check, 1, 0);
    expect(asked).toBe(1);
    check.receive({ type: "error", request: "check-1", text: "at most 4 jobs can run at once" });
    edit(check, 1, 0);
    expect(asked).toBe(2);
  });
});
