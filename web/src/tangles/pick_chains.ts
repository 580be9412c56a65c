/** The mode in which two presses pick the chains of a tangle. */
import type { Editor } from "../editor";
import type { Mode } from "../view/view_tools";
import { type Chain, chainBetween, limbAt, pickEnd } from "./chains";

const HINTS = ["Click a limb, or drag from one end of a chain to the other", "Now the second chain"];

export interface ChainPicking {
  preview(chain: Chain | null): void; // shown while the pointer is down
  picked(index: number, chain: Chain): boolean; // false rejects the chain
  missed(): void; // a press that belongs to no limb
}

/** Enter the mode; it is left after the second chain. */
export function pickChains({ viewport, tools }: Editor, picking: ChainPicking): void {
  let index = 0;
  const mode: Mode = {
    hint: HINTS[0],
    down: (at) => {
      const from = pickEnd(viewport, at);
      if (!from) return null;
      const whole = from.strand ?? limbAt(from);
      const chainAt = (here: typeof at) => {
        const to = from.strand ? null : pickEnd(viewport, here);
        return (to && chainBetween(from, to)) ?? null;
      };
      let dragged: Chain | null = null; // the last chain that the drag has described
      picking.preview(whole);
      return {
        move: (here) => {
          dragged = chainAt(here) ?? dragged;
          picking.preview(dragged ?? whole);
        },
        cancel: () => picking.preview(null),
        up: (here, moved) => {
          picking.preview(null);
          const chain = (moved ? (chainAt(here) ?? dragged) : null) ?? whole;
          if (!chain) return picking.missed();
          if (!picking.picked(index, chain)) return;
          mode.hint = HINTS[++index] ?? "";
          tools.enter(index === 2 ? null : mode);
        },
      };
    },
    hover: (at) => at !== null && pickEnd(viewport, at) !== null,
    onLeave: () => picking.preview(null),
  };
  tools.enter(mode);
}
