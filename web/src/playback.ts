/** Plays the timeline at the chosen speed, once or in a loop. */

import type { Editor } from "./editor";
import { notify, store } from "./store";

export class Playback {
  private last = 0;

  constructor(private readonly editor: Editor) {}

  toggle(): void {
    if (store.playing) this.stop();
    else this.start();
  }

  start(): void {
    const state = store.state;
    if (!state || store.playing) return;
    if (store.timeS >= state.duration_s - 1e-6) store.timeS = 0;
    store.playing = true;
    store.poseReport = store.comparedPose = null;
    this.last = performance.now();
    notify("options");
    requestAnimationFrame((now) => this.tick(now));
  }

  stop(): void {
    if (!store.playing) return;
    store.playing = false;
    this.editor.seek(store.timeS);
    notify("options");
  }

  private tick(now: number): void {
    if (!store.playing || !store.state) return;
    const length = store.state.duration_s;
    store.timeS += (store.speed * Math.max(0, now - this.last)) / 1000;
    this.last = now;
    if (store.timeS > length) {
      if (!store.loop) {
        store.timeS = length;
        this.stop();
        return;
      }
      store.timeS %= length;
    }
    notify("time");
    requestAnimationFrame((next) => this.tick(next));
  }
}
