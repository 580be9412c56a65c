/** Search of poses and actions by words and their synonyms: "arms crossed" finds "arms folded". */

const SYNONYMS = [
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
  ["shake", "handshake", "shaking", "greet", "greeting", "meet"],
  ["grip", "grab", "grasp", "hold", "take", "pick", "catch", "holding", "gripping", "carry", "carrying"],
  ["lift", "carry", "carrying", "raise", "lifting", "upright"],
  ["walk", "go", "step", "steps", "move", "locomotion", "away"],
  ["pin", "fix", "lock", "freeze", "nail"],
  ["mirror", "flip", "symmetric", "symmetry", "reflect"],
  ["rotate", "turn", "twist", "spin"],
  ["key", "keyframe", "record"],
  ["object", "prop", "thing"],
  ["remove", "delete", "erase"],
  ["picture", "screenshot", "image", "render"],
  ["undo", "revert", "back"],
];
// costs in the unit of one word of a name
const SYNONYM_COST = 4;
const LATE_COST = 2; // the first word typed is not the first of the name
const ORDER_COST = 5; // the words are in another order
const ABOUT_COST = 100; // only the description matches
const STOP_WORDS = new Set(["on", "the", "a", "an", "of", "with", "in", "to", "and", "at", "pose", "person"]);

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s,:;()+…-]+/)
    .filter(Boolean);
}

/** The words of a search without stop words, unless there are no others. */
export function searchWords(typed: string): string[] {
  const words = wordsOf(typed);
  const meaningful = words.filter((word) => !STOP_WORDS.has(word));
  return meaningful.length ? meaningful : words;
}

/**
 * Rank of a name for a search, smaller is better; null when it does not match.
 *
 * Every searched word, or a synonym of it, must occur. Short names rank first, and those with the words
 * in the order typed: "arms crossed" means folded arms rather than crossed legs with arms somewhere.
 */
export function wordDistance(searched: string[], name: string): number | null {
  const words = wordsOf(name);
  const positions: number[] = [];
  let distance = words.length;
  for (const word of searched) {
    const literal = words.findIndex((one) => one.startsWith(word));
    const others = literal >= 0 ? [] : synonyms(word);
    const position = literal >= 0 ? literal : words.findIndex((one) => others.includes(one));
    if (position < 0) return null;
    if (literal < 0) distance += SYNONYM_COST;
    positions.push(position);
  }
  if (positions[0] > 0) distance += LATE_COST;
  const ordered = positions.every((position, k) => k === 0 || position > positions[k - 1]);
  return ordered ? distance : distance + ORDER_COST;
}

function synonyms(word: string): string[] {
  return SYNONYMS.filter((group) =>
    group.some((one) => one === word || (word.length > 3 && one.startsWith(word))),
  ).flat();
}

/** The entries that match a search, best first: those whose names match, then those whose descriptions do.
 * `costOf` moves entries down, in the unit of one word of a name. */
export function bestMatches<T>(
  entries: T[],
  typed: string,
  nameOf: (entry: T) => string,
  aboutOf: (entry: T) => string = () => "",
  costOf: (entry: T) => number = () => 0,
): T[] {
  const searched = searchWords(typed);
  return entries
    .flatMap((entry) => {
      const named = wordDistance(searched, nameOf(entry));
      const described = wordDistance(searched, `${nameOf(entry)} ${aboutOf(entry)}`);
      if (described === null) return [];
      return [{ entry, distance: costOf(entry) + (named ?? described + ABOUT_COST) }];
    })
    .sort((a, b) => a.distance - b.distance)
    .map(({ entry }) => entry);
}
