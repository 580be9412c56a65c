/** Zoom of the timeline: the wheel spreads it about the pointer, and the playhead is kept in view. */
import { h } from "../dom";
import { store } from "../store";

const MIN_VISIBLE_S = 0.5;
const MAX_FACTOR = 200;
const PER_PIXEL = 1.0025; // of the wheel
const EDGE_PX = 14; // before the start and after the end, as in the style of the lanes
const LINE_PX = 30;

export class TimelineZoom {
  readonly element: HTMLElement;
  private factor = 1;

  /** `changed` is called when the lanes have become wider or narrower. */
  constructor(
    private readonly lanes: HTMLElement,
    private readonly changed: () => void,
  ) {
    this.element = h("div", { class: "lanes-frame" }, lanes);
    this.element.addEventListener("wheel", (event) => this.turnWheel(event), { passive: false });
  }

  /** How many seconds are seen at once. */
  visibleS(): number {
    return (store.state?.duration_s ?? 0) / this.factor;
  }

  /** Zoom by a factor; what is at a position of the page stays there. */
  by(factor: number, clientX: number): void {
    const ruler = this.lanes.querySelector(".ruler")!;
    const before = ruler.getBoundingClientRect();
    const share = (clientX - before.left) / before.width;
    const most = Math.max(1, Math.min(MAX_FACTOR, (store.state?.duration_s ?? 0) / MIN_VISIBLE_S));
    this.factor = Math.min(most, Math.max(1, this.factor * factor));
    this.lanes.style.width = this.factor > 1 ? `${100 * this.factor}%` : "";
    const after = ruler.getBoundingClientRect();
    this.element.scrollLeft += after.left + share * after.width - clientX;
    this.changed();
  }

  /** Scroll to the playhead if it is outside the frame. */
  keepPlayheadInView(): void {
    if (this.factor === 1) return;
    const { scrollLeft, clientWidth, scrollWidth } = this.element;
    const x = EDGE_PX + (store.timeS / (store.state?.duration_s || 1)) * (scrollWidth - 2 * EDGE_PX);
    if (x < scrollLeft || x > scrollLeft + clientWidth) this.element.scrollLeft = x - 0.1 * clientWidth;
  }

  /** Rows that do not all fit scroll; Shift or a sideways wheel moves along the timeline; all else zooms. */
  private turnWheel(event: WheelEvent): void {
    const rows = (event.target as HTMLElement).closest(".rows");
    const scrollsRows = rows !== null && rows.scrollHeight > rows.clientHeight + 1 && !event.ctrlKey;
    if (event.shiftKey || scrollsRows || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : LINE_PX * event.deltaY;
    this.by(PER_PIXEL ** -pixels, event.clientX);
  }
}
