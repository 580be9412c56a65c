/** Checks the motion whenever it changes: a strip of verdicts under the keys and a summary in the view. */
import { describeMotion, describeSegment, isCertified, joinSegments } from "../../certificate_text";
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { MotionCertificate, Segment } from "../../generated/messages";
import { MotionCheck } from "../../motion_check";
import { notify, on, store } from "../../store";
import { percentAt } from "../../timeline/timeline_math";

export const install: Install = (editor) => {
  const strip = h("div", { class: "strip", role: "img", "aria-label": "No motion to check" });
  const summary = h("button", { class: "readout certificate", type: "button", hidden: true });
  const draw = () => {
    strip.classList.toggle("stale", check.stale);
    summary.classList.toggle("stale", check.stale);
    if (check.found) show(editor, check.found, strip, summary);
  };
  const ask = () => (store.dragging || editor.link !== "open" ? "" : editor.command({ type: "check_motion" }));
  const check = new MotionCheck(ask, () => {
    draw();
    if (store.certificate) notify("time"); // colours the parts that overlap at the playhead
  });
  on(["state", "link"], () => {
    check.documentChanged();
    draw();
  });
  return { lanes: [strip], readouts: [summary], receive: (message) => check.receive(message) };
};

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
