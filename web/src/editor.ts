/** The editor of one document: wires the connection, the store, the picture and the panels. */
import { Action, makeActions } from "./actions";
import { BareCommand, Connection, Link } from "./connection";
import { Feature, installFeatures } from "./feature";
import { Outgoing } from "./generated/messages";
import { overlapsAt } from "./features/certificate";
import { Playback } from "./playback";
import { activeActor, floats, Motion, on, store, takeMotion, tell } from "./store";
import { Undoing } from "./undo";
import { JobCards } from "./ui/jobs";
import { say } from "./ui/toast";
import { Gizmo } from "./view/rotate_gizmo";
import type { TanglePanel } from "./features/tangles";
import type { Mover } from "./view/transform_gizmo";
import { Pointers } from "./view/pointers";
import { Posing } from "./view/drag";
import { Tools } from "./view/tools";
import { Viewport } from "./view/viewport";

const PLAYHEAD = "writhe.time.";
const THUMBNAIL_AFTER_MS = 2500;
const GHOSTS: [number, string][] = [[-1, "#4263eb"], [1, "#e8590c"]];

export class Studio {
  readonly connection: Connection;
  readonly viewport: Viewport;
  readonly posing: Posing;
  readonly gizmo: Gizmo;
  readonly pointers: Pointers;
  readonly tools: Tools;
  readonly movers: { [feature: string]: Mover } = {};
  tangles: TanglePanel | null = null; // set by its feature, for the keys that stand beside it
  readonly jobs = new JobCards(this);
  readonly undoing = new Undoing(this);
  readonly features: Feature[];
  readonly actions: Action[];
  readonly playback = new Playback(this);
  link: Link = "connecting";
  private framed = false;
  private thumbnailTimer = 0;

  constructor(readonly document: string, view: HTMLElement, options: { shadows: boolean; antialias: boolean }) {
    store.timeS = Number(sessionStorage.getItem(PLAYHEAD + document)) || 0; // as it was before a reload
    this.viewport = new Viewport(view, options);
    this.connection = new Connection(document);
    this.posing = new Posing(this.viewport, this.connection);
    this.gizmo = new Gizmo(this.viewport);
    this.tools = new Tools(this.viewport);
    this.pointers = new Pointers(this.viewport, this.posing, this.gizmo, this.tools, this.connection);
    this.viewport.beforeFrame.push(() => this.gizmo.place());
    this.connection.onMessage = (message) => this.receive(message);
    this.connection.onLink = (link) => this.linkChanged(link);
    on(["selection"], () => this.showMarks());
    on(["time"], () => this.showTime());
    on(["options"], () => this.showGhosts());
    this.features = installFeatures(this);
    this.features.forEach((feature) => this.tools.add(...(feature.tools ?? [])));
    this.actions = [...makeActions(this), ...this.features.flatMap((feature) => feature.actions ?? [])];
  }

  /** Do what a button or key of this name does. */
  run(name: string): void {
    this.actions.find((action) => action.name === name)!.run();
  }

  command(bare: BareCommand): string {
    return this.connection.command(bare);
  }

  /** Put the playhead somewhere, on a frame. */
  seek(timeS: number): void {
    const state = store.state;
    if (!state) return;
    const fps = state.fps;
    store.timeS = Math.min(state.duration_s, Math.max(0, Math.round(timeS * fps) / fps));
    sessionStorage.setItem(PLAYHEAD + this.document, String(store.timeS));
    store.posed = store.duelPosed = null; // the read-out was of another moment
    tell("pose");
    this.connection.send({ type: "seek", time_s: store.timeS });
    tell("time");
  }

  setDuel(method: string | null): void {
    const actor = activeActor();
    if (!actor) return;
    store.duel = method;
    store.duelPosed = null;
    this.connection.send({ type: "duel", actor: actor.id, method });
    const shape = store.figures.get(actor.figure) ?? null;
    const other = this.viewport.showDuel(method ? shape : null);
    other?.setPose(this.viewport.character(actor.id)!.q);
    this.viewport.frame(actor.id);
    tell("options");
  }

  setRecording(on: boolean): void {
    store.recording = on;
    this.connection.send({ type: "set_recording", on });
    if (on) say("Recording: drag the body. The motion is kept when you let go.");
    tell("options");
  }

  private receive(message: Outgoing): void {
    switch (message.type) {
      case "welcome":
        store.welcome = message;
        this.connection.send({ type: "seek", time_s: store.timeS });
        if (store.duel) this.connection.send({ type: "duel", actor: store.active, method: store.duel });
        tell("welcome");
        break;
      case "figure":
        store.figures.set(message.figure, message);
        break;
      case "motion":
        takeMotion(message);
        break;
      case "answer":
        if (this.posing.active) this.posing.answer(message);
        break;
      case "problem":
        say(message.text, "problem");
        if (message.request === "open") setTimeout(() => (location.href = "./?start"), 1800);
        break;
      case "state":
        this.takeState(message);
        break;
      case "job":
        this.jobs.show(message);
        break;
    }
    this.features.forEach((feature) => feature.receive?.(message));
  }

  private takeState(state: NonNullable<typeof store.state>): void {
    store.state = state;
    const ids = state.actors.map((actor) => actor.id);
    if (!ids.includes(store.active)) {
      store.active = ids[0];
      store.selected = null;
    }
    const present = new Set(state.keys.map((key) => key.id));
    for (const key of store.selectedKeys) if (!present.has(key)) store.selectedKeys.delete(key);
    for (const actor of state.actors) {
      const shape = store.figures.get(actor.figure);
      if (!shape) continue;
      const character = this.viewport.show(actor.id, shape);
      if (store.dragging) continue;
      const q = floats(actor.q);
      if (actor.id === store.active && store.posed && !sameNumbers(floats(store.posed.q), q)) store.posed = store.duelPosed = null;
      character.setPose(q);
    }
    this.viewport.keepOnly(ids);
    if (!state.things.some((thing) => thing.id === store.selectedThing)) store.selectedThing = null;
    this.viewport.things.show(state.things, store.timeS);
    if (!this.framed) {
      this.framed = true;
      this.viewport.frame(store.active);
    }
    if (store.timeS > state.duration_s) this.seek(state.duration_s);
    document.title = `${state.name} · writhe studio`;
    this.showMarks();
    tell("state", "time");
    this.undoing.take(state);
    this.queueThumbnail();
  }

  /** Pins, rings and ghosts for what is selected. */
  private showMarks(): void {
    const actor = activeActor();
    const character = actor && this.viewport.character(actor.id);
    if (actor && character) this.viewport.marks.setPins(actor.pins, character);
    this.viewport.draw();
  }

  /** The poses that the tracks give at the playhead. */
  private showTime(): void {
    if (store.dragging) return;
    this.viewport.things.setTime(store.timeS);
    for (const actor of store.state?.actors ?? []) {
      const motion = store.motions.get(actor.id), character = this.viewport.character(actor.id);
      if (motion) character?.setPose(poseAt(motion, store.timeS)!);
      character?.setTouching(motion ? overlapsAt(actor.id, store.timeS) : actor.id === store.active ? store.posed?.touching ?? [] : []);
    }
    const actor = activeActor();
    const character = actor && this.viewport.character(actor.id);
    if (character) this.viewport.marks.follow(character);
    this.showGhosts();
    this.viewport.draw();
  }

  /** The neighbouring keys of the active actor, see-through. */
  private showGhosts(): void {
    const actor = activeActor();
    const shape = actor && store.figures.get(actor.figure);
    if (!store.onion || !actor || !shape || store.playing) {
      this.viewport.showGhosts(null, []);
      return;
    }
    const times = store.state!.keys.filter((key) => key.actor === actor.id && key.kind === "pose").map((key) => key.time_s).sort((a, b) => a - b);
    const ghosts = GHOSTS.flatMap(([side, colour]) => {
      const near = times.filter((time) => side * (time - store.timeS) > 1e-4);
      const time = side < 0 ? near.at(-1) : near[0];
      const q = time === undefined ? null : poseAt(store.motions.get(actor.id), time);
      return q ? [{ q, colour }] : [];
    });
    this.viewport.showGhosts(shape, ghosts);
  }

  private linkChanged(link: Link): void {
    const before = this.link;
    this.link = link;
    if (link === "lost") {
      this.posing.drop();
      this.jobs.clear();
    }
    if (link === "open" && before === "lost") say("Connected again. Nothing was lost.");
    tell("link");
  }

  private queueThumbnail(): void {
    clearTimeout(this.thumbnailTimer);
    this.thumbnailTimer = window.setTimeout(() => {
      if (!store.dragging && !store.playing) void this.keepThumbnail();
    }, THUMBNAIL_AFTER_MS);
  }

  /** A picture of the document for the start page. */
  async keepThumbnail(): Promise<void> {
    if (this.link !== "open") return;
    const picture = await this.snapshot(320, 240, store.active);
    this.connection.send({ type: "thumbnail", picture });
  }

  /** A small PNG of what is seen. */
  async snapshot(width: number, height: number, framed: number | null): Promise<Uint8Array> {
    const blob = await this.viewport.picture(width, height, framed);
    return new Uint8Array(await blob.arrayBuffer());
  }
}

function sameNumbers(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => Math.abs(value - b[i]) < 1e-4);
}

/** The pose that a sampled motion has at a time; null where there is none. */
export function poseAt(motion: Motion | undefined, timeS: number): Float32Array | null {
  if (!motion) return null;
  const frame = Math.min(motion.frames - 1, Math.max(0, Math.round(timeS * motion.fps)));
  return motion.q.subarray(frame * motion.size, (frame + 1) * motion.size);
}
