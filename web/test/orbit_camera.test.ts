import * as THREE from "three";
import { expect, test } from "vitest";
import { Orbit } from "../src/view/orbit_camera";

/** The camera's ray through a point of the view, -1 to 1. */
function ray(orbit: Orbit, x: number, y: number): THREE.Ray {
  const caster = new THREE.Raycaster();
  caster.setFromCamera(new THREE.Vector2(x, y), orbit.camera);
  return caster.ray;
}

test("zooming towards the pointer keeps the point under it in place", () => {
  const orbit = new Orbit();
  const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(orbit.facing, new THREE.Vector3(0, 0.95, 0));
  const under = ray(orbit, 0.5, 0.6).intersectPlane(plane, new THREE.Vector3())!;
  orbit.zoom(0.5, ray(orbit, 0.5, 0.6));
  const shown = under.clone().project(orbit.camera);
  expect(shown.x).toBeCloseTo(0.5, 6);
  expect(shown.y).toBeCloseTo(0.6, 6);
});

test("zooming without a pointer keeps the middle", () => {
  const orbit = new Orbit();
  orbit.zoom(0.5);
  const shown = new THREE.Vector3(0, 0.95, 0).project(orbit.camera);
  expect(Math.hypot(shown.x, shown.y)).toBeLessThan(1e-6);
});
