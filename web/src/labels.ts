/** Names shown on the page. */

const EVERYDAY_NAMES: { [joint: string]: string } = { wrist: "hand", ankle: "foot", toe: "toes" };

/** Whether the primary pointing device is a finger rather than a mouse. */
export function usesTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}

/** A name of the document or figure without underscores: "left elbow" for "left_elbow". */
export function plainName(name: string): string {
  return name.replaceAll("_", " ");
}

/** The everyday name of a joint: "left hand" for "left_wrist". */
export function jointLabel(name: string): string {
  const [, side, joint] = /^(left|right)_(wrist|ankle|toe)$/.exec(name) ?? [];
  return side ? `${side} ${EVERYDAY_NAMES[joint]}` : plainName(name);
}
