/** The start page: documents with their pictures. */
import { fill, h } from "../dom";
import { icon } from "../icons";
import { iconButton } from "./topbar";
import { say } from "./toast";
import { onTheme, toggleTheme } from "./theme";

interface Entry {
  id: string;
  name: string;
  modified_s: number;
  has_picture: boolean;
}

export async function listDocuments(): Promise<Entry[]> {
  const answer = await fetch("api/documents");
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Entry[];
}

export async function createDocument(figure = "human"): Promise<string> {
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
  onTheme((theme) => fill(themeButton, icon(theme === "dark" ? "sun" : "moon") as unknown as Node));
  fill(
    root,
    h("div", { class: "start" },
      h("header", { class: "start-head" }, h("img", { src: "./icon.svg", alt: "", width: 34, height: 34 }), h("h1", {}, "writhe studio"), h("span", { class: "space" }), themeButton),
      list,
    ),
  );
  const refresh = async () => {
    const entries = await listDocuments();
    const add = h("button", { class: "card new", type: "button", title: "Start with a standing figure", click: async () => openDocument(await createDocument()) }, icon("plus") as unknown as Node, "New document");
    fill(list, add, ...entries.map((entry) => card(entry, refresh)));
  };
  await refresh();
}

function card(entry: Entry, refresh: () => Promise<void>): HTMLElement {
  const address = new URLSearchParams(location.search);
  address.delete("start");
  address.set("document", entry.id);
  const picture = entry.has_picture && h("img", { src: `api/documents/${entry.id}/thumbnail.png?${entry.modified_s}`, alt: "", loading: "lazy" });
  const act = async (path: string, method: string) => {
    const answer = await fetch(`api/documents/${entry.id}${path}`, { method });
    if (!answer.ok) say(((await answer.json()) as { error: string }).error, "problem");
    await refresh();
  };
  return h(
    "article",
    { class: "card" },
    h("a", { href: `./?${address}`, "aria-label": `Open ${entry.name}` }, picture),
    h("div", { class: "card-foot" },
      h("div", { class: "card-text" }, h("strong", {}, entry.name), h("small", {}, when(entry.modified_s))),
      iconButton("copy", `Copy ${entry.name}`, () => void act("/copy", "POST"), "small"),
      iconButton("trash", `Delete ${entry.name}`, () => { if (confirm(`Delete “${entry.name}” for good?`)) void act("", "DELETE"); }, "small"),
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
