/** The editor of one document: connects the server, the store, the 3D view and the panels. */
import { type Action, makeActions } from "./actions";
import { overlappingParts } from "./certificate_text";
import { type BareCommand, Connection, type Link } from "./connection";
import { type Feature, installFeatures } from "./feature";
import type { Outgoing } from "./generated/messages";
import { KeyPreviews } from "./key_previews";
import { Playback } from "./playback";
import { floats, poseAt } from "./sampled_motion";
import { activeActor, notify, on, receiveMotion, selectedJoints, shownMotion, store } from "./store";
import { snapToFrame } from "./timeline/timeline_math";
import { JobCards } from "./ui/jobs";
import { showMessage } from "./ui/toast";
import { UndoRedo } from "./undo";
import { BodyDrag } from "./view/drag";
import { Pointers } from "./view/pointers";
import { RotateGizmo } from "./view/rotate_gizmo";
import type { TransformGizmo } from "./view/transform_gizmo";
import { Tools } from "./view/view_tools";
import { Viewport } from "./view/viewport";

const PLAYHEAD = "writhe.time.";
const THUMBNAIL_AFTER_MS = 2500;
const ONION_SKINS: [number, string][] = [
  [-1, "#4263eb"],
  [1, "#e8590c"],
];

// commands after which characters may stand elsewhere
const STEPPING = ["Shake hands", "Grip"];

export class Editor {
  readonly connection: Connection;
  readonly viewport: Viewport;
  readonly drag: BodyDrag;
  readonly rotateGizmo: RotateGizmo;
  readonly pointers: Pointers;
  readonly tools: Tools;
  readonly gizmos: { [feature: string]: TransformGizmo } = {}; // for tests
  readonly panels: { [feature: string]: unknown } = {}; // for tests
  readonly jobs = new JobCards(this);
  readonly undoRedo = new UndoRedo(this);
  readonly features: Feature[];
  readonly actions: Action[];
  readonly playback = new Playback(this);
  readonly previews: KeyPreviews;
  link: Link = "connecting";
  private framed = false;
  private awaited: number | null = null; // an actor that was just opened
  private thumbnailTimer = 0;

  constructor(
    readonly document: string,
    view: HTMLElement,
    options: { shadows: boolean; antialias: boolean },
  ) {
    store.timeS = Number(sessionStorage.getItem(PLAYHEAD + document)) || 0; // where it was before a reload
    this.viewport = new Viewport(view, options);
    this.viewport.modelAddress = (key) => `api/documents/${document}/models/${key}.glb`;
    this.connection = new Connection(document);
    this.previews = new KeyPreviews(this.connection);
    this.drag = new BodyDrag(this.viewport, this.connection);
    this.rotateGizmo = new RotateGizmo(this.viewport);
    this.tools = new Tools(this.viewport);
    this.pointers = new Pointers(this.viewport, this.drag, this.rotateGizmo, this.tools, this.connection);
    this.viewport.beforeFrame.push(() => this.rotateGizmo.place());
    this.connection.onMessage = (message) => this.receive(message);
    this.connection.onLink = (link) => this.linkChanged(link);
    on(["selection"], () => this.showPins());
    on(["time"], () => this.showTime());
    on(["options"], () => this.showOnionSkins());
    this.features = installFeatures(this);
    this.features.forEach((feature) => this.tools.add(...(feature.tools ?? [])));
    this.actions = [...makeActions(this), ...this.features.flatMap((feature) => feature.actions ?? [])];
  }

  /** Run the action of a name. */
  run(name: string): void {
    this.actions.find((action) => action.name === name)!.run();
  }

  /** Send a command and return its request id. */
  command(bare: BareCommand): string {
    this.jobs.showBusy();
    return this.connection.command(bare);
  }

  /** Move the playhead to the frame nearest to a time. */
  seek(timeS: number): void {
    const state = store.state;
    if (!state) return;
    store.timeS = Math.min(state.duration_s, Math.max(0, snapToFrame(timeS, state.fps)));
    sessionStorage.setItem(PLAYHEAD + this.document, String(store.timeS));
    store.poseReport = store.comparedPose = null; // they belong to another time
    notify("pose");
    this.connection.send({ type: "seek", time_s: store.timeS });
    notify("time");
  }

  /** Show a second character posed by `method`, or none with null. */
  compareWith(method: string | null): void {
    const actor = activeActor();
    if (!actor) return;
    store.comparedMethod = method;
    store.comparedPose = null;
    this.connection.send({ type: "compare_method", actor: actor.id, method });
    const shape = store.figures.get(actor.figure) ?? null;
    const other = this.viewport.showCompared(method ? shape : null);
    other?.setPose(this.viewport.character(actor.id)!.q);
    this.viewport.frame(actor.id);
    notify("options");
  }

  setRecording(on: boolean): void {
    store.recording = on;
    this.connection.send({ type: "set_recording", on });
    if (on) showMessage("Recording: drag the body. The motion is saved when you release.");
    notify("options");
  }

  private receive(message: Outgoing): void {
    if (this.connection.waiting === 0) this.jobs.showBusy(0);
    switch (message.type) {
      case "welcome":
        store.welcome = message;
        this.connection.send({ type: "seek", time_s: store.timeS });
        if (store.comparedMethod)
          this.connection.send({ type: "compare_method", actor: store.active, method: store.comparedMethod });
        notify("welcome");
        break;
      case "figure":
        store.figures.set(message.figure, message);
        break;
      case "motion":
        receiveMotion(message);
        if (store.state) notify("time"); // frames may follow a state while spans are still being solved
        break;
      case "drag_result":
        if (this.drag.active) this.drag.receive(message);
        break;
      case "error":
        showMessage(message.text, "problem");
        if (message.request === "open") setTimeout(() => (location.href = "./?start"), 1800);
        break;
      case "state":
        this.receiveState(message);
        break;
      case "job":
        this.jobs.show(message);
        break;
    }
    this.previews.receive(message);
    this.features.forEach((feature) => feature.receive?.(message));
  }

  /** Make an actor that was opened active and frame it, once a state after `before` has arrived. */
  showNext(actor: number, before: typeof store.state): void {
    this.awaited = actor;
    if (store.state && store.state !== before) this.showAwaited(store.state);
  }

  private showAwaited(state: NonNullable<typeof store.state>): void {
    const actor = state.actors.find((one) => one.id === this.awaited);
    if (!actor || !this.viewport.character(actor.id)) return;
    this.awaited = null;
    store.active = actor.id;
    store.selected = null;
    this.viewport.frameFront(actor.id);
    notify("selection", "state", "time");
  }

  private receiveState(state: NonNullable<typeof store.state>): void {
    const grown = store.state !== null && state.actors.length > store.state.actors.length;
    const stepped = state.undo !== store.state?.undo && STEPPING.includes(state.undo ?? "");
    const known = new Set(store.state?.objects.map((object) => object.id));
    const added = store.state ? state.objects.map((object) => object.id).filter((id) => !known.has(id)) : [];
    store.state = state;
    if (!store.dragging) this.previews.clear();
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
      if (actor.id === store.active && store.poseReport && !sameNumbers(floats(store.poseReport.q), q))
        store.poseReport = store.comparedPose = null;
      character.setPose(q);
    }
    this.viewport.keepOnly(ids);
    if (!state.objects.some((object) => object.id === store.selectedObject)) store.selectedObject = null;
    this.viewport.objects.show(state.objects, store.timeS);
    if (!this.framed) {
      this.framed = true;
      this.viewport.frameFront(store.active);
    }
    if (this.awaited !== null) this.showAwaited(state);
    else if (grown || stepped || added.length) this.viewport.frameEveryone(added);
    if (store.timeS > state.duration_s) this.seek(state.duration_s);
    document.title = `${state.name} · writhe studio`;
    this.showPins();
    notify("state", "time");
    this.undoRedo.receive(state);
    this.queueThumbnail();
  }

  /** Show the pins of the active actor. */
  private showPins(): void {
    const actor = activeActor();
    const character = actor && this.viewport.character(actor.id);
    if (actor && character) {
      this.viewport.pinMarkers.setPins(actor.pins, character);
      this.viewport.pinMarkers.showAt(store.timeS);
      const joints = selectedJoints();
      this.viewport.pinMarkers.setSelected(joints.length > 1 ? joints : [], character);
    }
    this.viewport.draw();
  }

  /** Show a time without moving the playhead of the session, for films. */
  showFrame(timeS: number): void {
    store.timeS = timeS;
    this.showTime();
  }

  /** Pose actors and objects as they are at the playhead. */
  private showTime(): void {
    if (store.dragging) return;
    this.viewport.objects.setTime(store.timeS);
    this.viewport.pinMarkers.showAt(store.timeS);
    for (const actor of store.state?.actors ?? []) {
      const motion = shownMotion(actor.id),
        character = this.viewport.character(actor.id);
      if (motion) character?.setPose(poseAt(motion, store.timeS)!);
      character?.setTouching(
        motion
          ? overlappingParts(store.certificate, actor.id, store.timeS)
          : actor.id === store.active
            ? (store.poseReport?.touching ?? [])
            : [],
      );
    }
    const actor = activeActor();
    const character = actor && this.viewport.character(actor.id);
    if (character) this.viewport.pinMarkers.follow(character);
    this.showOnionSkins();
    this.viewport.draw();
  }

  /** Onion skins: the poses of the active actor at the neighbouring keys. */
  private showOnionSkins(): void {
    const actor = activeActor();
    const shape = actor && store.figures.get(actor.figure);
    if (!store.onion || !actor || !shape || store.playing) {
      this.viewport.showOnionSkins(null, []);
      return;
    }
    const times = store
      .state!.keys.filter((key) => key.actor === actor.id && key.kind === "pose")
      .map((key) => key.time_s)
      .sort((a, b) => a - b);
    const skins = ONION_SKINS.flatMap(([side, colour]) => {
      const near = times.filter((time) => side * (time - store.timeS) > 1e-4);
      const time = side < 0 ? near.at(-1) : near[0];
      const q = time === undefined ? null : poseAt(store.motions.get(actor.id), time);
      return q ? [{ q, colour }] : [];
    });
    this.viewport.showOnionSkins(shape, skins);
  }

  private linkChanged(link: Link): void {
    const before = this.link;
    this.link = link;
    if (link === "lost") {
      this.drag.drop();
      this.jobs.clear();
    }
    if (link === "open" && before === "lost") showMessage("Reconnected. Nothing was lost.");
    notify("link");
  }

  private queueThumbnail(): void {
    clearTimeout(this.thumbnailTimer);
    this.thumbnailTimer = window.setTimeout(() => {
      if (!store.dragging && !store.playing) void this.sendThumbnail();
    }, THUMBNAIL_AFTER_MS);
  }

  /** Send a picture of the document for the start page. */
  async sendThumbnail(): Promise<void> {
    if (this.link !== "open") return;
    const picture = await this.snapshot(320, 240, store.active);
    this.connection.send({ type: "thumbnail", picture });
  }

  /** A PNG of the view, framed on an actor if given. */
  async snapshot(width: number, height: number, framed: number | null): Promise<Uint8Array> {
    const blob = await this.viewport.picture(width, height, framed);
    return new Uint8Array(await blob.arrayBuffer());
  }
}

function sameNumbers(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((value, i) => Math.abs(value - b[i]) < 1e-4);
}
