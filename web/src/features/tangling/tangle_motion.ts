/** Tangle keys: target tangles at some times, and the motion through them in topology space. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { TangleKeyState, TangleMotionResult } from "../../generated/messages";
import { icon } from "../../icons";
import { activeActor, on, store } from "../../store";
import { iconButton } from "../../ui/buttons";
import { showMessage } from "../../ui/toast";
import { tanglePanel } from "./tangles";

const ORDERS: [string, string, string][] = [
  ["together", "All at once", "All tangles of a key at the same time"],
  ["given", "One after the other", "In the listed order"],
  ["automatic", "Best order", "Tries all orders and uses a short path with much clearance"],
];

export const install: Install = (editor) => {
  const list = h("div", { class: "tangle-keys" });
  const note = h("p", { class: "note", role: "status", hidden: true });
  const setNote = (text: string) => {
    note.textContent = text;
    note.hidden = !text;
  };
  const key = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Key the tangle that the sliders describe, at the playhead (Shift+W)",
      click: () => editor.run("key-tangle"),
    },
    icon("key"),
    "Key this tangle",
  );
  const order = h(
    "select",
    {
      "aria-label": "Order of the tangles of a key",
      title: ORDERS[0][2],
      change: () => (order.title = ORDERS.find(([value]) => value === order.value)![2]),
    },
    ...ORDERS.map(([value, title, about]) => h("option", { value, title: about }, title)),
  );
  const make = h(
    "button",
    {
      class: "wide primary",
      type: "button",
      title: "Compute the motion from key to key: limbs wind and unwind, never through each other (Shift+J)",
      click: () => editor.run("wind-keys"),
    },
    icon("play"),
    "Generate motion",
  );
  const followLabel = h("span", {});
  const follow = h(
    "button",
    { class: "wide", type: "button", click: () => followOver(editor, setNote) },
    icon("link"),
    followLabel,
  );
  const generator = h("div", { class: "tangle" }, h("label", { class: "field" }, h("span", {}, "Order"), order), make);
  on(["state", "selection", "time", "options"], () => {
    const keys = store.state?.features.tangle_motion.keys ?? [];
    key.disabled = !tanglePanel(editor)?.goal;
    generator.hidden = keys.length === 0;
    fill(list, ...keys.map((one) => keyCard(editor, one)));
    const partner = follower(editor);
    follow.hidden = partner === null;
    if (partner) {
      followLabel.textContent = `${partner.name} follows ${partner.other}`;
      follow.title = `Over ${partner.other}’s whole motion, ${partner.name} moves so that this tangle stays as it is now`;
    }
  });
  const run = () => {
    setNote("");
    editor.command({ type: "wind_keys", order: order.value as "together" });
  };
  return {
    sections: [
      {
        title: "Tangle keys",
        about:
          "Tangles at chosen times; the generated motion winds and unwinds the limbs in between, never through each other",
        element: h("div", { class: "tangle" }, key, list, generator, follow, note),
        order: 51,
        folded: true,
      },
    ],
    actions: [
      {
        name: "key-tangle",
        title: "Key the tangle at the playhead",
        keys: ["Shift+W"],
        group: "Time",
        enabled: () => tanglePanel(editor)?.goal != null,
        run: () => keyTangle(editor),
      },
      {
        name: "wind-keys",
        title: "Generate the motion through the tangle keys",
        keys: ["Shift+J"],
        group: "Time",
        enabled: () => (store.state?.features.tangle_motion.keys.length ?? 0) > 0,
        run,
      },
    ],
    keys: [{ kind: "tangle", title: "Tangle", colour: "#7048e8" }],
    receive(message) {
      if (message.type !== "tangle_motion_result") return;
      setNote(describeResult(message));
      if (!message.reached || !message.certified) showMessage(describeResult(message), "problem");
    },
  };
};

function keyTangle(editor: Editor): void {
  const goal = tanglePanel(editor)?.goal;
  if (!goal) return;
  editor.command({ type: "key_tangle", time_s: store.timeS, tangle: goal, movers: tanglePanel(editor)!.movers });
  const box = document.querySelector<HTMLDetailsElement>(".panel-section:has(.tangle-keys)");
  if (box) box.open = true;
}

function describeResult(result: TangleMotionResult): string {
  const parts = result.problems.map((problem) => `Not reached at ${problem}.`);
  if (!result.certified) parts.push("Bodies still overlap somewhere: see the strip under the keys.");
  if (!parts.length) parts.push("Motion generated and certified throughout.");
  if (result.why) parts.push(`Order: ${result.why}.`);
  return parts.join(" ");
}

/** One key: its time and its tangles, each of which can be shown or removed. */
function keyCard(editor: Editor, key: TangleKeyState): HTMLElement {
  const names = key.movers.map((actor) => store.state?.actors.find((one) => one.id === actor)?.name ?? "");
  const generated = key.movers.every((actor) =>
    store.state?.actors
      .find((one) => one.id === actor)
      ?.sampled_tracks.some(
        (track) => Math.abs(track.end_s - key.time_s) < 1e-3 || Math.abs(track.start_s - key.time_s) < 1e-3,
      ),
  );
  const here = Math.abs(key.time_s - store.timeS) < 1e-3;
  return h(
    "div",
    { class: `tangle-key ${here ? "on" : ""}` },
    h(
      "div",
      { class: "line" },
      h(
        "button",
        { class: "link", type: "button", title: "Go there", click: () => editor.seek(key.time_s) },
        `${key.time_s.toFixed(2)} s`,
      ),
      h(
        "span",
        { class: "soft" },
        `${names.join(" and ")} ${names.length > 1 ? "move" : "moves"}${generated ? "" : ", not generated yet"}`,
      ),
    ),
    ...key.tangles.map((goal, k) =>
      h(
        "div",
        { class: "line" },
        h(
          "button",
          {
            class: "link tangle-name",
            type: "button",
            title: "Show it in the section “Tangle”",
            click: () => {
              editor.seek(key.time_s);
              tanglePanel(editor)?.load(goal, key.movers);
            },
          },
          key.titles[k],
        ),
        h("span", { class: "tangle-value" }, goal.writhe.toFixed(2)),
        iconButton(
          "close",
          `Remove ${key.titles[k]} from this key`,
          () => editor.command({ type: "remove_tangle", key: key.id, tangle: k }),
          "small",
        ),
      ),
    ),
  );
}

/** The character that could follow the other one's motion: the picked tangle must be of two characters. */
function follower(editor: Editor): { actor: number; name: string; other: string; end: number } | null {
  const [first, second] = tanglePanel(editor)?.chains ?? [];
  if (!first || !second || !first.actor || !second.actor || first.actor === second.actor) return null;
  const lead = activeActor()?.id === first.actor ? first.actor : second.actor;
  const actor = lead === first.actor ? second.actor : first.actor;
  const motion = store.motions.get(lead);
  const name = (id: number) => store.state?.actors.find((one) => one.id === id)?.name ?? "";
  return motion && motion.frames > 1
    ? { actor, name: name(actor), other: name(lead), end: (motion.frames - 1) / motion.fps }
    : null;
}

function followOver(editor: Editor, setNote: (text: string) => void): void {
  const partner = follower(editor),
    goal = tanglePanel(editor)?.goal,
    found = tanglePanel(editor)?.found;
  if (!partner || !goal || !found) return;
  setNote("");
  editor.command({
    type: "follow_tangle",
    tangle: { ...goal, writhe: found.writhe },
    mover: partner.actor,
    start_s: 0,
    end_s: partner.end,
  });
}
