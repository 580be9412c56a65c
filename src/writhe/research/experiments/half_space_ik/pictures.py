"""Film strips and the plots of joint trajectories (the paper's figures 7 and 8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.render.look import Colour
from writhe.render.scenes import Extra, Handles
from writhe.research.evaluation.plots import legend_below, plot_file
from writhe.research.experiments.half_space_ik.play_scenario import ScenarioRun
from writhe.research.experiments.half_space_ik.scenario import FPS, Scenario
from writhe.skeleton import forward

_COLOURS = {
    "half-space": "#1f6feb",
    "half-space-unblended": "#79b8ff",
    "algorithm-1": "#bf8700",
    "algorithm-1-until-clear": "#e5b94d",
    "algorithm-1-passes": "#7d4e00",
    "algorithm-1-on-object": "#d4a72c",
    "algorithm-1-world-vector": "#57606a",
    "published": "#8250df",
    "published-unblended": "#c297ff",
    "penalty": "#cf222e",
    "penalty-blended": "#ff8182",
    "default": "#2da44e",
}

OBJECTS: dict[str, Colour] = {"object": (0.93, 0.78, 0.30)}  # moved against the body
HIDDEN = ("floor",)  # drawn as the ground
_AXES = ("to the left", "upwards", "forwards")  # x, y and z, seen from a body that faces +z


def strips(scenario: Scenario, runs: dict[str, ScenarioRun], labels: list[str], path: Path) -> Path:
    """One labelled film strip per method, stacked vertically, with one camera."""
    from writhe.render.scenes import scene_outline, strip_image
    from writhe.render.strips import label_rows

    scene = scenario.scene
    frames = {n: shown_frames(scenario, run) for n, run in runs.items()}
    around: Any = scenario.around
    if around is None:
        outlines = [scene_outline(scene, run.q[frames[n]], HIDDEN) for n, run in runs.items()]
        around = np.concatenate(outlines)
    rows = [
        strip_image(
            scene,
            run.q,
            size=scenario.panel,
            around=around,
            frames=frames[n],
            **_look(scenario),
        )
        for n, run in runs.items()
    ]
    label_rows(rows, labels).save(path, optimize=True)
    return path


def caption(scenario: Scenario, runs: dict[str, ScenarioRun], overlapping: list[str]) -> str:
    """What a strip of these runs shows; `overlapping` names those that are not certified."""
    from writhe.render.scenes import painted_parts

    text = "One row per method. Overlaps of 2 mm or more are red"
    text += "; green: what is dragged, and where to." if scenario.targets(0) else "."
    unseen = [
        n
        for n in overlapping
        if not any(painted_parts(scenario.scene, runs[n].q, shown_frames(scenario, runs[n])))
    ]
    if unseen:
        text += (
            f" Frames in which {_listed(unseen)} overlaps by that much are not among those drawn."
        )
    return f"{text} {scenario.remark}".strip()


def _listed(names: list[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " or ".join(filter(None, (", ".join(quoted[:-1]), quoted[-1])))


def shown_frames(scenario: Scenario, run: ScenarioRun) -> list[int]:
    """The frames of a run that a strip shows, one in which parts overlap among them if any do."""
    from writhe.render.scenes import painted_parts

    shown = (np.array(scenario.shown) * (len(run.q) - 1)).round().astype(int)
    if any(painted_parts(scenario.scene, run.q, shown.tolist())):
        return shown.tolist()
    red = np.flatnonzero(
        [bool(parts) for parts in painted_parts(scenario.scene, run.q, range(len(run.q)))]
    )
    if len(red):  # instead of the frame that is nearest to it
        away = np.abs(red[:, None] - shown[None, :])
        overlapping, replaced = np.unravel_index(int(away.argmin()), away.shape)
        shown[replaced] = red[overlapping]
    return shown.tolist()


def relation_contrast(
    held: tuple[Scenario, ScenarioRun], free: tuple[Scenario, ScenarioRun], path: Path
) -> Path:
    """Figure 4: with the relative constraint above, without it below, seen from the held side.

    A line joins the wrist and the place on the knee where it started; it is red beyond 5 cm.
    """
    from PIL import Image

    from writhe.render.scenes import strip_image

    rows = [
        strip_image(
            scenario.scene,
            run.q,
            size=(290, 330),
            view=(1.0, 0.12, 0.35),
            around=((-0.2, 0.15, -0.15), (0.35, 1.55, 0.95)),
            colours=OBJECTS,
            sides=True,
            extra=_from_place(scenario, "a.left_wrist", "a.left_knee"),
            frames=(np.array([0.05, 0.35, 0.5, 0.6, 0.9]) * (len(run.q) - 1)).astype(int).tolist(),
        )
        for scenario, run in (held, free)
    ]
    Image.fromarray(np.concatenate(rows, axis=0)).save(path, optimize=True)
    return path


def _from_place(scenario: Scenario, joint: str, other: str) -> Extra:
    """Draws a line from `joint` to the place in the frame of `other` where it was at the start."""
    skeleton = scenario.scene.layout.skeleton
    at = forward(skeleton, scenario.start)
    place = at.rotation(other).T @ (at.position(joint) - at.position(other))

    def draw(stage: Any, q: Floats) -> None:
        now = forward(skeleton, q)
        a, b = now.position(joint), now.point(other, place)
        if (away := float(np.linalg.norm(a - b))) > 0.005:
            colour = (0.85, 0.15, 0.12) if away > 0.05 else (0.15, 0.45, 0.85)
            stage.add_capsule(a, b, 0.008, colour=colour)
        stage.add_capsule(b, b, 0.02, colour=(0.15, 0.45, 0.85))

    return draw


def film(scenario: Scenario, run: ScenarioRun, path: Path) -> Path:
    """The motion of one method as a GIF."""
    from writhe.render.scenes import scene_movie

    return scene_movie(
        scenario.scene,
        run.q,
        path,
        fps=FPS,
        size=(300, 360),
        **_look(scenario),
    )


def _look(scenario: Scenario) -> dict[str, Any]:
    """What strips and films of a scenario have in common."""
    return {
        "view": scenario.view,
        "colours": OBJECTS,
        "sides": True,
        "extra": _extra(scenario),
        "handles": _handles(scenario),
        "hidden": HIDDEN,
        "hands": scenario.hands,
    }


def _handles(scenario: Scenario) -> Handles:
    """What is dragged in a frame, and where to; frame 0 is the start."""
    return lambda frame: [
        (one.joint, one.position_in_world) for one in scenario.targets(max(frame - 1, 0))
    ]


def _extra(scenario: Scenario) -> Extra | None:
    draw = scenario.extra
    if draw is None:
        return None
    return lambda stage, q: draw(stage, forward(scenario.scene.layout.skeleton, q))


def plot_trajectories(scenario: Scenario, runs: dict[str, ScenarioRun], path: Path) -> Path:
    """Position, speed and jerk of the watched joint over time, one line per method.

    The position is drawn along one axis for all methods: that of the largest movement.
    """
    skeleton = scenario.scene.layout.skeleton
    watched = {n: forward(skeleton, run.q).position(scenario.watched) for n, run in runs.items()}
    ranges = np.median([np.ptp(x, axis=0) for x in watched.values()], axis=0)
    main = int(ranges.argmax())
    with plot_file(path, (8, 7), 3, 1, sharex=True) as axes:
        for name, x in watched.items():
            times = np.arange(len(x)) / FPS
            along = x - x[0]
            style = {"color": _COLOURS[name], "label": name, "linewidth": 1.2}
            axes[0].plot(times, 100 * along[:, main], **style)
            axes[1].plot(times[1:], np.linalg.norm(np.diff(x, axis=0), axis=1) * FPS, **style)
            jerk = np.linalg.norm(np.diff(x, n=3, axis=0), axis=1) * FPS**3
            axes[2].semilogy(times[3:], np.maximum(jerk, 1e-1), **style)
        for axis, label in zip(
            axes, (f"{_AXES[main]} [cm]", "speed [m/s]", "jerk [m/s³]"), strict=True
        ):
            axis.set_ylabel(label)
            axis.grid(alpha=0.25)
        axes[0].set_title(f"{scenario.title}: {scenario.watched.split('.', 1)[1]}")
        axes[2].set_xlabel("time [s]")
        legend_below(axes[2], 3)
    return path
