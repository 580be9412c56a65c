/** Entry point: shows the list of documents, or the editor of one. */
import "./style/base.css";
import "./style/shell.css";
import "./style/view.css";
import "./style/panel.css";
import "./style/timeline.css";
import "./style/dialogs.css";
import "./style/narrow.css";
import "./style/tangles.css";
import "./style/connect.css";
import "./style/in_betweens.css";
import "./style/start.css";
import { fill, h } from "./dom";
import { Editor } from "./editor";
import { acceptDrops } from "./import_export";
import { listenToKeys } from "./keyboard";
import { notify, on, store } from "./store";
import { timeline } from "./timeline/timeline";
import { readout } from "./ui/drag_readout";
import { hintFirstDrag } from "./ui/help";
import { showPreparation, untilVisible } from "./ui/preparation";
import { panel } from "./ui/side_panel";
import { createDocument, listDocuments, openDocument, startPage } from "./ui/start_page";
import { apply, onTheme } from "./ui/theme";
import { topbar } from "./ui/topbar";

const query = new URLSearchParams(location.search);
const root = document.getElementById("app")!;

function openEditor(id: string): void {
  const view = h("div", { class: "view" });
  const editor = new Editor(id, view, {
    shadows: query.get("shadows") !== "0",
    antialias: query.get("antialias") !== "0",
  });
  const side = panel(editor);
  const shell = h(
    "div",
    { class: "shell" },
    topbar(editor, () => shell.classList.toggle("panel-toggled")),
    view,
    side,
    timeline(editor),
  );
  const hint = h("div", { class: "mode-hint", role: "status", hidden: true });
  view.append(
    readout(editor),
    h("div", { class: "corner-box" }, ...editor.features.flatMap((feature) => feature.corner ?? [])),
    editor.jobs.element,
    hint,
  );
  fill(root, shell);
  void showPreparation(view).then(() => hintFirstDrag(editor, view));
  listenToKeys(editor.actions);
  acceptDrops(editor);
  onTheme((theme) => editor.viewport.setTheme(theme));
  // ready once the figure is drawn: the first state changes the layout and with it the size of the view
  const stop = on(["state"], () => {
    stop();
    requestAnimationFrame(() => requestAnimationFrame(() => document.body.classList.add("ready")));
  });
  on(["options"], () => {
    view.classList.toggle("comparing", store.comparedMethod !== null);
    const mode = editor.tools.mode;
    hint.hidden = !mode;
    fill(
      hint,
      mode?.hint ?? "",
      mode && h("button", { class: "link", type: "button", click: () => editor.tools.enter(null) }, "Done (Esc)"),
    );
  });
  addEventListener("keydown", (event) => event.key === "Tab" && document.body.classList.add("by-keyboard"));
  addEventListener("pointerdown", () => document.body.classList.remove("by-keyboard"), true);
  notify("options");
  // for the browser tests
  if (query.get("test") === "1") Object.assign(window, { writhe: { editor, store } });
}

async function start(): Promise<void> {
  apply();
  await untilVisible(root);
  const id = query.get("document");
  if (id) return openEditor(id);
  const entries = await listDocuments();
  if (entries.length > 0 || query.has("start")) return startPage(root);
  openDocument(await createDocument(), true); // the first visit opens a new document right away
}

start().catch((error: unknown) => {
  fill(
    root,
    h("p", { class: "fatal" }, `The studio could not start: ${error instanceof Error ? error.message : String(error)}`),
  );
});
