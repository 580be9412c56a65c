/** Ready-made poses to start from, as small pictures, found by typing a word of their name. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { ReadyPicture } from "../generated/messages";
import { activeActor, on, store } from "../store";
import type { Studio } from "../editor";
import { drawSilhouette } from "../ui/silhouette";
import { onTheme } from "../ui/theme";
import { distance, wantedWords } from "../ui/pose_search";

const PIXELS = 156;
const FEW = 12; // shown until all are asked for: the panel scrolls, not a list within it
// shown first while nothing is looked for
const STARTERS = ["stand", "sit, hands on thighs", "arms folded", "sit, arms folded", "hands on hips", "kneel", "sit cross-legged", "squat", "wave high"];

interface Pose extends ReadyPicture {
  library: string;
  place: string; // the title of its group
}

export const install: Install = (studio) => {
  let poses: Pose[] = [];
  const tiles = new Map<HTMLElement, Pose>();
  const list = h("div", { class: "ready-list", role: "listbox", "aria-label": "Ready-made poses" });
  const search = h("input", { type: "search", class: "grow", placeholder: "arms crossed …", "aria-label": "Find a pose", title: "Type what you look for, as sit folded, kneel or hands up; Enter takes the first" });
  const place = h("select", { "aria-label": "Where", title: "Poses on a chair or ladder bring it along" });
  const note = h("p", { class: "note", hidden: true }, "Ready-made poses are of the human.");
  const finder = h("div", { class: "ready-find" }, search, place);

  let everything = false;
  const more = h("button", { type: "button", class: "link gap", hidden: true, click: () => { everything = !everything; draw(); } });

  const paint = (tile: HTMLElement) => {
    const shape = store.figures.get("human");
    const canvas = tile.querySelector("canvas");
    const pose = tiles.get(tile);
    if (shape && canvas && pose) drawSilhouette(canvas, pose, shape);
  };
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      target.classList.toggle("seen", isIntersecting);
      if (isIntersecting) paint(target as HTMLElement);
    }
  }, { rootMargin: "120px" });
  const draw = () => {
    seen.disconnect();
    tiles.clear();
    const all = fitting(poses, search.value, place.value);
    const found = everything ? all : all.slice(0, FEW);
    more.hidden = all.length <= FEW;
    more.textContent = everything ? "Show fewer" : `Show all ${all.length}`;
    fill(list, ...found.map((pose, k) => {
      const tile = h("button", { type: "button", class: "ready-pose", role: "option", tabindex: k === 0 ? 0 : -1, title: `${pose.name} (${pose.place.toLowerCase()})`, "aria-label": pose.name, click: () => apply(studio, pose) }, h("canvas", { width: PIXELS, height: PIXELS }), h("span", {}, pose.name));
      tiles.set(tile, pose);
      return tile;
    }));
    if (!found.length && poses.length) fill(list, h("p", { class: "note" }, "No pose of that name."));
    tiles.forEach((_, tile) => seen.observe(tile));
  };
  let eager = false; // Enter was pressed before the poses were here
  const takeFirst = () => {
    const first = tiles.values().next().value;
    eager = !poses.length;
    if (first) apply(studio, first);
  };
  search.addEventListener("input", draw);
  place.addEventListener("change", draw);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") takeFirst();
    if (event.key === "ArrowDown") (list.firstElementChild as HTMLElement | null)?.focus();
  });
  list.addEventListener("keydown", (event) => walk(event, list));
  on(["link"], () => studio.link === "open" && !poses.length && studio.connection.send({ type: "list_ready_poses" }));
  on(["state"], () => {
    const human = activeActor()?.figure === "human";
    list.hidden = finder.hidden = !human;
    more.classList.toggle("none", !human);
    note.hidden = human;
  });
  onTheme(() => requestAnimationFrame(() => tiles.forEach((_, tile) => tile.classList.contains("seen") && paint(tile))));
  return {
    sections: [{ title: "Ready poses", element: h("div", {}, finder, list, more, note), order: 15 }],
    receive(message) {
      if (message.type !== "ready_poses") return;
      poses = message.groups.flatMap((group) => group.poses.map((pose) => ({ ...pose, library: group.library, place: group.title })));
      fill(place, h("option", { value: "" }, "All"), ...message.groups.map((group) => h("option", { value: group.library }, group.title)));
      draw();
      if (eager) takeFirst();
    },
  };
};

/** The poses that have all words, or words alike; the plainest names first. */
function fitting(poses: Pose[], typed: string, library: string): Pose[] {
  const wanted = wantedWords(typed);
  const rank = new Map<Pose, number>();
  for (const pose of poses) {
    if (library && pose.library !== library) continue;
    const away = distance(wanted, pose.name);
    if (away !== null) rank.set(pose, away);
  }
  const found = [...rank.keys()];
  const starters = STARTERS.flatMap((name) => found.filter((pose) => pose.name === name));
  if (!wanted.length) return [...new Set([...starters, ...found])];
  return found.sort((a, b) => rank.get(a)! - rank.get(b)! || a.name.length - b.name.length);
}

/** Arrow keys go through the pictures; only one of them is reached by Tab. */
function walk(event: KeyboardEvent, list: HTMLElement): void {
  const all = [...list.querySelectorAll<HTMLElement>("button")];
  const columns = getComputedStyle(list).gridTemplateColumns.split(" ").length;
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
  const next = step && all[all.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  all.forEach((one) => (one.tabIndex = -1));
  next.tabIndex = 0;
  next.focus();
  event.preventDefault();
}

function apply(studio: Studio, { library, name }: Pose): void {
  studio.command({ type: "apply_ready_pose", actor: store.active, library: library as "basic", name });
}
