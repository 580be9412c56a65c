/** Sliders of the four topology coordinates: the target, and the current value beside it. */
import { h } from "../dom";
import type { Winding } from "../generated/messages";

const MIN_WRITHE = 0.03; // below it, centre and density are undefined

export type CoordinateName = "writhe" | "centre_first" | "centre_second" | "density";
type Coordinates = { [name in CoordinateName]?: number | null };

interface Coordinate {
  name: CoordinateName;
  title: string;
  about: string;
  max: number;
}

const COORDINATES: Coordinate[] = [
  {
    name: "writhe",
    title: "Writhe",
    about: "How far the chains wind around each other; 1 is a full turn, the sign is the direction",
    max: 1.5,
  },
  {
    name: "centre_first",
    title: "Centre 1",
    about: "Position along the first chain: −1 at its start (the large knob), 1 at its end",
    max: 0.9,
  },
  {
    name: "centre_second",
    title: "Centre 2",
    about: "Position along the second chain: −1 at its start (the large knob), 1 at its end",
    max: 0.9,
  },
  {
    name: "density",
    title: "Density",
    about: "Which chain winds: 0 both equally, 0.79 the first around the second, −0.79 the second around the first",
    max: 1.57,
  },
];

interface Slider {
  range: HTMLInputElement;
  number: HTMLInputElement;
  constrained: HTMLInputElement; // unchecked: the coordinate is free
  now: HTMLElement;
}

export class CoordinateSliders {
  readonly rows: HTMLElement[];
  private readonly sliders = new Map<CoordinateName, Slider>();

  /** `changed` is called with `held` while a slider is being dragged, `freed` when a checkbox changes. */
  constructor(
    private readonly changed: (held: boolean) => void,
    private readonly freed: () => void,
  ) {
    this.rows = COORDINATES.map((coordinate) => this.row(coordinate));
  }

  /** The target of a coordinate; null where it is free. */
  target(name: CoordinateName): number | null {
    const { constrained, range } = this.sliders.get(name)!;
    return constrained.checked ? Number(range.value) : null;
  }

  /** Set the targets; coordinates without one become free. */
  setTargets(targets: Coordinates): void {
    for (const [name, slider] of this.sliders) {
      const value = targets[name] ?? null;
      slider.constrained.checked = name === "writhe" || value !== null;
      if (value !== null) setValue(slider, value);
    }
  }

  /** Show the current values; with `follow`, sliders that are not constrained move there, and that of writhe too. */
  show(winding: Winding, follow: boolean): void {
    const defined = Math.abs(winding.writhe) >= MIN_WRITHE;
    for (const [name, slider] of this.sliders) {
      const value = winding[name];
      slider.now.textContent = name === "writhe" || defined ? `now ${twoDigits(value).replace("-", "−")}` : "";
      const typing = document.activeElement === slider.number;
      if (follow && !typing && (name === "writhe" || !slider.constrained.checked)) setValue(slider, value);
    }
  }

  private row({ name, title, about, max }: Coordinate): HTMLElement {
    const limits = { min: -max, max, value: 0 };
    const range = h("input", { type: "range", ...limits, step: 0.01, "aria-label": title });
    const number = h("input", {
      type: "number",
      class: "compact",
      ...limits,
      step: 0.05,
      "aria-label": `${title}, as a number`,
    });
    const constrained = h("input", {
      type: "checkbox",
      title: "Constrain this coordinate; unchecked, it is free",
      "aria-label": `Constrain ${title.toLowerCase()}`,
      checked: name === "writhe",
      disabled: name === "writhe",
      change: () => this.freed(),
    });
    const now = h("span", { class: "tangle-now" });
    const slider = { range, number, constrained, now };
    this.sliders.set(name, slider);
    const setTarget = (value: number, held: boolean) => {
      if (!Number.isFinite(value)) return;
      setValue(slider, Math.min(max, Math.max(-max, value)));
      constrained.checked = true;
      this.changed(held);
    };
    range.addEventListener("input", () => setTarget(Number(range.value), true));
    range.addEventListener("change", () => setTarget(Number(range.value), false));
    number.addEventListener("change", () => setTarget(Number(number.value), false));
    const label = h("label", {}, constrained, ` ${title}`);
    return h("div", { class: "tangle-row", title: about }, label, now, number, range);
  }
}

function setValue(slider: Slider, value: number): void {
  slider.range.value = String(value);
  slider.number.value = twoDigits(value);
}

/** Two digits after the point, never "-0.00". */
export function twoDigits(value: number): string {
  return (Math.round(100 * value) / 100 || 0).toFixed(2);
}
