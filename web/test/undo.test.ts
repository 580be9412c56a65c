import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Editor } from "../src/editor";
import { store } from "../src/store";
import { showMessage } from "../src/ui/toast";
import { UndoRedo } from "../src/undo";
import { documentState, motionOf, poseKey } from "./fixtures";

vi.mock("../src/ui/toast", () => ({ showMessage: vi.fn() }));

const seek = vi.fn();
const command = vi.fn(() => "request-1");

function undoing(before: Parameters<typeof documentState>[0]): UndoRedo {
  const undo = new UndoRedo({ command, seek } as unknown as Editor);
  store.state = documentState({ undo: "Mirror pose", redo: "Pin", ...before });
  return undo;
}

beforeEach(() => {
  vi.clearAllMocks();
  store.motions.clear();
  store.timeS = 0;
});

describe("UndoRedo", () => {
  it("sends the command and names what was undone once the server has answered", () => {
    const undo = undoing({});
    undo.request("undo");
    expect(command).toHaveBeenCalledWith({ type: "undo" });
    undo.receive(documentState({ request: "another" }));
    expect(showMessage).not.toHaveBeenCalled();
    undo.receive(documentState({ request: "request-1" }));
    expect(showMessage).toHaveBeenCalledWith("Undone: Mirror pose.");
    undo.receive(documentState({ request: "request-1" }));
    expect(showMessage).toHaveBeenCalledTimes(1);
  });

  it("names what was redone", () => {
    const undo = undoing({});
    undo.request("redo");
    undo.receive(documentState({ request: "request-1" }));
    expect(showMessage).toHaveBeenCalledWith("Redone: Pin.");
  });

  it("moves the playhead to a key that was removed at another time", () => {
    const undo = undoing({ keys: [poseKey(1, 0), poseKey(2, 2)] });
    undo.request("undo");
    undo.receive(documentState({ request: "request-1", keys: [poseKey(1, 0)] }));
    expect(seek).toHaveBeenCalledWith(2);
    expect(showMessage).toHaveBeenCalledWith("Undone: Mirror pose, at 2.00 s.");
  });

  it("moves to the key nearest to the playhead whose pose has changed", () => {
    const keys = [poseKey(1, 0), poseKey(2, 0.1), poseKey(3, 0.2)];
    const undo = undoing({ keys });
    store.motions.set(1, motionOf(0, 1, 2));
    undo.request("undo");
    store.motions.set(1, motionOf(0, 1.5, 2.5));
    undo.receive(documentState({ request: "request-1", keys }));
    expect(seek).toHaveBeenCalledWith(0.1);
  });

  it("stays when something changed at the playhead", () => {
    const keys = [poseKey(1, 0), poseKey(2, 0.1)];
    const undo = undoing({ keys });
    store.motions.set(1, motionOf(0, 1));
    undo.request("undo");
    store.motions.set(1, motionOf(0.5, 1.5));
    undo.receive(documentState({ request: "request-1", keys }));
    expect(seek).not.toHaveBeenCalled();
  });
});
