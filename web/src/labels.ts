/** What the page calls things. */

const JOINTS: { [name: string]: string } = { wrist: "hand", ankle: "foot", toe: "toes" };

/** Whether the page is used by finger rather than by mouse. */
export function byFinger(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}

/** A joint as people call it: the hand of "left_wrist". */
export function jointWords(name: string): string {
  return name.replace(/^(left|right)_(wrist|ankle|toe)$/, (_, side: string, joint: string) => `${side} ${JOINTS[joint]}`).replaceAll("_", " ");
}
