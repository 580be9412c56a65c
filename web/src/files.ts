/** Files in and out: buttons, drag and drop, pictures. */
import { activeActor, store } from "./store";
import type { Studio } from "./studio";
import { uploadDocument } from "./ui/start";
import { say } from "./ui/toast";

export function download(name: string, content: Blob | string): void {
  const link = document.createElement("a");
  link.href = typeof content === "string" ? content : URL.createObjectURL(content);
  link.download = name;
  link.click();
  if (typeof content !== "string") setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function fileName(): string {
  return (store.state?.name ?? "pose").replace(/[^\p{L}\p{N} _-]+/gu, "").trim() || "pose";
}

export async function savePicture(studio: Studio): Promise<void> {
  download(`${fileName()}.png`, await studio.viewport.picture(1600, 1200));
  say("Picture saved.");
}

export async function exportMotion(studio: Studio, suffix: string): Promise<void> {
  const actor = activeActor();
  if (!actor) return;
  const answer = await fetch(`api/documents/${studio.document}/export/${actor.id}.${suffix}`);
  if (!answer.ok) {
    say(((await answer.json()) as { error: string }).error, "problem");
    return;
  }
  download(`${fileName()}.${suffix}`, await answer.blob());
  say(`Exported as ${suffix.toUpperCase()}.`);
}

export async function importFile(studio: Studio, file: File, asFigure = false): Promise<void> {
  if (file.name.toLowerCase().endsWith(".writhe")) return uploadDocument(file);
  const actor = activeActor();
  if (!actor) return;
  say(`Opening ${file.name} …`);
  const query = new URLSearchParams({ actor: String(actor.id), name: file.name, as: asFigure ? "figure" : "motion" });
  const answer = await fetch(`api/documents/${studio.document}/import?${query}`, { method: "POST", body: file });
  const report = (await answer.json()) as { text?: string; error?: string };
  say(report.text ?? report.error ?? "", answer.ok ? "plain" : "problem");
}

export function chooseFile(studio: Studio, asFigure = false, suffixes = ""): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = suffixes || (store.welcome?.import_suffixes ?? []).map((suffix) => `.${suffix}`).join(",");
  input.onchange = () => input.files?.[0] && void importFile(studio, input.files[0], asFigure);
  input.click();
}

/** Let files be dropped anywhere on the page. */
export function acceptDrops(studio: Studio): void {
  let depth = 0;
  const shade = (on: boolean) => document.body.classList.toggle("dropping", on);
  addEventListener("dragenter", (event) => {
    event.preventDefault();
    shade(++depth > 0);
  });
  addEventListener("dragleave", () => shade(--depth > 0));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    shade(false);
    const file = event.dataTransfer?.files[0];
    if (file) void importFile(studio, file);
  });
}
