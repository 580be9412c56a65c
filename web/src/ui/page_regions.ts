/** F6 moves the focus between the regions of the page, since the panel alone has dozens of Tab stops. */
const REGIONS = [".topbar", ".viewport-canvas", ".panel", ".transport", ".lanes"];
const FOCUSABLE = "button:not([disabled]), select, input:not([disabled]), summary, [tabindex='0']";

/** Focus the first control of the region after the focused one, or before it with step -1. */
export function focusRegion(step: 1 | -1): void {
  const regions = REGIONS.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)]).filter(
    (region) => firstControl(region) !== null,
  );
  const current = regions.findIndex((region) => region.contains(document.activeElement));
  const next = current < 0 ? (step > 0 ? 0 : regions.length - 1) : current + step;
  const region = regions[(next + regions.length) % regions.length];
  if (!region) return;
  document.body.classList.add("by-keyboard");
  firstControl(region)?.focus();
}

function firstControl(region: HTMLElement): HTMLElement | null {
  if (region.tabIndex === 0) return region;
  return [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].find((one) => one.checkVisibility()) ?? null;
}
