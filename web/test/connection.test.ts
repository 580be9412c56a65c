import { decode, encode } from "@msgpack/msgpack";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connection, type Link } from "../src/connection";
import { PROTOCOL } from "../src/generated/messages";

class FakeSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = FakeSocket.CONNECTING;
  binaryType = "";
  readonly sent: Record<string, unknown>[] = [];
  onopen = () => {};
  onclose = () => {};
  onmessage = (_: { data: ArrayBuffer }) => {};

  constructor(readonly address: URL) {
    FakeSocket.all.push(this);
  }

  send(bytes: Uint8Array): void {
    this.sent.push(decode(bytes) as Record<string, unknown>);
  }

  close(): void {
    this.readyState = 3;
    this.onclose();
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }

  receive(message: Record<string, unknown>): void {
    this.onmessage({ data: encode(message).slice().buffer });
  }

  get types(): unknown[] {
    return this.sent.map((message) => message.type);
  }
}

const newest = () => FakeSocket.all.at(-1)!;

function connected(): { connection: Connection; links: Link[] } {
  const connection = new Connection("walk");
  const links: Link[] = [];
  connection.onLink = (link) => links.push(link);
  newest().open();
  newest().receive({ type: "welcome" });
  return { connection, links };
}

beforeEach(() => {
  vi.useFakeTimers();
  FakeSocket.all = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  vi.stubGlobal("location", { href: "http://studio.test/?document=walk", protocol: "http:" });
  vi.stubGlobal("document", { hidden: false, addEventListener: () => {} });
  vi.stubGlobal("addEventListener", () => {});
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("Connection", () => {
  it("opens the document with the protocol version", () => {
    connected();
    expect(newest().address.href).toBe("ws://studio.test/socket");
    expect(newest().sent[0]).toEqual({ type: "open", protocol: PROTOCOL, document: "walk" });
  });

  it("drops drags while the link is down", () => {
    const connection = new Connection("walk");
    expect(connection.send({ type: "seek", time_s: 1 })).toBe(false);
    newest().open();
    expect(connection.send({ type: "seek", time_s: 1 })).toBe(false); // not welcomed yet
    newest().receive({ type: "welcome" });
    expect(connection.send({ type: "seek", time_s: 1 })).toBe(true);
    expect(newest().types).toEqual(["open", "seek"]);
  });

  it("sends commands given before the link is open once it is", () => {
    const connection = new Connection("walk");
    connection.command({ type: "undo" });
    expect(connection.waiting).toBe(1);
    newest().open();
    newest().receive({ type: "welcome" });
    expect(newest().types).toEqual(["open", "undo"]);
  });

  it("resends unacknowledged commands in order, with their request ids, after a reconnect", () => {
    const { connection, links } = connected();
    const undo = connection.command({ type: "undo" });
    const redo = connection.command({ type: "redo" });
    expect(undo).not.toBe(redo);
    newest().receive({ type: "state", request: undo });
    expect(connection.waiting).toBe(1);
    newest().close();
    expect(links.at(-1)).toBe("lost");
    vi.advanceTimersByTime(250);
    expect(FakeSocket.all).toHaveLength(2);
    newest().open();
    newest().receive({ type: "welcome" });
    expect(links.at(-1)).toBe("open");
    expect(newest().sent.slice(1)).toEqual([{ type: "redo", request: redo }]);
  });

  it("takes an error or the start of a job as an acknowledgement", () => {
    const { connection } = connected();
    const bad = connection.command({ type: "undo" });
    const job = connection.command({ type: "check_motion" });
    newest().receive({ type: "error", request: bad, text: "no" });
    newest().receive({ type: "job", job, status: "running" });
    expect(connection.waiting).toBe(0);
  });

  it("waits longer after every failed attempt, and starts over after a success", () => {
    connected();
    const attempts = (ms: number) => {
      newest().close();
      const before = FakeSocket.all.length;
      vi.advanceTimersByTime(ms);
      return FakeSocket.all.length - before;
    };
    expect(attempts(250)).toBe(1);
    expect(attempts(250)).toBe(0);
    vi.advanceTimersByTime(175); // 425 ms after the second failure
    expect(FakeSocket.all).toHaveLength(3);
    for (let k = 0; k < 10; k++) expect(attempts(3000)).toBe(1); // never more than 3 s
    newest().open();
    newest().receive({ type: "welcome" });
    expect(attempts(250)).toBe(1);
  });

  it("does not reconnect when the document is refused, or after close", () => {
    const { connection, links } = connected();
    newest().receive({ type: "error", request: "open", text: "no such document" });
    expect(links.at(-1)).toBe("refused");
    newest().close();
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    connection.close();
    const other = connected();
    other.connection.close();
    vi.advanceTimersByTime(60_000);
    expect(FakeSocket.all).toHaveLength(2);
  });

  it("hands every message on", () => {
    const { connection } = connected();
    const received: string[] = [];
    connection.onMessage = (message) => received.push(message.type);
    newest().receive({ type: "figure", figure: "human" });
    newest().receive({ type: "state", request: "" });
    expect(received).toEqual(["figure", "state"]);
  });
});
