/** Buttons with icons and menus. */
import { fill, h } from "../dom";
import { icon } from "../icons";

/** A button with a text and an optional icon, as wide as its grid cell. */
export function wideButton(text: string, title: string, run: () => void, symbol = "", extra = ""): HTMLButtonElement {
  const attributes = { class: `wide ${extra}`.trim(), type: "button", title, click: run };
  return h("button", attributes, symbol && icon(symbol), text);
}

/** A button with an icon only; the label is its tooltip. */
export function iconButton(name: string, label: string, run: () => void, extra = ""): HTMLButtonElement {
  return h(
    "button",
    { class: `icon-button ${extra}`, title: label, "aria-label": label, type: "button", click: run },
    icon(name),
  );
}

/** A button that opens a small menu below itself. */
export function menuButton(
  name: string,
  label: string,
  text: string,
  entries: () => [string, string, () => void][],
  note: () => string = () => "",
): HTMLElement {
  const list = h("div", { class: "menu", role: "menu", hidden: true });
  const button = iconButton(name, label, () => {
    if (!list.hidden) return close();
    fill(
      list,
      ...entries().map(([title, about, run]) =>
        h(
          "button",
          {
            role: "menuitem",
            type: "button",
            title: about,
            click: () => {
              close();
              run();
            },
          },
          h("span", {}, title),
          h("small", {}, about),
        ),
      ),
    );
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
