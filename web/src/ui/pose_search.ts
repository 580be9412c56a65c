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
const ALIKE_COSTS = 4, LATE_COSTS = 2, SCATTERED_COSTS = 5; // in words of a name
const EMPTY = new Set(["on", "the", "a", "an", "of", "with", "in", "to", "and", "at", "pose", "person"]);

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[\s,-]+/).filter(Boolean);
}

/** The words that were looked for, without those that say nothing. */
export function wantedWords(typed: string): string[] {
  const words = wordsOf(typed);
  const telling = words.filter((word) => !EMPTY.has(word));
  return telling.length ? telling : words;
}

/** How far a name is from what was looked for, 0 the nearest; null: it does not answer.

Every word must be there, itself or by a word alike. Plain names come first, and those that have the
words in this order: "arms crossed" means folded arms rather than crossed legs with some arms.
*/
export function distance(wanted: string[], name: string): number | null {
  const words = wordsOf(name);
  const places: number[] = [];
  let away = words.length;
  for (const word of wanted) {
    const itself = words.findIndex((one) => one.startsWith(word));
    const others = itself >= 0 ? [] : alike(word);
    const place = itself >= 0 ? itself : words.findIndex((one) => others.includes(one));
    if (place < 0) return null;
    if (itself < 0) away += ALIKE_COSTS;
    places.push(place);
  }
  if (places[0] > 0) away += LATE_COSTS;
  return places.every((place, k) => k === 0 || place > places[k - 1]) ? away : away + SCATTERED_COSTS;
}

function alike(word: string): string[] {
  return ALIKE.filter((group) => group.some((one) => one === word || (word.length > 3 && one.startsWith(word)))).flat();
}
