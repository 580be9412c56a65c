/** A part of the side panel that folds, and stays as the person left it. */
import { Section } from "../feature";
import { h } from "../dom";

const KEY = "writhe.folded.";

export function sectionElement({ title, element, about, folded }: Section): HTMLElement {
  const kept = localStorage.getItem(KEY + title);
  const box = h("details", { class: "panel-section", open: kept === null ? !folded : kept === "no" }, h("summary", { title: about }, h("h2", {}, title)), element);
  box.addEventListener("toggle", () => localStorage.setItem(KEY + title, box.open ? "no" : "yes"));
  return box;
}

/** Open the section that an element stands in, and the panel where a narrow page hides it. */
export function reveal(element: HTMLElement): void {
  const box = element.closest("details");
  if (box) box.open = true;
  if (element.closest<HTMLElement>(".panel")?.offsetParent === null) document.querySelector(".shell")?.classList.toggle("panel-toggled");
  box?.scrollIntoView({ block: "start" });
}
