/** What a feature can add to the page; docs/studio-features.md has a complete example. */
import type { Action } from "./actions";
import type { Editor } from "./editor";
import type { Outgoing } from "./generated/messages";
import type { Tool } from "./view/view_tools";

/** A collapsible section of the side panel. */
export interface Section {
  title: string;
  element: HTMLElement;
  about?: string; // tooltip: what it is for
  order: number; // Character 10, Pose 20, Linking 60, Compare 70
  folded?: boolean; // at first; afterwards as the user left it
}

/** Title and colour of a kind of key on the timeline. */
export interface KeyStyle {
  kind: string; // a TrackKind of the document
  title: string;
  colour: string;
}

export interface Feature {
  sections?: Section[];
  actions?: Action[]; // run by buttons and shortcuts, listed in the help
  poseButtons?: HTMLElement[]; // in the section Pose
  timeButtons?: HTMLElement[]; // in the row above the timeline, beside Key
  tools?: Tool[]; // offered every press in the view before the body and the camera
  lanes?: HTMLElement[]; // below the keys of the timeline, with the same time scale
  keys?: KeyStyle[];
  readouts?: HTMLElement[]; // in the lower corners of the view
  corner?: HTMLElement[]; // in the upper left corner of the view
  cancel?(): boolean; // Escape: end a gesture of the feature; false if there is none
  receive?(message: Outgoing): void; // every message, after the editor has handled it
}

export type Install = (editor: Editor) => Feature;

/** Install every module in the folders of features/, in the order of their names. */
export function installFeatures(editor: Editor): Feature[] {
  const modules = import.meta.glob<{ install: Install }>("./features/*/*.ts", { eager: true });
  const name = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  return Object.keys(modules)
    .sort((a, b) => (name(a) < name(b) ? -1 : 1))
    .map((path) => modules[path].install(editor));
}
