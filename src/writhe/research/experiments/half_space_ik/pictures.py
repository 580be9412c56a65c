"""Film strips and the plots of joint trajectories (the paper's figures 7 and 8)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from writhe.render.scenes import Extra
from writhe.research.evaluation.plots import plot_file
from writhe.research.experiments.half_space_ik.play_scenario import ScenarioRun
from writhe.research.experiments.half_space_ik.scenarios import FPS, Scenario
from writhe.skeleton import forward

_COLOURS = {
    "half-space": "#1f6feb",
    "half-space-unblended": "#79b8ff",
    "published": "#8250df",
    "published-unblended": "#c297ff",
    "penalty": "#cf222e",
    "penalty-blended": "#ff8182",
    "default": "#2da44e",
}


def strips(scenario: Scenario, runs: dict[str, ScenarioRun], path: Path) -> Path:
    """One film strip per method, stacked vertically."""
    from PIL import Image

    from writhe.render.scenes import strip_image

    count = 7
    chosen = np.linspace(0.08, 0.92, count)
    rows = [
        strip_image(
            scenario.scene,
            run.q,
            size=(210, 270),
            view=scenario.view,
            extra=_extra(scenario),
            frames=(chosen * (len(run.q) - 1)).round().astype(int).tolist(),
        )
        for run in runs.values()
    ]
    Image.fromarray(np.concatenate(rows, axis=0)).save(path, optimize=True)
    return path


def film(scenario: Scenario, run: ScenarioRun, path: Path) -> Path:
    """The motion of one method as a GIF."""
    from writhe.render.scenes import scene_movie

    return scene_movie(scenario.scene, run.q, path, fps=FPS, size=(300, 360), view=scenario.view)


def _extra(scenario: Scenario) -> Extra | None:
    draw = scenario.extra
    if draw is None:
        return None
    return lambda stage, q: draw(stage, forward(scenario.scene.layout.skeleton, q))


def plot_trajectories(scenario: Scenario, runs: dict[str, ScenarioRun], path: Path) -> Path:
    """Position, speed and jerk of the watched joint over time, one line per method."""
    with plot_file(path, (8, 7), 3, 1, sharex=True) as axes:
        for name, run in runs.items():
            x = forward(scenario.scene.layout.skeleton, run.q).position(scenario.watched)
            times = np.arange(len(x)) / FPS
            along = x - x[0]
            main = int(np.argmax(np.ptp(x, axis=0)))
            style = {"color": _COLOURS[name], "label": name, "linewidth": 1.2}
            axes[0].plot(times, 100 * along[:, main], **style)
            axes[1].plot(times[1:], np.linalg.norm(np.diff(x, axis=0), axis=1) * FPS, **style)
            jerk = np.linalg.norm(np.diff(x, n=3, axis=0), axis=1) * FPS**3
            axes[2].semilogy(times[3:], np.maximum(jerk, 1e-1), **style)
        for axis, label in zip(
            axes, ("displacement [cm]", "speed [m/s]", "jerk [m/s³]"), strict=True
        ):
            axis.set_ylabel(label)
            axis.grid(alpha=0.25)
        axes[0].set_title(f"{scenario.title}: {scenario.watched.split('.', 1)[1]}")
        axes[0].legend(fontsize=7, ncol=4)
        axes[2].set_xlabel("time [s]")
    return path
