/** The picture: renderer, scene, the actors' characters, one view or two side by side. */
import * as THREE from "three";
import { store } from "../store";
import { FigureShape } from "../generated/messages";
import { Character, Look } from "./character";
import { Marks } from "./pin_markers";
import { Orbit } from "./orbit";
import { Hit, Picker } from "./picking";
import { Surroundings, TONES, Tones } from "./environment";
import { Things } from "./objects";

const ALL = 0, MAIN = 1, DUEL = 2;

export interface ActorHit extends Hit {
  actor: number;
}

interface Cast {
  character: Character;
  picker: Picker;
}

export class Viewport {
  readonly canvas: HTMLCanvasElement;
  readonly orbit = new Orbit();
  readonly scene = new THREE.Scene();
  readonly marks = new Marks();
  readonly things = new Things();
  readonly overlay = new THREE.Group(); // gizmos; on the main view only
  private readonly renderer: THREE.WebGLRenderer;
  private readonly surroundings: Surroundings;
  private readonly cast = new Map<number, Cast>();
  private ghosts: Character[] = [];
  private duel: Cast | null = null;
  private tones: Tones = TONES.light;
  private queued = false;
  private width = 1;
  private height = 1;
  frames = 0; // pictures drawn, for tests
  onFrame: () => void = () => {};
  readonly beforeFrame: (() => void)[] = [];

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
    this.surroundings = new Surroundings(options.shadows);
    this.marks.group.traverse((object) => object.layers.set(MAIN));
    this.scene.add(this.surroundings.group, this.things.group, this.marks.group, this.overlay);
    parent.append(this.canvas);
    new ResizeObserver(() => this.resize(parent)).observe(parent);
    this.resize(parent);
  }

  // ---- actors ----

  show(actor: number, shape: FigureShape): Character {
    const present = this.cast.get(actor);
    if (present?.character.shape === shape) return present.character;
    present?.character.dispose();
    const character = new Character(shape, this.lookOf());
    character.setLayer(MAIN);
    this.scene.add(character.root);
    this.cast.set(actor, { character, picker: new Picker(character) });
    return character;
  }

  keepOnly(actors: number[]): void {
    for (const [actor, { character }] of this.cast) {
      if (actors.includes(actor)) continue;
      character.dispose();
      this.cast.delete(actor);
    }
  }

  character(actor: number): Character | null {
    return this.cast.get(actor)?.character ?? null;
  }

  showDuel(shape: FigureShape | null): Character | null {
    this.duel?.character.dispose();
    this.duel = null;
    if (shape) {
      const character = new Character(shape, this.lookOf());
      character.setLayer(DUEL);
      this.scene.add(character.root);
      this.duel = { character, picker: new Picker(character) };
    }
    this.resizeViews();
    return this.duel ? (this.duel as Cast).character : null;
  }

  get duelCharacter(): Character | null {
    return this.duel?.character ?? null;
  }

  showGhosts(shape: FigureShape | null, poses: { q: Float32Array; colour: string }[]): void {
    const reusable = shape !== null && this.ghosts.length === poses.length && this.ghosts.every((g) => g.shape === shape);
    if (!reusable) {
      this.ghosts.forEach((ghost) => ghost.dispose());
      this.ghosts = shape ? poses.map(() => new Character(shape, this.lookOf())) : [];
      this.ghosts.forEach((ghost) => {
        ghost.setLayer(MAIN);
        this.scene.add(ghost.root);
      });
    }
    this.ghosts.forEach((ghost, i) => {
      ghost.ghost(new THREE.Color(poses[i].colour), 0.2);
      ghost.setPose(poses[i].q);
    });
    this.draw();
  }

  // ---- looking and picking ----

  /** What is under a point of the page: on the right half of a duel, the second character. */
  pick(x: number, y: number): ActorHit | null {
    const ray = this.ray(x, y);
    if (this.onDuelSide(x)) {
      const hit = this.duel!.picker.pick(ray);
      return hit && { ...hit, actor: 0 };
    }
    let best: ActorHit | null = null;
    for (const [actor, { picker }] of this.cast) {
      const hit = picker.pick(ray);
      if (hit && (!best || hit.distance < best.distance)) best = { ...hit, actor };
    }
    return best;
  }

  /** The joint nearest to a point of the page, among the picked part's own and those next to it. */
  jointAt(x: number, y: number): { actor: number; joint: number } | null {
    const hit = this.pick(x, y);
    const actor = hit?.actor || store.active;
    const character = this.character(actor);
    if (!hit || !character) return null;
    let best = hit.joint, least = character.jointPosition(best).distanceTo(hit.point);
    character.shape.joints.forEach((joint, j) => {
      if (joint.parent !== hit.joint) return;
      const distance = character.jointPosition(j).distanceTo(hit.point);
      if (distance < least) [least, best] = [distance, j];
    });
    return { actor, joint: best };
  }

  /** How far along a ray the nearest body is, not counting some joints of one actor. */
  nearestBody(ray: THREE.Ray, actor: number, without: Set<number>, duelSide: boolean): number {
    if (duelSide) return this.duel?.picker.pick(ray, without)?.distance ?? Infinity;
    const hits = [...this.cast].map(([id, { picker }]) => picker.pick(ray, id === actor ? without : undefined));
    return Math.min(Infinity, ...hits.map((hit) => hit?.distance ?? Infinity));
  }

  ray(x: number, y: number): THREE.Ray {
    const box = this.canvas.getBoundingClientRect();
    const width = this.duel ? box.width / 2 : box.width;
    const left = x - box.left - (this.onDuelSide(x) ? width : 0);
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2((2 * left) / width - 1, 1 - (2 * (y - box.top)) / box.height), this.orbit.camera);
    return caster.ray;
  }

  onDuelSide(x: number): boolean {
    const box = this.canvas.getBoundingClientRect();
    return this.duel !== null && x > box.left + box.width / 2;
  }

  /** Where a world point is on the page. */
  onPage(point: THREE.Vector3): { x: number; y: number } {
    const box = this.canvas.getBoundingClientRect();
    const width = this.duel ? box.width / 2 : box.width;
    const at = point.clone().project(this.orbit.camera);
    return { x: box.left + (0.5 + at.x / 2) * width, y: box.top + (0.5 - at.y / 2) * box.height };
  }

  /** Frame the whole figure, or a joint of it. */
  frame(actor: number, joint: number | null = null): void {
    const character = this.character(actor);
    if (!character) return;
    if (joint !== null) {
      this.orbit.frame(character.jointPosition(joint), 0.2 * character.shape.height);
    } else {
      const box = new THREE.Box3();
      character.bones.forEach((_, j) => box.expandByPoint(character.jointPosition(j)));
      const centre = box.getCenter(new THREE.Vector3());
      this.orbit.frame(centre, Math.max(0.54 * character.shape.height, 0.5 * box.getSize(new THREE.Vector3()).length()));
    }
    this.draw();
  }

  setTheme(theme: string): void {
    this.tones = TONES[theme] ?? TONES.light;
    this.scene.background = gradient(this.tones.background, this.tones.horizon);
    this.surroundings.setTones(this.tones);
    this.things.setColour(this.tones.thing, this.tones.accent);
    for (const { character } of [...this.cast.values(), ...(this.duel ? [this.duel] : [])]) character.setLook(this.lookOf());
    this.draw();
  }

  // ---- drawing ----

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
    const first = this.cast.values().next().value as Cast | undefined;
    if (first) {
      const at = first.character.jointPosition(0);
      const tallest = Math.max(...[...this.cast.values()].map(({ character }) => character.shape.height));
      this.surroundings.follow(at.x, at.z, tallest);
    }
    this.frames++;
    this.beforeFrame.forEach((act) => act());
    this.marks.group.traverse((object) => object.layers.set(MAIN));
    this.overlay.traverse((object) => object.layers.set(MAIN));
    renderer.setScissorTest(this.duel !== null);
    const half = this.duel ? Math.floor(width / 2) : width;
    this.view(0, half, MAIN);
    if (this.duel) this.view(half, width - half, DUEL);
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

  /** A PNG of the main view at a size of its own, without marks; with an actor, framed on it. */
  async picture(width: number, height: number, framed: number | null = null): Promise<Blob> {
    const { renderer, orbit } = this;
    const duel = this.duel;
    const ratio = renderer.getPixelRatio();
    this.duel = null;
    this.showExtras(false);
    const comeBack = orbit.save();
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
      this.duel = duel;
      comeBack();
      this.showExtras(true);
      this.resizeViews();
    });
    return blob ?? new Blob();
  }

  /** Marks, handles and ghosts: what belongs to the page and not to the picture. */
  private showExtras(on: boolean): void {
    this.marks.group.visible = this.overlay.visible = on;
    this.ghosts.forEach((ghost) => (ghost.root.visible = on));
  }

  private lookOf(): Look {
    return { colour: new THREE.Color(this.tones.body), hover: new THREE.Color(this.tones.bodyHover) };
  }

  private resize(parent: HTMLElement): void {
    this.width = Math.max(1, parent.clientWidth);
    this.height = Math.max(1, parent.clientHeight);
    this.resizeViews();
  }

  private resizeViews(): void {
    this.renderer.setSize(this.width, this.height, false);
    this.orbit.resize((this.duel ? this.width / 2 : this.width) / this.height);
    this.render();
    this.onFrame();
  }
}

/** A background that is a little lighter towards the horizon. */
function gradient(top: string, bottom: string): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = 4;
  canvas.height = 256;
  const pen = canvas.getContext("2d")!;
  const shade = pen.createLinearGradient(0, 0, 0, 256);
  shade.addColorStop(0, top);
  shade.addColorStop(1, bottom);
  pen.fillStyle = shade;
  pen.fillRect(0, 0, 4, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
