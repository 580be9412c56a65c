"""Setup shared by the scenes: actors on a floor, their strands, constraints and costs."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from writhe.arrays import Floats
from writhe.collision import ContactPolicy
from writhe.collision.shapes import half_space
from writhe.kernels.skeleton.rotation import quaternion_multiply
from writhe.quantities import Direction, FreeJointPose, JointPosture, Point
from writhe.quantities.quantity import vector
from writhe.research.evaluation.drags.scripted_drag import standing
from writhe.scene import Actor, Layout, Scene, SceneObject
from writhe.skeleton import Figure, forward
from writhe.skeleton.figures import figure
from writhe.skeleton.limbs import ANKLES, TOES
from writhe.solvers.tangling import (
    DrivenMotion,
    TangleKeyframe,
    TangleMotion,
    TangleOptions,
    TangleSetup,
    TangleStepper,
    animate,
    motion_metric,
)
from writhe.terms import Term, joint_limits, keep_centre_over, pin, reach
from writhe.topology import Strand

FLOOR = SceneObject("floor", (half_space((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)),))
_TRUNK = {"hips": 6.0, "spine": 3.0, "chest": 3.0, "neck": 2.0, "head": 1.5}
FLOOR_ALLOWANCE_M = 0.01
# of writhe, centre and density at the key of a hold; a viewer does not see less
HOLD_TOLERANCE = (0.04, 0.1, 0.1, 0.2)
Variant = Literal["default", "published", "published-with-contacts"]
_variant: ContextVar[Variant] = ContextVar("variant", default="default")


@contextmanager
def solved_as(variant: Variant) -> Generator[None]:
    """Scenes played inside are solved by this variant.

    `published` is `TangleOptions.as_published` with the plain norm of the step as its cost;
    `published-with-contacts` has the same rows and cost, with the contacts and the gate of
    `default` in place of sigma. Goals, scripted places of the
    hands, joint limits and pins are the same in all.
    """
    token = _variant.set(variant)
    try:
        yield
    finally:
        _variant.reset(token)


Removed = Literal["places", "tangles"]
_removed: ContextVar[Removed | None] = ContextVar("removed", default=None)


@contextmanager
def solved_without(removed: Removed) -> Generator[None]:
    """Scenes played inside are solved without their scripted places or without their tangles.

    Places are the terms and postures of the keys, tangles their goals. What a scene asserts must
    fail in both cases, or it does not need what it is about.
    """
    token = _removed.set(removed)
    try:
        yield
    finally:
        _removed.reset(token)


def _kept(key: TangleKeyframe) -> TangleKeyframe:
    match _removed.get():
        case "places":
            return replace(key, terms=key.terms[:0], posture=None)
        case "tangles":
            return replace(key, goals=())
        case _:
            return key


def _options(options: TangleOptions) -> TangleOptions:
    match _variant.get():
        case "published":
            return options.as_published()
        case "published-with-contacts":
            return replace(options.as_published(), sigma=None, contacts=True, gate=True)
        case _:
            return options


@dataclass
class SceneSetup:
    """A scene with its layout, start configuration, and helpers for strands and terms."""

    layout: Layout
    q: Floats
    feet: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @classmethod
    def of(
        cls,
        actors: Sequence[Actor],
        objects: Sequence[SceneObject] = (),
        contacts: Sequence[tuple[str, str, float]] = (),
        *,
        floor: bool = True,
    ) -> SceneSetup:
        """Actors and objects on a floor, all in the rest pose."""
        policy = ContactPolicy()
        all_objects = (*objects, FLOOR) if floor else tuple(objects)
        if floor:
            for actor in actors:
                for part in ("ankle", "toe"):
                    for side in ("left", "right"):
                        if f"{side}_{part}" in actor.figure.skeleton:
                            name = f"{actor.name}.{side}_{part}"
                            policy = policy.allow(name, "floor", FLOOR_ALLOWANCE_M)
        for a, b, metres in contacts:
            policy = policy.allow(a, b, metres)
        layout = Scene(tuple(actors), all_objects, policy).layout
        return cls(layout, layout.rest())

    def place_standing(self, actor: str, x_m: float, z_m: float, turn: float = 0.0) -> None:
        """Place a standing human on the floor, rotated about the vertical by `turn` rad."""
        body = self.layout.scene.actor(actor).figure
        q = standing(body)
        q[1] -= lowest_point(body, q) + 0.5 * FLOOR_ALLOWANCE_M
        self.place(actor, q, x_m, z_m, turn)

    def place(self, actor: str, q: Floats, x_m: float, z_m: float, turn: float = 0.0) -> None:
        """Place an actor's posture on the floor, rotated about the vertical axis of its root."""
        moved = q.copy()
        spin = np.array([np.cos(turn / 2), 0.0, np.sin(turn / 2), 0.0])
        turned = np.empty(4)
        quaternion_multiply(spin, q[3:7], turned)
        moved[3:7] = turned
        c, s = np.cos(turn), np.sin(turn)
        moved[0], moved[2] = c * q[0] + s * q[2] + x_m, -s * q[0] + c * q[2] + z_m
        self.q[self.layout.actor_q[actor]] = moved

    def strand(self, actor: str, start: str, end: str) -> Strand:
        """The strand of an actor from one joint or tip to another across its tree."""
        name = f"{actor}: {start} to {end}".replace("_", " ")
        return Strand.between(self.layout.skeleton, f"{actor}.{start}", f"{actor}.{end}", name=name)

    def object_strand(self, object_name: str, name: str, *, closed: bool = False) -> Strand:
        """A strand of an object."""
        points = self.layout.scene.object(object_name).strands[name]
        return Strand.along(points, joint=object_name, name=f"{object_name} {name}", closed=closed)

    def planted(
        self,
        actor: str,
        joints: Sequence[str] = (*ANKLES, *TOES),
        weight: float = 60.0,
    ) -> list[Term]:
        """Terms that keep the actor's feet in place."""
        out: list[Term] = []
        for joint in joints:
            out += pin(self.layout.skeleton, f"{actor}.{joint}", self.q, weight=weight)
        return out

    def foot(self, actor: str, side: str, shift_m: Floats, weight: float = 60.0) -> list[Term]:
        """Terms that put a foot where it stands at the start, moved by `shift_m` (3)."""
        frames = forward(self.layout.skeleton, self.q)
        names = [f"{actor}.{side}_{part}" for part in ("ankle", "toe")]
        return [reach(name, frames.position(name) + shift_m, weight=weight) for name in names]

    def steps(
        self, actor: str, sides: Sequence[str], shift_m: Floats, lift_m: float = 0.06
    ) -> list[list[Term]]:
        """The terms of both feet for one key after another: each foot lifted, then put down.

        `sides` are taken in turn, from where the feet stand at the start to there plus `shift_m`.
        """
        at = {side: np.zeros(3) for side in ("left", "right")}
        out: list[list[Term]] = []
        for side in sides:
            for share, height_m in ((0.5, lift_m), (1.0, 0.0)):
                at[side] = share * shift_m + np.array([0.0, height_m, 0.0])
                out.append([t for s, shift in at.items() for t in self.foot(actor, s, shift)])
        return out

    def balanced(self, actor: str, within_m: float = 0.08) -> Term:
        """The term that keeps the actor's centre of mass over its feet."""
        frames = forward(self.layout.skeleton, self.q)
        middle = np.mean(
            [frames.position(f"{actor}.{j}") for j in (*ANKLES, *TOES)],
            axis=0,
        )
        return keep_centre_over(actor, middle, within_m=within_m, weight=20.0)

    def upright(self, actor: str, weight: float = 1.0, *, steps: bool = False) -> list[Term]:
        """Soft terms that keep the actor's trunk and head; without `steps` also place and balance.

        An actor who takes steps keeps its pelvis upright and its heading instead.
        """
        out = [] if steps else [self.balanced(actor)]
        if steps:
            hips = f"{actor}.hips"
            frames = forward(self.layout.skeleton, self.q)
            for axis in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
                along = frames.rotation(hips) @ np.array(axis)
                out.append(
                    Term(Direction(hips, axis), along, along, 2.0 * weight, label=f"{hips} {axis}")
                )
        for name, share in _TRUNK.items():
            if steps and name == "hips":
                continue
            joint = f"{actor}.{name}"
            numbers = vector(self.q[self.layout.skeleton.q_slice(joint)])
            quantity = (
                FreeJointPose(joint, numbers) if name == "hips" else JointPosture(joint, numbers)
            )
            out.append(Term(quantity, 0.0, 0.0, weight * share, label=f"upright {joint}"))
        return out

    def limits(self, *actors: str) -> list[Term]:
        """The joint limits of these actors."""
        out: list[Term] = []
        for actor in actors:
            out += joint_limits(self.layout.skeleton, only_under=actor)
        return out

    def setup(self, terms: Sequence[Term], options: TangleOptions | None = None) -> TangleSetup:
        """The setup shared by the keyframes of this scene."""
        options = options or TangleOptions()
        return TangleSetup(
            self.layout.table,
            tuple(terms),
            _options(options),
            self.layout.variables,
            self.metric(),
        )

    def metric(self) -> Floats:
        """(nv,) the cost of motion: `motion_metric`, or 1 for the published variants."""
        skeleton = self.layout.skeleton
        if _variant.get() == "default":
            return motion_metric(skeleton)
        return np.ones(skeleton.dof_count)

    def animate(
        self,
        setup: TangleSetup,
        keys: Sequence[TangleKeyframe],
        drive: DrivenMotion | None = None,
    ) -> TangleMotion:
        """The motion from the start through the keys (see `solved_without`)."""
        return animate(setup, self.q, [_kept(key) for key in keys], drive=drive)

    def solve_key_pose(
        self,
        setup: TangleSetup,
        q: Floats,
        terms: Sequence[Term],
        *,
        steps: int = 150,
        pull: float = 0.0,
        reference: Floats | None = None,
        gate: bool = True,
    ) -> Floats:
        """(nq,) a collision-free key pose: from q towards kinematic terms only."""
        options = replace(setup.options, pull=pull, gate=gate, contacts=True)
        stepper: TangleStepper = setup.stepper((), terms, options=options)
        stepper.reference = reference
        for _ in range(steps):
            after = stepper.step(q)
            moved = float(np.abs(after - q).max())
            q = after
            if moved < 1e-4:
                break
        return q


def place(
    joint: str, on: str, position_in_joint: tuple[float, float, float], weight: float = 4.0
) -> Term:
    """A term that puts a joint at a position in the frame of another one."""
    target = np.array(position_in_joint)
    return Term(Point(joint, seen_from=on), target, target, weight, label=f"{joint} at {on}")


def facing(
    joint: str,
    direction_in_joint: tuple[float, float, float],
    on: str | None,
    direction: tuple[float, float, float],
    weight: float = 1.0,
) -> Term:
    """A term that turns a direction of a joint to one in another joint's frame or the world."""
    along = np.array(direction) / np.linalg.norm(direction)
    quantity = Direction(joint, direction_in_joint, on)
    return Term(quantity, along, along, weight, label=f"{joint} faces {on or 'the world'}")


def lowest_point(body: Figure, q: Floats) -> float:
    """The height of the lowest point of a figure's capsules."""
    frames = forward(body.skeleton, q)
    ends = [
        frames.point(c.joint, end)[1] - c.radius_m
        for c in body.capsules
        for end in (c.start_in_joint, c.end_in_joint)
    ]
    return float(min(ends))


def human(name: str, *, driven: bool = False, profile: str = "athletic") -> Actor:
    """A human actor; wrestling and dressing need the athletic joint limits."""
    body: Figure = figure("human", profile)
    return Actor(name, body, driven=driven, source="human")
