/** The limbs and hands of a figure, from the structure of its joints. */
import type { Character } from "./view/character";

/** The hand that a joint belongs to: the joint of a limb that branches into fingers; null for other parts. */
export function handOf(character: Character, joint: number): number | null {
  const { joints } = character.shape;
  let at = joint;
  while (at >= 0 && joints.filter((one) => one.parent === at).length < 2) at = joints[at].parent;
  return at >= 0 && limbOf(character, at) ? at : null;
}

/** The joints of a joint's limb, from where it leaves the trunk to its tips; null for the trunk itself. */
export function limbOf(character: Character, joint: number): Set<number> | null {
  const { joints } = character.shape;
  const children = (j: number) => joints.filter((one) => one.parent === j).length;
  let top = joint;
  while (joints[top].parent >= 0 && children(joints[top].parent) === 1) top = joints[top].parent;
  const limb = new Set([top]);
  joints.forEach((one, j) => limb.has(one.parent) && limb.add(j)); // parents precede their children
  return limb.size > joints.length / 2 ? null : limb;
}

/** A limb and the limb with the same names on the other side. */
export function bothSides(character: Character, limb: Set<number>): Set<number> {
  const { joints } = character.shape;
  const swapped = (name: string) => name.replace(/left|right/i, (side) => (/left/i.test(side) ? "right" : "left"));
  const names = new Set([...limb].map((j) => swapped(joints[j].name).toLowerCase()));
  return new Set([...limb, ...joints.flatMap(({ name }, j) => (names.has(name.toLowerCase()) ? [j] : []))]);
}
