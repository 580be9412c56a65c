#!/usr/bin/env python
"""Write docs/figures.md and its pictures from the built-in figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from writhe.hands import hand_pose as named_hand_pose
from writhe.render import render_pose
from writhe.skeleton import Figure
from writhe.skeleton.figures import figure
from writhe.skeleton.figures.figures_page import figures_page

DOCS = Path(__file__).resolve().parents[1] / "docs"


def turn(body: Figure, q: np.ndarray, joint: str, axis: tuple[float, ...], degrees: float) -> None:
    """Rotate a ball joint about an axis of its frame."""
    half = np.radians(degrees) / 2
    unit = np.array(axis) / np.linalg.norm(axis)
    q[body.skeleton.q_slice(joint)] = [np.cos(half), *(np.sin(half) * unit)]


def human_pose(body: Figure) -> np.ndarray:
    q = body.skeleton.rest_configuration.copy()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn(body, q, f"{side}_shoulder", (0.15, 0.0, -sign), 66 if sign > 0 else 74)
        turn(body, q, f"{side}_hip", (-0.3 * sign, 0.0, sign), 7)
        q[body.skeleton.q_slice(f"{side}_elbow")] = np.radians(18)
    turn(body, q, "head", (0.0, 1.0, 0.0), 12)
    return q


def relaxed_hands(body: Figure) -> np.ndarray:
    q = human_pose(body)
    for side in ("left", "right"):
        q = named_hand_pose(body, q, side, "relaxed")
    return q


def hand_pose(body: Figure) -> np.ndarray:
    q = body.skeleton.rest_configuration.copy()
    for i, finger in enumerate(("index", "middle", "ring", "little")):
        turn(body, q, f"{finger}_1", (1.0, 0.0, 0.0), 14 + 5 * i)
        q[body.skeleton.q_slice(f"{finger}_2")] = np.radians(20 + 5 * i)
        q[body.skeleton.q_slice(f"{finger}_3")] = np.radians(14)
    return q


def octopus_pose(body: Figure) -> np.ndarray:
    q = body.skeleton.rest_configuration.copy()
    for leg in range(8):
        angle = 2 * np.pi * (leg + 0.5) / 8
        upwards = np.cross([np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0])
        for k in range(12):
            bend = 13.0 if k < 3 else -11.0 if k < 7 else 0.0
            curl = 0.0 if k < 4 else 4.0 + 1.6 * k
            axis = bend * upwards + np.array([0.0, curl, 0.0])
            size = float(np.linalg.norm(axis))
            if size > 0:
                turn(body, q, f"leg{leg + 1}_{k + 1}", tuple(axis), size)
    return q


def main() -> None:
    (DOCS / "images").mkdir(parents=True, exist_ok=True)
    (DOCS / "figures.md").write_text(figures_page())
    views = {"hand": (0.5, 0.8, 1.0), "octopus": (0.5, 0.5, 1.0)}
    poses = {
        "human": human_pose,
        "human_with_fingers": relaxed_hands,
        "hand": hand_pose,
        "octopus": octopus_pose,
    }
    for name, pose in poses.items():
        body = figure(name)
        size = (480, 640) if name.startswith("human") else (640, 480)
        target = DOCS / "images" / f"{name}.png"
        render_pose(body, pose(body), target, size=size, view=views.get(name, (0.62, 0.26, 1.0)))


if __name__ == "__main__":
    main()
