/** Checks the motion whenever it changes: a strip of verdicts under the keys and a summary in the view. */
import { describeMotion, describeSegment, isCertified, joinSegments } from "../../certificate_text";
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { MotionCertificate, Segment } from "../../generated/messages";
import { notify, on, store } from "../../store";
import { percentAt } from "../../timeline/timeline_math";

const CHECK_AFTER_MS = 400; // without a further change

export const install: Install = (editor) => {
  const strip = h("div", { class: "strip", role: "img", "aria-label": "No motion to check" });
  const summary = h("button", { class: "readout certificate", type: "button", hidden: true });
  let request = "";
  let timer = 0;
  let checked = ""; // fingerprint of what the last check was asked for
  let found: MotionCertificate | null = null;

  const markStale = (stale: boolean) => {
    strip.classList.toggle("stale", stale);
    summary.classList.toggle("stale", stale);
  };
  const invalidate = () => {
    store.certificate = null;
    markStale(found !== null);
  };
  const check = () => {
    const now = fingerprint();
    if (now === checked || store.dragging || editor.link !== "open") return;
    checked = now;
    request = editor.command({ type: "check_motion" });
    invalidate();
  };
  on(["state", "link"], () => {
    clearTimeout(timer);
    if (found) show(editor, found, strip, summary);
    if (fingerprint() === checked) return;
    timer = window.setTimeout(check, CHECK_AFTER_MS);
    invalidate();
  });
  return {
    lanes: [strip],
    readouts: [summary],
    receive(message) {
      if (message.type !== "motion_certificate" || message.job !== request) return;
      found = store.certificate = message;
      notify("time"); // colours the parts that overlap at the playhead
      markStale(false);
      show(editor, found, strip, summary);
    },
  };
};

/** Everything that a certificate depends on, as a string: motions, objects, allowed contacts and unkeyed poses. */
function fingerprint(): string {
  const state = store.state;
  if (!state) return "";
  const still = state.actors.filter((actor) => !store.motions.has(actor.id)).map((actor) => String(actor.q));
  return JSON.stringify([store.motionVersion, state.objects, state.contacts, still]);
}

function show(editor: Editor, found: MotionCertificate, strip: HTMLElement, summary: HTMLElement): void {
  const segments = joinSegments(found.segments);
  const bad = !found.certified;
  fill(strip, ...segments.map((segment) => segmentButton(editor, segment)));
  strip.setAttribute("aria-label", describeMotion(found));
  summary.hidden = segments.length === 0 && !found.pose;
  summary.classList.toggle("bad", bad);
  summary.title = explain(found, bad);
  fill(summary, describeMotion(found), bad && !found.pose && h("span", { class: "fix" }, "Fix …"));
  summary.onclick = () => editor.run("fix-motion");
}

function explain(found: MotionCertificate, bad: boolean): string {
  if (found.pose)
    return "Clear: no parts overlap in this pose. Touching: parts come nearer than a millimetre. Nothing moves yet";
  return bad
    ? "Some segments, from one key to the next, are not certified: choose how to fix them"
    : `Certified: proven free of penetration in all ${found.frames} frames and between them, ` +
        "as glTF players interpolate. Touching: parts come nearer than a millimetre";
}

function segmentButton(editor: Editor, segment: Segment): HTMLElement {
  const text = describeSegment(segment);
  const button = h("button", {
    class: `segment ${segment.verdict.replace(" ", "-")}`,
    type: "button",
    tabindex: isCertified(segment) ? -1 : 0,
    title: text,
    "aria-label": `${segment.start_s.toFixed(1)} to ${segment.end_s.toFixed(1)} seconds: ${text}`,
    click: () => editor.run("fix-motion"),
  });
  button.addEventListener("pointerdown", (event) => event.stopPropagation());
  const duration = store.state?.duration_s ?? 0;
  button.style.left = percentAt(segment.start_s, duration);
  button.style.width = percentAt(segment.end_s - segment.start_s, duration);
  return button;
}
