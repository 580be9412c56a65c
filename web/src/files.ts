/** Files in and out: buttons, drag and drop, pictures. */
import { h } from "./dom";
import { sentence, summary } from "./features/certificate";
import { activeActor, store } from "./store";
import type { Studio } from "./editor";
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

/** What a file is proven to be: the server certifies it as it is stored. */
interface Proven {
  certified: boolean;
  frames: number;
  interpolation: "slerp" | "both";
  pass_throughs: number;
  penetration_m: number;
}

/** Export the active actor's motion; where it passes through something, only after a word about it. */
export async function exportMotion(studio: Studio, suffix: string): Promise<void> {
  const bad = store.certificate?.stretches.filter((one) => one.verdict !== "certified") ?? [];
  if (bad.length === 0) return saveMotion(studio, suffix);
  const dialog = h("dialog", { class: "sheet export", "aria-label": `Export as ${suffix.toUpperCase()}` },
    h("form", { method: "dialog" }, h("button", { class: "quiet corner", "aria-label": "Close" }, "✕")),
    h("h2", {}, "Not certified yet"),
    h("p", { class: "soft" }, `${summary(store.certificate!)}:`),
    h("ul", {}, ...bad.slice(0, 5).map((one) => h("li", {}, `${one.start_s.toFixed(2)}–${one.end_s.toFixed(2)} s: ${sentence(one)}.`))),
    h("div", { class: "sheet-foot" },
      h("button", { class: "wide", type: "button", click: () => { dialog.close(); void saveMotion(studio, suffix); } }, "Export as it is"),
      h("button", { class: "wide primary", type: "button", click: () => { dialog.close(); studio.run("clear-motion"); } }, "Make it clear first …")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

async function saveMotion(studio: Studio, suffix: string): Promise<void> {
  const actor = activeActor();
  if (!actor) return;
  const answer = await fetch(`api/documents/${studio.document}/export/${actor.id}.${suffix}`);
  if (!answer.ok) {
    say(((await answer.json()) as { error: string }).error, "problem");
    return;
  }
  const proven = JSON.parse(answer.headers.get("x-certificate") ?? "null") as Proven | null;
  download(`${fileName()}.${suffix}`, await answer.blob());
  say(`Exported as ${suffix.toUpperCase()}.${inWords(proven)}`, proven && !proven.certified ? "problem" : "plain");
}

function inWords(proven: Proven | null): string {
  if (!proven) return "";
  const how = proven.interpolation === "both" ? "as readers of BVH interpolate it, by Euler angles or evenly" : "as glTF players interpolate it";
  if (proven.certified) return ` Certified: the file’s ${proven.frames} frames and everything between them are clear, ${how}.`;
  const what = proven.pass_throughs ? `${proven.pass_throughs} times parts pass through each other` : `parts overlap by up to ${Math.ceil(1000 * proven.penetration_m)} mm`;
  return ` Not certified: ${what}, ${how}.`;
}

async function importFile(studio: Studio, file: File, asFigure = false): Promise<void> {
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
