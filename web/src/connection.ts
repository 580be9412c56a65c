/** The websocket connection: reconnects automatically and resends commands until they are acknowledged. */
import { decode, Encoder } from "@msgpack/msgpack";
import { type Command, type Incoming, type Outgoing, PROTOCOL } from "./generated/messages";

export type BareCommand = Command extends infer T ? (T extends Command ? Omit<T, "request"> : never) : never;
export type Link = "connecting" | "open" | "lost" | "refused";

const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 3000;
const RETRY_GROWTH = 1.7;
const encoder = new Encoder({ ignoreUndefined: true });

export class Connection {
  private socket: WebSocket | null = null;
  private pending = new Map<string, Command>();
  private retryMs = FIRST_RETRY_MS;
  private closed = false;
  link: Link = "connecting";
  onMessage: (message: Outgoing) => void = () => {};
  onLink: (link: Link) => void = () => {};

  constructor(private readonly document: string) {
    this.connect();
    addEventListener("online", () => this.retryNow());
    globalThis.document.addEventListener("visibilitychange", () => this.retryNow());
  }

  /** Send a message that need not arrive, such as a drag or a seek; false when the link is down. */
  send(message: Incoming): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN || this.link !== "open") return false;
    this.socket.send(encoder.encode(message));
    return true;
  }

  /** Send a command and return its request id; it is resent after every reconnect until the server acknowledges it. */
  command(bare: BareCommand): string {
    const request = newRequest();
    const command = { ...bare, request } as Command;
    this.pending.set(request, command);
    this.send(command);
    return request;
  }

  /** Number of commands that the server has not acknowledged yet. */
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
    socket.onclose = () => this.reconnectLater(socket);
  }

  private receive(message: Outgoing): void {
    if (message.type === "welcome") {
      this.retryMs = FIRST_RETRY_MS;
      this.setLink("open");
      for (const command of this.pending.values()) this.send(command);
    } else if (message.type === "state" || message.type === "error") {
      this.pending.delete(message.request);
      if (message.type === "error" && message.request === "open") this.setLink("refused");
    } else if (message.type === "job") this.pending.delete(message.job);
    this.onMessage(message);
  }

  private reconnectLater(socket: WebSocket): void {
    if (this.closed || socket !== this.socket || this.link === "refused") return;
    this.setLink("lost");
    setTimeout(() => this.connect(), this.retryMs);
    this.retryMs = Math.min(MAX_RETRY_MS, this.retryMs * RETRY_GROWTH);
  }

  private setLink(link: Link): void {
    this.link = link;
    this.onLink(link);
  }
}

function newRequest(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
