/** The top bar: title, undo, import and export, theme, help. */

import { describeMotion } from "../certificate_text";
import { fill, h } from "../dom";
import type { Editor } from "../editor";
import { exportFilm } from "../film_export";
import { icon } from "../icons";
import { chooseFile, download, exportMotion, savePicture } from "../import_export";
import { activeActor, on, store } from "../store";
import { iconButton, menuButton } from "./buttons";
import { onTheme, toggleTheme } from "./theme";

const LEAVE_MS = 60; // lets the last message be sent

/** Note on the motion that would be exported: its length and certificate. */
function certificateNote(): string {
  const found = store.certificate;
  if (!store.motions.size) return found ? `${describeMotion(found)}.` : "";
  const motion = store.motions.get(store.active);
  const seconds = motion && ((motion.frames - 1) / motion.fps).toFixed(2);
  const end = motion ? `Exported files run from 0 to ${seconds} s, up to the last key or the end of the clip. ` : "";
  if (!found) return `${end}The motion is still being checked.`;
  return `${end}${describeMotion(found)}.`;
}

const EXPORT_FORMATS: { [suffix: string]: string } = {
  bvh: "The skeleton's motion, for most animation tools",
  glb: "Characters as imported, with materials and motion, and the objects: for Blender and game engines",
  vrm: "This avatar as it was, with the motion in it",
  usdz: "This character with materials and motion, for USD programs",
  fbx: "This character with materials and motion, for game engines (written by Blender)",
};

function exportMenu(editor: Editor): HTMLElement {
  const saveDocument = () =>
    download(`${store.state?.name ?? "document"}.writhe`, `api/documents/${editor.document}/file`);
  const motions = () =>
    (store.welcome?.export_suffixes ?? [])
      .filter((suffix) => suffix !== "vrm" || store.figures.get(activeActor()?.figure ?? "")?.vrm)
      .map((suffix): [string, string, () => void] => [
        suffix.toUpperCase(),
        EXPORT_FORMATS[suffix] ?? "Motion",
        () => void exportMotion(editor, suffix),
      ]);
  return menuButton(
    "save",
    "Export",
    "Export",
    () => [
      ...motions(),
      ["PNG", "A still picture of the view", () => void savePicture(editor)],
      ["Video", "A film of the view: MP4, WebM, GIF, or numbered pictures", () => exportFilm(editor)],
      ["Document", "Everything in one .writhe file", saveDocument],
    ],
    certificateNote,
  );
}

function importMenu(editor: Editor): HTMLElement {
  const types = () => (store.welcome?.import_suffixes ?? []).map((suffix) => `.${suffix}`).join(", ");
  const open = (suffixes: string) => () => chooseFile(editor, "motion", suffixes);
  const menu = menuButton("open", "Open a file", "Open", () => [
    ["Motion onto this character", `A clip to play and edit: ${types()}`, () => chooseFile(editor)],
    ["Character", "With materials and clips: .glb, .gltf, .vrm, .fbx, .usdz, …", () => chooseFile(editor, "actor")],
    ["Skeleton for this character", `Replaces its body: ${types()}`, () => chooseFile(editor, "figure")],
    ["Document", "Another document: .writhe", open(".writhe")],
    ["Scene with objects", "Replaces the objects of this scene: .json", open(".json")],
    ["Postures or styles", "Learnt with the writhe command line: .parquet, .npz", open(".parquet,.npz")],
  ]);
  on(["welcome"], () => {
    menu.hidden = !store.welcome?.import_suffixes.length;
  });
  return menu;
}

/** The title of the document, which can be edited. */
function titleField(editor: Editor): HTMLElement {
  const title = h("input", {
    class: "title",
    "aria-label": "Title of the document",
    title: "Rename the document",
    maxlength: 80,
    spellcheck: "false",
  });
  title.addEventListener("change", () => editor.command({ type: "rename", name: title.value.trim() || "Untitled" }));
  title.addEventListener("keydown", (event) => event.key === "Enter" && title.blur());
  on(["state", "link"], () => {
    if (store.state && document.activeElement !== title) title.value = store.state.name;
  });
  return title;
}

function savedStatus(editor: Editor): HTMLElement {
  const saved = h("span", { class: "saved", role: "status" });
  on(["state", "link"], () => {
    if (store.state) saved.textContent = editor.link === "open" ? "Saved" : "";
  });
  return saved;
}

function undoButtons(editor: Editor): HTMLElement[] {
  const undo = iconButton("undo", "Undo", () => editor.run("undo"));
  const redo = iconButton("redo", "Redo", () => editor.run("redo"));
  on(["state", "link"], () => {
    const state = store.state;
    if (!state) return;
    undo.disabled = !state.undo;
    redo.disabled = !state.redo;
    undo.title = state.undo ? `Undo: ${state.undo} (Ctrl+Z)` : "Nothing to undo";
    redo.title = state.redo ? `Redo: ${state.redo} (Ctrl+Shift+Z)` : "Nothing to redo";
  });
  return [undo, redo];
}

/** The link to all documents; it sends a thumbnail of this one before it leaves the page. */
function homeLink(editor: Editor): HTMLElement {
  const home = h(
    "a",
    { class: "home", href: "./?start", title: "All documents", "aria-label": "All documents" },
    h("img", { src: "./icon.svg", alt: "", width: 26, height: 26 }),
  );
  const leave = () => {
    location.href = home.href;
  };
  home.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void editor.sendThumbnail().finally(() => setTimeout(leave, LEAVE_MS));
  });
  return home;
}

export function topbar(editor: Editor, togglePanel: () => void): HTMLElement {
  const themeButton = iconButton("sun", "Light or dark", toggleTheme, "theme-button");
  onTheme((theme) => fill(themeButton, icon(theme === "dark" ? "sun" : "moon")));
  return h(
    "header",
    { class: "topbar" },
    homeLink(editor),
    titleField(editor),
    savedStatus(editor),
    h("span", { class: "space" }),
    ...undoButtons(editor),
    h("span", { class: "rule" }),
    importMenu(editor),
    exportMenu(editor),
    h("span", { class: "rule" }),
    themeButton,
    iconButton("search", "Find an action (Ctrl+K)", () => editor.run("search")),
    iconButton("help", "Shortcuts and help (?)", () => editor.run("help")),
    iconButton("panel", "Show or hide the panel", togglePanel, "panel-button"),
  );
}
