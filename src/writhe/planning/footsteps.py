"""Plans with footsteps: feet that stand elsewhere in the goal are lifted and planted in turn.

In each step the body shifts its weight over one foot and swings the other to its next foothold. The
postures on the way are `SupportPhase`s. The path between two phases is planned with the standing
feet planted, so that no foot slides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Floats, Quaternion, vector3
from writhe.errors import WritheError
from writhe.planning.clear_endpoints import push_clear
from writhe.planning.ground_assumptions import shared_feet, standing_feet
from writhe.planning.problem import PlanProblem
from writhe.planning.result import Plan, PlanStatus
from writhe.skeleton import Figure, Frames, forward, quaternions
from writhe.skeleton.kinematics import centre_of_mass, interpolate
from writhe.skeleton.limbs import SIDES
from writhe.skeleton.move_root import moved_roots
from writhe.skeleton.quaternions import quaternion_of
from writhe.skeleton.shape_fitting.capsule_masses import with_masses
from writhe.solvers.posing import Controls, Pin, Target, pin_here
from writhe.solvers.posing.default_poser import DefaultPoser
from writhe.solvers.posing.options import DefaultPoserOptions
from writhe.solvers.posing.support_polygon import support_polygon

STEPPED = "the feet step to their places, one after the other"
STRIDE_M, TURN_RAD = 0.5, 0.8  # the largest displacement and rotation of a foot in one step
MOST_STEPS = 40
_LEGS = tuple(f"{side}_{part}" for side in SIDES for part in ("hip", "knee", "ankle"))
_MORE_ROUNDS = 3  # number of step lengths that are tried, each smaller than the one before
# Phases of a swinging foot: fraction of its displacement, and height above the straight line, m
SWING = ((0.1, 0.05), (0.5, 0.08), (0.9, 0.05), (1.0, 0.0))
_FRAMES = 60  # largest number of poser frames for one phase
# A phase is reached if its feet miss their footholds, and the centre of mass lies outside the
# support polygon of the standing foot, by less than this.
_PLACED_M, _BALANCED_M = 0.002, 0.008


@dataclass(frozen=True)
class SupportPhase:
    """A posture (nq), and the joints of the feet that stay planted during the motion to it."""

    q: Floats
    planted: tuple[str, ...]


@dataclass(frozen=True)
class _Foothold:
    """Position (3,) and orientation (4,) of a foot in the world."""

    position: Floats
    orientation: Floats

    def towards(self, other: _Foothold, fraction: float, lift_m: float = 0.0) -> _Foothold:
        """The foothold at a fraction of the motion to another one, raised by lift_m."""
        (arc,) = quaternions.shortest_arcs(np.array([self.orientation, other.orientation]))
        at = self.position + fraction * (other.position - self.position)
        rotation = quaternions.from_rotation_vectors(fraction * arc)
        orientation = quaternions.multiply(self.orientation, rotation)
        return _Foothold(at + np.array([0.0, lift_m, 0.0]), orientation)

    @property
    def quaternion(self) -> Quaternion:
        """The orientation as a tuple w, x, y, z."""
        w, x, y, z = (float(c) for c in self.orientation)
        return w, x, y, z


def plan_steps(
    search: Callable[[PlanProblem], Plan],
    problem: PlanProblem,
    figure: Figure,
    *,
    prefix: str = "",
    at: slice = slice(None),
) -> Plan | None:
    """A plan with footsteps from start to goal of a problem; None if none is needed or found.

    at: the figure's coordinates in the problem's configurations.
    prefix: begins the names of the figure's joints in the problem.
    """
    start, goal = problem.start[at], problem.goal[at]
    feet = standing_feet(figure, start, goal)
    if len(feet) < 2 or len(shared_feet(figure, start, goal)) == len(feet):
        return None
    if not all(role in dict(figure.roles) for role in _LEGS):
        return None
    balancer, still = _Balancer(figure), set(shared_feet(figure, start, goal))
    for more in range(_MORE_ROUNDS):
        for other_first in (False, True):
            phases = _support_phases(figure, feet, still, start, goal, balancer, more, other_first)
            if phases is None:
                continue
            found = _plan_through_phases(search, problem, phases, prefix, at)
            if found is not None:
                return found
    return None


def _plan_through_phases(
    search: Callable[[PlanProblem], Plan],
    problem: PlanProblem,
    phases: list[SupportPhase],
    prefix: str,
    at: slice,
) -> Plan | None:
    """The plan from phase to phase; None if there is no path between two of them."""
    sections: list[Plan] = []
    here = problem.start
    for phase in phases:
        there = problem.goal.copy()
        there[at] = phase.q
        pins = tuple(
            pin_here(problem.skeleton, here, prefix + foot, orientation=True)
            for foot in phase.planted
        )
        try:
            section = replace(problem, start=here, goal=there, planted=pins)
            if phase is not phases[-1]:
                section = replace(section, goal=push_clear(section, there))
        except WritheError:  # a foot was pushed off its foothold
            return None
        found = search(section)
        if not found.solved:
            return None
        here = found.path[-1]
        if sections and sections[-1].problem.planted_joints == found.problem.planted_joints:
            found = _joined(sections.pop(), found)
        sections.append(found)
    whole = sections[0]
    for section in sections[1:]:
        whole = _joined(whole, section)
    return replace(
        whole,
        problem=replace(problem, planted=()),
        notes=(STEPPED, *whole.notes),
        legs=tuple(sections),
    )


def _joined(first: Plan, second: Plan) -> Plan:
    """Two plans in sequence; parts stay planted only if both plans plant the same ones."""
    same = first.problem.planted_joints == second.problem.planted_joints
    planted = first.problem.planted if same else ()
    exact = first.status is second.status is PlanStatus.EXACT
    return Plan(
        problem=replace(first.problem, goal=second.problem.goal, planted=planted),
        path=np.concatenate([first.path, second.path[1:]]),
        status=PlanStatus.EXACT if exact else PlanStatus.APPROXIMATE,
        method=first.method,
        seconds=first.seconds + second.seconds,
        steps=first.steps + second.steps,
        escapes=first.escapes + second.escapes,
        fallback=first.fallback or second.fallback,
        notes=tuple(dict.fromkeys((*first.notes, *second.notes))),
    )


def _support_phases(
    figure: Figure,
    feet: tuple[str, ...],
    still: set[str],
    start: Floats,
    goal: Floats,
    balancer: _Balancer,
    more: int,
    other_first: bool,
) -> list[SupportPhase] | None:
    """The phases from start to goal (nq), which is the last; None if one is out of reach.

    Each step shifts the weight over the standing foot, then swings and lands the other.

    more: number of steps per foot beyond those that the distance needs.
    other_first: whether the foot begins that would move second by default.
    """
    skeleton = figure.skeleton
    first, last = forward(skeleton, start), forward(skeleton, goal)
    footholds = {foot: (_foothold(first, foot), _foothold(last, foot)) for foot in feet}
    moves = _moves(footholds, still, more, other_first)
    if len(moves) > MOST_STEPS:
        return None
    now = {foot: place for foot, (place, _) in footholds.items()}
    out: list[SupportPhase] = []
    for k, (foot, fraction) in enumerate(moves):
        (standing,) = (other for other in feet if other != foot)
        before, after = now[foot], _intermediate_foothold(footholds, foot, fraction)
        for swung, lift_m in ((0.0, 0.0), *SWING):
            guess = interpolate(skeleton, start, goal, (k + swung) / len(moves))
            place = before.towards(after, swung, lift_m)
            q = balancer.posture(guess, foot, place, standing, now[standing])
            if q is None:
                return None
            out.append(SupportPhase(q, feet if swung == 0.0 else (standing,)))
        now[foot] = after
    return [*out, SupportPhase(goal, feet)]


def _moves(
    footholds: dict[str, tuple[_Foothold, _Foothold]],
    still: set[str],
    more: int,
    other_first: bool,
) -> list[tuple[str, float]]:
    """The foot that moves in each step, and the fraction of its displacement at which it lands.

    The foot that is ahead in the direction of motion begins, so that the legs do not cross, unless
    `other_first`.
    """
    displacement = {f: goal.position - start.position for f, (start, goal) in footholds.items()}
    angle = {
        f: float(
            np.linalg.norm(quaternions.shortest_arcs(np.array([a.orientation, b.orientation])))
        )
        for f, (a, b) in footholds.items()
    }
    moving = [foot for foot in footholds if foot not in still]
    ahead = np.sum([displacement[foot] for foot in moving], axis=0)
    moving.sort(key=lambda f: float(footholds[f][0].position @ ahead), reverse=not other_first)
    count = max(
        int(np.ceil(max(np.linalg.norm(displacement[f]) / STRIDE_M, angle[f] / TURN_RAD)))
        for f in moving
    )
    count = 1 if len(moving) == 1 else max(1, count) + more
    return [(foot, (k + 1) / count) for k in range(count) for foot in moving]


def _intermediate_foothold(
    footholds: dict[str, tuple[_Foothold, _Foothold]], foot: str, fraction: float
) -> _Foothold:
    """The foothold of a foot at a fraction of the motion from start to goal.

    The midpoint between the feet moves along a straight line, and the feet turn about it. If each
    foot moved along its own straight line, the lines would cross in a turn.
    """
    starts, goals = zip(*footholds.values(), strict=True)
    origin, end = (np.mean([h.position for h in each], axis=0) for each in (starts, goals))
    arcs = [
        quaternions.rotate(
            a.orientation,
            quaternions.shortest_arcs(np.array([a.orientation, b.orientation]))[0],
        )
        for a, b in footholds.values()
    ]  # in the world
    turn = np.array([0.0, float(np.mean([arc[1] for arc in arcs])), 0.0])
    start, goal = footholds[foot]
    back = quaternions.from_rotation_vectors(-turn)
    aside = (1.0 - fraction) * (start.position - origin) + fraction * quaternions.rotate(
        back, goal.position - end
    )
    turned = quaternions.rotate(quaternions.from_rotation_vectors(fraction * turn), aside)
    here = start.towards(goal, fraction)
    return replace(here, position=origin + fraction * (end - origin) + turned)


def _foothold(frames: Frames, foot: str) -> _Foothold:
    return _Foothold(frames.position(foot).copy(), np.array(quaternion_of(frames.rotation(foot))))


class _Balancer:
    """Poses a figure on one foot, with the other one at a given place."""

    def __init__(self, figure: Figure) -> None:
        options = DefaultPoserOptions(gate=False)
        if not figure.skeleton.mass.any():  # a motion file has no masses: use those of the shapes
            figure = replace(figure, skeleton=with_masses(figure.skeleton, figure.capsules))
        self._figure = figure
        # The first poser places the feet and the second one balances, because the support polygon
        # is that of the pose in which balancing begins.
        self._posers = tuple(
            DefaultPoser(figure, options=options, controls=Controls(balance=balance))
            for balance in (0.0, 1.0)
        )

    def posture(
        self, guess: Floats, foot: str, place: _Foothold, standing: str, ground: _Foothold
    ) -> Floats | None:
        """The posture near `guess` with the weight over the foot `standing`; None if not reached.

        place: the foothold of the other foot, `foot`; a foot with a target bears no weight (see
        `support_polygon`). ground: the foothold of the standing foot.
        """
        q, met = self._shifted_over_foot(guess, foot, standing, ground), False
        pins = [Pin(standing, vector3(ground.position), orientation_in_world=ground.quaternion)]
        goal = Target(foot, vector3(place.position), orientation_in_world=place.quaternion)
        for poser in self._posers:
            for _ in range(_FRAMES):
                result = poser.step(q, [goal], pins)
                q = result.q
                errors = (*result.target_error_m.values(), *result.pin_error_m.values())
                met = max(errors) < _PLACED_M and (result.off_balance_m or 0.0) < _BALANCED_M
                if met:
                    break
        return q if met else None

    def _shifted_over_foot(self, q: Floats, foot: str, standing: str, ground: _Foothold) -> Floats:
        """The posture, its root shifted over the standing foot, so that it leans less."""
        frames = forward(self._figure.skeleton, q)
        x, z = support_polygon(self._figure, frames, lifted=frozenset({foot})).mean(axis=0)
        sole = np.array([x, 0.0, z]) - frames.position(standing)
        shift = ground.position + sole - centre_of_mass(frames)
        shift[1] = 0.0
        return moved_roots(self._figure.skeleton, q[None], np.eye(3), shift)[0]
