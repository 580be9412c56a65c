/** Tangle keys: what is wound when, and the motion through all of it in topology space. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { TangleKeyState, TanglesMade } from "../generated/messages";
import { icon } from "../icons";
import { activeActor, on, store } from "../store";
import type { Studio } from "../editor";
import { say } from "../ui/toast";
import { iconButton } from "../ui/topbar";

const ORDERS: [string, string, string][] = [
  ["together", "All at once", "All tangles of a key are wound at the same time"],
  ["given", "One after the other", "In the order in which they are listed"],
  ["automatic", "Best order", "Tries the possible orders, and says which one is shortest and clearest"],
];

export const install: Install = (studio) => {
  const list = h("div", { class: "tangle-keys" });
  const note = h("p", { class: "note", role: "status", hidden: true });
  const tell = (text: string) => {
    note.textContent = text;
    note.hidden = !text;
  };
  const key = h("button", { class: "wide", type: "button", title: "Key these chains as the sliders say, at the playhead (Shift+W)", click: () => studio.run("key-tangle") }, icon("key") as unknown as Node, "Key this tangle");
  const order = h("select", { "aria-label": "Order of the tangles of a key", title: ORDERS[0][2], change: () => (order.title = ORDERS.find(([value]) => value === order.value)![2]) }, ...ORDERS.map(([value, title, about]) => h("option", { value, title: about }, title)));
  const make = h("button", { class: "wide primary", type: "button", title: "Move from key to key: limbs are wound and unwound, never through each other (Shift+J)", click: () => studio.run("wind-keys") }, icon("play") as unknown as Node, "Make the motion");
  const followWords = h("span", {});
  const follow = h("button", { class: "wide", type: "button", click: () => followOver(studio, tell) }, icon("link") as unknown as Node, followWords);
  const making = h("div", { class: "tangle" }, h("label", { class: "field" }, h("span", {}, "Order"), order), make);
  let asked = "";

  on(["state", "selection", "time", "options"], () => {
    const keys = store.state?.features.tangle_motion.keys ?? [];
    key.disabled = !studio.tangles?.goal;
    making.hidden = keys.length === 0;
    fill(list, ...keys.map((one) => keyCard(studio, one)));
    const partner = follower(studio);
    follow.hidden = partner === null;
    if (partner) {
      followWords.textContent = `${partner.name} follows ${partner.other}`;
      follow.title = `Over ${partner.other}’s whole motion, ${partner.name} moves so that this tangle stays as it is at the playhead`;
    }
  });
  const run = () => {
    tell("");
    asked = studio.command({ type: "wind_keys", order: order.value as "together" });
  };
  return {
    sections: [{ title: "Tangle keys", about: "How limbs are wound at some times; the motion winds and unwinds them in between, never through each other", element: h("div", { class: "tangle" }, key, list, making, follow, note), order: 51, folded: true }],
    actions: [
      { name: "key-tangle", title: "Key the tangle at the playhead", keys: ["Shift+W"], group: "Time", enabled: () => studio.tangles?.goal != null, run: () => keyTangle(studio) },
      { name: "wind-keys", title: "Make the motion through the tangle keys", keys: ["Shift+J"], group: "Time", enabled: () => (store.state?.features.tangle_motion.keys.length ?? 0) > 0, run },
    ],
    keys: [{ kind: "tangle", title: "Tangles", colour: "#7048e8" }],
    receive(message) {
      if (message.type !== "tangles_made") return;
      if (message.job === asked) asked = "";
      tell(outcome(message));
      if (!message.reached || !message.certified) say(outcome(message), "problem");
    },
  };
};

function keyTangle(studio: Studio): void {
  const goal = studio.tangles?.goal;
  if (!goal) return;
  studio.command({ type: "key_tangle", time_s: store.timeS, tangle: goal, movers: studio.tangles!.movers });
  const box = document.querySelector<HTMLDetailsElement>(".panel-section:has(.tangle-keys)");
  if (box) box.open = true;
}

function outcome(made: TanglesMade): string {
  const parts = made.problems.map((problem) => `Not reached at ${problem}.`);
  if (!made.certified) parts.push("Somewhere bodies still overlap: see the strip under the keys.");
  if (!parts.length) parts.push("Made, and certified throughout.");
  if (made.why) parts.push(`Order: ${made.why}.`);
  return parts.join(" ");
}

/** One key: its time, its tangles, each to be shown again or taken out. */
function keyCard(studio: Studio, key: TangleKeyState): HTMLElement {
  const names = key.movers.map((actor) => store.state?.actors.find((one) => one.id === actor)?.name ?? "");
  const made = key.movers.every((actor) => store.state?.actors.find((one) => one.id === actor)?.ways.some((way) => Math.abs(way.end_s - key.time_s) < 1e-3 || Math.abs(way.start_s - key.time_s) < 1e-3));
  const here = Math.abs(key.time_s - store.timeS) < 1e-3;
  return h("div", { class: `tangle-key ${here ? "on" : ""}` },
    h("div", { class: "line" },
      h("button", { class: "link", type: "button", title: "Go there", click: () => studio.seek(key.time_s) }, `${key.time_s.toFixed(2)} s`),
      h("span", { class: "soft" }, `${names.join(" and ")} ${names.length > 1 ? "move" : "moves"}${made ? "" : ", not made yet"}`)),
    ...key.tangles.map((goal, k) => h("div", { class: "line" },
      h("button", { class: "link tangle-name", type: "button", title: "Show it in the section Tangle", click: () => { studio.seek(key.time_s); studio.tangles?.load(goal, key.movers); } }, key.titles[k]),
      h("span", { class: "tangle-value" }, goal.writhe.toFixed(2)),
      iconButton("close", `Take ${key.titles[k]} out of this key`, () => studio.command({ type: "drop_tangle", key: key.id, tangle: k }), "small"))));
}

/** Who could follow whom: the picked tangle is of two characters, and the other one moves in time. */
function follower(studio: Studio): { actor: number; name: string; other: string; end: number } | null {
  const [first, second] = studio.tangles?.chains ?? [];
  if (!first || !second || !first.actor || !second.actor || first.actor === second.actor) return null;
  const lead = activeActor()?.id === first.actor ? first.actor : second.actor;
  const actor = lead === first.actor ? second.actor : first.actor;
  const motion = store.motions.get(lead);
  const name = (id: number) => store.state?.actors.find((one) => one.id === id)?.name ?? "";
  return motion && motion.frames > 1 ? { actor, name: name(actor), other: name(lead), end: (motion.frames - 1) / motion.fps } : null;
}

function followOver(studio: Studio, tell: (text: string) => void): void {
  const partner = follower(studio), goal = studio.tangles?.goal, found = studio.tangles?.found;
  if (!partner || !goal || !found) return;
  tell("");
  studio.command({ type: "follow_tangle", tangle: { ...goal, writhe: found.writhe }, mover: partner.actor, start_s: 0, end_s: partner.end });
}
