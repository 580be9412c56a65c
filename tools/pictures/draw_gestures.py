#!/usr/bin/env python
"""Draw twenty everyday gestures, each made with one to three drags in the studio's editor.

`draw_gestures.py OUT [--clips DIR]` writes a picture of every gesture. Where the clips have a
person making the same gesture, its drags go to where that person's joints are, and a second
picture shows both side by side (left ours, right recorded) with the mean joint error.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image

from writhe import figure, forward
from writhe.arrays import Floats, vector3
from writhe.hands import Hand, hand_of
from writhe.io import load
from writhe.recognition.body_map import extended
from writhe.render.scenes import strip_image
from writhe.retargeting.retarget import retarget
from writhe.scene import Scene
from writhe.skeleton import Figure, Frames
from writhe.skeleton.heading import heading_of, yaw_matrix
from writhe.skeleton.move_root import moved_roots
from writhe.studio import protocol
from writhe.studio.document import Document
from writhe.studio.editing.editor import Editor
from writhe.studio.features.posing.hands import GripObject, SetHandPose, grip_object
from writhe.studio.features.posing.preset_poses import ApplyPresetPose
from writhe.studio.features.scene.objects import AddObject, ResizeObject
from writhe.studio.server.command_handlers import carry_out
from writhe.studio.server.jobs import Job

BODY = "human_with_fingers"
TILE = (640, 800)
STEPS, SETTLE = 40, 40
ONTO = 30  # the step from which the pointer is on the surface that a palm is laid on
Side = Literal["left", "right"]
Choose = Callable[[Frames], Floats]  # of the frames of a clip, the score; the largest is taken


@dataclass(frozen=True)
class Thing:
    """An object of the scene: its middle and full extents in metres; `side`: the hand takes it."""

    kind: str
    place: tuple[float, float, float]
    size: tuple[float, float, float]
    side: Side | None = None


@dataclass(frozen=True)
class Gesture:
    """Drags: joint and place in the frame of the body (left, up, ahead; metres), in order.

    A drag of a palm (`right_palm`) ends on the surface of the body that is nearest to the place, as
    a hand that is dragged onto the body does in the page.

    A palm dragged onto a thing is laid on its side with the normal `onto`.

    `clip` and `choose`: the recorded posture that gives the places instead. `both`: symmetric
    drags. `hand`: hand pose by side. `start`: a preset pose; `things`: objects of the scene.
    """

    name: str
    drags: tuple[tuple[str, tuple[float, float, float] | None], ...]
    clip: str = ""
    choose: Choose | None = None
    both: bool = False
    hand: dict[Side, str] = field(default_factory=dict["Side", str])
    start: str = ""
    things: tuple[Thing, ...] = ()
    onto: tuple[float, float, float] | None = None
    yaw_deg: float = 35.0
    turn_deg: float = -75.0  # from the first to the second view


def _height(joint: str, sign: float = 1.0) -> Choose:
    return lambda frames: sign * frames.position(joint)[:, 1]


def _near(joint: str, other: str) -> Choose:
    return lambda frames: -np.linalg.norm(frames.position(joint) - frames.position(other), axis=1)


def _away(joint: str) -> Choose:
    def score(frames: Frames) -> Floats:
        away = frames.position(joint) - frames.position("hips")
        return np.hypot(away[:, 0], away[:, 2])

    return score


RIGHT, LEFT, PALM = "right_wrist", "left_wrist", "right_palm"
GESTURES = (
    Gesture(
        "drink",
        (("right_held", (0.0, 1.57, 0.12)),),
        things=(Thing("cylinder", (-0.2, 1.1, 0.4), (0.07, 0.1, 0.07), "right"),),
    ),
    Gesture(
        "phone",
        ((PALM, (-0.12, 1.60, 0.03)),),
        things=(Thing("box", (-0.2, 1.15, 0.38), (0.012, 0.15, 0.07), "right"),),
        yaw_deg=-40.0,
    ),
    Gesture(
        "tie a shoe",
        (("hips", (0.0, 0.45, -0.14)), (RIGHT, (-0.13, 0.16, 0.22)), (LEFT, (-0.03, 0.16, 0.24))),
    ),
    Gesture(
        "hands behind the head",
        ((RIGHT, (-0.40, 1.66, -0.12)), (PALM, (-0.11, 1.60, -0.14))),
        both=True,
        yaw_deg=-25.0,
        turn_deg=75.0,
    ),
    Gesture(
        "arms akimbo",
        ((PALM, (-0.20, 1.06, 0.02)),),
        both=True,
        yaw_deg=10.0,
    ),
    Gesture("sit", (("hips", (0.0, 0.52, -0.40)),), start="chair"),
    Gesture(
        "stand up",
        (("hips", (0.0, 0.72, -0.12)), ("head", (0.0, 1.28, 0.28))),
        start="sit, hands on thighs",
    ),
    Gesture(
        "pick up",
        (("hips", (0.0, 0.5, -0.2)), (PALM, (-0.16, 0.18, 0.38))),
        both=True,
        things=(Thing("box", (0.0, 0.14, 0.4), (0.32, 0.28, 0.24)),),
        onto=(-1.0, 0.0, 0.0),
    ),
    Gesture("wave", ((RIGHT, (-0.36, 1.60, 0.22)),), hand={"right": "flat"}),
    Gesture(
        "push",
        ((PALM, (-0.2, 1.28, 0.53)),),
        both=True,
        hand={"right": "flat", "left": "flat"},
        things=(Thing("box", (0.0, 1.0, 0.58), (1.2, 2.0, 0.1)),),
        onto=(0.0, 0.0, -1.0),
        turn_deg=-35.0,
        yaw_deg=110.0,
    ),
    Gesture("point", ((RIGHT, (-0.22, 1.40, 0.56)),), hand={"right": "point"}, yaw_deg=60.0),
    Gesture(
        "reach for a high shelf",
        ((PALM, (-0.2, 1.88, 0.44)),),
        things=(Thing("box", (0.0, 1.86, 0.55), (1.0, 0.03, 0.3)),),
        onto=(0.0, 1.0, 0.0),
        yaw_deg=60.0,
    ),
    Gesture("scratch the head", ((PALM, (-0.08, 1.70, 0.0)),), yaw_deg=10.0),
    Gesture("look at a watch", ((LEFT, (-0.04, 1.26, 0.28)),), hand={"left": "fist"}),
    Gesture("hand on the heart", ((PALM, (0.06, 1.30, 0.15)),), hand={"right": "flat"}),
    Gesture(
        "clap",
        ((RIGHT, (-0.05, 1.20, 0.34)),),
        both=True,
        hand={"right": "flat", "left": "flat"},
        yaw_deg=50.0,
    ),
    Gesture("bow", (("head", (0.0, 1.36, 0.42)),), yaw_deg=60.0),
    Gesture(
        "take a step",
        (("left_ankle", (0.10, 0.07, 0.48)), ("hips", (0.0, 0.90, 0.30))),
        yaw_deg=65.0,
    ),
    Gesture(
        "raise both arms",
        ((RIGHT, (-0.34, 1.98, 0.04)),),
        both=True,
        hand={"right": "fist", "left": "fist"},
    ),
    Gesture("stand on one leg", (("right_ankle", (-0.10, 0.42, 0.10)),)),
)
# gestures of recorded people: the dragged joints go to where theirs are
HANDS = ((RIGHT, None), (LEFT, None))
RECORDED = (
    Gesture("wave", ((RIGHT, None),), "arm/13_27", _height(RIGHT)),
    Gesture("drink", ((RIGHT, None),), "pairs/23_13", _near(RIGHT, "head")),
    Gesture("reach", ((RIGHT, None),), "arm/144_24", _away(RIGHT)),
    Gesture("hammer", ((RIGHT, None),), "arm/62_07", _height(RIGHT)),
    Gesture("swat a fly", ((RIGHT, None),), "arm/79_88", _height(RIGHT)),
    Gesture("wash a window", HANDS, "basic/14_12", _height(RIGHT)),
    Gesture("punch", HANDS, "basic/02_05", _away(RIGHT)),
    Gesture("hold a baby", HANDS, "basic/79_89", _near(RIGHT, LEFT)),
    Gesture("pick up a box", (("hips", None), *HANDS), "basic/115_06", _height(RIGHT, -1.0)),
    Gesture("place a tee", (("hips", None), *HANDS), "arm/64_16", _height(RIGHT, -1.0)),
)


def made(gesture: Gesture, goals: dict[str, Floats]) -> tuple[Scene, Floats]:
    """The scene of a gesture and its configuration."""
    with tempfile.TemporaryDirectory() as folder:
        document = Document.create(Path(folder) / "gesture.writhe", "Gesture")
        number = document.add_actor(BODY)
        editor = Editor(document)
        if gesture.start == "chair":
            carry_out(editor, AddObject("0", "chair"))
        for thing in gesture.things:
            add_thing(editor, number, thing)
        if gesture.start not in ("", "chair"):
            carry_out(editor, ApplyPresetPose("0", number, "chair", gesture.start))
        for side, name in gesture.hand.items():
            carry_out(editor, SetHandPose(f"h{side}", number, side, name))
        editor.refresh()
        for k, (joint, place) in enumerate(gesture.drags):
            goal = goals[joint] if place is None else np.array(place)
            drag(editor, number, joint, goal, gesture.onto, both=gesture.both, request=str(k + 1))
        found = editor.scene, editor.configuration
        document.close()
    return found


def add_thing(editor: Editor, number: int, thing: Thing) -> None:
    """Add an object; the hand that takes it grips it."""
    carry_out(editor, AddObject("thing", thing.kind, position=thing.place))
    item = editor.document.objects()[-1].id
    carry_out(editor, ResizeObject("size", item, thing.size))
    editor.refresh()
    if thing.side is not None:
        actor = editor.document.actor(number)
        wrist = editor.document.figure(actor.figure).joint_of(f"{thing.side}_wrist")
        joint = editor.document.figure(actor.figure).skeleton.index(wrist)
        job = Job("grip", "Grip", True, lambda _: None)
        found = grip_object(editor, GripObject("grip", number, joint, item))(job)
        assert found.commit is not None
        with editor.document.edit("Grip") as edit:
            found.commit(editor, edit)
        editor.refresh()


def drag(
    editor: Editor,
    number: int,
    joint: str,
    goal: Floats,
    onto: tuple[float, float, float] | None = None,
    *,
    both: bool,
    request: str,
) -> None:
    """Drag a joint straight to a place in the world, as a pointer would, and release it."""
    posed = editor.posed_actor(editor.document.actor(number))
    skeleton, frames, normal = posed.figure.skeleton, forward(posed.figure.skeleton, posed.q), None
    start, hand_point = frames.position(joint) if joint in skeleton else goal, (0.0, 0.0, 0.0)
    if joint.endswith("_held"):  # the rim of what a hand holds, on the side of the goal
        joint = joint.replace("held", "wrist")
        start = rim_of_held(editor, number, joint, goal)
        hand_point = vector3(frames.rotation(joint).T @ (start - frames.position(joint)))
    elif joint not in skeleton:
        hand = hand_of(posed.figure, joint.partition("_")[0])
        joint, start = hand.wrist, frames.point(hand.wrist, hand.palm)
        hand_point = vector3(hand.palm)
        if onto is None:
            goal, out = nearest_surface(posed.figure, frames, goal, hand)
            normal = vector3(out)
        else:  # the pointer is on the thing from the start
            normal, out = onto, np.array(onto)
            start = start - float((start - goal) @ out) * out
    for k in range(STEPS + SETTLE):
        at = start + min(1.0, (k + 1) / STEPS) * (goal - start)
        handle = protocol.DragHandle(
            skeleton.index(joint),
            hand_point,
            vector3(at),
            surface_normal=normal if k >= ONTO or onto else None,
        )
        editor.drag(protocol.Drag(k, number, [handle], 2, both))
    editor.release(protocol.Release(request, number))
    editor.refresh()


def rim_of_held(editor: Editor, number: int, wrist: str, goal: Floats) -> Floats:
    """The place on top of the object in a hand that is nearest to a goal."""
    posed = editor.posed_actor(editor.document.actor(number))
    actor = posed.diagnostics.in_scene
    assert actor is not None and actor.scene is not None
    item = next(o for o in actor.scene.objects if o.attached_to == f"{actor.root}.{wrist}")
    frames = forward(actor.skeleton, actor.full_configuration(posed.q))
    points = [frames.point(item.name, p) for s in item.shapes for p in s.points_in_joint]
    top = max(float(p[1]) for p in points)
    rim = [p for p in points if p[1] > top - 0.005]
    return min(rim, key=lambda p: float(np.linalg.norm(p - goal)))


def nearest_surface(
    body: Figure, frames: Frames, place: Floats, hand: Hand
) -> tuple[Floats, Floats]:
    """The point of the trunk, head or legs nearest to a place, and the normal there."""
    arms = {role for role in dict(body.roles) if role.endswith(("elbow", "wrist"))}
    without = {body.joint_of(role) for role in arms} | set(hand.joints)
    best, found = np.inf, (place, np.zeros(3))
    for capsule in (c for c in body.capsules if c.joint not in without):
        a = frames.point(capsule.joint, capsule.start_in_joint)
        b = frames.point(capsule.joint, capsule.end_in_joint) - a
        along = float(np.clip((place - a) @ b / max(float(b @ b), 1e-9), 0.0, 1.0))
        away = place - (a + along * b)
        far = float(np.linalg.norm(away))
        if far - capsule.radius_m < best:
            best, normal = far - capsule.radius_m, away / max(far, 1e-9)
            found = place - best * normal, normal
    return found


def recorded(clips: Path, gesture: Gesture) -> Floats:
    """The recorded posture of a gesture (nq), standing where the studio's character stands."""
    body = figure(BODY)
    motion = retarget(load(clips / f"{gesture.clip}.bvh"), figure("human"))
    assert gesture.choose is not None
    frame = int(np.argmax(gesture.choose(motion.frames())))
    q = extended(body, figure("human"), motion.q[frame], body.skeleton.rest_configuration)
    turn = yaw_matrix(-heading_of(body, q))
    frames = forward(body.skeleton, q)
    feet = 0.5 * (frames.position("left_ankle") + frames.position("right_ankle"))
    away = -turn @ feet
    away[1] = 0.0
    return moved_roots(body.skeleton, q[None], turn, away)[0]


def joint_error_cm(one: Floats, other: Floats) -> float:
    """Mean distance of the joints of the body without fingers."""
    skeleton, names = figure(BODY).skeleton, figure("human").skeleton.names
    a, b = (forward(skeleton, q) for q in (one, other))
    return float(100 * np.mean([np.linalg.norm(a.position(n) - b.position(n)) for n in names]))


def picture(scene: Scene, q: Floats, gesture: Gesture, views: int = 2) -> Floats:
    """The pose from one side or two."""
    tiles: list[Floats] = []
    for yaw in np.radians([gesture.yaw_deg, gesture.yaw_deg + gesture.turn_deg][:views]):
        view = (np.sin(yaw), 0.22, np.cos(yaw))
        tiles.append(strip_image(scene, q[None], frames=[0], size=TILE, view=view))
    return np.concatenate(tiles, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--clips", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--views", type=int, choices=(1, 2), default=2)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    listed = list(enumerate(GESTURES, start=1))
    for number, gesture in listed:
        if given.only in gesture.name:
            image = picture(*made(gesture, {}), gesture, given.views)
            Image.fromarray(image).save(given.out / f"{number:02d}.png")
    lines = [f"{number:02d} {gesture.name}" for number, gesture in listed]
    (given.out / "key.txt").write_text("\n".join(lines) + "\n")
    if given.clips is not None:
        print(json.dumps({"joint_error_cm": compared(given.out, given.clips, given.only)}))


def compared(out: Path, clips: Path, only: str) -> dict[str, float]:
    """Draw the gestures of recorded people beside the recordings; the errors by name."""
    errors: dict[str, float] = {}
    for gesture in RECORDED:
        if only not in gesture.name:
            continue
        own = recorded(clips, gesture)
        frames = forward(figure(BODY).skeleton, own)
        scene, q = made(gesture, {joint: frames.position(joint) for joint, _ in gesture.drags})
        ours, at = picture(scene, q, gesture), next(iter(scene.layout.actor_q.values()))
        errors[gesture.name] = round(joint_error_cm(q[at], own), 1)
        q[at] = own
        both = np.concatenate([ours, picture(scene, q, gesture)], axis=1)
        Image.fromarray(both).save(out / f"recorded_{gesture.name.replace(' ', '_')}.png")
    return errors


if __name__ == "__main__":
    main()
