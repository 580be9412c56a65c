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

export function toMotion({ fps, frames, q, linking }: Pick<MotionData, "fps" | "frames" | "q" | "linking">): Motion {
  const configurations = floats(q);
  const links = floats(linking);
  return {
    fps,
    frames,
    size: configurations.length / frames,
    q: configurations,
    linking: links,
    pairs: links.length / frames,
  };
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
