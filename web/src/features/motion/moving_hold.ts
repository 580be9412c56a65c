/** Moving hold: a pose that is held between two keys breathes instead of freezing. */
import type { Install } from "../../feature";
import { activeActor, store } from "../../store";
import { wideButton } from "../../ui/buttons";
import { showMessage } from "../../ui/toast";

export const install: Install = (editor) => ({
  timeButtons: [
    wideButton(
      "Moving hold",
      "Let the body breathe and shift its weight while it holds a pose: put the playhead between two keys of the same pose (Shift+B)",
      () => editor.run("moving-hold"),
    ),
  ],
  actions: [
    {
      name: "moving-hold",
      title: "Moving hold: breathe between two keys of the same pose, or for 2 s after the last key",
      keys: ["Shift+B"],
      group: "Time",
      enabled: () => activeActor() !== null,
      run: () => editor.command({ type: "make_moving_hold", actor: store.active, time_s: store.timeS }),
    },
  ],
  receive(message) {
    if (message.type !== "moving_hold_made") return;
    const range = `from ${message.start_s.toFixed(2)} to ${message.end_s.toFixed(2)} s`;
    const wrong = message.conflicts.slice(0, 2).join(", ");
    if (wrong) showMessage(`Breathes ${range}, but does not keep: ${wrong}.`, "problem");
    else showMessage(`Breathes ${range}. Undo makes the pose still again.`);
  },
});
