/** The camera: circles a point, comes nearer, slides. */
import * as THREE from "three";

export class Orbit {
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.02, 200);
  private readonly target = new THREE.Vector3(0, 0.95, 0);
  private yaw = 0.42;
  private pitch = 0.12;
  private distance = 4;
  private nearest = 0.1;

  constructor() {
    this.place();
  }

  turn(dx: number, dy: number): void {
    this.yaw -= dx * 0.0075;
    this.pitch = Math.min(1.5, Math.max(-0.6, this.pitch + dy * 0.0065));
    this.place();
  }

  /** Slide by pixels of a view that is `height` pixels high. */
  slide(dx: number, dy: number, height: number): void {
    const metres = (2 * this.distance * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const up = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.target.addScaledVector(right, -dx * metres).addScaledVector(up, dy * metres);
    this.place();
  }

  zoom(factor: number): void {
    this.distance = Math.min(60, Math.max(this.nearest, this.distance * factor));
    this.place();
  }

  /** Look from a direction, as angles about the vertical and above the floor. */
  from(yaw: number, pitch: number): void {
    [this.yaw, this.pitch] = [yaw, pitch];
    this.place();
  }

  /** Look at a ball around a point, keeping the direction. */
  frame(centre: THREE.Vector3, radius: number): void {
    const half = (this.camera.fov * Math.PI) / 360;
    const narrow = Math.min(1, this.camera.aspect);
    this.target.copy(centre);
    this.nearest = radius * 0.1;
    this.distance = (1.12 * radius) / Math.sin(Math.atan(Math.tan(half) * narrow));
    this.place();
  }

  /** The view as numbers, to come back to. */
  save(): () => void {
    const { yaw, pitch, distance, nearest } = this;
    const target = this.target.clone();
    return () => {
      Object.assign(this, { yaw, pitch, distance, nearest });
      this.target.copy(target);
      this.place();
    };
  }

  resize(aspect: number): void {
    this.camera.aspect = aspect;
    this.camera.updateProjectionMatrix();
  }

  get facing(): THREE.Vector3 {
    return this.camera.getWorldDirection(new THREE.Vector3());
  }

  private place(): void {
    const { yaw, pitch, distance, target, camera } = this;
    camera.position.set(
      target.x + distance * Math.sin(yaw) * Math.cos(pitch),
      target.y + distance * Math.sin(pitch),
      target.z + distance * Math.cos(yaw) * Math.cos(pitch),
    );
    camera.near = Math.max(0.005, distance * 0.02);
    camera.lookAt(target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld(true);
  }
}
