/** The certificate of a motion in words, for the timeline, the export dialog and the list of segments. */
import type { MotionCertificate, Segment } from "./generated/messages";

const DENSE_S = 0.1; // segments shorter than this lie between the keys of a baked path
const TOUCHING_M = 0.001;
const FAR_M = 1; // clearances over this are not worth a number

export function isCertified(segment: Segment): boolean {
  return segment.verdict === "certified";
}

/** Join consecutive dense segments of the same verdict into one, with the smallest clearance. */
export function joinSegments(segments: Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    const adjacent = last && last.verdict === segment.verdict && last.end_s >= segment.start_s - 1e-6;
    if (adjacent && segment.end_s - segment.start_s < DENSE_S) {
      const nearer = segment.clearance_m < last.clearance_m ? segment : last;
      joined[joined.length - 1] = { ...nearer, start_s: last.start_s, end_s: segment.end_s };
    } else joined.push(segment);
  }
  return joined;
}

/** The whole motion in a few words. */
export function describeMotion(certificate: MotionCertificate): string {
  const segments = joinSegments(certificate.segments);
  const bad = segments.filter((segment) => !isCertified(segment));
  const clearance = Math.min(...certificate.segments.map((segment) => segment.clearance_m));
  if (bad.length === 0) return `Motion certified${describeClearance(clearance)}`;
  const passing = bad.filter((segment) => segment.verdict === "passes through").length;
  const overlapping = bad.length - passing;
  const depth = `by up to ${penetration(clearance)}`;
  if (segments.length === 1) return `Parts ${passing ? "pass through each other" : "overlap"}, ${depth}`;
  const of = ` of ${segments.length} segments`;
  const counts = [
    passing && `${passing}${of} ${passing === 1 ? "passes" : "pass"} through`,
    overlapping && `${overlapping}${passing ? "" : of} ${overlapping === 1 ? "overlaps" : "overlap"}`,
  ];
  return `${counts.filter(Boolean).join(", ")}, ${depth}`;
}

function describeClearance(clearanceM: number): string {
  if (clearanceM >= FAR_M) return "";
  return clearanceM < TOUCHING_M ? ", touching" : `, ${Math.floor(1000 * clearanceM)} mm clear`;
}

/** One segment: which parts come nearest or overlap, by how much and when. */
export function describeSegment({ verdict, clearance_m, a, b, at_s }: Segment): string {
  const time = `${at_s.toFixed(2)} s`;
  if (verdict === "certified")
    return clearance_m < FAR_M ? `Certified: ${a} and ${b} come nearest, at ${time}` : "Certified";
  const does = verdict === "overlaps" ? "overlap" : "pass through each other";
  return `${a.charAt(0).toUpperCase()}${a.slice(1)} and ${b} ${does} by ${penetration(clearance_m)} near ${time}`;
}

/** The depth of an overlap, rounded up to whole millimetres. */
function penetration(clearanceM: number): string {
  return `${Math.max(1, Math.ceil(-1000 * clearanceM))} mm`;
}

/** The parts of an actor that overlap something at a time; none while the motion is being checked. */
export function overlappingParts(certificate: MotionCertificate | null, actor: number, timeS: number): string[] {
  if (!certificate) return [];
  const frame = Math.min(certificate.frames - 1, Math.round(timeS * certificate.fps));
  return certificate.overlaps
    .filter((overlap) => overlap.actor === actor && overlap.first <= frame && frame <= overlap.last)
    .flatMap((overlap) => overlap.parts);
}
