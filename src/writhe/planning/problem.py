"""Planning problems: two postures, planted parts, and the collision table."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check_fields, checked
from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable
from writhe.errors import WritheError
from writhe.scene import Layout, Scene
from writhe.skeleton import Figure, Skeleton, forward
from writhe.skeleton.configurations import configuration
from writhe.solvers.posing import Pin, pin_here
from writhe.terms import Term, joint_limits, reach, turn_to

MAX_SHIFT_M = 0.03  # largest distance between a planted part's positions in the two postures


def _no_names() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class PlanProblem:
    """Two configurations of the table's skeleton to be connected by a certified path.

    `planted` pins points of joints at their start positions; both postures must agree on them
    within 3 cm. `variable` (nv) marks the degrees of freedom that may change (default: all); the
    others must be equal in both postures. `bodies` names the joints under which joint limits apply
    (default: everywhere).
    """

    table: CollisionTable
    start: Floats
    goal: Floats
    planted: tuple[Pin, ...] = ()
    variable: Bools | None = None
    bodies: tuple[str, ...] = field(default_factory=_no_names)
    # skeleton of the resulting motions, if a floor was added to the table's
    motion_skeleton: Skeleton | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(
            self, "start", configuration(self.skeleton, self.start, "the start posture")
        )
        object.__setattr__(
            self, "goal", configuration(self.skeleton, self.goal, "the goal posture")
        )
        frames = forward(self.skeleton, self.goal)
        for pin in self.planted:
            there = frames.point(pin.joint, pin.point_in_joint)
            apart = float(np.linalg.norm(there - pin.position_in_world))
            if apart > MAX_SHIFT_M:
                raise WritheError(
                    f"{pin.joint!r} is planted but lies {100 * apart:.0f} cm away in the goal"
                    " posture; move one of the two postures, or do not plant it"
                )

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton whose configurations are planned."""
        return self.table.skeleton

    @property
    def planted_joints(self) -> tuple[str, ...]:
        """The names of the planted joints."""
        return tuple(pin.joint for pin in self.planted)

    @cached_property
    def planted_terms(self) -> list[Term]:
        """The planted points and orientations as equalities."""
        terms: list[Term] = []
        for number, pin in enumerate(self.planted):
            term = reach(pin.joint, pin.position_in_world, point_in_joint=pin.point_in_joint)
            terms.append(_labelled(term, f"planted {number}"))
            if pin.orientation_in_world is not None:
                turn = turn_to(pin.joint, pin.orientation_in_world)
                terms.append(_labelled(turn, f"planted turn {number}"))
        return terms

    @cached_property
    def limit_terms(self) -> list[Term]:
        """The joint limits as intervals."""
        if not self.bodies:
            return joint_limits(self.skeleton)
        return [t for body in self.bodies for t in joint_limits(self.skeleton, only_under=body)]


def _labelled(term: Term, label: str) -> Term:
    from dataclasses import replace

    return replace(term, label=label)


@checked
def figure_problem(
    figure: Figure,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    planted: tuple[str | Pin, ...] = (),
    table: CollisionTable | None = None,
    floor_m: float | None = None,
) -> PlanProblem:
    """The problem of two postures of a figure alone; `planted` lists joints or pins.

    `floor_m` is the height of a floor; penetrations of the two postures are allowed.
    """
    shapes = table or CollisionTable.of_figure(figure)
    first = configuration(figure.skeleton, start, "the start posture")
    last = configuration(figure.skeleton, goal, "the goal posture")
    if floor_m is not None:
        from writhe.planning.ground_assumptions import with_floor

        shapes = with_floor(shapes, floor_m, first, last)
    pins = tuple(_pin(figure.skeleton, first, item) for item in planted)
    return PlanProblem(shapes, first, last, pins, motion_skeleton=figure.skeleton)


@checked
def scene_problem(
    scene: Scene,
    actor: str,
    start: ArrayLike,
    goal: ArrayLike,
    *,
    planted: tuple[str | Pin, ...] = (),
    around: ArrayLike | None = None,
) -> PlanProblem:
    """The problem of two postures of one actor; the rest of the scene is fixed at `around` (nq)."""
    layout: Layout = scene.layout
    own_skeleton = scene.actor(actor).figure.skeleton
    base = layout.rest() if around is None else configuration(layout.skeleton, around)
    rows: list[Floats] = []
    for posture, name in ((start, "start"), (goal, "goal")):
        q = base.copy()
        q[layout.actor_q[actor]] = configuration(own_skeleton, posture, f"the {name} posture")
        rows.append(q)
    actor_dofs = np.zeros(layout.skeleton.dof_count, dtype=np.bool_)
    actor_dofs[layout.actor_v[actor]] = True
    pins = tuple(
        _pin(layout.skeleton, rows[0], f"{actor}.{item}" if isinstance(item, str) else item)
        for item in planted
    )
    return PlanProblem(layout.table, rows[0], rows[1], pins, actor_dofs, (actor,))


def _pin(skeleton: Skeleton, q: Floats, item: str | Pin) -> Pin:
    return pin_here(skeleton, q, item, orientation=True) if isinstance(item, str) else item
