/** Saved poses as thumbnails in the panel. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import { icon } from "../../icons";
import { on, store } from "../../store";
import { iconButton } from "../../ui/buttons";

export const install: Install = (editor) => ({
  sections: [{ title: "Saved poses", element: thumbnails(editor), order: 30 }],
  actions: [
    { name: "save-pose", title: "Save the pose", keys: ["S"], group: "Pose", run: () => void savePose(editor) },
  ],
});

async function savePose(editor: Editor): Promise<void> {
  const picture = await editor.snapshot(192, 192, store.active);
  editor.command({ type: "save_pose", actor: store.active, name: "", picture });
}

function thumbnails(editor: Editor): HTMLElement {
  const list = h("div", { class: "poses" });
  let addresses: string[] = [];
  let shown = "";
  on(["state"], () => {
    const found = store.state?.features.saved_poses.poses ?? [];
    const content = found.map((one) => `${one.id}:${one.picture.length}`).join();
    if (content === shown && list.childElementCount) return;
    shown = content;
    addresses.forEach((address) => URL.revokeObjectURL(address));
    addresses = found.map((one) => URL.createObjectURL(new Blob([one.picture.slice()], { type: "image/png" })));
    fill(
      list,
      ...found.map((one, i) =>
        h(
          "div",
          { class: "pose" },
          h(
            "button",
            {
              type: "button",
              class: "pose-picture",
              title: `Apply “${one.name}” to the character`,
              "aria-label": `Apply ${one.name}`,
              click: () =>
                editor.command({ type: "apply_pose", actor: store.active, pose: one.id, share: store.blend }),
            },
            h("img", { src: addresses[i], alt: one.name }),
          ),
          iconButton(
            "close",
            `Delete ${one.name}`,
            () => editor.command({ type: "delete_pose", pose: one.id }),
            "tiny pose-delete",
          ),
        ),
      ),
      h(
        "button",
        {
          type: "button",
          class: "pose-add",
          title: "Save this pose for later (S)",
          "aria-label": "Save the pose",
          click: () => void savePose(editor),
        },
        icon("plus"),
        "Save",
      ),
    );
  });
  return list;
}
