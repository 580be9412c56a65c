/** Hands: poses of the fingers, and two clicks that make a hand grip an object or another hand. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import { icon } from "../../icons";
import { activeActor, notify, on, store } from "../../store";
import { wideButton } from "../../ui/buttons";
import { showMessage } from "../../ui/toast";
import type { Mode, PointerAt } from "../../view/view_tools";
import { carryingHolds } from "../scene/holds";

type Side = "left" | "right" | "both";

export const install: Install = (editor) => {
  const side = h(
    "select",
    { "aria-label": "Which hand" },
    ...(["both", "left", "right"] as Side[]).map((value) =>
      h("option", { value }, `${value} hand${value === "both" ? "s" : ""}`),
    ),
  );
  const poses = h("div", { class: "grid" });
  const mode = gripMode(editor);
  const toggle = () => editor.tools.enter(editor.tools.mode === mode ? null : mode);
  const pick = h(
    "button",
    {
      class: "wide",
      type: "button",
      title:
        "Click a hand, then an object to grip or the hand of another character to shake; or click an object to take it with both hands (Shift+G)",
      click: toggle,
    },
    icon("link"),
    "Grip or shake hands",
  );
  const carrying = () => carryingHolds().some((hold) => hold.other_actor === store.active);
  const lift = () => editor.command({ type: "lift_carried", actor: store.active });
  const raise = wideButton(
    "Lift",
    "Stand upright and carry what the hands hold in front of the body (L)",
    lift,
    "lift",
  );
  on(["state", "selection", "time"], () => {
    raise.hidden = !carrying();
  });
  const note = h("p", { class: "note" });
  on(["options"], () => pick.setAttribute("aria-pressed", String(editor.tools.mode === mode)));
  on(["state", "selection"], () => {
    const able = store.state?.features.hands.actors.includes(activeActor()?.id ?? 0) ?? false;
    note.hidden = able;
    const hint = activeActor()?.figure === "human" ? " Choose the body Human above." : "";
    note.textContent = `This character has no fingers.${hint}`;
    side.hidden = poses.hidden = pick.hidden = !able;
    if (poses.childElementCount || !store.state) return;
    fill(
      poses,
      ...store.state.features.hands.poses.map((name) =>
        h(
          "button",
          {
            type: "button",
            class: "wide",
            title: `Fingers: ${name}`,
            "data-command": `Hand pose: ${name}`,
            click: () => editor.command({ type: "set_hand_pose", actor: store.active, side: side.value as Side, name }),
          },
          name,
        ),
      ),
    );
  });
  return {
    sections: [
      {
        title: "Hands",
        about: "Poses of the fingers; a hand that grips an object or shakes another hand",
        element: h("div", { class: "stack" }, side, poses, pick, raise, note),
        order: 17,
      },
    ],
    actions: [
      { name: "grip", title: "Grip an object or shake hands", keys: ["Shift+G"], group: "Pose", run: toggle },
      { name: "lift", title: "Lift what the hands hold", keys: ["L"], group: "Pose", enabled: carrying, run: lift },
    ],
    /** A character that reaches after the playhead is shown where its hands have closed. */
    receive(message) {
      if (message.type !== "hands_moved") return;
      const later = message.time_s > store.timeS + 1e-4;
      if (later) editor.seek(message.time_s);
      if (carrying()) showMessage("Lift (L) stands up with it, Walk to … (N) carries it away.");
      else if (later) showMessage(`Their hands have closed at ${message.time_s.toFixed(1)} s.`);
    },
  };
};

/** The first press picks a hand, the second an object or a hand of another character; an object pressed first is
 * taken with both hands. */
function gripMode(editor: Editor): Mode {
  let first: { actor: number; joint: number } | null = null;
  const firstHint = "Click a hand, or an object to take it with both hands";
  const take = (actor: number, joint: number, object: number, at?: [number, number, number]) => {
    store.selectedObject = null; // it follows the hand from now on
    notify("selection");
    editor.command({ type: "grip_object", actor, joint, object, at: at ?? null });
    editor.tools.enter(null);
  };
  const mode = {
    hint: firstHint,
    down(at: PointerAt) {
      const body = editor.viewport.pick(at.x, at.y);
      const thing = editor.viewport.objects.pick(at.ray);
      const inFront = body && (!thing || body.distance < thing.distance);
      const hit = inFront ? { actor: body.actor || store.active, joint: body.joint } : null;
      const object = hit ? null : (thing?.object ?? null);
      if (!hit && object === null) return null;
      return {
        move: () => undefined,
        cancel: () => undefined,
        up: () => {
          if (first === null) {
            if (!hit) {
              take(store.active, -1, object!);
              return;
            }
            first = { actor: hit.actor, joint: hit.joint };
            store.active = hit.actor;
            store.selected = hit.joint;
            mode.hint = "Click an object, or the hand of another character";
            notify("selection", "options");
            return;
          }
          const { actor, joint } = first;
          if (object !== null) return take(actor, joint, object, thing!.point.toArray());
          else if (hit && hit.actor !== actor)
            editor.command({ type: "shake_hands", actor, joint, other: hit.actor, other_joint: hit.joint });
          else {
            showMessage("That is the same character: its own parts are joined under “Holds”.");
            return;
          }
          editor.tools.enter(null);
        },
      };
    },
    hover: (at: PointerAt | null) => at !== null && editor.viewport.pick(at.x, at.y) !== null,
    onLeave: () => {
      first = null;
      mode.hint = firstHint;
    },
  };
  return mode;
}
