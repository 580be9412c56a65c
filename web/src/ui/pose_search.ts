/** Finding poses by everyday words: "arms crossed" means "arms folded", "hands on knees" the thighs too. */

const ALIKE = [
  ["crossed", "folded", "cross"],
  ["knees", "knee", "thighs", "lap"],
  ["up", "raised", "high", "overhead"],
  ["hands", "hand", "arms", "arm"],
  ["sit", "sitting", "seated", "chair"],
  ["stand", "standing"],
  ["kneel", "kneeling"],
  ["squat", "squatting", "crouch", "crouching"],
  ["lie", "lying", "laying", "sleep"],
  ["walk", "walking", "sneak"],
  ["wave", "waving", "hello"],
  ["point", "pointing"],
  ["climb", "climbing", "ladder"],
  ["jump", "jumping", "leap"],
  ["run", "running", "sprint", "runner's"],
  ["kick", "kicking"],
  ["pray", "praying"],
  ["lotus", "cross", "legged"],
  ["behind", "back"],
  ["ahead", "forward", "front"],
  ["lean", "leaning", "bend"],
];
const EMPTY = new Set(["on", "the", "a", "an", "of", "with", "in", "to", "and", "at", "pose", "person"]);

export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[\s,-]+/).filter(Boolean);
}

/** The words that were looked for, without those that say nothing. */
export function wantedWords(typed: string): string[] {
  const words = wordsOf(typed);
  const telling = words.filter((word) => !EMPTY.has(word));
  return telling.length ? telling : words;
}

/** How well a name answers: 0 has every word itself, 1 and more by words alike, null not at all. */
export function distance(wanted: string[], name: string): number | null {
  const words = wordsOf(name);
  let alike = 0;
  for (const word of wanted) {
    if (words.some((one) => one.startsWith(word))) continue;
    const others = ALIKE.filter((group) => group.some((one) => one === word || (word.length > 3 && one.startsWith(word)))).flat();
    if (!words.some((one) => others.includes(one))) return null;
    alike++;
  }
  return alike;
}
