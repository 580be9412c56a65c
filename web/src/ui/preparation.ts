/** What the server prepares when it starts: a card with the progress, and waiting for parts of it. */
import { fill, h } from "../dom";
import { store } from "../store";

interface Preparation {
  done: number; // from 0 to 1
  what: string;
  seconds_left: number | null;
  visible: boolean; // whether figures can be shown
  ready: boolean; // whether bodies can be dragged
  problem: string;
}

const POLL_MS = 400;

/** "Preparing posing: 40 %, about 30 s left". */
export function preparationText({ done, what, seconds_left }: Preparation): string {
  const left =
    seconds_left === null
      ? ""
      : seconds_left < 90
        ? `, about ${Math.ceil(seconds_left / 5) * 5} s left`
        : `, about ${Math.round(seconds_left / 60)} min left`;
  return `Preparing ${what || "the studio"}: ${Math.floor(100 * done)} %${left}`;
}

/** Resolves when figures can be shown; until then the progress is all there is on the page. */
export async function untilVisible(root: HTMLElement): Promise<void> {
  let state = await ask();
  if (state.visible) return;
  const card = progressCard();
  fill(root, h("div", { class: "preparing-page" }, card.element));
  for (; !state.visible; state = await askLater()) card.show(state);
}

/** A card in the view until bodies can be dragged; the camera moves meanwhile. */
export async function showPreparation(view: HTMLElement): Promise<void> {
  let state = await ask();
  store.prepared = state.ready;
  if (state.ready) return;
  const card = progressCard();
  view.append(card.element);
  for (; !state.ready; state = await askLater()) card.show(state);
  store.prepared = true;
  card.element.remove();
}

function progressCard(): { element: HTMLElement; show: (state: Preparation) => void } {
  const bar = h("progress", { max: 1, "aria-label": "Preparing" });
  const text = h("span", {});
  const about = h("small", {}, "Only the first time on this machine.");
  const element = h("div", { class: "preparing", role: "status" }, text, bar, about);
  const show = (state: Preparation) => {
    text.textContent = preparationText(state);
    bar.value = state.done;
  };
  return { element, show };
}

async function askLater(): Promise<Preparation> {
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return ask();
}

async function ask(): Promise<Preparation> {
  const answer = await fetch("api/preparation");
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Preparation;
}
