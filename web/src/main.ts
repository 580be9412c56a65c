/** Start: the list of documents, or the editor of one. */
import "./style/base.css";
import "./style/studio.css";
import "./style/start.css";
import { listenToKeys } from "./actions";
import { fill, h } from "./dom";
import { acceptDrops } from "./files";
import { on, store, tell } from "./store";
import { Studio } from "./editor";
import { guideFirstDrag } from "./ui/help";
import { panel } from "./ui/panel";
import { readout } from "./ui/readout";
import { createDocument, listDocuments, openDocument, startPage } from "./ui/start";
import { apply, onTheme } from "./ui/theme";
import { timeline } from "./ui/timeline";
import { topbar } from "./ui/topbar";

const query = new URLSearchParams(location.search);
const root = document.getElementById("app")!;

function editor(id: string): void {
  const view = h("div", { class: "view" });
  const studio = new Studio(id, view, { shadows: query.get("shadows") !== "0", antialias: query.get("antialias") !== "0" });
  const side = panel(studio);
  const shell = h("div", { class: "shell" }, topbar(studio, () => shell.classList.toggle("panel-toggled")), view, side, timeline(studio));
  const hint = h("div", { class: "mode-hint", role: "status", hidden: true });
  view.append(readout(studio), h("div", { class: "corner-box" }, ...studio.features.flatMap((feature) => feature.corner ?? [])), studio.jobs.element, hint);
  fill(root, shell);
  guideFirstDrag(studio, view);
  listenToKeys(studio.actions);
  acceptDrops(studio);
  onTheme((theme) => studio.viewport.setTheme(theme));
  // ready once the figure is drawn: the first state lays the page out anew, and the picture with it
  const stop = on(["state"], () => {
    stop();
    requestAnimationFrame(() => requestAnimationFrame(() => document.body.classList.add("ready")));
  });
  on(["options"], () => {
    view.classList.toggle("duelling", store.duel !== null);
    const mode = studio.tools.mode;
    hint.hidden = !mode;
    fill(hint, mode?.hint ?? "", mode && h("button", { class: "link", type: "button", click: () => studio.tools.enter(null) }, "Done (Esc)"));
  });
  addEventListener("keydown", (event) => event.key === "Tab" && document.body.classList.add("by-keyboard"));
  addEventListener("pointerdown", () => document.body.classList.remove("by-keyboard"), true);
  tell("options");
  // what tests look at: where joints are on the page, how often the picture was drawn
  if (query.get("test") === "1") Object.assign(window, { writhe: { studio, store } });
}

async function start(): Promise<void> {
  apply();
  const id = query.get("document");
  if (id) return editor(id);
  const entries = await listDocuments();
  if (entries.length > 0 || query.has("start")) return startPage(root);
  openDocument(await createDocument(), true); // the first visit goes straight to a figure
}

start().catch((error: unknown) => {
  fill(root, h("p", { class: "fatal" }, `The studio could not start: ${error instanceof Error ? error.message : String(error)}`));
});
