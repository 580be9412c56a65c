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

const roles = new Map<string, string>(); // of joints of characters from files, by their names

/** Let joints of characters from files be called by their roles: "mixamorig:LeftHand" is the left wrist. */
export function nameJointsByRole(found: Iterable<[joint: string, role: string]>): void {
  for (const [joint, role] of found) roles.set(joint, role);
}

/** The everyday name of a joint: "left hand" for "left_wrist" and for a joint that plays this role. */
export function jointLabel(joint: string): string {
  const name = roles.get(joint) ?? joint.replace(/^.*:/, "");
  const [, side, part] = /^(left|right)_(wrist|ankle|toe)$/.exec(name) ?? [];
  return side ? `${side} ${EVERYDAY_NAMES[part]}` : plainName(name);
}
