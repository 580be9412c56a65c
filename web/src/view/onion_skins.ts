/** Transparent bodies in the poses of neighbouring keys. */
import * as THREE from "three";
import type { FigureShape } from "../generated/messages";
import { type BodyColours, Character } from "./character";

const OPACITY = 0.2;

export class OnionSkins {
  readonly group = new THREE.Group();
  private skins: Character[] = [];

  constructor(private readonly layer: number) {}

  /** Show one body for each pose; the bodies are made again only when shape or number changes. */
  show(shape: FigureShape | null, poses: { q: Float32Array; colour: string }[], colours: BodyColours): void {
    const reusable =
      shape !== null && this.skins.length === poses.length && this.skins.every((skin) => skin.shape === shape);
    if (!reusable) {
      this.skins.forEach((skin) => skin.dispose());
      this.skins = shape ? poses.map(() => new Character(shape, colours)) : [];
      this.skins.forEach((skin) => {
        skin.setLayer(this.layer);
        this.group.add(skin.root);
      });
    }
    this.skins.forEach((skin, i) => {
      skin.makeTransparent(new THREE.Color(poses[i].colour), OPACITY);
      skin.setPose(poses[i].q);
    });
  }
}
