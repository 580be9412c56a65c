/** Title, undo, files, theme, help. */
import { fill, h } from "../dom";
import { summary } from "../features/certificate";
import { chooseFile, download, exportMotion, savePicture } from "../files";
import { icon } from "../icons";
import { on, store } from "../store";
import type { Studio } from "../editor";
import { onTheme, toggleTheme } from "./theme";

const LEAVE_MS = 60; // for the last message to be on its way

export function iconButton(name: string, label: string, run: () => void, extra = ""): HTMLButtonElement {
  return h("button", { class: `icon-button ${extra}`, title: label, "aria-label": label, type: "button", click: run }, icon(name) as unknown as Node);
}

/** A button that opens a small menu below itself. */
function menuButton(name: string, label: string, text: string, entries: () => [string, string, () => void][], note: () => string = () => ""): HTMLElement {
  const list = h("div", { class: "menu", role: "menu", hidden: true });
  const button = iconButton(name, label, () => {
    if (!list.hidden) return close();
    fill(list, ...entries().map(([title, about, run]) => h("button", { role: "menuitem", type: "button", title: about, click: () => { close(); run(); } }, h("span", {}, title), h("small", {}, about))));
    if (note()) list.append(h("p", { class: "menu-note" }, note()));
    list.hidden = false;
    list.querySelector("button")?.focus();
    button.setAttribute("aria-expanded", "true");
  });
  const close = () => {
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  button.append(h("span", { class: "menu-text" }, text));
  button.classList.add("with-text");
  button.setAttribute("aria-haspopup", "menu");
  const wrap = h("div", { class: "menu-wrap" }, button, list);
  addEventListener("pointerdown", (event) => !wrap.contains(event.target as Node) && close());
  wrap.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      close();
      button.focus();
      event.stopPropagation();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const items = [...list.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length]?.focus();
    event.preventDefault();
  });
  return wrap;
}

/** What is known of the motion that would be exported. */
function certificateNote(): string {
  if (!store.motions.size) return "";
  const found = store.certificate;
  const motion = store.motions.get(store.active);
  const end = motion ? `Files go from 0 to ${((motion.frames - 1) / motion.fps).toFixed(2)} s, to the last key or the end of the clip. ` : "";
  if (!found) return `${end}The motion is being checked.`;
  return `${end}${summary(found)}.`;
}

function motionTypes(): string {
  return (store.welcome?.import_suffixes ?? []).map((suffix) => `.${suffix}`).join(", ");
}

export function topbar(studio: Studio, togglePanel: () => void): HTMLElement {
  const title = h("input", { class: "title", "aria-label": "Title of the document", title: "Rename the document", maxlength: 80, spellcheck: "false" });
  title.addEventListener("change", () => studio.command({ type: "rename", name: title.value.trim() || "Untitled" }));
  title.addEventListener("keydown", (event) => event.key === "Enter" && title.blur());
  const undo = iconButton("undo", "Undo", () => studio.run("undo"));
  const redo = iconButton("redo", "Redo", () => studio.run("redo"));
  const themeButton = iconButton("sun", "Light or dark", toggleTheme, "theme-button");
  onTheme((theme) => fill(themeButton, icon(theme === "dark" ? "sun" : "moon") as unknown as Node));
  const saved = h("span", { class: "saved", role: "status" });
  const about: { [suffix: string]: string } = { bvh: "The skeleton's motion, for most animation tools", glb: "The character with skin and motion, and the objects: Blender, game engines" };
  const exportMenu = menuButton("save", "Export", "Export", () => [
    ...(store.welcome?.export_suffixes ?? []).map((suffix): [string, string, () => void] => [suffix.toUpperCase(), about[suffix] ?? "Motion", () => void exportMotion(studio, suffix)]),
    ["PNG", "A still picture of the view", () => void savePicture(studio)],
    ["Document", "Everything in one .writhe file, to keep or to share", () => download(`${store.state?.name ?? "document"}.writhe`, `api/documents/${studio.document}/file`)],
  ], certificateNote);
  const importMenu = menuButton("open", "Open a file", "Open", () => [
    ["Motion onto this character", `A clip to play and change: ${motionTypes()}`, () => chooseFile(studio)],
    ["Skeleton as a new character", `Pose your own character's skeleton: ${motionTypes()}`, () => chooseFile(studio, true)],
    ["Document", "All of another document: .writhe", () => chooseFile(studio, false, ".writhe")],
    ["Scene with objects", "Its objects instead of those here: .json", () => chooseFile(studio, false, ".json")],
    ["Postures or styles", "Learnt with writhe on the command line: .parquet, .npz", () => chooseFile(studio, false, ".parquet,.npz")],
  ]);
  const update = () => {
    const state = store.state;
    if (!state) return;
    if (document.activeElement !== title) title.value = state.name;
    undo.disabled = !state.undo;
    redo.disabled = !state.redo;
    undo.title = state.undo ? `Undo: ${state.undo} (Ctrl+Z)` : "Nothing to undo";
    redo.title = state.redo ? `Redo: ${state.redo} (Ctrl+Shift+Z)` : "Nothing to redo";
    saved.textContent = studio.link === "open" ? "Saved" : "";
  };
  on(["state", "link"], update);
  on(["welcome"], () => (importMenu.hidden = !store.welcome?.import_suffixes.length));
  const home = h("a", { class: "home", href: "./?start", title: "All documents", "aria-label": "All documents" }, h("img", { src: "./icon.svg", alt: "", width: 26, height: 26 }));
  home.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault(); // first a picture of how it looks now
    void studio.keepThumbnail().finally(() => setTimeout(() => (location.href = home.href), LEAVE_MS));
  });
  return h(
    "header",
    { class: "topbar" },
    home,
    title,
    saved,
    h("span", { class: "space" }),
    undo,
    redo,
    h("span", { class: "rule" }),
    importMenu,
    exportMenu,
    h("span", { class: "rule" }),
    themeButton,
    iconButton("help", "Shortcuts and help (?)", () => studio.run("help")),
    iconButton("panel", "Show or hide the panel", togglePanel, "panel-button"),
  );
}
