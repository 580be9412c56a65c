/** Import and export of files: by button, by drag and drop, pictures. */

import { describeFile, describeMotion, describeSegment, type FileCertificate, uncertified } from "./certificate_text";
import { h } from "./dom";
import type { Editor } from "./editor";
import { activeActor, store } from "./store";
import { uploadDocument } from "./ui/start";
import { showMessage } from "./ui/toast";

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

export async function savePicture(editor: Editor): Promise<void> {
  download(`${fileName()}.png`, await editor.viewport.picture(1600, 1200));
  showMessage("Picture saved.");
}

/** Export the active actor's motion; where it is not certified, after a dialog that says why. */
export async function exportMotion(editor: Editor, suffix: string): Promise<void> {
  const bad = uncertified(store.certificate);
  if (bad.length === 0) return saveMotion(editor, suffix);
  const dialog = h(
    "dialog",
    { class: "sheet export", "aria-label": `Export as ${suffix.toUpperCase()}` },
    h("form", { method: "dialog" }, h("button", { class: "quiet corner", "aria-label": "Close" }, "✕")),
    h("h2", {}, "Not certified yet"),
    h("p", { class: "soft" }, `${describeMotion(store.certificate!)}:`),
    h(
      "ul",
      {},
      ...bad
        .slice(0, 5)
        .map((one) => h("li", {}, `${one.start_s.toFixed(2)}–${one.end_s.toFixed(2)} s: ${describeSegment(one)}.`)),
    ),
    h(
      "div",
      { class: "sheet-foot" },
      h(
        "button",
        {
          class: "wide",
          type: "button",
          click: () => {
            dialog.close();
            void saveMotion(editor, suffix);
          },
        },
        "Export as it is",
      ),
      h(
        "button",
        {
          class: "wide primary",
          type: "button",
          click: () => {
            dialog.close();
            editor.run("fix-motion");
          },
        },
        "Fix it first …",
      ),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

async function saveMotion(editor: Editor, suffix: string): Promise<void> {
  const actor = activeActor();
  if (!actor) return;
  const answer = await fetch(`api/documents/${editor.document}/export/${actor.id}.${suffix}`);
  if (!answer.ok) {
    showMessage(((await answer.json()) as { error: string }).error, "problem");
    return;
  }
  const certificate = JSON.parse(answer.headers.get("x-certificate") ?? "null") as FileCertificate | null;
  download(`${fileName()}.${suffix}`, await answer.blob());
  showMessage(
    `Exported as ${suffix.toUpperCase()}.${describeFile(certificate)}`,
    certificate?.certified ? "plain" : "problem",
  );
}

async function importFile(editor: Editor, file: File, asFigure = false): Promise<void> {
  if (file.name.toLowerCase().endsWith(".writhe")) return uploadDocument(file);
  const actor = activeActor();
  if (!actor) return;
  showMessage(`Opening ${file.name} …`);
  const query = new URLSearchParams({ actor: String(actor.id), name: file.name, as: asFigure ? "figure" : "motion" });
  const answer = await fetch(`api/documents/${editor.document}/import?${query}`, { method: "POST", body: file });
  const report = (await answer.json()) as { text?: string; error?: string };
  showMessage(report.text ?? report.error ?? "", answer.ok ? "plain" : "problem");
}

export function chooseFile(editor: Editor, asFigure = false, suffixes = ""): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = suffixes || (store.welcome?.import_suffixes ?? []).map((suffix) => `.${suffix}`).join(",");
  input.onchange = () => input.files?.[0] && void importFile(editor, input.files[0], asFigure);
  input.click();
}

/** Open files that are dropped anywhere on the page. */
export function acceptDrops(editor: Editor): void {
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
    if (file) void importFile(editor, file);
  });
}
