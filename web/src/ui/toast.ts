/** Short messages at the head of the picture; they go with the next thing that the person does. */
import { h } from "../dom";

const STAY_MS = 4200;
const READ_MS = 900; // a message is not gone sooner than this
let box: HTMLElement | null = null;

export function say(text: string, kind: "plain" | "problem" = "plain"): void {
  if (!text) return;
  box ??= makeBox();
  box.querySelectorAll(".toast:not(.problem)").forEach((one) => one.remove());
  const toast = h("div", { class: `toast ${kind}`, "data-since": performance.now() }, text);
  box.append(toast);
  while (box.children.length > 3) box.firstChild!.remove();
  setTimeout(() => toast.remove(), kind === "problem" ? 2 * STAY_MS : STAY_MS);
}

function makeBox(): HTMLElement {
  const made = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
  addEventListener("pointerdown", () => made.querySelectorAll<HTMLElement>(".toast").forEach((one) => {
    if (performance.now() - Number(one.dataset.since) > READ_MS) one.remove();
  }), true);
  return (document.querySelector(".view") ?? document.body).appendChild(made);
}
