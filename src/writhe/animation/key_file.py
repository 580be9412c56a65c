"""Reads JSON key files; docs/animating.md is their specification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from writhe.animation.animate_keys import animate
from writhe.animation.key_interpolation import Key
from writhe.animation.options import AnimateOptions
from writhe.animation.pins import TimedPin
from writhe.animation.result import Animation
from writhe.arguments import checked
from writhe.arrays import Floats, Vector3, vector3
from writhe.easing import read_ease
from writhe.postures.preset_poses import (
    LIBRARIES,
    is_person,
    posture_of,
    preset_names,
    preset_pose,
    relative_to_object,
)
from writhe.scene import ObjectKind, Scene
from writhe.scene.strict_json import Node, read_json
from writhe.skeleton import Figure, JointKind, forward
from writhe.skeleton.heading import yaw_matrix
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import quaternion_of, rotation_matrix
from writhe.solvers.posing import Hold, Pin

VERSION = 1
MAX_KEYS, MAX_PINS = 10_000, 1000
CONTACTS = "contacts"


@dataclass(frozen=True)
class KeyFile:
    """The contents of a key file."""

    subject: Figure | Scene
    actor: str | None
    keys: tuple[Key, ...]
    pins: tuple[TimedPin, ...] | None
    fps: float
    floor: bool | float

    @property
    def figure(self) -> Figure:
        """The figure that is animated."""
        if isinstance(self.subject, Scene):
            return self.subject.actor(self.actor).figure
        return self.subject

    def animate(self, options: AnimateOptions | None = None) -> Animation:
        """The animation of the file."""
        return animate(
            self.subject,
            self.keys,
            fps=self.fps,
            pins=self.pins,
            actor=self.actor,
            floor=self.floor,
            options=options,
        )


@checked
def load_keys(path: str | Path) -> KeyFile:
    """Read a key file; errors name the file and the location in its JSON."""
    root = read_json(Path(path))
    root.only("writhe_keys", "figure", "scene", "actor", "fps", "floor", "keys", "pins")
    version = root.integer("writhe_keys")
    if version != VERSION:
        raise root.error(f"key file version {version}; this writhe reads version {VERSION}")
    subject = _subject(root)
    actor = root.text("actor", "") or None
    with root.errors():
        figure = subject.actor(actor).figure if isinstance(subject, Scene) else subject
    nodes = root.items("keys", MAX_KEYS)
    if not nodes:
        raise root.error("'keys' needs at least one key")
    keys: list[Key] = []
    for node in nodes:
        keys.append(_key(node, figure, subject, keys))
    pins = _pins(root, figure, keys)
    floor: bool | float = True
    if "floor" in root:
        given = root.child("floor").value
        floor = given if isinstance(given, bool) else root.number("floor")
    fps = root.number("fps") if "fps" in root else 30.0
    if not 0.0 < fps <= 1e4:
        raise root.child("fps").error("frames per second must be above 0 and at most 10000")
    return KeyFile(subject, actor, tuple(keys), pins, fps, floor)


def _subject(root: Node) -> Figure | Scene:
    from writhe.io import load_figure
    from writhe.skeleton.figures import figure, figure_names

    if "scene" in root:
        if "figure" in root:
            raise root.error("give 'figure' or 'scene', not both: a scene names its figures")
        with root.errors():
            scene = Scene.load(root.file.parent / root.text("scene"))
            scene.actor()
            return scene
    name = root.text("figure", "human")
    with root.errors():
        return figure(name) if name in figure_names() else load_figure(root.file.parent / name)


def _key(node: Node, figure: Figure, subject: Figure | Scene, earlier: Sequence[Key]) -> Key:
    node.only(
        "time_s",
        "ease",
        "pose",
        "library",
        "on",
        "file",
        "rotations",
        "root_position_m",
        "shift_m",
        "turn_degrees",
    )
    sources = [name for name in ("pose", "file") if name in node]
    if len(sources) > 1:
        raise node.error("give 'pose' or 'file', not both")
    with node.errors():
        if "pose" in node:
            q = _preset(node, figure, subject)
        elif "file" in node:
            q = _from_file(node, figure)
        else:
            q = np.array(earlier[-1].q) if earlier else figure.skeleton.rest_configuration
        q = _rotated(node, figure, q)
        q = _placed(node, figure, q)
        return Key(node.number("time_s"), q, _ease(node))


def _ease(node: Node) -> str:
    """The easing of a key: a name, or the handles of a curve."""
    if "ease" not in node:
        return "smooth"
    value = node.child("ease")
    with value.errors():
        return read_ease(value.value)


def _preset(node: Node, figure: Figure, subject: Figure | Scene) -> Floats:
    name = node.text("pose")
    if name == "rest":
        return figure.skeleton.rest_configuration
    library = node.text("library", "") or next(
        (each for each in LIBRARIES if name in preset_names(each)), "basic"
    )
    placement = _placement(node, subject) if "on" in node else None
    database, number = preset_pose(library, name)
    if database.figure.skeleton.names == figure.skeleton.names:
        if placement is None:
            return database.q[number].copy()
        return relative_to_object(database, number, placement)
    if not is_person(figure):
        raise node.child("pose").error(
            f"preset poses are those of a person; {figure.name!r} is not recognised as one"
            " (give its roles: `writhe roles`)"
        )
    rest = figure.skeleton.rest_configuration
    at_origin = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    return posture_of(figure, library, name, rest, at_origin if placement is None else placement)


def _placement(node: Node, subject: Figure | Scene) -> Floats:
    """(7,) the pose of the object that a key names with `on`."""
    on = node.text("on")
    if not isinstance(subject, Scene):
        raise node.error("'on' names an object of a scene, but the file has no 'scene'")
    item = subject.object(on)
    if item.kind is not ObjectKind.FIXED:
        raise node.child("on").error(f"{on!r} moves; preset poses are placed on fixed objects")
    return item.pose()


def _from_file(node: Node, figure: Figure) -> Floats:
    from writhe.io import load
    from writhe.retargeting.motion_on_figure import on_figure

    name, _, frame = node.text("file").rpartition("@")
    if not name or not frame.isdigit():
        raise node.child("file").error("expected FILE@FRAME, for example walk.bvh@12")
    motion = load(node.file.parent / name)
    if int(frame) >= len(motion):
        raise node.child("file").error(f"{name} has frames 0 to {len(motion) - 1}, not {frame}")
    one = motion.slice(int(frame), int(frame) + 1)
    kinds = [[(j.name, j.kind) for j in s.joints] for s in (one.skeleton, figure.skeleton)]
    if kinds[0] != kinds[1]:
        one = on_figure(one, figure)
    return one.q[0].copy()


def _rotated(node: Node, figure: Figure, q: Floats) -> Floats:
    """The pose with the joint rotations of a key: degrees, or quaternions (w, x, y, z)."""
    skeleton = figure.skeleton
    for name, value in node.entries("rotations", len(skeleton)).items():
        joint, part = skeleton.joints[skeleton.index(name)], skeleton.q_slice(name)
        if joint.kind is JointKind.HINGE:
            numbers = value.numbers(1)
            if len(numbers) != 1:
                raise value.error("expected one angle in degrees: [90]")
            q[part] = np.radians(numbers)
        elif joint.kind in (JointKind.BALL, JointKind.FREE):
            numbers = value.numbers(4)
            length = float(np.linalg.norm(numbers))
            if len(numbers) != 4 or length < 1e-6:
                raise value.error("expected a quaternion [w, x, y, z]")
            q[part.stop - 4 : part.stop] = numbers / length
        else:
            raise value.error(f"{name!r} does not turn")
    return q


def _placed(node: Node, figure: Figure, q: Floats) -> Floats:
    skeleton = figure.skeleton
    if not {"root_position_m", "shift_m", "turn_degrees"} & set(node.value):
        return q
    if skeleton.joints[0].kind is not JointKind.FREE:
        raise node.error(f"the figure {figure.name!r} has a fixed root and cannot be moved")
    angle = np.radians(node.number("turn_degrees")) if "turn_degrees" in node else 0.0
    yaw = yaw_matrix(angle)
    centre = forward(skeleton, q).positions[0]
    away = centre - yaw @ centre + node.vector("shift_m", 3, (0.0, 0.0, 0.0))
    if "root_position_m" in node:
        away = node.vector("root_position_m", 3) - yaw @ centre
    return moved_roots(skeleton, q[None], yaw, away)[0]


def _pins(root: Node, figure: Figure, keys: Sequence[Key]) -> tuple[TimedPin, ...] | None:
    if "pins" not in root or root.child("pins").value == CONTACTS:
        return None
    return tuple(_pin(node, figure, keys) for node in root.items("pins", MAX_PINS))


def _pin(node: Node, figure: Figure, keys: Sequence[Key]) -> TimedPin:
    """A pin; what is not given is taken from the first key of its range."""
    node.only("joint", "start_s", "end_s", "position_m", "orientation", "point_in_joint", "on")
    joint = node.text("joint")
    with node.errors():
        figure.skeleton.index(joint)
        start = node.number("start_s") if "start_s" in node else keys[0].time_s
        end = node.number("end_s") if "end_s" in node else keys[-1].time_s
        point = vector3(node.vector("point_in_joint", 3, (0.0, 0.0, 0.0)))
        inside = [key for key in keys if start - 1e-6 <= key.time_s <= end + 1e-6]
        frames = forward(figure.skeleton, np.array((inside or list(keys))[0].q))
        turn = _orientation(node, rotation=frames.rotation(joint))
        if "on" in node:
            if "position_m" not in node:
                raise node.error("a pin with 'on' needs 'position_m' in the frame of that part")
            pin: Pin | Hold = Hold(
                joint, node.text("on"), vector3(node.vector("position_m", 3)), point, turn
            )
        else:
            here: Vector3 = vector3(frames.point(joint, point))
            position = vector3(node.vector("position_m", 3, here))
            pin = Pin(joint, position, point, turn)
        return TimedPin(pin, start, end)


def _orientation(node: Node, rotation: Floats) -> tuple[float, float, float, float] | None:
    """The orientation of a pin: given, or with true (the default) that of its first key."""
    if "orientation" not in node:
        return None if "on" in node else quaternion_of(rotation)
    child = node.child("orientation")
    if isinstance(child.value, bool):
        if child.value and "on" in node:
            raise child.error("a pin with 'on' needs a quaternion [w, x, y, z], or false")
        return quaternion_of(rotation) if child.value else None
    numbers = child.numbers(4)
    length = float(np.linalg.norm(numbers))
    if len(numbers) != 4 or length < 1e-6:
        raise child.error("expected true, false or a quaternion [w, x, y, z]")
    return quaternion_of(rotation_matrix(numbers / length))
