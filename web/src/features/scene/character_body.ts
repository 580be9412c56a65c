/** The body of a character from a file: which joint plays which role, and its collision shapes. */
import { fill, h } from "../../dom";
import type { Editor } from "../../editor";
import type { Install } from "../../feature";
import type { CharacterBody } from "../../generated/messages";
import { nameJointsByRole, plainName } from "../../labels";
import { activeActor, notify, on, store } from "../../store";
import { showMessage } from "../../ui/toast";
import { ShapeOverlay } from "../../view/shape_overlay";
import type { Mode } from "../../view/view_tools";

const MIN_RADIUS_M = 0.002;
const MAX_RADIUS_M = 1;

export const install: Install = (editor) => {
  const roles = roleSection(editor);
  const shapes = shapeSection(editor);
  const remember = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Use these roles and shapes whenever a file with this body is opened",
      click: () => editor.connection.send({ type: "remember_body", actor: store.active }),
    },
    "Remember for this character",
  );
  const note = h(
    "p",
    { class: "note" },
    "Roles and shapes of your own characters, opened from a file, are shown here.",
  );
  on(["state", "selection"], nameJoints);
  on(["state", "selection"], () => {
    const known = currentBody() !== null;
    note.hidden = known;
    roles.hidden = shapes.hidden = remember.hidden = !known;
  });
  return {
    sections: [
      {
        title: "Body",
        about: "Which joint is which part of the body, and the shapes that keep parts from passing through each other",
        element: h("div", {}, roles, shapes, remember, note),
        order: 18,
        folded: true,
      },
    ],
    receive: (message) => {
      if (message.type === "body_remembered") showMessage("Roles and shapes are remembered for this character.");
    },
  };
};

/** Labels call the joints of characters from files by their roles. */
function nameJoints(): void {
  for (const body of store.state?.features.character_body.bodies ?? []) {
    const actor = store.state!.actors.find(({ id }) => id === body.actor);
    const joints = store.figures.get(actor?.figure ?? "")?.joints ?? [];
    nameJointsByRole(
      body.roles.flatMap(({ role, joint }): [string, string][] =>
        joints[joint] && joints[joint].name !== role ? [[joints[joint].name, role]] : [],
      ),
    );
  }
}

function currentBody(): CharacterBody | null {
  return store.state?.features.character_body.bodies.find((one) => one.actor === store.active) ?? null;
}

/** Choosing the role of a joint that was clicked, and the list of all roles. */
function roleSection(editor: Editor): HTMLElement {
  const mode = roleMode(editor);
  const pick = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Click a part of the body, then choose what it is",
      click: () => editor.tools.enter(editor.tools.mode === mode ? null : mode),
    },
    "Correct roles",
  );
  const select = h("select", { "aria-label": "Role of the selected joint" });
  const chosen = h("p", { class: "note" });
  const list = h("ul", { class: "roles" });
  list.hidden = true;
  const summary = h("button", {
    class: "wide",
    type: "button",
    title: "Show which joint plays which role",
    "aria-expanded": "false",
    click: () => {
      list.hidden = !list.hidden;
      summary.setAttribute("aria-expanded", String(!list.hidden));
    },
  });
  const table = h("div", {}, summary, list);
  select.addEventListener("change", () => {
    if (store.selected !== null)
      editor.command({ type: "set_role", actor: store.active, joint: store.selected, role: select.value });
  });
  on(["options"], () => pick.setAttribute("aria-pressed", String(editor.tools.mode === mode)));
  on(["state", "selection"], () => {
    const body = currentBody();
    const known = store.state?.features.character_body.roles ?? [];
    const joints = store.figures.get(activeActor()?.figure ?? "")?.joints ?? [];
    if (!body) return;
    if (!select.childElementCount)
      fill(
        select,
        h("option", { value: "" }, "no role"),
        ...known.map((role) => h("option", { value: role }, plainName(role))),
      );
    const name = store.selected === null ? "" : (joints[store.selected]?.name ?? "");
    select.disabled = !name;
    select.value = body.roles.find((one) => one.joint === store.selected)?.role ?? "";
    chosen.textContent = name ? `${name} is` : "Click a part of the body to see its role.";
    summary.textContent = `${body.roles.length} of ${known.length} roles found`;
    fill(
      list,
      ...known.map((role) => {
        const joint = body.roles.find((one) => one.role === role)?.joint;
        return h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              disabled: joint === undefined,
              click: () => {
                store.selected = joint ?? null;
                notify("selection");
              },
            },
            `${plainName(role)}: ${joint === undefined ? "not found" : (joints[joint]?.name ?? "")}`,
          ),
        );
      }),
    );
  });
  return h("div", {}, pick, chosen, select, table);
}

/** A click selects the part, instead of pinning it. */
function roleMode(editor: Editor): Mode {
  return {
    hint: "Click a part of the body, then choose its role in the section Body",
    down(at) {
      const hit = editor.viewport.pick(at.x, at.y);
      if (!hit) return null;
      return {
        move: () => undefined,
        cancel: () => undefined,
        up: () => {
          store.active = hit.actor || store.active;
          store.selected = hit.joint;
          notify("selection");
        },
      };
    },
    hover: (at) => at !== null && editor.viewport.pick(at.x, at.y) !== null,
  };
}

/** Showing, resizing, excluding and including collision shapes. */
function shapeSection(editor: Editor): HTMLElement {
  const overlay = new ShapeOverlay();
  let chosen: number | null = null;
  const radius = h("input", { type: "number", min: 2, max: 1000, step: 1, "aria-label": "Radius in millimetres" });
  const exclude = h("button", { class: "wide", type: "button", title: "Take this shape out of the body" }, "Exclude");
  const title = h("p", { class: "note" });
  const edit = h("div", {}, h("label", {}, "Radius (mm) ", radius), exclude);
  const left = h("div", {});
  const capsules = () => store.figures.get(activeActor()?.figure ?? "")?.capsules ?? [];
  const choose = (shape: number | null) => {
    chosen = shape;
    overlay.choose(shape);
    draw();
    editor.viewport.draw();
  };
  const setRadius = (shape: number, radius_m: number) =>
    editor.command({ type: "set_shape_radius", actor: store.active, shape, radius_m: bounded(radius_m) });
  const mode: Mode = {
    hint: "Click a shape to choose it, drag it to change its radius",
    down(at) {
      const shape = overlay.pick(at.ray);
      if (shape === null) return null;
      choose(shape);
      const before = capsules()[shape].radius;
      const grabbed = overlay.distance(shape, at.ray);
      const wanted = (ray: typeof at.ray) => bounded(before + overlay.distance(shape, ray) - grabbed);
      return {
        move: (to) => {
          overlay.preview(shape, wanted(to.ray));
          radius.value = String(Math.round(1000 * wanted(to.ray)));
          editor.viewport.draw();
        },
        up: (to, moved) => {
          if (moved) setRadius(shape, wanted(to.ray));
        },
        cancel: () => {
          overlay.preview(shape, before);
          editor.viewport.draw();
        },
      };
    },
    hover: (at) => at !== null && overlay.pick(at.ray) !== null,
    onLeave: () => {
      chosen = null;
      overlay.choose(null);
      overlay.show(null);
      editor.viewport.draw();
    },
  };
  const toggle = h(
    "button",
    {
      class: "wide",
      type: "button",
      title: "Show the collision shapes over the body and correct them",
      click: () => editor.tools.enter(editor.tools.mode === mode ? null : mode),
    },
    "Show collision shapes",
  );
  radius.addEventListener("change", () => {
    if (chosen !== null) setRadius(chosen, Number(radius.value) / 1000);
  });
  exclude.addEventListener("click", () => {
    if (chosen === null) return;
    editor.command({ type: "exclude_shape", actor: store.active, shape: chosen });
    choose(null);
  });
  const draw = () => {
    const body = currentBody();
    const shown = editor.tools.mode === mode && body !== null;
    toggle.setAttribute("aria-pressed", String(shown));
    overlay.show(shown ? editor.viewport.character(store.active) : null);
    const all = capsules();
    if (chosen !== null && chosen >= all.length) chosen = null;
    edit.hidden = !shown || chosen === null;
    title.hidden = !shown;
    const joints = store.figures.get(activeActor()?.figure ?? "")?.joints ?? [];
    if (chosen === null) title.textContent = `${all.length} shapes. Click one to choose it.`;
    else {
      title.textContent = `A shape of ${joints[all[chosen].joint]?.name ?? ""}`;
      radius.value = String(Math.round(1000 * all[chosen].radius));
    }
    fill(
      left,
      ...(body?.excluded ?? []).map((shape, i) =>
        h(
          "button",
          {
            class: "wide",
            type: "button",
            title: "Put this shape back",
            click: () => editor.command({ type: "include_shape", actor: store.active, shape: i }),
          },
          `Include ${joints[shape.joint]?.name ?? ""} (${Math.round(1000 * shape.radius)} mm)`,
        ),
      ),
    );
  };
  on(["state", "selection", "options"], draw);
  return h("div", {}, toggle, title, edit, left);
}

function bounded(radius_m: number): number {
  return Math.min(MAX_RADIUS_M, Math.max(MIN_RADIUS_M, radius_m));
}
