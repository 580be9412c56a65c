import * as THREE from "three";
import { describe, expect, it } from "vitest";
import type { ObjectState } from "../src/generated/messages";
import { resample } from "../src/view/drawn_path";
import { placeAt } from "../src/view/objects";
import { Orbit } from "../src/view/orbit_camera";

describe("placeAt", () => {
  const half = Math.SQRT1_2;
  const object = {
    position: [9, 9, 9],
    rotation: [1, 0, 0, 0],
    keys: [
      { id: 1, time_s: 1, position: [0, 0, 0], rotation: [1, 0, 0, 0] },
      { id: 2, time_s: 3, position: [4, 0, 2], rotation: [half, 0, half, 0] },
    ],
  } as unknown as ObjectState;
  const at = (timeS: number, state = object) => {
    const placed = new THREE.Object3D();
    placeAt(state, timeS, placed);
    return placed;
  };

  it("interpolates linearly and by slerp between keys", () => {
    expect(at(2).position.toArray()).toEqual([2, 0, 1]);
    const turned = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), Math.PI / 4);
    expect(at(2).quaternion.angleTo(turned)).toBeCloseTo(0);
  });

  it("is constant before the first and after the last key", () => {
    expect(at(0).position.toArray()).toEqual([0, 0, 0]);
    expect(at(9).position.toArray()).toEqual([4, 0, 2]);
  });

  it("uses the placement of the object without keys", () => {
    expect(at(2, { ...object, keys: [] }).position.toArray()).toEqual([9, 9, 9]);
  });
});

describe("Orbit", () => {
  it("shows what is as large as a building", () => {
    const orbit = new Orbit();
    orbit.frame(new THREE.Vector3(0, 40, 0), 90);
    const depth = new THREE.Vector3(0, 40, 0).project(orbit.camera).z;
    expect(Math.abs(depth)).toBeLessThan(1);
    const distance = () => orbit.camera.position.length();
    const before = distance();
    orbit.zoom(1.1);
    expect(distance()).toBeGreaterThan(before);
  });

  it("knows whether it sees someone from behind", () => {
    const orbit = new Orbit();
    expect(orbit.isBehind(0)).toBe(false);
    expect(orbit.isBehind(Math.PI)).toBe(true);
  });

  it("looks from the front and from above", () => {
    const orbit = new Orbit();
    orbit.lookFrom(0, 0);
    expect(orbit.facing.z).toBeCloseTo(-1);
    orbit.lookFrom(0, 1.5);
    expect(orbit.facing.y).toBeLessThan(-0.99);
  });

  it("keeps the camera above the floor side and does not pass the target when zooming", () => {
    const orbit = new Orbit();
    orbit.frame(new THREE.Vector3(0, 1, 0), 1);
    for (let k = 0; k < 100; k++) orbit.zoom(0.5);
    expect(orbit.camera.position.distanceTo(new THREE.Vector3(0, 1, 0))).toBeCloseTo(0.1);
    orbit.turn(0, 1e6);
    expect(orbit.facing.y).toBeGreaterThan(-1);
  });

  it("restores a saved view", () => {
    const orbit = new Orbit();
    const before = orbit.camera.position.clone();
    const restore = orbit.save();
    orbit.turn(50, 20);
    orbit.pan(30, 10, 400);
    expect(orbit.camera.position.distanceTo(before)).toBeGreaterThan(0.1);
    restore();
    expect(orbit.camera.position.distanceTo(before)).toBeCloseTo(0);
  });
});

describe("resample", () => {
  it("spaces points evenly along a stroke and keeps its ends", () => {
    const stroke = [0, 0.1, 0.15, 0.9, 1].map((x) => new THREE.Vector3(x, 0, 0));
    const points = resample(stroke, 5);
    expect(points).toHaveLength(5);
    points.forEach((point, k) => expect(point.x).toBeCloseTo(k / 4, 2));
  });
});
