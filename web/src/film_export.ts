/** Export of the view as a film: the page draws every frame, the server encodes them. */
import { h } from "./dom";
import type { Editor } from "./editor";
import { download, fileName, sheet } from "./import_export";
import { store } from "./store";
import { showMessage } from "./ui/toast";

const FORMATS: [string, string][] = [
  ["mp4", "MP4: plays everywhere"],
  ["webm", "WebM: for web pages"],
  ["gif", "GIF: short loops"],
  ["zip", "PNG pictures, numbered, in a .zip"],
];
const SIZES: [number, number][] = [
  [1280, 720],
  [1920, 1080],
  [720, 720],
  [640, 360],
];

interface FilmOptions {
  format: string;
  width: number;
  height: number;
  fps: number;
}

/** Ask for format, size and rate, then draw and send all frames from the start to the last key. */
export function exportFilm(editor: Editor): void {
  const seconds = motionLength();
  const format = h(
    "select",
    { "aria-label": "Format" },
    ...FORMATS.map(([value, text]) => h("option", { value }, text)),
  );
  const size = h(
    "select",
    { "aria-label": "Size" },
    ...SIZES.map(([width, height], i) => h("option", { value: i }, `${width} × ${height}`)),
  );
  const fps = h("input", {
    type: "number",
    min: 1,
    max: 120,
    value: Math.min(60, store.state?.fps ?? 30),
    "aria-label": "Frames per second",
  });
  const bar = h("progress", { max: 1, hidden: true, "aria-label": "Progress" });
  const field = (label: string, input: HTMLElement) => h("label", { class: "field" }, h("span", {}, label), input);
  let cancelled = false;
  const go = h("button", { class: "wide primary", type: "button" }, "Export the video");
  go.addEventListener("click", () => {
    go.disabled = true;
    bar.hidden = false;
    const [width, height] = SIZES[Number(size.value)];
    const options = { format: format.value, width, height, fps: Math.max(1, Number(fps.value)) };
    void record(editor, options, seconds, (done) => {
      bar.value = done;
      return !cancelled;
    }).then(
      (blob) => {
        dialog.close();
        if (!blob) return;
        download(`${fileName()}.${options.format}`, blob);
        showMessage(`Video saved: ${seconds.toFixed(1)} s as ${options.format.toUpperCase()}.`);
      },
      (error) => {
        dialog.close();
        showMessage(error instanceof Error ? error.message : String(error), "problem");
      },
    );
  });
  const dialog = sheet(
    "Export a video",
    "Export a video",
    h("p", { class: "soft" }, `What the view shows, from 0 to ${seconds.toFixed(2)} s, without pins and handles.`),
    field("Format", format),
    field("Size", size),
    field("Frames per second", fps),
    bar,
    h("div", { class: "sheet-foot" }, go),
  );
  dialog.addEventListener("close", () => {
    cancelled = true;
  });
}

/** The time of the last frame of any character; the timeline where nothing moves. */
function motionLength(): number {
  const ends = [...store.motions.values()].map((motion) => (motion.frames - 1) / motion.fps);
  return ends.length ? Math.max(...ends) : (store.state?.duration_s ?? 0);
}

/** The film, or null if `progress` returned false. */
async function record(
  editor: Editor,
  options: FilmOptions,
  seconds: number,
  progress: (done: number) => boolean,
): Promise<Blob | null> {
  const started = await answer(
    fetch("api/films", { method: "POST", body: JSON.stringify({ format: options.format, fps: options.fps }) }),
  );
  const film = `api/films/${((await started.json()) as { film: string }).film}`;
  const count = Math.round(seconds * options.fps) + 1;
  const before = store.timeS;
  editor.playback.stop();
  try {
    for (let frame = 0; frame < count; frame++) {
      editor.showFrame(Math.min(seconds, frame / options.fps));
      const picture = await editor.viewport.picture(options.width, options.height);
      await answer(fetch(film, { method: "POST", body: picture }));
      if (!progress((frame + 1) / count)) {
        await fetch(film, { method: "DELETE" });
        return null;
      }
    }
    return await (await answer(fetch(film))).blob();
  } finally {
    editor.seek(before);
  }
}

async function answer(request: Promise<Response>): Promise<Response> {
  const response = await request;
  if (!response.ok) throw new Error(((await response.json()) as { error: string }).error);
  return response;
}
