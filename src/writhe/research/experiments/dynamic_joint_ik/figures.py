"""The paper's figures 9 to 14 as plots and film strips."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from scipy.spatial import KDTree

from writhe.arrays import Floats
from writhe.hands.added_fingers import with_fingers
from writhe.render import PictureStage
from writhe.research.evaluation import Report
from writhe.research.evaluation.plots import legend_below, plot_file
from writhe.research.experiments.dynamic_joint_ik.comparison import cells_of
from writhe.research.experiments.dynamic_joint_ik.published_details import NEAR_M
from writhe.research.experiments.dynamic_joint_ik.replayed_clips import ReplayedAction
from writhe.skeleton import Frames, Motion, forward
from writhe.solvers.trajectory import PASSES, Chain, solve_trajectory
from writhe.styles.follow_paths import smooth_path

_TOE = np.array([0.0, 0.0, 0.09])  # of a club's head, in the frame of the wrist
# how each pass is drawn, so that none hides another
_LINES: dict[str, dict[str, Any]] = {
    "crude": {"color": "tab:blue", "lw": 0.7},
    "alignment": {"color": "tab:orange", "lw": 1.4},
    "retargeting": {"color": "tab:green", "lw": 4.0, "alpha": 0.45},
    "correction": {"color": "tab:red", "lw": 1.0},
}


def pass_figures(report: Report, chain: Chain, action: ReplayedAction) -> None:
    """Figures 9, 10 and 13: distances, accelerations and the elbow through the passes."""
    fps = action.motions[0].fps
    take = action.takes[0]
    # the octree of another take shows the errors that the passes correct
    cells = cells_of(chain, action.takes[1:], fps)
    found = solve_trajectory(chain, cells, chain.effector_points(take), fps)
    seconds = np.arange(len(take)) / fps
    away = {name: 1e3 * _distance(chain, found.passes[name], take) for name in PASSES}
    path = report.picture_path("figure-9-distance.png")
    with plot_file(path, (8, 3)) as axes:
        for name in PASSES:
            axes.plot(seconds, away[name], label=name, **_LINES[name])
        axes.set(xlabel="seconds", ylabel="distance from target, mm", yscale="log")
        legend_below(axes, 4)
    largest = ", ".join(f"{name} {rows.max():.1f}" for name, rows in away.items())
    report.picture(
        path,
        f"Figure 9: distance from the target after each pass ({action.name}, left out); the largest"
        f" in mm: {largest}.",
    )
    path = report.picture_path("figure-10-acceleration.png")
    with plot_file(path, (8, 4.4), 2, 1, sharex=True, sharey=True) as plots:
        for axes, name in zip(plots, ("retargeting", "correction"), strict=True):
            for joint, colour in (("elbow", "tab:red"), ("shoulder", "tab:blue")):
                axes.plot(
                    seconds[1:-1],
                    _acceleration(chain, found.passes[name], joint, fps),
                    color=colour,
                    lw=1,
                    label=joint,
                )
            axes.set(ylabel="rad/s²", title=f"after {name}")
        plots[1].set(xlabel="seconds")
        legend_below(plots[1], 2)
    report.picture(
        path,
        "Figure 10: angular accelerations before and after the correction.",
    )
    path = report.picture_path("figure-13-elbow.png")
    with plot_file(path, (8, 3)) as axes:
        elbow = next(i for i, n in enumerate(chain.coordinate_names) if "elbow" in n)
        for name in PASSES:
            rows = found.passes[name][:, elbow]
            axes.plot(seconds, np.degrees(rows), label=name, **_LINES[name])
        axes.plot(seconds, np.degrees(take[:, elbow]), "k:", lw=1.2, label="original")
        axes.set(xlabel="seconds", ylabel="elbow, degrees")
        legend_below(axes, 5)
    report.picture(
        path,
        f"Figure 13: the elbow through the passes ({action.name}, left out).",
    )


def level_figure(report: Report, levels: list[dict[str, Any]], name: str) -> None:
    """Figure 11: error over frames by the depth of the octree."""
    path = report.picture_path("figure-11-levels.png")
    with plot_file(path, (8, 3)) as axes:
        for row in levels:
            axes.plot(row["per_frame"], lw=0.8, label=f"level {row['level']}: {row['sum']:.2g}")
        axes.set(xlabel="frame", ylabel="squared joint error, rad²", yscale="log")
        legend_below(axes, 3, "sum over all frames")
    report.picture(
        path,
        f"Figure 11: joint error with octrees of different depth ({name}, seen).",
    )


def epsilon_figure(report: Report, by_action: dict[str, list[dict[str, float]]]) -> None:
    """Joint error and distance over epsilon."""
    path = report.picture_path("epsilon.png")
    with plot_file(path, (8, 3.4), 1, 2) as plots:
        for axes, key, label in zip(
            plots,
            ("joint_mse", "distance_mm"),
            ("joint error, rad²", "distance from target, mm"),
            strict=True,
        ):
            for name, rows in by_action.items():
                axes.plot([row[key] for row in rows], "o-", ms=4, label=name)
            values = next(iter(by_action.values()))
            ticks = [f"{row['epsilon_rad']:g}" for row in values]
            axes.set(xlabel="ε, rad", ylabel=label, yscale="log")
            axes.set_xticks(range(len(ticks)), ticks)
        legend_below(plots[0], 5)
    report.picture(
        path,
        "Joint error and distance as the limits are relaxed by ε radians (left out, limits never"
        " widened).",
    )


def style_strips(
    report: Report, chain: Chain, action: ReplayedAction, other: ReplayedAction
) -> dict[str, float]:
    """Figure 12: one action's hand path in its own style, and in another's."""
    from writhe.render.pictures import film_strip

    fps = action.motions[0].fps
    take, motion = action.takes[0], action.motions[0]
    found = solve_trajectory(
        chain, cells_of(chain, other.takes, fps), chain.effector_points(take), fps
    )
    moved = Motion(motion.skeleton, chain.configurations(found.theta, motion.q), fps)
    labels = (
        "the original, not solved",
        f"the same path of the right hand in the style of {other.name}: only the trunk and the"
        " right arm are solved, so the left hand does not stay on the club",
    )
    for label, shown in zip(labels, (motion, moved), strict=True):
        path = report.picture_path(f"figure-12-{'own' if shown is motion else 'other'}.png")
        body, held = with_fingers(chain.figure, shown.q, {"right": "grip", "left": "grip"})
        drawn = Motion(body.skeleton, held, fps)
        club = _club(motion) if action.name == "golf" else None
        film_strip(body, drawn, path, count=8, size=(170, 230), view=(-0.35, 0.2, 1.0), extra=club)
        report.picture(path, f"Figure 12: {action.name}, {label}; the club is only drawn.")
    return {
        "distance_mm": 1e3 * float(found.distance_m.mean()),
        "jerk_ratio": _jerk(found.theta) / _jerk(take),
    }


def drawn_strip(report: Report, chain: Chain, action: ReplayedAction) -> dict[str, float]:
    """Figure 14: a drawn path, mostly far from the learned clips."""
    from writhe.render.pictures import film_strip

    fps = action.motions[0].fps
    turn = np.linspace(0.0, 2.0 * np.pi, 13)
    eight = np.stack([0.28 * np.sin(turn), 0.2 * np.sin(2 * turn), 0.08 * np.cos(turn)], axis=1)
    path = smooth_path(np.array([-0.22, 0.3, 0.36]) + eight, round(4 * fps))
    cells = cells_of(chain, action.takes, fps)
    found = solve_trajectory(chain, cells, path, fps)
    posture = chain.figure.skeleton.rest_configuration
    for name in chain.figure.skeleton.names:
        if name == "left_shoulder":  # the idle arm hangs down
            posture[chain.figure.skeleton.q_slice(name)] = [0.82, 0.0, 0.0, -0.57]
    motion = Motion(chain.figure.skeleton, chain.configurations(found.theta, posture), fps)
    picture = report.picture_path("figure-14-drawn.png")
    hand = forward(chain.figure.skeleton, motion.q).position(chain.effectors[0])

    def draw_path(stage: PictureStage, frames: Frames) -> None:
        stage.add_strand(hand, 0.007, colour=(0.85, 0.45, 0.15))
        stage.add_sphere(frames.position(chain.effectors[0]), 0.03, colour=(0.85, 0.45, 0.15))

    film_strip(
        chain.figure, motion, picture, count=8, size=(170, 230), view=(0.0, 0.1, 1.0),
        extra=draw_path,
    )  # fmt: skip
    report.picture(
        picture,
        f"Figure 14: the hand follows a drawn figure of eight (orange), learnt from {action.name}.",
    )
    seen = KDTree(chain.effector_points(np.concatenate(action.takes))[:, 0])
    away_m = cast("Floats", seen.query(path)[0])
    steps_deg = np.degrees(np.abs(np.diff(found.theta, axis=0)).max(axis=1))
    return {
        "outside_percent": 100.0 * float((away_m > NEAR_M).mean()),
        "distance_mm": 1e3 * float(found.distance_m.mean()),
        "largest_step_deg": float(steps_deg.max()),
        "largest_step_inside_deg": float(steps_deg[away_m[1:] <= NEAR_M].max(initial=0.0)),
        "trunk_bend_deg": _trunk_bend_deg(motion),
    }


def _trunk_bend_deg(motion: Motion) -> float:
    """The largest angle of the line from hips to neck with the vertical, degrees."""
    frames = forward(motion.skeleton, motion.q)
    up = frames.position("neck") - frames.position("hips")
    return float(np.degrees(np.arccos(up[:, 1] / np.linalg.norm(up, axis=1))).max())


def _club(motion: Motion) -> Callable[[PictureStage, Frames], None]:
    """Draws a golf club that lies in the right hand as at the start, its head on the ground."""
    skeleton = motion.skeleton
    at = forward(skeleton, motion.q[0])
    lead = "right_wrist"
    grip = (-0.085, -0.03, 0.0)
    hand = at.point(lead, grip)
    ahead = at.rotation("hips") @ np.array([0.0, 0.0, 1.0])
    head = hand + 0.45 * ahead / np.linalg.norm(ahead)
    head[1] = 0.03
    shaft = at.rotation(lead).T @ (head - hand)

    def draw(stage: PictureStage, frames: Frames) -> None:
        top, turn = frames.point(lead, grip), frames.rotation(lead)
        end = top + turn @ shaft
        stage.add_capsule(top - 0.12 * (turn @ shaft), end, 0.008, colour=(0.25, 0.25, 0.28))
        stage.add_capsule(end, end + turn @ _TOE, 0.022, colour=(0.25, 0.25, 0.28))

    return draw


def _distance(chain: Chain, theta: Floats, truth: Floats) -> Floats:
    apart = chain.effector_points(theta) - chain.effector_points(truth)
    return np.linalg.norm(apart, axis=2).mean(axis=1)


def _acceleration(chain: Chain, theta: Floats, joint: str, fps: float) -> Floats:
    columns = [i for i, name in enumerate(chain.coordinate_names) if joint in name]
    return fps**2 * np.linalg.norm(np.diff(theta[:, columns], 2, axis=0), axis=1)


def _jerk(theta: Floats) -> float:
    return float(np.sqrt((np.diff(theta, 3, axis=0) ** 2).mean()))
