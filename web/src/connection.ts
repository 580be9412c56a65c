/** The websocket: reconnects by itself and repeats commands until they are acknowledged. */
import { decode, Encoder } from "@msgpack/msgpack";
import { Command, Incoming, Outgoing, PROTOCOL } from "./generated/messages";

export type BareCommand = Command extends infer T ? (T extends Command ? Omit<T, "request"> : never) : never;
export type Link = "connecting" | "open" | "lost" | "refused";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3000;
const encoder = new Encoder({ ignoreUndefined: true });

export class Connection {
  private socket: WebSocket | null = null;
  private pending = new Map<string, Command>();
  private waitMs = FIRST_WAIT_MS;
  private closed = false;
  link: Link = "connecting";
  onMessage: (message: Outgoing) => void = () => {};
  onLink: (link: Link) => void = () => {};

  constructor(private readonly document: string) {
    this.connect();
    addEventListener("online", () => this.retryNow());
    document && globalThis.document.addEventListener("visibilitychange", () => this.retryNow());
  }

  /** Send a message that may be lost with the link: drags, seeks. */
  send(message: Incoming): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN || this.link !== "open") return false;
    this.socket.send(encoder.encode(message));
    return true;
  }

  /** Send a command; it is kept and repeated after a lost link until the server acknowledges it. */
  command(bare: BareCommand): string {
    const request = newRequest();
    const command = { ...bare, request } as Command;
    this.pending.set(request, command);
    this.send(command);
    return request;
  }

  get waiting(): number {
    return this.pending.size;
  }

  close(): void {
    this.closed = true;
    this.socket?.close();
  }

  private retryNow(): void {
    if (this.link === "lost" && !globalThis.document.hidden) this.connect();
  }

  private connect(): void {
    if (this.closed || this.socket?.readyState === WebSocket.CONNECTING) return;
    const address = new URL("socket", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    address.search = "";
    address.hash = "";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => socket.send(encoder.encode({ type: "open", protocol: PROTOCOL, document: this.document }));
    socket.onmessage = (event) => this.receive(decode(new Uint8Array(event.data as ArrayBuffer)) as Outgoing);
    socket.onclose = () => this.lost(socket);
  }

  private receive(message: Outgoing): void {
    if (message.type === "welcome") {
      this.waitMs = FIRST_WAIT_MS;
      this.become("open");
      for (const command of this.pending.values()) this.send(command);
    } else if (message.type === "state" || message.type === "problem") {
      this.pending.delete(message.request);
      if (message.type === "problem" && message.request === "open") this.become("refused");
    } else if (message.type === "job") this.pending.delete(message.job);
    this.onMessage(message);
  }

  private lost(socket: WebSocket): void {
    if (this.closed || socket !== this.socket || this.link === "refused") return;
    this.become("lost");
    setTimeout(() => this.connect(), this.waitMs);
    this.waitMs = Math.min(LONGEST_WAIT_MS, this.waitMs * 1.7);
  }

  private become(link: Link): void {
    this.link = link;
    this.onLink(link);
  }
}

function newRequest(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
