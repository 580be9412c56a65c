/** A collapsible section of the side panel; whether it is folded is remembered. */

import { h } from "../dom";
import type { Section } from "../feature";

const KEY = "writhe.folded.";

export function sectionElement({ title, element, about, folded }: Section): HTMLElement {
  const remembered = localStorage.getItem(KEY + title);
  const box = h(
    "details",
    { class: "panel-section", open: remembered === null ? !folded : remembered === "no" },
    h("summary", { title: about }, h("h2", {}, title)),
    element,
  );
  box.addEventListener("toggle", () => localStorage.setItem(KEY + title, box.open ? "no" : "yes"));
  return box;
}

/** Open the section that contains an element, and the panel where a narrow page hides it. */
export function reveal(element: HTMLElement): void {
  const box = element.closest("details");
  if (box) box.open = true;
  if (element.closest<HTMLElement>(".panel")?.offsetParent === null)
    document.querySelector(".shell")?.classList.toggle("panel-toggled");
  box?.scrollIntoView({ block: "start" });
}
