/** Graph of the linking of every pair of strands over time, under the keys. */
import { fill, h, svg } from "../dom";
import { plainName } from "../labels";
import { activeActor, on, store } from "../store";

const HEIGHT = 84;
const COLOURS = ["#4263eb", "#e8590c", "#2f9e44", "#c2255c", "#7048e8"];
const HIGHLIGHTED = COLOURS.length; // the pairs that vary most are coloured and named

export function linkingGraph(): HTMLElement {
  const lines = svg("svg", { class: "graph-lines", preserveAspectRatio: "none", viewBox: `0 0 1000 ${HEIGHT}` });
  const legend = h("div", { class: "graph-legend" });
  const box = h(
    "div",
    {
      class: "graph",
      hidden: true,
      title:
        "How far each pair of limbs is wound around each other over time: 0 apart, about 0.4 in folded arms, 1 for a full turn",
    },
    lines,
    legend,
  );
  on(["state", "options", "selection"], () => {
    const actor = activeActor();
    const motion = actor && store.motions.get(actor.id);
    box.hidden = !store.graph;
    if (!store.graph) return;
    const strands = store.figures.get(actor?.figure ?? "")?.strands ?? [];
    if (!motion?.pairs || !store.state) {
      lines.replaceChildren();
      fill(legend, h("span", {}, "Set two keys or open a clip to see how the limbs wind around each other over time."));
      return;
    }
    const pairs = Array.from({ length: motion.pairs }, (_, pair) => {
      const values = Array.from({ length: motion.frames }, (_, frame) => motion.linking[frame * motion.pairs + pair]);
      return {
        pair,
        values,
        range: Math.max(...values) - Math.min(...values),
        peak: Math.max(...values.map(Math.abs)),
      };
    });
    const scale = Math.max(0.2, ...pairs.map((one) => one.peak));
    const x = (frame: number) => ((1000 * frame) / motion.fps / store.state!.duration_s).toFixed(1);
    const y = (value: number) => (HEIGHT / 2 - (0.46 * HEIGHT * value) / scale).toFixed(1);
    const zero = svg("line", { x1: 0, x2: 1000, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "graph-zero" });
    const named = [...pairs].sort((a, b) => b.range - a.range).slice(0, HIGHLIGHTED),
      others = pairs.filter((one) => !named.includes(one));
    const line = ({ values }: { values: number[] }, look: { [name: string]: string }) =>
      svg("polyline", { points: values.map((value, frame) => `${x(frame)},${y(value)}`).join(" "), ...look });
    lines.replaceChildren(
      zero,
      ...others.map((one) => line(one, { class: "graph-other" })),
      ...named.map((one, k) => line(one, { stroke: COLOURS[k] })),
    );
    fill(
      legend,
      h("span", {}, `±${scale.toFixed(1)}`),
      ...named.map(({ pair }, k) => {
        const dot = h("i", {});
        dot.style.background = COLOURS[k];
        return h("span", {}, dot, pairName(strands, pair));
      }),
      others.length > 0 && h("span", {}, "others in grey"),
    );
  });
  return box;
}

/** Title of a pair, by its index in the upper triangle. */
function pairName(strands: string[], pair: number): string {
  let k = 0;
  for (let i = 0; i < strands.length; i++)
    for (let j = i + 1; j < strands.length; j++) if (k++ === pair) return plainName(`${strands[i]} · ${strands[j]}`);
  return "";
}
