/** Preset poses to start from, as pictures, searched by words. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { PresetPose, PresetPoses } from "../../generated/messages";
import { activeActor, on, store } from "../../store";
import { wideButton } from "../../ui/buttons";
import { findActions } from "../../ui/command_search";
import { drawSilhouette } from "../../ui/silhouette";
import { onTheme } from "../../ui/theme";
import { searchWords, wordDistance } from "../../ui/word_search";

const PIXELS = 156;
const AFTER_WALK_S = 3; // to sit down, or whatever follows a walk
const FEW_ACTIONS = 3; // shown with the poses that match a search
const FEW = 12; // shown at first: the panel scrolls, not the list within it
// shown first while no search is typed
const STARTERS = [
  "stand",
  "sit, hands on thighs",
  "arms folded",
  "sit, arms folded",
  "hands on hips",
  "kneel",
  "sit cross-legged",
  "squat",
  "wave high",
];

interface Pose extends PresetPose {
  library: string;
  group: string; // the title of its group
}

export const install: Install = (editor) => {
  const panel = new PresetPanel(editor);
  return {
    sections: [{ title: "Preset poses", element: panel.element, order: 15 }],
    receive(message) {
      if (message.type === "preset_poses") panel.receive(message);
    },
  };
};

class PresetPanel {
  readonly element: HTMLElement;
  private poses: Pose[] = [];
  private radii: number[] = []; // of the capsules of the pictures, in metres
  private readonly tiles = new Map<HTMLElement, Pose>();
  private readonly list = h("div", { class: "preset-list", role: "listbox", "aria-label": "Preset poses" });
  private readonly search = h("input", {
    type: "search",
    class: "grow",
    placeholder: "arms crossed, handshake …",
    "aria-label": "Find a pose",
    title: "Type words such as sit folded, kneel or hands up; Enter applies the first result",
  });
  private readonly setting = h("select", {
    "aria-label": "Where",
    title: "Poses on a chair or ladder add it to the scene",
  });
  private readonly actions = h("div", { class: "stack found-actions", "aria-label": "Actions of that name" });
  private readonly more = h("button", {
    type: "button",
    class: "link gap",
    hidden: true,
    click: () => this.toggleAll(),
  });
  private readonly visibility = new IntersectionObserver((entries) => this.paintVisible(entries), {
    rootMargin: "120px",
  });
  private showsAll = false;
  private applyOnArrival = false; // Enter was pressed before the poses had arrived

  constructor(private readonly editor: Editor) {
    const note = h(
      "p",
      { class: "note", hidden: true },
      "Preset poses are for people: this figure was not recognised as one.",
    );
    const finder = h("div", { class: "preset-find" }, this.search, this.setting);
    const blend = blendSlider();
    this.element = h("div", {}, finder, this.actions, this.list, this.more, blend, note);
    this.search.addEventListener("input", () => this.draw());
    this.setting.addEventListener("change", () => this.draw());
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.applyFirst();
      if (event.key === "ArrowDown") (this.list.firstElementChild as HTMLElement | null)?.focus();
    });
    this.list.addEventListener("keydown", (event) => moveFocus(event, this.list));
    on(["link"], () => {
      if (editor.link === "open" && !this.poses.length) editor.connection.send({ type: "list_preset_poses" });
    });
    on(["state"], () => {
      const figure = store.figures.get(activeActor()?.figure ?? "");
      const person = figure?.strands.includes("left_leg") ?? false; // recognised people have legs by name
      this.list.hidden = finder.hidden = blend.hidden = !person;
      this.more.classList.toggle("none", !person);
      note.hidden = person;
    });
    onTheme(() => requestAnimationFrame(() => this.repaint()));
  }

  receive({ groups, radii }: PresetPoses): void {
    this.radii = radii;
    this.poses = groups.flatMap(({ library, title, poses }) =>
      poses.map((pose) => ({ ...pose, library, group: title })),
    );
    const settings = groups.map(({ library, title }) => h("option", { value: library }, title));
    fill(this.setting, h("option", { value: "" }, "All"), ...settings);
    this.draw();
    if (this.applyOnArrival) this.applyFirst();
  }

  private toggleAll(): void {
    this.showsAll = !this.showsAll;
    this.draw();
  }

  private draw(): void {
    this.visibility.disconnect();
    this.tiles.clear();
    const all = matching(this.poses, this.search.value, this.setting.value);
    const shown = this.showsAll ? all : all.slice(0, FEW);
    this.more.hidden = all.length <= FEW;
    this.more.textContent = this.showsAll ? "Show fewer" : `Show all ${all.length}`;
    fill(this.list, ...shown.map((pose, k) => this.tile(pose, k === 0)));
    const actions = this.search.value.trim() ? findActions(this.editor.actions, this.search.value) : [];
    if (!shown.length && !actions.length && this.poses.length)
      fill(this.list, h("p", { class: "note" }, "No pose of that name."));
    fill(this.actions, ...actions.slice(0, FEW_ACTIONS).map((one) => wideButton(one.title, one.title, one.run)));
    this.tiles.forEach((_, tile) => this.visibility.observe(tile));
  }

  private tile(pose: Pose, focusable: boolean): HTMLElement {
    const tile = h(
      "button",
      {
        type: "button",
        class: "preset-pose",
        role: "option",
        tabindex: focusable ? 0 : -1,
        title: `${pose.name} (${pose.group.toLowerCase()})`,
        "aria-label": pose.name,
        click: () => apply(this.editor, pose),
      },
      h("canvas", { width: PIXELS, height: PIXELS }),
      h("span", {}, pose.name),
    );
    this.tiles.set(tile, pose);
    return tile;
  }

  private applyFirst(): void {
    const first = this.tiles.values().next().value;
    this.applyOnArrival = !this.poses.length;
    if (first) {
      apply(this.editor, first);
      this.search.blur(); // the next keys are shortcuts: Space plays, K keys
    } else (this.actions.firstElementChild as HTMLElement | null)?.click();
  }

  /** Draw the pictures that scroll into view. */
  private paintVisible(entries: IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      target.classList.toggle("seen", isIntersecting);
      if (isIntersecting) this.paint(target as HTMLElement);
    }
  }

  /** Draw the visible pictures again, in the colours of another theme. */
  private repaint(): void {
    this.tiles.forEach((_, tile) => tile.classList.contains("seen") && this.paint(tile));
  }

  private paint(tile: HTMLElement): void {
    const canvas = tile.querySelector("canvas");
    const pose = this.tiles.get(tile);
    if (canvas && pose) drawSilhouette(canvas, pose, this.radii);
  }
}

/** The poses that match all words or their synonyms, best match first. */
function matching(poses: Pose[], typed: string, library: string): Pose[] {
  const words = searchWords(typed);
  const rank = new Map<Pose, number>();
  for (const pose of poses) {
    if (library && pose.library !== library) continue;
    const distance = wordDistance(words, pose.name);
    if (distance !== null) rank.set(pose, distance);
  }
  const found = [...rank.keys()];
  const starters = STARTERS.flatMap((name) => found.filter((pose) => pose.name === name));
  if (!words.length) return [...new Set([...starters, ...found])];
  return found.sort((a, b) => rank.get(a)! - rank.get(b)! || a.name.length - b.name.length);
}

/** Move the focus through the pictures with the arrow keys; Tab reaches only one of them. */
function moveFocus(event: KeyboardEvent, list: HTMLElement): void {
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

/** Apply a pose at the playhead; at the end of a walk it is a key of its own, a moment later. */
function apply(editor: Editor, { library, name }: Pose): void {
  const walks = activeActor()?.sampled_tracks.filter((track) => track.name === "Walk") ?? [];
  const frame = 1 / (store.state?.fps ?? 30);
  if (walks.some((walk) => Math.abs(walk.end_s - store.timeS) < frame)) editor.seek(store.timeS + AFTER_WALK_S);
  editor.command({
    type: "apply_preset_pose",
    actor: store.active,
    library: library as "basic",
    name,
    share: store.blend,
  });
}

/** How much of a preset or saved pose the next click blends into the current pose. */
function blendSlider(): HTMLElement {
  const share = h("input", { type: "range", min: 5, max: 100, step: 5, value: 100, "aria-label": "Blend" });
  const text = h("output", {}, "100 %");
  share.addEventListener("input", () => {
    store.blend = Number(share.value) / 100;
    text.textContent = `${share.value} %`;
  });
  const title = "How much of a preset or saved pose a click blends into the current pose";
  return h("label", { class: "field", title }, h("span", {}, "Blend"), share, text);
}
