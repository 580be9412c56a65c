/** Import and export of files: by button, by drag and drop, pictures. */

import { describeFile, describeMotion, describeSegment, type FileCertificate, uncertified } from "./certificate_text";
import { h } from "./dom";
import type { Editor } from "./editor";
import { activeActor, store } from "./store";
import { uploadDocument } from "./ui/start_page";
import { showMessage } from "./ui/toast";

export function download(name: string, content: Blob | string): void {
  const link = document.createElement("a");
  link.href = typeof content === "string" ? content : URL.createObjectURL(content);
  link.download = name;
  link.click();
  if (typeof content !== "string") setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function fileName(): string {
  return (store.state?.name ?? "pose").replace(/[^\p{L}\p{N} _-]+/gu, "").trim() || "pose";
}

export async function savePicture(editor: Editor): Promise<void> {
  download(`${fileName()}.png`, await editor.viewport.picture(1600, 1200));
  showMessage("Picture saved.");
}

const SEVERAL_CHARACTERS = ["bvh", "glb"]; // files of other formats hold one

/** Export motion: a dialog says what is written, of which characters, and what is not certified. */
export function exportMotion(editor: Editor, suffix: string): void {
  const actor = activeActor();
  if (!actor || !store.state) return;
  const actors = SEVERAL_CHARACTERS.includes(suffix) ? store.state.actors : [actor];
  const bad = uncertified(store.certificate);
  if (bad.length === 0 && actors.length === 1) return void saveMotion(editor, suffix, actor.id);
  let chosen = actors.length > 1 ? 0 : actor.id;
  const contents = h("p", { class: "soft written" });
  const describe = () => {
    const names = (chosen === 0 ? actors : [actor]).map((one) => one.name).join(", ");
    const objects =
      suffix === "glb" && store.state!.objects.length ? `, ${counted(store.state!.objects.length, "object")}` : "";
    const file = suffix === "bvh" && chosen === 0 ? "a .zip file with a .bvh file each" : `one .${suffix} file`;
    contents.textContent = `Writes ${file}: ${names}${objects}.`;
  };
  const choose = (number: number) => {
    chosen = number;
    describe();
  };
  const choices = actors.length > 1 && [
    radio("who", "All characters", true, () => choose(0)),
    radio("who", `Only ${actor.name}`, false, () => choose(actor.id)),
  ];
  const go = (label: string, primary: boolean) =>
    h(
      "button",
      {
        class: primary ? "wide primary" : "wide",
        type: "button",
        click: () => {
          dialog.close();
          void saveMotion(editor, suffix, chosen);
        },
      },
      label,
    );
  const fix = h(
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
  );
  const warning = bad.length > 0 && [
    h("p", { class: "soft" }, `${describeMotion(store.certificate!)}${store.certificate?.pose ? "." : ":"}`),
    h(
      "ul",
      {},
      ...bad
        .slice(0, store.certificate?.pose ? 0 : 5)
        .map((one) => h("li", {}, `${one.start_s.toFixed(2)}–${one.end_s.toFixed(2)} s: ${describeSegment(one)}.`)),
    ),
  ];
  const dialog = sheet(
    `Export as ${suffix.toUpperCase()}`,
    bad.length > 0 ? "Not certified yet" : `Export as ${suffix.toUpperCase()}`,
    ...(choices || []),
    contents,
    ...(warning || []),
    h("div", { class: "sheet-foot" }, ...(bad.length > 0 ? [go("Export as it is", false), fix] : [go("Export", true)])),
  );
  describe();
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function radio(name: string, label: string, checked: boolean, choose: () => void): HTMLElement {
  return h("label", { class: "choice" }, h("input", { type: "radio", name, checked, change: choose }), ` ${label}`);
}

/** A modal dialog with a heading; it is removed when it closes. */
export function sheet(label: string, heading: string, ...content: HTMLElement[]): HTMLDialogElement {
  const dialog = h(
    "dialog",
    { class: "sheet export", "aria-label": label },
    h("form", { method: "dialog" }, h("button", { class: "quiet corner", "aria-label": "Close" }, "✕")),
    h("h2", {}, heading),
    ...content,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Download the motion of one actor, or of all with actor 0. */
async function saveMotion(editor: Editor, suffix: string, actor: number): Promise<void> {
  const answer = await fetch(`api/documents/${editor.document}/export/${actor}.${suffix}`);
  if (!answer.ok) {
    showMessage(((await answer.json()) as { error: string }).error, "problem");
    return;
  }
  const certificate = JSON.parse(answer.headers.get("x-certificate") ?? "null") as FileCertificate | null;
  const written = /filename="[^"]*\.(\w+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? suffix;
  download(`${fileName()}.${written}`, await answer.blob());
  const names = store.state?.actors.filter((one) => actor === 0 || one.id === actor).map((one) => one.name) ?? [];
  showMessage(
    `Exported ${names.join(", ")} as ${written.toUpperCase()}.${describeFile(certificate)}`,
    certificate?.certified ? "plain" : "problem",
  );
}

type Form = "motion" | "figure" | "actor" | "layer" | "object";

interface Contents {
  character: boolean;
  object: boolean; // a mesh without joints
  animations: { name: string; duration_s: number }[];
  current: number; // of the animation that is read by default
}

/** Formats that may hold a character or several clips, and are looked into first. */
const CHARACTERS = /\.(glb|gltf|vrm|vrma|fbx|usd[acz]?)$/i;

/** Open files; `form` says what becomes of a motion or character, by default what the file holds. */
async function openFiles(editor: Editor, files: File[], form: Form | null = null): Promise<void> {
  const file = files.find((one) => !/\.(bin|png|jpe?g|webp|ktx2)$/i.test(one.name)) ?? files[0];
  if (file.name.toLowerCase().endsWith(".writhe")) return uploadDocument(file);
  if (!activeActor()) return;
  showMessage(`Opening ${file.name} …`);
  try {
    const data = /\.gltf$/i.test(file.name) ? await selfContained(file, files) : file;
    if (!CHARACTERS.test(file.name)) return await importFile(editor, file.name, data, form ?? "motion");
    const answer = await fetch(`api/inspect?${new URLSearchParams({ name: file.name })}`, {
      method: "POST",
      body: data,
    });
    const found = (await answer.json()) as Contents & { error?: string };
    if (!answer.ok) throw new Error(found.error);
    const natural: Form =
      found.object && form !== "figure" ? "object" : (form ?? (found.character ? "actor" : "motion"));
    if (found.animations.length < 2) return await importFile(editor, file.name, data, natural);
    chooseClip(found, natural, (as, clip) => void importFile(editor, file.name, data, as, clip));
  } catch (error) {
    showMessage(error instanceof Error ? error.message : String(error), "problem");
  }
}

/** Ask which clip of a file to use, and whether its character is wanted or only the motion. */
function chooseClip(found: Contents, natural: Form, use: (form: Form, clip: string) => void): void {
  let clip = found.animations[found.current].name;
  const pick = (name: string) => {
    clip = name;
  };
  const list = h(
    "div",
    { class: "clips" },
    ...found.animations.map((one, i) =>
      radio("clip", `${one.name} (${one.duration_s.toFixed(1)} s)`, i === found.current, () => pick(one.name)),
    ),
    (natural === "actor" || natural === "figure") && radio("clip", "No clip", false, () => pick("-")),
  );
  const button = (label: string, form: Form, primary: boolean) =>
    h(
      "button",
      {
        class: primary ? "wide primary" : "wide",
        type: "button",
        click: () => {
          dialog.close();
          use(form, clip);
        },
      },
      label,
    );
  const name = activeActor()?.name ?? "this character";
  const onlyMotion = natural === "layer" ? "layer" : "motion";
  const dialog = sheet(
    "Choose a clip",
    `This file has ${found.animations.length} clips`,
    list,
    h(
      "div",
      { class: "sheet-foot" },
      button(`Only the motion, on ${name}`, onlyMotion, natural === onlyMotion),
      ...(natural === onlyMotion ? [] : [button("Open the character", natural, true)]),
    ),
  );
}

/** A .gltf file with the files that it refers to inside, where they were dropped together. */
async function selfContained(file: File, files: File[]): Promise<Blob> {
  const text = JSON.parse(await file.text()) as { [key in "buffers" | "images"]?: { uri?: string }[] };
  for (const entry of [...(text.buffers ?? []), ...(text.images ?? [])]) {
    const name = entry.uri && !entry.uri.startsWith("data:") && decodeURIComponent(entry.uri).split("/").at(-1);
    const found = files.find((one) => one.name === name);
    if (found) entry.uri = await dataAddress(found);
  }
  return new Blob([JSON.stringify(text)]);
}

function dataAddress(file: File): Promise<string> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^data:;/, "data:application/octet-stream;"));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(file);
  });
}

async function importFile(editor: Editor, name: string, data: Blob, form: Form, animation = ""): Promise<void> {
  const before = store.state;
  const query = new URLSearchParams({ actor: String(activeActor()?.id), name, as: form, animation });
  const answer = await fetch(`api/documents/${editor.document}/import?${query}`, { method: "POST", body: data });
  const report = (await answer.json()) as { text?: string; error?: string; actor?: number };
  showMessage(report.text ?? report.error ?? "", answer.ok ? "plain" : "problem");
  if (answer.ok && (form === "figure" || form === "actor") && report.actor) editor.showNext(report.actor, before);
}

export function chooseFile(editor: Editor, form: Form = "motion", suffixes = ""): void {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = suffixes || (store.welcome?.import_suffixes ?? []).map((suffix) => `.${suffix}`).join(",");
  input.onchange = () => input.files?.length && void openFiles(editor, [...input.files], form);
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
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) void openFiles(editor, files);
  });
}
