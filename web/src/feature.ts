/** What a feature adds to the page; docs/studio-features.md shows one from end to end. */
import type { Action } from "./actions";
import type { Outgoing } from "./generated/messages";
import type { Studio } from "./editor";
import type { Tool } from "./view/tools";

/** A part of the side panel that can be folded. */
export interface Section {
  title: string;
  element: HTMLElement;
  about?: string; // what it is for, in a plain sentence
  order: number; // Character 10, Pose 20, Linking 60, Compare 70
  folded?: boolean; // at first; afterwards as the person left it
}

/** How keys of a kind of track look on the timeline. */
export interface KeyLook {
  kind: string; // as the document's TrackKind says
  title: string;
  colour: string;
}

export interface Feature {
  sections?: Section[];
  actions?: Action[]; // buttons, keys and the help sheet know them by name
  poseButtons?: HTMLElement[]; // among the buttons of the section Pose
  tools?: Tool[]; // asked for every press in the picture, before the body and the camera
  lanes?: HTMLElement[]; // below the keys of the timeline, as wide as it
  keys?: KeyLook[];
  readouts?: HTMLElement[]; // in the lower corners of the picture
  corner?: HTMLElement[]; // in the upper left corner of the picture
  receive?(message: Outgoing): void; // every message, after the core has seen it
}

export type Install = (studio: Studio) => Feature;

/** Every module of features/ that exports `install`. */
export function installFeatures(studio: Studio): Feature[] {
  const modules = import.meta.glob<{ install: Install }>("./features/*.ts", { eager: true });
  return Object.keys(modules).sort().map((path) => modules[path].install(studio));
}
