/** Line icons on a 24 x 24 grid, drawn for this page. */
import { svg } from "./dom";

const PATHS: { [name: string]: string } = {
  undo: "M9 14 4 9l5-5 M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "M15 14l5-5-5-5 M20 9H10a6 6 0 0 0 0 12h3",
  open: "M12 15V4 M7 9l5-5 5 5 M4 15v4a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-4",
  save: "M12 4v11 M7 10l5 5 5-5 M4 15v4a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-4",
  help: "M9.2 9a2.9 2.9 0 1 1 4.2 2.6c-.9.5-1.4 1.1-1.4 2.2 M12 17.4v.1",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z M12 2v2 M12 20v2 M2 12h2 M20 12h2 M5 5l1.4 1.4 M17.6 17.6 19 19 M19 5l-1.4 1.4 M6.4 17.6 5 19",
  moon: "M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z",
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14 M16 5v14",
  first: "M6 5v14 M18 5.5v13L9 12z",
  last: "M18 5v14 M6 5.5v13l9-6.5z",
  before: "M15 6l-6 6 6 6",
  after: "M9 6l6 6-6 6",
  key: "M12 3.5 20.5 12 12 20.5 3.5 12z",
  record: "M12 6.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z",
  loop: "M17 3l3 3-3 3 M4 11V9a3 3 0 0 1 3-3h13 M7 21l-3-3 3-3 M20 13v2a3 3 0 0 1-3 3H4",
  onion: "M9 12a5 5 0 1 0 10 0 5 5 0 0 0-10 0z M14.5 7.2A5 5 0 1 0 14.5 16.8",
  mirror: "M12 3v18 M8.5 7 3.5 17h5z M15.5 7l5 10h-5z",
  reset: "M4 4v6h6 M4.6 10A8 8 0 1 1 4 14",
  move: "M12 3v18 M3 12h18 M9 6l3-3 3 3 M9 18l3 3 3-3 M6 9l-3 3 3 3 M18 9l3 3-3 3",
  link: "M9.5 14.5l5-5 M10.5 7l2-2a4.2 4.2 0 0 1 6 6l-2 2 M13.5 17l-2 2a4.2 4.2 0 0 1-6-6l2-2",
  plus: "M12 5v14 M5 12h14",
  close: "M6 6l12 12 M18 6 6 18",
  trash: "M4 7h16 M9 7V4h6v3 M6.5 7l1 13h9l1-13",
  copy: "M9 9h11v11H9z M15 9V4H4v11h5",
  pin: "M12 21v-7 M8 4h8l-1 6 3 4H6l3-4z",
  contact: "M3 20h18 M12 4v10 M8 10l4 4 4-4",
  curve: "M3 20C12 20 12 4 21 4 M3 20h5 M16 4h5",
  graph: "M3 17c4 0 4-10 8-10s4 8 10 8 M3 21h18",
  compare: "M4 5h7v14H4z M13 5h7v14h-7z",
  panel: "M4 5h16v14H4z M15 5v14",
  camera: "M4 8h4l1.5-2.5h5L16 8h4v11H4z M12 10.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  home: "M4 11l8-7 8 7 M6.5 9.5V20h11V9.5",
  frame: "M4 9V4h5 M15 4h5v5 M20 15v5h-5 M9 20H4v-5",
  push: "M4 5v14 M8 12h9 M13 8l4 4-4 4 M20 9a9 9 0 0 1 0 6",
  view: "M12 3l8 4.5v9L12 21l-8-4.5v-9z M12 12l8-4.5 M12 12v9 M12 12L4 7.5",
  lift: "M4 20h16 M12 17V6 M7.5 10.5 12 6l4.5 4.5",
  search: "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13z M15.5 15.5 20 20",
  check: "M5 12.5l4.5 4.5L19 7.5",
};

export function icon(name: string): SVGElement {
  const path = svg("path", { d: PATHS[name] ?? "" });
  const element = svg("svg", { viewBox: "0 0 24 24", class: `icon icon-${name}`, "aria-hidden": "true" }, path);
  return element;
}
