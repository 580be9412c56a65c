/** Search of everything that can be done: actions with shortcuts, and the buttons of the page. */
import type { Action } from "../actions";
import { fill, h } from "../dom";
import type { Editor } from "../editor";
import { keyCaps } from "./help";
import { bestMatches } from "./word_search";

const MOST = 9; // results shown
const BUTTON_COST = 4; // words by which a button ranks after an action: "grip" is first of all to grip something
const BUTTONS = ".panel button, .transport button, .topbar button";

interface Entry {
  title: string;
  about: string; // further words
  keys: string[];
  enabled: boolean;
  isButton: boolean;
  run: () => void;
}

/** The actions that match a search, best first. */
export function findActions(actions: Action[], typed: string): Action[] {
  return bestMatches(actions, typed, (action) => action.title);
}

export function openCommandSearch(editor: Editor): void {
  const entries = [...editor.actions.filter((one) => one.name !== "search").map(actionEntry), ...buttonEntries()];
  const input = h("input", {
    type: "search",
    class: "grow",
    placeholder: "handshake, carry, pin, add a bar …",
    "aria-label": "Find an action",
  });
  const list = h("div", { class: "command-list", role: "listbox", "aria-label": "Actions" });
  const dialog = h("dialog", { class: "sheet command-search", "aria-label": "Find an action" }, input, list);
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    dialog.close();
    dialog.remove(); // at once: a focused field that is only closed still takes keys
    entry.run();
  };
  let shown: Entry[] = [];
  const draw = () => {
    const found = bestMatches(
      entries,
      input.value,
      (entry) => entry.title,
      (entry) => entry.about,
      (entry) => (entry.isButton ? BUTTON_COST : 0),
    );
    const titles = new Set<string>();
    shown = found
      .filter((entry) => entry.enabled && !titles.has(entry.title) && titles.add(entry.title))
      .slice(0, MOST);
    const empty = h("p", { class: "note" }, "Nothing of that name. Poses are found in the panel under “Preset poses”.");
    fill(list, ...(shown.length ? shown.map((entry) => row(entry, () => choose(entry))) : [empty]));
  };
  input.addEventListener("input", draw);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault(); // else it also presses the button that gets the focus back
      choose(shown[0]);
    }
    if (event.key === "ArrowDown") (list.firstElementChild as HTMLElement | null)?.focus();
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  draw();
  input.focus();
}

function row({ title, about, keys }: Entry, click: () => void): HTMLElement {
  const caps = keys.slice(0, 1).map(keyCaps);
  const attributes = { type: "button", class: "command", role: "option", title: about || title, click };
  return h("button", attributes, h("span", {}, title), h("span", { class: "help-keys" }, ...caps));
}

function actionEntry({ title, keys, run, enabled }: Action): Entry {
  return { title, about: "", keys, enabled: enabled?.() !== false, isButton: false, run };
}

/** The buttons of the page that can be pressed now; pressing one unfolds its section. */
function buttonEntries(): Entry[] {
  return [...document.querySelectorAll<HTMLButtonElement>(BUTTONS)]
    .filter((button) => !button.disabled && !button.hidden && !button.matches("[role=option], [role=radio]"))
    .map((button) => ({
      title: (button.dataset.command || button.textContent || button.getAttribute("aria-label") || "")
        .replace(/^\+ /, "Add: ")
        .trim(),
      about: button.title,
      keys: [],
      enabled: true,
      isButton: true,
      run: () => {
        button.closest("details")?.setAttribute("open", "");
        button.scrollIntoView({ block: "nearest" });
        button.click();
      },
    }))
    .filter(({ title }) => title.length > 1);
}
