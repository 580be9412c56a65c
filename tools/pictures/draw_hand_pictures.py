#!/usr/bin/env python
"""Draw the pictures of docs/hands.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from writhe import (
    Actor,
    Carry,
    Key,
    Pin,
    Scene,
    Target,
    animate_carrying,
    builtin_database,
    clasp,
    figure,
    forward,
    grip,
    grip_with_both,
    hand_pose,
    lift,
    make_poser,
)
from writhe.animation.walking import walk
from writhe.arrays import vector3
from writhe.collision import CollisionTable, ball, box, capsule, cylinder
from writhe.hands import HAND_POSES
from writhe.render.picture_stage import PictureStage
from writhe.render.scenes import add_scene, scene_strip
from writhe.scene import ObjectKind, SceneObject, carried, carried_over
from writhe.skeleton.quaternions import quaternion_of
from writhe.solvers.posing.idle_fingers import FingerPoser
from writhe.studio.editing.starting_poses import starting_pose

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
TILE = (300, 260)


def row(pictures: list[np.ndarray], columns: int) -> Image.Image:
    """Pictures of one size side by side, in rows of `columns`."""
    lines = [np.hstack(pictures[i : i + columns]) for i in range(0, len(pictures), columns)]
    return Image.fromarray(np.vstack(lines))


def hand_poses() -> None:
    """The six hand poses, seen from the thumb's side."""
    body = figure("human_with_fingers")
    table = CollisionTable.of_figure(body)
    pictures: list[np.ndarray] = []
    for name in HAND_POSES:
        q = hand_pose(body, body.skeleton.rest_configuration, "right", name, table)
        frames = forward(body.skeleton, q)
        middle = frames.position("right_middle_1")
        with PictureStage(TILE, ground=False) as stage:
            stage.add_figure(body, frames)
            around = np.array([middle - 0.078, middle + 0.078])
            pictures.append(stage.image(around=around, view=(-0.75, 0.35, 1.0)))
    row(pictures, 3).save(IMAGES / "hand_poses.png")


GRIPPED = {
    "bar": (capsule((-0.4, 0, 0), (0.4, 0, 0), 0.016), (-0.25, 1.10, 0.40)),
    "cup": (cylinder((0, -0.05, 0), (0, 0.05, 0), 0.037), (-0.20, 1.15, 0.42)),
    "ball": (ball((0, 0, 0), 0.04), (-0.20, 1.20, 0.42)),
    "box": (box((0, 0, 0), (0.06, 0.10, 0.06)), (-0.20, 1.00, 0.42)),
}


def grips() -> None:
    """Four grips: the person above, the hand below."""
    body = figure("human_with_fingers")
    people: list[np.ndarray] = []
    hands: list[np.ndarray] = []
    for shape, position in GRIPPED.values():
        thing = SceneObject("thing", (shape,), ObjectKind.MOVED, np.array(position))
        scene = Scene((Actor("anna", body),), (thing,))
        q = scene.layout.rest()
        q[scene.layout.actor_q["anna"]] = starting_pose(body)
        found = grip(scene, "anna", "right", "thing", q, database=builtin_database("basic"))
        posed = forward(scene.layout.skeleton, found.q)
        for size, ground, pictures in (((300, 420), True, people), ((300, 300), False, hands)):
            with PictureStage(size, ground=ground) as stage:
                add_scene(stage, scene, posed)
                middle = posed.position("anna.right_middle_1")
                around = None if ground else np.array([middle - 0.085, middle + 0.085])
                view = (-0.8, 0.2, 1.0) if ground else (0.3, 0.25, 1.0)
                pictures.append(stage.image(around=around, view=view))
    whole = np.vstack([np.hstack(people), np.hstack(hands)])
    Image.fromarray(whole).save(IMAGES / "grips.png")


def carried_cup() -> None:
    """A cup on a table is gripped, lifted to the chest and put back."""
    body, database = figure("human_with_fingers"), builtin_database("basic")
    cup = cylinder((0, -0.05, 0), (0, 0.05, 0), 0.037)
    things = (
        SceneObject("cup", (cup,), ObjectKind.MOVED, np.array([-0.20, 1.00, 0.42])),
        SceneObject("table", (box((0.0, 0.925, 0.62), (1.0, 0.03, 0.5)),)),
    )
    scene = Scene((Actor("anna", body),), things)
    start, own = scene.layout.rest(), scene.layout.actor_q["anna"]
    start[own] = starting_pose(body)
    palm = np.array([1.0, 0.0, 0.0])
    found = grip(scene, "anna", "right", "cup", start, palm=palm, database=database)
    held, q = found.carried()
    frames = forward(held.layout.skeleton, q)
    wrist = frames.position("anna.right_wrist")
    lifted = frames.position("anna.chest") + np.array([-0.16, 0.08, 0.30])
    poser = make_poser("default", held, database, actor="anna")
    assert isinstance(poser, FingerPoser)
    poser.actor.state[:] = q
    feet = [
        Pin(f"{s}_ankle", vector3(frames.position(f"anna.{s}_ankle"))) for s in ("left", "right")
    ]
    upright = quaternion_of(frames.rotation("anna.right_wrist"))
    held_high = q[own]
    for share in np.minimum(np.arange(1, 140) / 90, 1.0):
        goal = vector3(wrist + share * (lifted - wrist))
        target = Target("right_wrist", goal, orientation_in_world=upright)
        held_high = poser.step(held_high, [target], feet).q
    rows = [start[own], *(row[own] for row in found.approach), found.q[own]]
    seconds = [0.0, *np.cumsum([0.7] * (len(rows) - 1))]
    keys = [Key(t, row) for t, row in zip(seconds, rows, strict=True)]
    picked = keys[-1].time_s
    keys += [Key(picked + 1.2, held_high), Key(picked + 1.8, held_high)]
    keys += [Key(picked + 3.0 + t, row) for t, row in zip(seconds, rows[::-1], strict=True)]
    carry = Carry("cup", "right_wrist", picked, picked + 3.0)
    done = animate_carrying(scene, keys, [carry], fps=30.0, q=start)
    print("cup:", done.status, done.certificate.verdict, [c.text() for c in done.conflicts])
    look = {"count": 7, "view": (-0.9, 0.25, 1.0), "size": (240, 360)}
    scene_strip(scene, done.scene_motion.q, IMAGES / "carried_cup.png", **look)


def handshake() -> None:
    """Two people shake hands: from the side, and their hands."""
    body = figure("human_with_fingers")
    turned = np.array([0.0, 0.0, 1.0, 0.0])
    other = Actor("ben", body, np.array([0.0, 0.0, 0.95]), turned)
    scene = Scene((Actor("anna", body), other))
    q = scene.layout.rest()
    for name in ("anna", "ben"):
        q[scene.layout.actor_q[name]] = starting_pose(body)
    found = clasp(scene, "anna", "ben", q=q, database=builtin_database("basic"))
    print("handshake:", found.met, found.certified, found.apart_m, len(found.touches))
    posed = forward(scene.layout.skeleton, found.q)
    middle = posed.position("anna.right_middle_1")
    pictures: list[np.ndarray] = []
    for around, view in (
        (None, (-1.0, 0.2, 0.15)),
        (np.array([middle - 0.1, middle + 0.1]), (-1.0, 0.35, 0.3)),
    ):
        with PictureStage((480, 480)) as stage:
            add_scene(stage, scene, posed)
            pictures.append(stage.image(around=around, view=view))
    row(pictures, 2).save(IMAGES / "handshake.png")


def two_hands() -> None:
    """A bar is gripped with both hands, lifted and carried away."""
    body, database = figure("human_with_fingers"), builtin_database("basic")
    shape = capsule((-0.6, 0, 0), (0.6, 0, 0), 0.016)
    bar = SceneObject("bar", (shape,), ObjectKind.MOVED, np.array([0.0, 0.3, 0.34]))
    scene = Scene((Actor("anna", body),), (bar,))
    q, own = scene.layout.rest(), scene.layout.actor_q["anna"]
    q[own] = starting_pose(body)
    both = grip_with_both(scene, "anna", "bar", q, database=database)
    held = carried(scene, both.q, "bar", both.first.wrist)
    low = carried_over(scene, both.q, held)
    hold = both.second.hold
    high = lift(held, "anna", "bar", low, holds=[hold], database=database)
    away = walk(
        held, low[own], (0.0, 1.2), fps=30.0, holds=[hold], posture=high.q[own], ready_s=1.2
    )
    print("bar:", both.closed, high.upright, high.certified, away.certificate.verdict)
    look = {"count": 7, "view": (-1.0, 0.25, 0.6), "size": (220, 360)}
    scene_strip(held, away.scene_motion.q, IMAGES / "two_hands.png", **look)


def main() -> None:
    hand_poses()
    grips()
    carried_cup()
    handshake()
    two_hands()


if __name__ == "__main__":
    main()
