/** Markers of pins and of the points that are held, drawn over the body. */
import * as THREE from "three";
import type { PinState } from "../generated/messages";
import type { Character } from "./character";

const SAME_TIME_S = 1e-3;
const PIN = new THREE.Color("#f08c00");
const SELECTED = new THREE.Color("#ae3ec9");
const HELD = new THREE.Color("#3b5bdb");

function markerTexture(kind: "position" | "both" | "held"): THREE.Texture {
  const size = 64;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d")!;
  pen.translate(size / 2, size / 2);
  pen.lineWidth = 7;
  pen.strokeStyle = "#fff";
  pen.fillStyle = "#fff";
  pen.beginPath();
  if (kind === "both") pen.rect(-19, -19, 38, 38);
  else pen.arc(0, 0, 21, 0, 2 * Math.PI);
  pen.stroke();
  pen.beginPath();
  pen.arc(0, 0, kind === "held" ? 0 : 9, 0, 2 * Math.PI);
  pen.fill();
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

export class PinMarkers {
  readonly group = new THREE.Group();
  private readonly textures = {
    position: markerTexture("position"),
    both: markerTexture("both"),
    held: markerTexture("held"),
  };
  private pinSprites: THREE.Sprite[] = [];
  private heldSprites: THREE.Sprite[] = [];
  private selectedSprites: THREE.Sprite[] = [];
  private lagLines: THREE.Line[] = [];

  setPins(pins: PinState[], character: Character): void {
    this.pinSprites.forEach((sprite) => sprite.removeFromParent());
    this.pinSprites = pins.map((pin) => {
      const sprite = this.sprite(pin.both ? "both" : "position", PIN, 0.025);
      character.jointPosition(pin.joint, sprite.position);
      sprite.userData.joint = pin.joint;
      sprite.userData.range = [pin.start_s ?? -Infinity, pin.end_s ?? Infinity];
      return sprite;
    });
  }

  /** Show the markers of the pins that hold at a time. */
  showAt(timeS: number): void {
    for (const sprite of this.pinSprites) {
      const [start, end] = sprite.userData.range as [number, number];
      sprite.visible = timeS > start - SAME_TIME_S && timeS < end + SAME_TIME_S;
    }
  }

  /** Rings at joints that are selected together. */
  setSelected(joints: number[], character: Character): void {
    this.selectedSprites.forEach((sprite) => sprite.removeFromParent());
    this.selectedSprites = joints.map((joint) => {
      const sprite = this.sprite("held", SELECTED, 0.022);
      character.jointPosition(joint, sprite.position);
      sprite.userData.joint = joint;
      return sprite;
    });
  }

  /** Move the markers with their joints, which can yield a little against their pins. */
  follow(character: Character): void {
    for (const sprite of [...this.pinSprites, ...this.selectedSprites])
      character.jointPosition(sprite.userData.joint as number, sprite.position);
  }

  /** Rings at the points held, and a line to the target where the body lags behind. */
  setHeld(pairs: { at: THREE.Vector3; target: THREE.Vector3 }[]): void {
    this.heldSprites.forEach((sprite) => sprite.removeFromParent());
    this.lagLines.forEach((line) => {
      line.removeFromParent();
      line.geometry.dispose();
    });
    this.heldSprites = pairs.map(({ at }) => {
      const sprite = this.sprite("held", HELD, 0.03);
      sprite.position.copy(at);
      return sprite;
    });
    this.lagLines = pairs
      .filter(({ at, target }) => at.distanceTo(target) > 0.02)
      .map(({ at, target }) => {
        const line = new THREE.Line(
          new THREE.BufferGeometry().setFromPoints([at, target]),
          new THREE.LineBasicMaterial({ color: HELD, depthTest: false, transparent: true, opacity: 0.7 }),
        );
        line.renderOrder = 9;
        this.group.add(line);
        return line;
      });
  }

  private sprite(kind: "position" | "both" | "held", colour: THREE.Color, size: number): THREE.Sprite {
    const material = new THREE.SpriteMaterial({
      map: this.textures[kind],
      color: colour,
      depthTest: false,
      sizeAttenuation: false,
      toneMapped: false,
    });
    const sprite = new THREE.Sprite(material);
    sprite.scale.setScalar(size);
    sprite.renderOrder = 10;
    this.group.add(sprite);
    return sprite;
  }
}
