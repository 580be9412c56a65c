/** Short messages over the view; they disappear after a few seconds or with the next press. */
import { h } from "../dom";

const STAY_MS = 4200;
const MIN_MS = 900; // a press does not remove younger messages
let box: HTMLElement | null = null;

export function showMessage(text: string, kind: "plain" | "problem" = "plain"): void {
  if (!text) return;
  box ??= makeBox();
  box.querySelectorAll(".toast:not(.problem)").forEach((one) => one.remove());
  const toast = h("div", { class: `toast ${kind}`, "data-since": performance.now() }, text);
  box.append(toast);
  while (box.children.length > 3) box.firstChild!.remove();
  setTimeout(() => toast.remove(), kind === "problem" ? 2 * STAY_MS : STAY_MS);
}

/** Remove all messages. */
export function clearMessages(): void {
  box?.replaceChildren();
}

function makeBox(): HTMLElement {
  const created = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
  addEventListener(
    "pointerdown",
    () =>
      created.querySelectorAll<HTMLElement>(".toast").forEach((one) => {
        if (performance.now() - Number(one.dataset.since) > MIN_MS) one.remove();
      }),
    true,
  );
  return (document.querySelector(".view") ?? document.body).appendChild(created);
}
