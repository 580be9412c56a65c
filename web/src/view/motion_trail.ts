/** The trail of a joint around the playhead: a line with a dot at every frame, larger ones at keys. */
import * as THREE from "three";
import type { FigureShape } from "../generated/messages";
import type { Motion } from "../sampled_motion";
import { jointPath } from "./joint_frames";
import type { Viewport } from "./viewport";

const REACH_S = 1; // shown before and after the playhead
const BEFORE = new THREE.Color("#4263eb");
const AFTER = new THREE.Color("#e8590c");

export class MotionTrail {
  private readonly line = new THREE.Line(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }),
  );
  private readonly frames = dots(4);
  private readonly keys = dots(10);

  constructor(private readonly viewport: Viewport) {
    for (const part of [this.line, this.frames, this.keys]) {
      part.frustumCulled = false;
      part.visible = false;
      part.renderOrder = 8;
      viewport.overlay.add(part);
    }
  }

  /** Show the path of a joint near a time; larger dots at the times of keys. */
  show(shape: FigureShape, motion: Motion, joint: number, timeS: number, keyTimes: number[]): void {
    const first = Math.max(0, Math.round((timeS - REACH_S) * motion.fps));
    const stop = Math.min(motion.frames, Math.round((timeS + REACH_S) * motion.fps) + 1);
    const { positions } = jointPath(shape, motion, joint, first, stop);
    const count = positions.length / 3;
    const colours = new Float32Array(3 * count);
    for (let k = 0; k < count; k++) (first + k <= timeS * motion.fps ? BEFORE : AFTER).toArray(colours, 3 * k);
    const keyed = keyTimes.map((time) => Math.round(time * motion.fps) - first).filter((k) => k >= 0 && k < count);
    const pick = (from: Float32Array) => Float32Array.from(keyed.flatMap((k) => [...from.subarray(3 * k, 3 * k + 3)]));
    setPoints(this.line, positions, colours);
    setPoints(this.frames, positions, colours);
    setPoints(this.keys, pick(positions), pick(colours));
    this.viewport.draw();
  }

  clear(): void {
    if (!this.line.visible) return;
    for (const part of [this.line, this.frames, this.keys]) part.visible = false;
    this.viewport.draw();
  }
}

function dots(size: number): THREE.Points {
  const look = { size, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true };
  return new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial(look));
}

function setPoints(part: THREE.Line | THREE.Points, positions: Float32Array, colours: Float32Array): void {
  part.geometry.dispose();
  part.geometry = new THREE.BufferGeometry();
  part.geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  part.geometry.setAttribute("color", new THREE.BufferAttribute(colours, 3));
  part.visible = positions.length > 0;
}
