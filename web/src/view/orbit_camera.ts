/** Orbit camera: turns about a target point, zooms and pans. */
import * as THREE from "three";

/** Yaw and pitch of the usual view, in radians. */
export const THREE_QUARTER: [number, number] = [0.42, 0.12];

const LOWEST_PITCH = -0.6;
const ABOVE_FLOOR_M = 0.03; // the camera stays above the floor, unless it looks at something below
const MAX_DISTANCE_M = 60; // of the camera, unless something larger is framed

export class Orbit {
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.02, 200);
  private readonly target = new THREE.Vector3(0, 0.95, 0);
  private yaw = THREE_QUARTER[0];
  private pitch = THREE_QUARTER[1];
  private distance = 4;
  private minDistance = 0.1;
  private maxDistance = MAX_DISTANCE_M;

  constructor() {
    this.updateCamera();
  }

  turn(dx: number, dy: number): void {
    this.yaw -= dx * 0.0075;
    this.pitch = Math.min(1.5, this.pitch + dy * 0.0065);
    this.keepAboveFloor();
    this.updateCamera();
  }

  /** Pan by (dx, dy) pixels in a view that is `height` pixels high. */
  pan(dx: number, dy: number, height: number): void {
    const metres = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.target.addScaledVector(right, -dx * metres).addScaledVector(up, dy * metres);
    this.updateCamera();
  }

  /** Zoom; with a ray of the camera, what it meets at the depth of the target stays where it is in the view. */
  zoom(factor: number, towards?: THREE.Ray): void {
    const before = this.distance;
    this.distance = Math.min(this.maxDistance, Math.max(this.minDistance, before * factor));
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.facing, this.target);
    const at = towards?.intersectPlane(plane, new THREE.Vector3());
    if (at) this.target.lerp(at, 1 - this.distance / before);
    this.keepAboveFloor();
    this.updateCamera();
  }

  /** Look from a direction: yaw about the vertical axis and pitch above the floor, in radians. */
  lookFrom(yaw: number, pitch: number): void {
    [this.yaw, this.pitch] = [yaw, pitch];
    this.updateCamera();
  }

  /** Whether the camera is behind someone who faces `facing`, an angle about the vertical axis from +Z. */
  isBehind(facing: number): boolean {
    return Math.cos(this.yaw - facing) < 0;
  }

  /** Fit a sphere into the view, keeping the viewing direction. */
  frame(centre: THREE.Vector3, radius: number): void {
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    this.target.copy(centre);
    this.minDistance = radius * 0.1;
    this.distance = (1.12 * radius) / Math.sin(Math.atan(Math.tan(half) * narrow));
    this.maxDistance = Math.max(MAX_DISTANCE_M, 2 * this.distance); // a file in centimetres may be 150 m long
    this.updateCamera();
  }

  /** Remember the view; calling the returned function restores it. */
  save(): () => void {
    const { yaw, pitch, distance, minDistance, maxDistance } = this;
    const target = this.target.clone();
    return () => {
      Object.assign(this, { yaw, pitch, distance, minDistance, maxDistance });
      this.target.copy(target);
      this.updateCamera();
    };
  }

  resize(aspect: number): void {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  /** Viewing direction of the camera, a unit vector in world coordinates. */
  get facing(): THREE.Vector3 {
    return this.camera.getWorldDirection(new THREE.Vector3());
  }

  private keepAboveFloor(): void {
    const height = this.target.y - ABOVE_FLOOR_M;
    const lowest = height > 0 ? -Math.asin(Math.min(1, height / this.distance)) : LOWEST_PITCH;
    this.pitch = Math.max(this.pitch, LOWEST_PITCH, lowest);
  }

  private updateCamera(): void {
    const { yaw, pitch, distance, target, camera } = this;
    camera.position.set(
      target.x + distance * Math.sin(yaw) * Math.cos(pitch),
      target.y + distance * Math.sin(pitch),
      target.z + distance * Math.cos(yaw) * Math.cos(pitch),
    );
    camera.near = Math.max(0.005, distance * 0.02);
    camera.far = Math.max(200, distance * 4);
    camera.lookAt(target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld(true);
  }
}
