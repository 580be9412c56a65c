/** Is the motion certified? A strip over the timeline and a line in the corner of the picture. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { MotionCertificate, Stretch } from "../generated/messages";
import { on, store, tell } from "../store";
import type { Studio } from "../editor";

const WAIT_MS = 400;
const DENSE_S = 0.1;

export const install: Install = (studio) => {
  const strip = h("div", { class: "strip", role: "img", "aria-label": "No motion to check" });
  const line = h("button", { class: "readout certificate", type: "button", hidden: true });
  let asked = "", timer = 0, checked = "", found: MotionCertificate | null = null;

  const ask = () => {
    const now = stamp();
    if (now === checked || store.dragging || studio.link !== "open") return;
    checked = now;
    asked = studio.command({ type: "check_motion" });
    outdated();
  };
  const outdated = () => {
    store.certificate = null;
    strip.classList.toggle("stale", found !== null);
    line.classList.toggle("stale", found !== null);
  };
  on(["state", "link"], () => {
    clearTimeout(timer);
    if (found) show(studio, found, strip, line);
    if (stamp() === checked) return;
    timer = window.setTimeout(ask, WAIT_MS);
    outdated();
  });
  return {
    lanes: [strip],
    readouts: [line],
    receive(message) {
      if (message.type !== "motion_certificate" || message.job !== asked) return;
      found = store.certificate = message;
      tell("time"); // what overlaps at the playhead turns red
      strip.classList.remove("stale");
      line.classList.remove("stale");
      show(studio, found, strip, line);
    },
  };
};

/** What a certificate depends on: every motion, what stands around, what may touch. */
function stamp(): string {
  const state = store.state;
  if (!state || (store.motions.size === 0 && !state.things.some((thing) => thing.keys.length))) return "";
  const still = state.actors.filter((actor) => !store.motions.has(actor.id)).map((actor) => String(actor.q));
  return JSON.stringify([store.motionVersion, state.things, state.contacts, still]);
}

function show(studio: Studio, found: MotionCertificate, strip: HTMLElement, line: HTMLElement): void {
  const length = store.state?.duration_s || 1;
  fill(strip, ...joined(found.stretches).map((stretch) => {
    const mark = h("button", { class: `stretch ${stretch.verdict.replace(" ", "-")}`, type: "button", tabindex: stretch.verdict === "certified" ? -1 : 0, title: sentence(stretch), "aria-label": `${stretch.start_s.toFixed(1)} to ${stretch.end_s.toFixed(1)} seconds: ${sentence(stretch)}`, click: () => studio.run("clear-motion") });
    mark.addEventListener("pointerdown", (event) => event.stopPropagation());
    mark.style.left = `${(100 * stretch.start_s) / length}%`;
    mark.style.width = `${(100 * (stretch.end_s - stretch.start_s)) / length}%`;
    return mark;
  }));
  const bad = joined(found.stretches).filter((stretch) => stretch.verdict !== "certified");
  strip.setAttribute("aria-label", summary(found));
  line.hidden = found.stretches.length === 0;
  line.classList.toggle("bad", bad.length > 0);
  line.title = bad.length ? "From one key to the next (a stretch) parts pass through each other: choose how to make that clear" : `Certified: it is proven that nothing passes through anything, in all ${found.frames} frames and between them, as glTF files are played. Touching: parts come nearer than a millimetre`;
  fill(line, summary(found), bad.length > 0 && h("span", { class: "fix" }, "Make clear …"));
  line.onclick = () => studio.run("clear-motion");
}

/** Stretches between dense keys (a baked path) as one while their verdict is the same. */
function joined(stretches: Stretch[]): Stretch[] {
  const out: Stretch[] = [];
  for (const one of stretches) {
    const last = out.at(-1);
    const dense = last && last.verdict === one.verdict && last.end_s >= one.start_s - 1e-6 && one.end_s - one.start_s < DENSE_S;
    if (!dense) out.push(one);
    else {
      const nearer = one.clearance_m < last.clearance_m ? one : last;
      out[out.length - 1] = { ...nearer, start_s: last.start_s, end_s: one.end_s };
    }
  }
  return out;
}

/** The whole motion in a few words. */
export function summary(found: MotionCertificate): string {
  const all = joined(found.stretches), bad = all.filter((stretch) => stretch.verdict !== "certified");
  const least = Math.min(...found.stretches.map((stretch) => stretch.clearance_m));
  if (bad.length) {
    const through = bad.filter((stretch) => stretch.verdict === "passes through").length, over = bad.length - through;
    if (all.length === 1) return `Parts ${through ? "pass through each other" : "overlap"}, by up to ${depth(least)}`;
    const says = [through && `${through} of ${all.length} stretches ${through === 1 ? "passes" : "pass"} through`, over && `${over}${through ? "" : ` of ${all.length} stretches`} ${over === 1 ? "overlaps" : "overlap"}`];
    return `${says.filter(Boolean).join(", ")}, by up to ${depth(least)}`;
  }
  return `Motion certified${least >= 1 ? "" : least < 0.001 ? ", touching" : `, ${Math.floor(1000 * least)} mm clear`}`;
}

/** How deep an overlap is, in words: never less than it is. */
function depth(clearance_m: number): string {
  return `${Math.max(1, Math.ceil(-1000 * clearance_m))} mm`;
}

/** The parts of an actor that overlap something at a time of the motion, where that is known. */
export function overlapsAt(actor: number, timeS: number): string[] {
  const found = store.certificate;
  if (!found) return [];
  const frame = Math.min(found.frames - 1, Math.round(timeS * found.fps));
  return found.overlaps.filter((one) => one.actor === actor && one.first <= frame && frame <= one.last).flatMap((one) => one.parts);
}

export function sentence({ verdict, clearance_m, a, b, at_s }: Stretch): string {
  if (verdict === "certified") return clearance_m < 1 ? `Certified: ${a} and ${b} come nearest, at ${at_s.toFixed(2)} s` : "Certified";
  return `${a.charAt(0).toUpperCase()}${a.slice(1)} and ${b} ${verdict === "overlaps" ? "overlap" : "pass through each other"} by ${depth(clearance_m)} near ${at_s.toFixed(2)} s`;
}
