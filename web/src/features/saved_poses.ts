/** Saved poses as thumbnails in the panel. */
import { fill, h } from "../dom";
import { Install } from "../feature";
import { icon } from "../icons";
import { on, store } from "../store";
import type { Studio } from "../editor";
import { iconButton } from "../ui/topbar";

export const install: Install = (studio) => ({
  sections: [{ title: "Saved poses", element: thumbnails(studio), order: 30 }],
  actions: [{ name: "save-pose", title: "Save the pose", keys: ["S"], group: "Pose", run: () => void savePose(studio) }],
});

async function savePose(studio: Studio): Promise<void> {
  const picture = await studio.snapshot(192, 192, store.active);
  studio.command({ type: "save_pose", actor: store.active, name: "", picture });
}

function thumbnails(studio: Studio): HTMLElement {
  const list = h("div", { class: "poses" });
  let addresses: string[] = [];
  let shown = "";
  on(["state"], () => {
    const found = store.state?.features.poses.poses ?? [];
    const stamp = found.map((one) => `${one.id}:${one.picture.length}`).join();
    if (stamp === shown && list.childElementCount) return;
    shown = stamp;
    addresses.forEach((address) => URL.revokeObjectURL(address));
    addresses = found.map((one) => URL.createObjectURL(new Blob([one.picture.slice()], { type: "image/png" })));
    fill(
      list,
      ...found.map((one, i) =>
        h("div", { class: "pose" },
          h("button", { type: "button", class: "pose-picture", title: `Put the character into “${one.name}”`, "aria-label": `Apply ${one.name}`, click: () => studio.command({ type: "apply_pose", actor: store.active, pose: one.id }) }, h("img", { src: addresses[i], alt: one.name })),
          iconButton("close", `Delete ${one.name}`, () => studio.command({ type: "delete_pose", pose: one.id }), "tiny pose-delete"),
        ),
      ),
      h("button", { type: "button", class: "pose-add", title: "Keep this pose for later (S)", "aria-label": "Save the pose", click: () => void savePose(studio) }, icon("plus") as unknown as Node, "Save"),
    );
  });
  return list;
}
