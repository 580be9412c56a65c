/** The section Clip: trim, stretch, loop and mirror the clip of the active character; layer another one over it. */
import { h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { ClipState } from "../../generated/messages";
import { chooseFile } from "../../import_export";
import { activeActor, on, store } from "../../store";
import { wideButton } from "../../ui/buttons";

export const install: Install = (editor) => {
  const element = clipSection(editor);
  return {
    sections: [{ title: "Clip", element, order: 26, about: "The clip of this character; keys are layered over it" }],
    actions: [
      {
        name: "flip-keys",
        title: "Flip the poses of the selected keys: left and right swap",
        keys: ["Shift+M"],
        group: "Time",
        enabled: () => store.selectedKeys.size > 0,
        run: () => editor.command({ type: "flip_keys", keys: [...store.selectedKeys] }),
      },
    ],
  };
};

function activeClip(): ClipState | null {
  const actor = activeActor();
  return store.state?.features.clips?.clips.find((clip) => clip.actor === actor?.id) ?? null;
}

function numberField(label: string, about: string, step: number): HTMLInputElement {
  return h("input", { type: "number", class: "compact", min: 0, step, "aria-label": label, title: about });
}

function clipSection(editor: Editor): HTMLElement {
  const name = h("p", { class: "note" });
  const from = numberField("Trim from", "New start of the clip, in seconds on the timeline", 0.1);
  const to = numberField("Trim to", "New end of the clip, in seconds on the timeline", 0.1);
  const length = numberField("Length of the clip", "New duration of the clip, in seconds", 0.1);
  const times = numberField("Repetitions", "Number of times that the clip plays", 1);
  times.value = "2";
  const run = (send: (actor: number) => void) => () => {
    const clip = activeClip();
    if (clip) send(clip.actor);
  };
  const row = (label: string, fields: HTMLElement[], button: HTMLElement) =>
    h("div", { class: "clip-row" }, h("span", {}, label), ...fields, button);
  const trim = run((actor) =>
    editor.command({ type: "trim_clip", actor, start_s: Number(from.value), end_s: Number(to.value) }),
  );
  const stretch = run((actor) =>
    editor.command({ type: "stretch_clip", actor, duration_s: Math.max(0.05, Number(length.value)) }),
  );
  const loop = run((actor) =>
    editor.command({ type: "loop_clip", actor, times: Math.min(100, Math.max(2, Math.round(Number(times.value)))) }),
  );
  const mirror = run((actor) => editor.command({ type: "mirror_clip", actor }));
  const controls = h(
    "div",
    {},
    row("From, to (s)", [from, to], wideButton("Trim", "Keep this part of the clip", trim)),
    row("Length (s)", [length], wideButton("Stretch", "Slow the clip down or speed it up", stretch)),
    row(
      "Times",
      [times],
      wideButton("Loop clip", "Repeat the clip; each repetition starts where the last one ended", loop),
    ),
    h(
      "div",
      { class: "grid" },
      wideButton("Mirror clip", "Swap left and right in the whole clip", mirror),
      wideButton("Layer a file …", "Layer another motion over the arms and the upper body", () =>
        chooseFile(editor, "layer"),
      ),
    ),
  );
  on(["state", "selection"], () => {
    const clip = activeClip();
    controls.hidden = clip === null;
    name.textContent = clip
      ? `${clip.name}, ${clip.duration_s.toFixed(2)} s`
      : "No clip: open a motion, or record a drag. Keys are stretched and flipped on the timeline.";
    if (!clip || [from, to, length].includes(document.activeElement as HTMLInputElement)) return;
    from.value = clip.start_s.toFixed(2);
    to.value = (clip.start_s + clip.duration_s).toFixed(2);
    length.value = clip.duration_s.toFixed(2);
  });
  return h("div", {}, name, controls);
}
