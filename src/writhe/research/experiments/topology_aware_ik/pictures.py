"""The pictures: bars of what was judged, film strips side by side, the failure case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from writhe.arrays import Floats, Ints
from writhe.collision import violating_parts
from writhe.collision.shapes import Core
from writhe.collision.surfaces import surface
from writhe.postures.builtin import builtin_database
from writhe.render import StripRow, comparison
from writhe.render.look import BODIES, Colour
from writhe.research.evaluation import Report
from writhe.research.evaluation.drag_scenes import Setting, make_setting
from writhe.research.evaluation.drags import Drag, Script, walked
from writhe.research.evaluation.plots import plotted
from writhe.research.evaluation.run_drags import Played, play
from writhe.skeleton import forward
from writhe.solvers.posing import Target, make_poser, pin_here
from writhe.solvers.posing.actor_in_scene import ActorPlace

_COLOURS: dict[str, Colour] = {
    "local-pca": (0.86, 0.76, 0.45),
    "paper": BODIES[3],
    "default": BODIES[0],
}
# setting: the drags that its film strips show, and from where they are seen
_SHOWN: dict[str, tuple[tuple[str, ...], tuple[float, float, float]]] = {
    "basic": (("fold and swap, brisk", "behind the back, brisk"), (0.62, 0.26, 1.0)),
    "ladder": (("foot up a rung, brisk", "hand between the rungs, brisk"), (1.0, 0.3, -0.8)),
    "chair 1": (
        ("ankle over the knee, brisk", "foot around the chair's leg, brisk"),
        (1.0, 0.3, 0.8),
    ),
    "chair 2": (("lean, brisk", "hand to the floor, brisk"), (1.0, 0.3, 0.8)),
}


def strips(report: Report, setting: Setting) -> None:
    """Film strips of the published methods and the default, collisions in red."""
    report.heading(f"Film strips: {setting.name}")
    names, view = _SHOWN[setting.name]
    drags = {drag.name: drag for drag in setting.drags()}
    for number, name in enumerate(names):
        drag = drags[name]
        rows = [_row(setting, method, drag) for method in _COLOURS]
        path = report.picture_path(f"{setting.name.replace(' ', '-')}-{number + 1}.png")
        comparison(setting.figure, rows, path, objects=solid_meshes(setting), view=view)
        report.picture(
            path,
            f"{setting.name}: {name}. Green: where the user drags to. Red: parts in collision.",
        )


def _row(setting: Setting, method: str, drag: Drag) -> StripRow:
    played = play(setting.poser(method), setting.figure, drag, setting.start)
    marks = np.concatenate([drag.path[:1], drag.path])
    return StripRow(method, played.q, red_parts(setting, played), marks, _COLOURS[method])


def red_parts(setting: Setting, played: Played) -> list[tuple[str, ...]]:
    """For every frame, the body's parts in collision with each other or with objects."""
    if setting.scene is None:
        place = ActorPlace.alone(setting.figure)
    else:
        place = ActorPlace.in_scene(setting.scene, setting.actor)
    whole = np.array([place.whole(row) for row in played.q])
    found = violating_parts(place.table, whole, beyond_m=0.002)
    return [
        tuple(part.removeprefix(place.prefix) for part in parts if part.startswith(place.prefix))
        for parts in found
    ]


def solid_meshes(setting: Setting) -> list[tuple[Floats, Ints]]:
    """The objects of a setting in the world, without the floor."""
    if setting.scene is None:
        return []
    frames = forward(setting.scene.layout.skeleton, setting.scene.layout.rest())
    return [
        (vertices @ frames.rotation(thing.name).T + frames.position(thing.name), triangles)
        for thing in setting.scene.objects
        for vertices, triangles in (
            surface(shape) for shape in thing.shapes if shape.core is not Core.HALF_SPACE
        )
    ]


def bars(report: Report, figures: dict[str, Any], methods: Sequence[str]) -> None:
    """Penetrating frames by experiment and method, on the shapes and on the skins."""
    panels = (
        ("shapes overlap (%)", "penetrating_frames_percent"),
        ("skin over 1 cm deep (%)", "skin_penetrating_frames_percent"),
    )
    path = report.picture_path("penetration.png")
    width = 0.8 / len(methods)
    with plotted(path, (9, 3.2), 1, 2) as pair:
        for axes, (title, key) in zip(pair, panels, strict=True):
            for i, method in enumerate(methods):
                at = np.arange(len(figures)) + (i - (len(methods) - 1) / 2) * width
                axes.bar(at, [figures[name][method][key] for name in figures], width, label=method)
            axes.set_xticks(np.arange(len(figures)), list(figures))
            axes.set_title(f"frames in which {title}", fontsize=10)
            axes.spines[["top", "right"]].set_visible(False)
        pair[0].legend(frameon=False, fontsize=8)
    report.picture(path, "Frames in collision, by experiment and method.")


def failure_case(report: Report) -> dict[str, Any]:
    """The paper's figure 9: a posture unlike all in the database, and the warning it gives."""
    body = make_setting("basic").figure
    climbing = builtin_database("ladder").without_object()
    script = Script(
        "hand to the heel",
        ("left_wrist",),
        ("right_ankle",),
        False,
        (((0.45, 0.9, 0.0),), ((0.3, 0.35, -0.3),)),
    )
    start = make_setting("basic").start
    drag = walked([script], body, start)[1]
    rows: list[StripRow] = []
    told: dict[str, Any] = {}
    for label, method, database in (
        ("paper, climbing postures", "paper", climbing),
        ("default, climbing postures", "default", climbing),
        ("default, basic postures", "default", builtin_database("basic")),
    ):
        poser = make_poser(method, body, database)
        played = play(poser, body, drag, start)
        table = ActorPlace.alone(body).table
        red = violating_parts(table, played.q, beyond_m=0.002)
        marks = np.concatenate([drag.path[:1], drag.path])
        rows.append(StripRow(label, played.q, red, marks, _COLOURS[method]))
        if method == "default":
            x, y, z = (float(c) for c in drag.path[-1][0])
            pins = [pin_here(body.skeleton, start, joint) for joint in drag.pinned]
            result = poser.step(played.q[-1], [Target("left_wrist", (x, y, z))], pins)
            told[label] = {"unfamiliar": result.unfamiliar, "notes": list(result.notes)}
    report.heading("Figure 9: unlike everything in the database")
    report.text(
        "The paper's failure case: the wanted posture has no like in the database, here because it"
        " holds climbing postures only. `default` stays certified and says so (a distance of 1 or"
        " more from the database gives a warning):"
    )
    report.table(
        ["row", "distance", "warning"],
        [[label, what["unfamiliar"], " ".join(what["notes"])] for label, what in told.items()],
    )
    path = report.picture_path("failure-case.png")
    comparison(body, rows, path)
    report.picture(path, "A hand dragged to the heel.")
    return told
