"""The pictures: bar plots of the metrics, film strips, the failure case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.collision import violating_parts
from writhe.collision.mesh_pieces.surfaces import surface
from writhe.collision.shapes import Core
from writhe.postures.builtin import builtin_database
from writhe.render import StripRow, comparison
from writhe.render.look import BODIES, Colour
from writhe.render.picture_stage import HANDLE_M
from writhe.research.evaluation import Report
from writhe.research.evaluation.drags.drag_scenes import DragScene, make_drag_scene
from writhe.research.evaluation.drags.run_drags import DragRun, run_drag
from writhe.research.evaluation.drags.scripted_drag import Script, ScriptedDrag, sample_drags
from writhe.research.evaluation.plots import legend_below, plot_file
from writhe.skeleton import forward
from writhe.solvers.posing import Target, make_poser, pin_here
from writhe.solvers.posing.actor_in_scene import ActorInScene

_COLOURS: dict[str, Colour] = {
    "local-pca": (0.86, 0.76, 0.45),
    "paper": BODIES[3],
    "default": BODIES[0],
}
# scene: the drags of its film strips, and the view direction
_SHOWN: dict[str, tuple[tuple[str, ...], tuple[float, float, float]]] = {
    "basic": (("fold and swap, brisk", "behind the back, brisk"), (0.62, 0.26, 1.0)),
    "ladder": (("foot up a rung, brisk", "hand between the rungs, brisk"), (1.0, 0.3, -0.8)),
    "chair 1": (
        ("ankle over the knee, brisk", "foot around the chair's leg, brisk"),
        (1.0, 0.3, 0.8),
    ),
    "chair 2": (("lean, brisk", "hand to the floor, brisk"), (1.0, 0.3, 0.8)),
}


_REMARKS = {
    "behind the back, brisk": (
        "The goal of both hands is behind the back: `local-pca` and `paper` do not go round the"
        " trunk, their hands stay before the belly and the whole body leans back instead; `default`"
        " takes them round it."
    ),
    "ankle over the knee, brisk": (
        "Nothing holds the pelvis: with `local-pca` and `paper` the whole body rises off the seat."
    ),
    "foot around the chair's leg, brisk": (
        "At last the foot is pulled forwards from behind the chair's leg. Nothing holds the pelvis:"
        " with `default` the body slides sideways off the seat, because the shin does not pass"
        " through the leg of the chair; with the others it does."
    ),
}


def strips(report: Report, setting: DragScene) -> None:
    """Film strips of the published methods and the default, collisions in red."""
    report.heading(f"Film strips: {setting.name}")
    names, view = _SHOWN[setting.name]
    drags = {drag.name: drag for drag in setting.drags()}
    for number, name in enumerate(names):
        drag = drags[name]
        rows = [_row(setting, method, drag) for method in _COLOURS]
        path = report.picture_path(f"{setting.name.replace(' ', '-')}-{number + 1}.png")
        # the joint of the head lies inside the neck
        handle_m = 2.0 * HANDLE_M if drag.joints == ("head",) else HANDLE_M
        comparison(
            setting.figure,
            rows,
            path,
            objects=solid_meshes(setting),
            view=view,
            handle_m=handle_m,
        )
        caption = f"{setting.name}: {name}. Green: what is dragged, and where to. Red: collisions."
        if name in _REMARKS:
            caption += f" {_REMARKS[name]}"
        report.picture(path, caption)


def _row(setting: DragScene, method: str, drag: ScriptedDrag) -> StripRow:
    run = run_drag(setting.poser(method), setting.figure, drag, setting.start)
    targets = np.concatenate([drag.path[:1], drag.path])
    red = red_parts(setting, run)
    return StripRow(method, run.q, red, drag.joints, targets, _COLOURS[method])


def red_parts(setting: DragScene, run: DragRun) -> list[tuple[str, ...]]:
    """For every frame, the colliding parts of the body."""
    if setting.scene is None:
        place = ActorInScene.alone(setting.figure)
    else:
        place = ActorInScene.in_scene(setting.scene, setting.actor)
    whole = np.array([place.full_configuration(row) for row in run.q])
    found = violating_parts(place.table, whole, beyond_m=0.002)
    return [
        tuple(part.removeprefix(place.prefix) for part in parts if part.startswith(place.prefix))
        for parts in found
    ]


def solid_meshes(setting: DragScene) -> list[tuple[Floats, Ints]]:
    """World-space meshes of the objects of a scene, without the floor."""
    if setting.scene is None:
        return []
    frames = forward(setting.scene.layout.skeleton, setting.scene.layout.rest())
    return [
        (
            vertices @ frames.rotation(scene_object.name).T + frames.position(scene_object.name),
            triangles,
        )
        for scene_object in setting.scene.objects
        for vertices, triangles in (
            surface(shape) for shape in scene_object.shapes if shape.core is not Core.HALF_SPACE
        )
    ]


def bars(report: Report, figures: dict[str, Any], methods: Sequence[str]) -> None:
    """Penetrating frames by experiment and method, for collision shapes and skins."""
    panels = (
        ("shapes overlap (%)", "penetrating_frames_percent"),
        ("skin is over 1 cm deep (%)", "skin_penetrating_frames_percent"),
    )
    path = report.picture_path("penetration.png")
    width = 0.8 / len(methods)
    with plot_file(path, (9, 3.2), 1, 2) as pair:
        for axes, (title, key) in zip(pair, panels, strict=True):
            for i, method in enumerate(methods):
                at = np.arange(len(figures)) + (i - (len(methods) - 1) / 2) * width
                axes.bar(at, [figures[name][method][key] for name in figures], width, label=method)
            axes.set_xticks(np.arange(len(figures)), list(figures))
            axes.set_title(f"frames in which {title}", fontsize=10)
            axes.spines[["top", "right"]].set_visible(False)
            legend_below(axes, len(methods))
    report.picture(path, "Frames in collision, by experiment and method.")


def failure_case(report: Report) -> dict[str, Any]:
    """The paper's figure 9: a posture far from the database, and the resulting warning."""
    body = make_drag_scene("basic").figure
    climbing = builtin_database("ladder").without_object()
    script = Script(
        "hand to the heel",
        ("left_wrist",),
        ("right_ankle",),
        False,
        (((0.45, 0.9, 0.0),), ((0.3, 0.35, -0.3),)),
    )
    start = make_drag_scene("basic").start
    drag = sample_drags([script], body, start)[1]
    rows: list[StripRow] = []
    summary: dict[str, Any] = {}
    for label, method, database in (
        ("paper, climbing postures", "paper", climbing),
        ("paper, basic postures", "paper", builtin_database("basic")),
        ("default, climbing postures", "default", climbing),
        ("default, basic postures", "default", builtin_database("basic")),
    ):
        poser = make_poser(method, body, database)
        run = run_drag(poser, body, drag, start)
        table = ActorInScene.alone(body).table
        red = violating_parts(table, run.q, beyond_m=0.002)
        targets = np.concatenate([drag.path[:1], drag.path])
        rows.append(StripRow(label, run.q, red, drag.joints, targets, _COLOURS[method]))
        if method == "default":
            x, y, z = (float(c) for c in drag.path[-1][0])
            pins = [pin_here(body.skeleton, start, joint) for joint in drag.pinned]
            result = poser.step(run.q[-1], [Target("left_wrist", (x, y, z))], pins)
            summary[label] = {"unfamiliar": result.unfamiliar, "notes": list(result.notes)}
    report.heading("Figure 9: unlike everything in the database")
    report.text(
        "The paper's failure case: nothing in the database resembles the target posture, here"
        " since it holds climbing postures only. `default` stays certified and reports it (a"
        " distance of 1 or"
        " more from the database gives a warning):"
    )
    report.table(
        ["row", "distance", "warning"],
        [[label, what["unfamiliar"], " ".join(what["notes"])] for label, what in summary.items()],
    )
    path = report.picture_path("failure-case.png")
    comparison(body, rows, path)
    report.picture(
        path,
        "A hand dragged to the heel. As published the body bends into itself (red), with climbing"
        " postures and with basic ones. `default` is certified and warns of an unfamiliar posture;"
        " with climbing postures it is unnatural, with basic ones it crouches. There is no floor in"
        " this drag, and only the right foot is pinned: the left one sinks.",
    )
    return summary
