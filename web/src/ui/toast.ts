/** Short messages at the foot of the picture. */
import { h } from "../dom";

const STAY_MS = 4200;
let box: HTMLElement | null = null;

export function say(text: string, kind: "plain" | "problem" = "plain"): void {
  if (!text) return;
  box ??= (document.querySelector(".view") ?? document.body).appendChild(h("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  const toast = h("div", { class: `toast ${kind}` }, text);
  box.append(toast);
  while (box.children.length > 3) box.firstChild!.remove();
  setTimeout(() => toast.remove(), kind === "problem" ? 2 * STAY_MS : STAY_MS);
}
