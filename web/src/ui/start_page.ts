/** The start page: documents with their thumbnails. */
import { fill, h } from "../dom";
import { icon } from "../icons";
import { download } from "../import_export";
import { iconButton } from "./buttons";
import { openHelp } from "./help";
import { onTheme, toggleTheme } from "./theme";
import { showMessage } from "./toast";

interface DocumentEntry {
  id: string;
  name: string;
  modified_s: number;
  has_picture: boolean;
}

export async function listDocuments(): Promise<DocumentEntry[]> {
  const answer = await fetch("api/documents");
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as DocumentEntry[];
}

export async function createDocument(figure = "human_with_fingers"): Promise<string> {
  const answer = await fetch("api/documents", { method: "POST", body: JSON.stringify({ figure }) });
  return ((await answer.json()) as { id: string }).id;
}

export function openDocument(id: string, replace = false): void {
  const query = new URLSearchParams(location.search);
  query.delete("start");
  query.set("document", id);
  const address = `./?${query}`;
  if (replace) location.replace(address);
  else location.href = address;
}

export async function startPage(root: HTMLElement): Promise<void> {
  const list = h("main", { class: "documents" });
  const themeButton = iconButton("sun", "Light or dark", toggleTheme);
  onTheme((theme) => fill(themeButton, icon(theme === "dark" ? "sun" : "moon")));
  fill(
    root,
    h(
      "div",
      { class: "start" },
      h(
        "header",
        { class: "start-head" },
        h("img", { src: "./icon.svg", alt: "", width: 34, height: 34 }),
        h("h1", {}, "writhe studio"),
        h("span", { class: "space" }),
        themeButton,
        iconButton("help", "Help (?)", () => openHelp([])),
      ),
      list,
    ),
  );
  const refresh = async () => {
    const entries = await listDocuments();
    const add = h(
      "button",
      {
        class: "card new",
        type: "button",
        title: "New document with a standing character",
        click: async () => openDocument(await createDocument()),
      },
      icon("plus"),
      "New document",
    );
    const upload = h(
      "button",
      {
        class: "card new",
        type: "button",
        title: "Open a .writhe file from this computer",
        click: () => chooseDocument(),
      },
      icon("open"),
      "Open a document",
    );
    fill(list, add, upload, ...entries.map((entry) => card(entry, refresh)));
  };
  await refresh();
  addEventListener("keydown", (event) => {
    if ((event.key === "?" || event.key === "F1") && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      openHelp([]);
    }
  });
}

function chooseDocument(): void {
  const input = h("input", { type: "file", accept: ".writhe" });
  input.onchange = () => input.files?.[0] && void uploadDocument(input.files[0]);
  input.click();
}

export async function uploadDocument(file: File): Promise<void> {
  const answer = await fetch(`api/documents/upload?${new URLSearchParams({ name: file.name })}`, {
    method: "POST",
    body: file,
  });
  const report = (await answer.json()) as { id?: string; error?: string };
  if (report.id) openDocument(report.id);
  else showMessage(report.error ?? "", "problem");
}

function card(entry: DocumentEntry, refresh: () => Promise<void>): HTMLElement {
  const address = new URLSearchParams(location.search);
  address.delete("start");
  address.set("document", entry.id);
  const picture =
    entry.has_picture &&
    h("img", { src: `api/documents/${entry.id}/thumbnail.png?${entry.modified_s}`, alt: "", loading: "lazy" });
  const act = async (path: string, method: string) => {
    const answer = await fetch(`api/documents/${entry.id}${path}`, { method });
    if (!answer.ok) showMessage(((await answer.json()) as { error: string }).error, "problem");
    await refresh();
  };
  return h(
    "article",
    { class: "card" },
    h(
      "a",
      { href: `./?${address}`, "aria-label": `Open ${entry.name}` },
      picture || h("img", { class: "no-picture", src: "./icon.svg", alt: "" }),
    ),
    h(
      "div",
      { class: "card-foot" },
      h("div", { class: "card-text" }, h("strong", {}, entry.name), h("small", {}, when(entry.modified_s))),
      iconButton(
        "save",
        `Download ${entry.name}`,
        () => download(`${entry.name}.writhe`, `api/documents/${entry.id}/file`),
        "small",
      ),
      iconButton("copy", `Copy ${entry.name}`, () => void act("/copy", "POST"), "small"),
      iconButton(
        "trash",
        `Delete ${entry.name}`,
        () => {
          if (confirm(`Delete “${entry.name}” permanently?`)) void act("", "DELETE");
        },
        "small",
      ),
    ),
  );
}

function when(seconds: number): string {
  const ago = Date.now() / 1000 - seconds;
  if (ago < 90) return "just now";
  if (ago < 5400) return `${Math.round(ago / 60)} minutes ago`;
  if (ago < 86400) return `${Math.round(ago / 3600)} hours ago`;
  return new Date(1000 * seconds).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}
