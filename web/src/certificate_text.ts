/** The certificate of a motion in words, for the timeline, the export dialog and the list of segments. */
import type { MotionCertificate, Segment } from "./generated/messages";

const DENSE_S = 0.1; // segments shorter than this lie between the keys of a baked path
const TOUCHING_M = 0.001;
const FAR_M = 1; // clearances over this are not worth a number

/** The certificate of an exported file, computed by the server from the file as stored. */
export interface FileCertificate {
  certified: boolean;
  verdict: Segment["verdict"];
  frames: number;
  interpolation: string;
  pass_throughs: number;
  penetration_m: number;
  note: string; // why the file could not be checked
}

export function isCertified(segment: Segment): boolean {
  return segment.verdict === "certified";
}

/** The segments that are not certified; where nothing moves, the pose if it is not. */
export function uncertified(certificate: MotionCertificate | null): Segment[] {
  if (!certificate) return [];
  const all = certificate.pose ? [certificate.pose] : certificate.segments;
  return all.filter((segment) => !isCertified(segment));
}

/** Join consecutive dense segments of the same verdict into one, with the smallest clearance. */
export function joinSegments(segments: Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    const adjacent = last && last.verdict === segment.verdict && last.end_s >= segment.start_s - 1e-6;
    if (adjacent && segment.end_s - segment.start_s < DENSE_S) {
      const nearer = segment.clearance_m < last.clearance_m ? segment : last;
      joined[joined.length - 1] = {
        ...nearer,
        start_s: last.start_s,
        end_s: segment.end_s,
        start_depth_m: last.start_depth_m,
        end_depth_m: segment.end_depth_m,
      };
    } else joined.push(segment);
  }
  return joined;
}

/** The whole motion, or the pose if nothing moves, in a few words. */
export function describeMotion(certificate: MotionCertificate): string {
  const unchecked = certificate.without_shapes ?? [];
  if (unchecked.length > 0) return `Not checked: ${unchecked.join(", ")} without solid shapes`;
  const untested = certificate.untested_pairs ? `; ${certificate.untested_pairs} shape pairs at joints not tested` : "";
  return `${certificate.pose ? describePose(certificate.pose) : describeSegments(certificate)}${untested}`;
}

function describeSegments(certificate: MotionCertificate): string {
  const segments = joinSegments(certificate.segments);
  if (segments.length === 0) return "No motion to check";
  const bad = segments.filter((segment) => !isCertified(segment));
  const clearance = Math.min(...certificate.segments.map((segment) => segment.clearance_m));
  if (bad.length === 0) return `Motion certified${describeClearance(clearance)}`;
  const passing = bad.filter((segment) => segment.verdict === "passes through").length;
  const undecided = bad.filter((segment) => segment.verdict === "undecided").length;
  const overlapping = bad.length - passing - undecided;
  const depth = passing + overlapping > 0 ? `, by up to ${penetration(clearance)}` : "";
  if (segments.length === 1) {
    if (undecided) return "Motion undecided: not proven to be clear";
    return `Parts ${passing ? "pass through each other" : "overlap"}${depth}`;
  }
  const of = ` of ${segments.length} segments`;
  const counts = [
    passing && `${passing}${of} ${passing === 1 ? "passes" : "pass"} through`,
    overlapping && `${overlapping}${passing ? "" : of} ${overlapping === 1 ? "overlaps" : "overlap"}`,
    undecided && `${undecided}${passing || overlapping ? "" : of} undecided`,
  ];
  return `${counts.filter(Boolean).join(", ")}${depth}`;
}

function describePose(pose: Segment): string {
  if (pose.verdict === "undecided") return "Pose undecided: not proven to be clear";
  if (!isCertified(pose)) return `Pose overlaps: ${pose.a} and ${pose.b}, by ${penetration(pose.clearance_m)}`;
  if (pose.clearance_m < TOUCHING_M) return `Pose touching: ${pose.a} and ${pose.b}`;
  return `Pose clear${pose.clearance_m < FAR_M ? `, by ${Math.floor(1000 * pose.clearance_m)} mm` : ""}`;
}

function describeClearance(clearanceM: number): string {
  if (clearanceM >= FAR_M) return "";
  return clearanceM < TOUCHING_M ? ", touching" : `, ${Math.floor(1000 * clearanceM)} mm clear`;
}

/** One segment: which parts come nearest or overlap, by how much and when. */
export function describeSegment(segment: Segment): string {
  const { verdict, clearance_m, a, b, at_s, start_depth_m, end_depth_m } = segment;
  const time = `${at_s.toFixed(2)} s`;
  const both = `${a.charAt(0).toUpperCase()}${a.slice(1)} and ${b}`;
  if (verdict === "certified")
    return clearance_m < FAR_M ? `Certified: ${a} and ${b} come nearest, at ${time}` : "Certified";
  if (verdict === "undecided") return `Not proven to be clear: ${a} and ${b} come nearest, at ${time}`;
  if (verdict === "improving") {
    const end = end_depth_m > 0 ? `${penetration(-end_depth_m)} deep` : "clear";
    return `${both} start ${penetration(-start_depth_m)} deep and move apart, ending ${end}`;
  }
  const does = verdict === "penetrating" ? "overlap" : "pass through each other";
  return `${both} ${does} by ${penetration(clearance_m)} near ${time}`;
}

/** An exported file, after the words "Exported as ...". */
export function describeFile(certificate: FileCertificate | null): string {
  if (!certificate) return " It was not checked.";
  if (certificate.note) return ` Not checked: ${certificate.note}.`;
  const how =
    certificate.interpolation === "both"
      ? "whether a BVH reader interpolates Euler angles or rotations"
      : "as glTF players interpolate it";
  const still = certificate.frames === 1;
  const what = still ? "the pose is" : `the file’s ${certificate.frames} frames and everything between them are`;
  if (certificate.certified) return ` Certified: ${what} free of penetration${still ? "" : `, ${how}`}.`;
  if (certificate.verdict === "undecided") return ` Not certified: it could not be proven that ${what} clear, ${how}.`;
  const found = certificate.pass_throughs
    ? `${certificate.pass_throughs} times parts pass through each other`
    : `parts overlap by up to ${Math.ceil(1000 * certificate.penetration_m)} mm`;
  const later = certificate.verdict === "improving" ? " at the start and move apart" : "";
  return ` Not certified: ${found}${later}, ${how}.`;
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
