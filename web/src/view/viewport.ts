/** The 3D view: renderer, scene and characters, as one view or two side by side. */
import * as THREE from "three";
import type { FigureShape } from "../generated/messages";
import { handOf, limbOf } from "../limbs";
import { store } from "../store";
import { showMessage } from "../ui/toast";
import { type BodyColours, Character } from "./character";
import { Environment, gradient, TONES, type Tones } from "./environment";
import { SceneObjects } from "./objects";
import { OnionSkins } from "./onion_skins";
import { Orbit, THREE_QUARTER } from "./orbit_camera";
import { type Hit, Picker } from "./picking";
import { PinMarkers } from "./pin_markers";

// layers: of both views, of the main view, and of the compared character's view
const ALL = 0;
const MAIN = 1;
const COMPARED = 2;

export interface ActorHit extends Hit {
  actor: number;
}

/** A point of a surface along a ray. */
export type SurfaceHit = Pick<Hit, "point" | "normal" | "distance">;

interface PickableCharacter {
  character: Character;
  picker: Picker;
}

const FAR_M = 50;
const SMALL_HAND_PX = 60; // a shorter hand is selected as a whole

export class Viewport {
  readonly canvas: HTMLCanvasElement;
  readonly orbit = new Orbit();
  readonly scene = new THREE.Scene();
  readonly pinMarkers = new PinMarkers();
  readonly objects = new SceneObjects();
  readonly overlay = new THREE.Group(); // gizmos and lines, in the main view only
  private readonly renderer: THREE.WebGLRenderer;
  private readonly environment: Environment;
  private readonly characters = new Map<number, PickableCharacter>();
  private readonly onionSkins = new OnionSkins(MAIN);
  private compared: PickableCharacter | null = null;
  private tones: Tones = TONES.light;
  private queued = false;
  private width = 1;
  private height = 1;
  frames = 0; // frames rendered, for tests
  onFrame: () => void = () => {};
  readonly beforeFrame: (() => void)[] = [];
  modelAddress: (key: string) => string = (key) => key;

  constructor(parent: HTMLElement, options: { shadows: boolean; antialias: boolean }) {
    this.renderer = new THREE.WebGLRenderer({ antialias: options.antialias, preserveDrawingBuffer: false });
    this.renderer.setPixelRatio(options.antialias ? Math.min(devicePixelRatio, 2) : 1);
    this.renderer.shadowMap.enabled = options.shadows;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.canvas = this.renderer.domElement;
    this.canvas.className = "viewport-canvas";
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", "Character. Drag a part of the body to pose it.");
    this.environment = new Environment(options.shadows);
    this.pinMarkers.group.traverse((object) => object.layers.set(MAIN));
    this.scene.add(
      this.environment.group,
      this.objects.group,
      this.pinMarkers.group,
      this.overlay,
      this.onionSkins.group,
    );
    parent.append(this.canvas);
    new ResizeObserver(() => this.resize(parent)).observe(parent);
    this.resize(parent);
  }

  // ---- actors ----

  /** Show a figure for an actor and return its character. */
  show(actor: number, shape: FigureShape): Character {
    const present = this.characters.get(actor);
    if (present?.character.shape === shape) return present.character;
    present?.character.dispose();
    const character = new Character(shape, this.bodyColours());
    character.setLayer(MAIN);
    this.scene.add(character.root);
    this.showModel(character);
    this.characters.set(actor, { character, picker: new Picker(character) });
    return character;
  }

  /** Replace the plain body by the character's own file, as soon as it is loaded. */
  private showModel(character: Character): void {
    const { model, nodes, units_m } = character.shape;
    if (!model) return;
    import("./gltf_model")
      .then(({ Model }) => Model.open(this.modelAddress(model), nodes, units_m))
      .then((own) => {
        if (!character.root.parent) return; // removed in the meantime
        character.setModel(own);
        this.draw();
      })
      .catch((error: unknown) =>
        showMessage(`${character.shape.figure} is shown without its materials: ${String(error)}`, "problem"),
      );
  }

  /** Remove the characters of all other actors. */
  keepOnly(actors: number[]): void {
    for (const [actor, { character }] of this.characters) {
      if (actors.includes(actor)) continue;
      character.dispose();
      this.characters.delete(actor);
    }
  }

  character(actor: number): Character | null {
    return this.characters.get(actor)?.character ?? null;
  }

  /** Show the compared character in a second view on the right, or remove it with null. */
  showCompared(shape: FigureShape | null): Character | null {
    this.compared?.character.dispose();
    this.compared = null;
    if (shape) {
      const character = new Character(shape, this.bodyColours());
      character.setLayer(COMPARED);
      this.scene.add(character.root);
      this.showModel(character);
      this.compared = { character, picker: new Picker(character) };
    }
    this.resizeViews();
    return this.compared ? (this.compared as PickableCharacter).character : null;
  }

  get comparedCharacter(): Character | null {
    return this.compared?.character ?? null;
  }

  showOnionSkins(shape: FigureShape | null, poses: { q: Float32Array; colour: string }[]): void {
    this.onionSkins.show(shape, poses, this.bodyColours());
    this.draw();
  }

  // ---- camera and picking ----

  /** The body under a point of the page; in the right view, the compared character as actor 0. */
  pick(x: number, y: number): ActorHit | null {
    const ray = this.ray(x, y);
    if (this.onComparedSide(x)) {
      const hit = this.compared!.picker.pick(ray);
      return hit && { ...hit, actor: 0 };
    }
    let best: ActorHit | null = null;
    for (const [actor, { picker }] of this.characters) {
      const hit = picker.pick(ray);
      if (hit && (!best || hit.distance < best.distance)) best = { ...hit, actor };
    }
    return best;
  }

  /** The joint nearest to a point of the page: that of the picked part or one of its children. */
  jointAt(x: number, y: number): { actor: number; joint: number } | null {
    const hit = this.pick(x, y);
    const actor = hit?.actor || store.active;
    const character = this.character(actor);
    if (!hit || !character) return null;
    let best = hit.joint,
      least = character.jointPosition(best).distanceTo(hit.point);
    character.shape.joints.forEach((joint, j) => {
      if (joint.parent !== hit.joint) return;
      const distance = character.jointPosition(j).distanceTo(hit.point);
      if (distance < least) [least, best] = [distance, j];
    });
    return { actor, joint: this.handIfSmall(character, best) };
  }

  /** Of a finger that is too small on the page to be aimed at, the hand; else the joint itself. */
  private handIfSmall(character: Character, joint: number): number {
    const hand = handOf(character, joint);
    if (hand === null) return joint;
    const at = (j: number) => this.onPage(character.jointPosition(j));
    const wrist = at(hand);
    const lengths = [...(limbOf(character, joint) ?? [])].map((j) => Math.hypot(at(j).x - wrist.x, at(j).y - wrist.y));
    return Math.max(0, ...lengths) < SMALL_HAND_PX ? hand : joint;
  }

  /** The nearest point of a body along a ray, ignoring the joints `without` of one actor. */
  nearestBody(ray: THREE.Ray, actor: number, without: Set<number>, comparedSide: boolean): SurfaceHit | null {
    if (comparedSide) return this.compared?.picker.pick(ray, without) ?? null;
    return nearest(
      [...this.characters].map(([id, { picker }]) => picker.pick(ray, id === actor ? without : undefined)),
    );
  }

  /** The nearest point along a ray of another character or of an object that is not carried. */
  nearestOther(ray: THREE.Ray, actor: number): SurfaceHit | null {
    const carried = new Set(
      store.state?.features.holds.holds.filter((hold) => hold.carries).map((hold) => hold.object),
    );
    const others = [...this.characters].filter(([id]) => id !== actor);
    return nearest([this.objects.pick(ray, carried), ...others.map(([, { picker }]) => picker.pick(ray))]);
  }

  /** Distance along a ray to the far side of a body without the joints `without`; null beside it. */
  farSideOfBody(ray: THREE.Ray, actor: number, without: Set<number>): number | null {
    const back = new THREE.Ray(ray.at(FAR_M, new THREE.Vector3()), ray.direction.clone().negate());
    const hit = this.characters.get(actor)?.picker.pick(back, without);
    return hit ? FAR_M - hit.distance : null;
  }

  /** The camera ray through a point of the page. */
  ray(x: number, y: number): THREE.Ray {
    const box = this.canvas.getBoundingClientRect();
    const width = this.compared ? box.width / 2 : box.width;
    const left = x - box.left - (this.onComparedSide(x) ? width : 0);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(
      new THREE.Vector2((2 * left) / width - 1, 1 - (2 * (y - box.top)) / box.height),
      this.orbit.camera,
    );
    return caster.ray;
  }

  /** Whether a point of the page lies in the compared character's view. */
  onComparedSide(x: number): boolean {
    const box = this.canvas.getBoundingClientRect();
    return this.compared !== null && x > box.left + box.width / 2;
  }

  /** Page coordinates of a point of the world, in the main view. */
  onPage(point: THREE.Vector3): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const width = this.compared ? box.width / 2 : box.width;
    const at = point.clone().project(this.orbit.camera);
    return { x: box.left + (0.5 + at.x / 2) * width, y: box.top + (0.5 - at.y / 2) * box.height };
  }

  /** Frame an actor, or one of its joints. */
  frame(actor: number, joint: number | null = null): void {
    const character = this.character(actor);
    if (!character) return;
    if (joint !== null) {
      this.orbit.frame(character.jointPosition(joint), 0.2 * character.shape.height);
    } else {
      const box = character.bounds();
      const centre = box.getCenter(new THREE.Vector3());
      this.orbit.frame(
        centre,
        Math.max(0.54 * character.shape.height, 0.5 * box.getSize(new THREE.Vector3()).length()),
      );
    }
    this.draw();
  }

  /** Look at an actor: yaw from where it faces, pitch above the floor, in radians. */
  lookFrom(actor: number, yaw: number, pitch: number): void {
    this.orbit.lookFrom((this.character(actor)?.facing() ?? 0) + yaw, pitch);
    this.frame(actor);
  }

  /** Frame an actor, from its front if it is seen from behind (VRM 0 faces -Z). */
  frameFront(actor: number): void {
    const facing = this.character(actor)?.facing() ?? 0;
    if (this.orbit.isBehind(facing)) this.lookFrom(actor, ...THREE_QUARTER);
    else this.frame(actor);
  }

  /** Show all characters and these objects, from the same direction, if one is outside the view. */
  frameEveryone(objects: number[] = []): void {
    const boxes = [...this.characters.values()].map(({ character }) => character.bounds());
    for (const number of objects) {
      const object = this.objects.object(number);
      if (object) boxes.push(new THREE.Box3().setFromObject(object));
    }
    const corners = boxes.flatMap(({ min, max }) => [min.clone(), max.clone()]);
    const seen = ({ x, y }: THREE.Vector3) => Math.abs(x) < 0.95 && Math.abs(y) < 0.95;
    if (corners.every((corner) => seen(corner.clone().project(this.orbit.camera)))) return;
    const box = boxes.reduce((all, one) => all.union(one), new THREE.Box3());
    this.orbit.frame(box.getCenter(new THREE.Vector3()), 0.5 * box.getSize(new THREE.Vector3()).length());
    this.draw();
  }

  setTheme(theme: string): void {
    this.tones = TONES[theme] ?? TONES.light;
    this.scene.background = gradient(this.tones.background, this.tones.horizon);
    this.environment.setTones(this.tones);
    this.objects.setColour(this.tones.object, this.tones.accent);
    for (const { character } of [...this.characters.values(), ...(this.compared ? [this.compared] : [])])
      character.setColours(this.bodyColours());
    this.draw();
  }

  // ---- drawing ----

  /** Render at the next animation frame. */
  draw(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => {
      this.queued = false;
      this.render();
      this.onFrame();
    });
  }

  private render(): void {
    const { renderer, orbit, width, height } = this;
    const first = this.characters.values().next().value as PickableCharacter | undefined;
    if (first) {
      const at = first.character.jointPosition(0);
      const tallest = Math.max(...[...this.characters.values()].map(({ character }) => character.shape.height));
      this.environment.follow(at.x, at.z, tallest);
    }
    this.frames++;
    this.beforeFrame.forEach((act) => act());
    this.pinMarkers.group.traverse((object) => object.layers.set(MAIN));
    this.overlay.traverse((object) => object.layers.set(MAIN));
    renderer.setScissorTest(this.compared !== null);
    const half = this.compared ? Math.floor(width / 2) : width;
    this.view(0, half, MAIN);
    if (this.compared) this.view(half, width - half, COMPARED);
    renderer.setViewport(0, 0, width, height);
    orbit.camera.layers.set(ALL);
  }

  private view(left: number, width: number, layer: number): void {
    this.renderer.setViewport(left, 0, width, this.height);
    this.renderer.setScissor(left, 0, width, this.height);
    this.orbit.camera.layers.set(ALL);
    this.orbit.camera.layers.enable(layer);
    this.renderer.render(this.scene, this.orbit.camera);
  }

  /** A PNG of the main view at a given size, without overlays; framed on an actor if given. */
  async picture(width: number, height: number, framed: number | null = null): Promise<Blob> {
    const { renderer, orbit } = this;
    const compared = this.compared;
    const ratio = renderer.getPixelRatio();
    this.compared = null;
    this.showOverlays(false);
    const restoreView = orbit.save();
    renderer.setPixelRatio(1);
    renderer.setSize(width, height, false);
    orbit.resize(width / height);
    if (framed !== null) this.frame(framed);
    const before = [this.width, this.height];
    [this.width, this.height] = [width, height];
    this.render();
    const blob = await new Promise<Blob | null>((done) => {
      const copy = document.createElement("canvas");
      copy.width = width;
      copy.height = height;
      copy.getContext("2d")!.drawImage(this.canvas, 0, 0);
      copy.toBlob(done, "image/png");
      renderer.setPixelRatio(ratio);
      [this.width, this.height] = before;
      this.compared = compared;
      restoreView();
      this.showOverlays(true);
      this.resizeViews();
    });
    return blob ?? new Blob();
  }

  /** Show or hide pins, gizmos and onion skins, which exported pictures leave out. */
  private showOverlays(on: boolean): void {
    this.pinMarkers.group.visible = this.overlay.visible = this.onionSkins.group.visible = on;
  }

  private bodyColours(): BodyColours {
    return { colour: new THREE.Color(this.tones.body), hover: new THREE.Color(this.tones.bodyHover) };
  }

  private resize(parent: HTMLElement): void {
    this.width = Math.max(1, parent.clientWidth);
    this.height = Math.max(1, parent.clientHeight);
    this.resizeViews();
  }

  private resizeViews(): void {
    this.renderer.setSize(this.width, this.height, false);
    this.orbit.resize((this.compared ? this.width / 2 : this.width) / this.height);
    this.render();
    this.onFrame();
  }
}

function nearest(hits: (SurfaceHit | null)[]): SurfaceHit | null {
  return hits.reduce((best, hit) => (hit && (!best || hit.distance < best.distance) ? hit : best), null);
}
