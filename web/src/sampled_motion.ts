/** Sampled motions: one configuration of an actor for every frame. */
import type { MotionData } from "./generated/messages";

export interface Motion {
  fps: number;
  frames: number;
  size: number; // numbers in a configuration q
  q: Float32Array; // frames x size
  linking: Float32Array; // frames x pairs, the linking of every pair of strands
  pairs: number;
}

/** Decode float32 bytes; they are copied because the view may not be aligned to four bytes. */
export function floats(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

/** A motion whose frames from `first` on are replaced by those of a message; the others stay. */
export function withFrames(
  known: Motion | undefined,
  { fps, frames, first, size, q, linking }: Omit<MotionData, "type" | "actor">,
): Motion {
  const [configurations, links] = [floats(q), floats(linking)];
  const sent = configurations.length / size;
  const before = known?.size === size && sent < frames ? known : undefined;
  const pairs = before?.pairs ?? links.length / sent;
  return {
    fps,
    frames,
    size,
    pairs,
    q: spliced(before?.q, configurations, first * size, frames * size),
    linking: spliced(before?.linking, links, first * pairs, frames * pairs),
  };
}

function spliced(before: Float32Array | undefined, part: Float32Array, at: number, length: number): Float32Array {
  if (part.length === length && at === 0) return part;
  const out = new Float32Array(length);
  if (before) out.set(before.subarray(0, length));
  out.set(part.subarray(0, Math.max(0, length - at)), at);
  return out;
}

/** The frame nearest to a time, clamped to the motion. */
function frameAt(motion: Motion, timeS: number): number {
  return Math.min(motion.frames - 1, Math.max(0, Math.round(timeS * motion.fps)));
}

/** The configuration at a time; null without a motion. */
export function poseAt(motion: Motion | undefined, timeS: number): Float32Array | null {
  if (!motion) return null;
  const frame = frameAt(motion, timeS);
  return motion.q.subarray(frame * motion.size, (frame + 1) * motion.size);
}

/** The linking of every pair of strands at a time. */
export function linkingAt(motion: Motion, timeS: number): Float32Array {
  const frame = frameAt(motion, timeS);
  return motion.linking.subarray(frame * motion.pairs, (frame + 1) * motion.pairs);
}
