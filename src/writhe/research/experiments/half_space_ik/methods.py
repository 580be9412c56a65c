"""The compared methods, with one call per frame."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from writhe.arrays import Floats
from writhe.database import PostureDatabase
from writhe.kernels.skeleton import kinematics
from writhe.research.experiments.half_space_ik.scenario import Scenario
from writhe.skeleton import Skeleton
from writhe.solvers.half_space import CollisionResponse, ResponseOptions
from writhe.solvers.half_space.objective import empty_half_spaces
from writhe.solvers.posing.handles import Pin, Target

BLEND = 0.5  # share of the new pose in the published blending (Algorithm 1, line 7)


class Method(Protocol):
    """Solves a scenario frame by frame."""

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        """The next scene configuration (nq), milliseconds of solving and of detection."""
        ...


@dataclass
class HalfSpaceMethod:
    """The method of writhe: one-sided half-spaces, blending inside the solve, certified."""

    scenario: Scenario
    options: ResponseOptions
    errors: list[float] = field(default_factory=list[float])
    blocked: int = 0

    def __post_init__(self) -> None:
        options = replace(
            self.options,
            root_free=self.scenario.root_free,
            return_fraction=self.scenario.return_fraction,
        )
        self.response = CollisionResponse(self.scenario.scene, options)
        self.response.set_relations(self.scenario.relations)

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        result = self.response.step(q, targets, self.scenario.pins, objects)
        self.errors.append(max(result.relation_error.values(), default=0.0))
        self.blocked += bool(result.blocked)
        return result.q, result.effort.solve_ms, result.effort.detect_ms


class PositionalMethod(HalfSpaceMethod):
    """The paper's comparison: the deepest point is repeatedly pulled out along its normal.

    Same solver, tolerance and stopping rule; position targets for one frame instead of half-spaces.
    """

    rounds = 6

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        response = self.response
        objective, spaces = response.objective, response.objective.spaces
        objective.two_sided = True
        spaces.used[0] = 0
        response.handle_terms.prepare(targets, self.scenario.pins)
        start = _with_objects(response, q, objects)
        _aim(response, start)
        objective.predicted_step[:] = 0.0
        moved, detect, solve = start, 0.0, 0.0
        for _ in range(self.rounds):
            clock = time.perf_counter()
            found = self._pull_deepest(moved)
            detect += time.perf_counter() - clock
            if not found and _ > 0:
                break
            clock = time.perf_counter()
            moved, _taken = objective.solve(start)
            moved = response.clamp_displacement(start, moved)
            solve += time.perf_counter() - clock
        if self.options.blend > 0.0:
            moved = _blended(response.skeleton, start, moved)
        self.errors.append(max(response.handle_terms.relation_errors(moved).values(), default=0.0))
        return moved, 1e3 * solve, 1e3 * detect

    def _pull_deepest(self, q: Floats) -> bool:
        """Add three equalities (a point's coordinates) for the deepest overlap at q, if any."""
        response = self.response
        spaces, near = response.objective.spaces, response.near
        positions, rotations = _frames(response.skeleton, q)
        near.find(positions, rotations, 0.0)
        clearance = (near.rows.gap + near.rows.allowance)[: near.count]
        if near.count == 0 or clearance.min() >= 0.0 or spaces.used[0] + 3 > len(spaces.offset):
            return False
        i = int(clearance.argmin())
        point, depth = near.rows.surface_a[i], -float(clearance[i])
        joint = int(near.rows.joints[i, 0])
        target = point + depth * near.rows.normal[i]
        local = rotations[joint].T @ (point - positions[joint])
        for axis in range(3):
            row = int(spaces.used[0])
            spaces.joints[row] = joint, -1
            spaces.point[row] = local
            spaces.normal[row] = np.eye(3)[axis]
            spaces.offset[row] = 0.0
            spaces.lower_bound[row] = target[axis]
            spaces.used[0] = row + 1
        return True


class PublishedMethod(HalfSpaceMethod):
    """The published method read as intended: all constraints of a frame are solved together.

    Half-spaces as equalities (Eq. 3) from collisions, without the gate; L-BFGS with bounds,
    prediction by the last motion, clamped, then blended with the last pose. `Algorithm1Method`
    follows the printed loop instead.
    """

    rounds = 3
    lifetime = 10  # frames; the paper does not state when a constraint ends

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        response = self.response
        objective = response.objective
        objective.two_sided = True
        response.handle_terms.prepare(targets, self.scenario.pins)
        start = _with_objects(response, q, objects)
        _aim(response, start)
        objective.predicted_step[:] = response.velocity
        moved, detect, solve = start, 0.0, 0.0
        _expire(response, self.lifetime)
        for _ in range(self.rounds):
            clock = time.perf_counter()
            response.add_colliding_half_spaces(moved)
            detect += time.perf_counter() - clock
            clock = time.perf_counter()
            moved, _taken = objective.solve(start)
            moved = response.clamp_displacement(start, moved)
            solve += time.perf_counter() - clock
            if objective.spaces.used[0] == 0:
                break
        if self.options.blend > 0.0:
            moved = _blended(response.skeleton, start, moved)
        kinematics.difference(response.skeleton.tree, start, moved, response.velocity)
        self.errors.append(max(response.handle_terms.relation_errors(moved).values(), default=0.0))
        return moved, 1e3 * solve, 1e3 * detect


class Algorithm1Method(HalfSpaceMethod):
    """Algorithm 1 line by line.

    Collisions of the pose p_t add constraints to a set C. While C is not empty, the loop runs over
    its constraints: predict p_t + v_t, solve IK for this constraint alone (with the dragged points,
    pins and relations), clamp, blend with the last pose. Without constraints only dragged points
    move the body. The paper has no rule for when a constraint ends: C is kept for ever, or with
    `until_clear` emptied in a frame without collision. IK is solved by Gauss-Newton, which has the
    same minimum as L-BFGS and costs less for hundreds of solves a frame.
    """

    def __init__(
        self, scenario: Scenario, options: ResponseOptions, *, until_clear: bool = False
    ) -> None:
        super().__init__(scenario, options)
        self.until_clear = until_clear
        self._all = self.response.objective.spaces
        self._one = empty_half_spaces(1)

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        response, objective = self.response, self.response.objective
        objective.two_sided = True
        objective.predicted_step[:] = 0.0
        response.handle_terms.prepare(targets, self.scenario.pins)
        here = _with_objects(response, q, objects)
        _aim(response, here)
        clock = time.perf_counter()
        objective.spaces = self._all
        if self.until_clear and not self._collides(here):
            self._all.used[0] = 0
        response.add_colliding_half_spaces(here)  # lines 1 and 2
        detect, clock = time.perf_counter() - clock, time.perf_counter()
        new = here
        if self._all.used[0]:  # line 3
            predicted = np.empty_like(here)
            kinematics.integrate(response.skeleton.tree, here, response.velocity, predicted)
            solved = predicted
            for row in range(int(self._all.used[0])):  # lines 4 to 8
                self._select(row)
                solved, _ = objective.solve(solved)
                solved = response.clamp_displacement(predicted, solved)
                solved = _blended(response.skeleton, here, solved)
            new = solved
        elif targets:
            self._one.used[0] = 0
            objective.spaces = self._one
            solved, _ = objective.solve(here)
            new = response.clamp_displacement(here, solved)
        kinematics.difference(response.skeleton.tree, here, new, response.velocity)
        self.errors.append(max(response.handle_terms.relation_errors(new).values(), default=0.0))
        return new, 1e3 * (time.perf_counter() - clock), 1e3 * detect

    def _collides(self, q: Floats) -> bool:
        near = self.response.near
        near.find(*_frames(self.response.skeleton, q), 0.0)
        return bool(((near.rows.gap + near.rows.allowance)[: near.count] < 0.0).any())

    def _select(self, row: int) -> None:
        """Make one constraint of C the only one of the objective."""
        for column, source in zip(self._one[1:], self._all[1:], strict=True):
            column[0] = source[row]
        self._one.used[0] = 1
        self.response.objective.spaces = self._one


@dataclass
class DefaultMethod:
    """The default poser for each actor in turn, with the others and the objects fixed."""

    scenario: Scenario
    errors: list[float] = field(default_factory=list[float])
    blocked: int = 0

    def __post_init__(self) -> None:
        from writhe.solvers.posing.actor_in_scene import ActorInScene
        from writhe.solvers.posing.default_poser import DefaultPoser
        from writhe.solvers.posing.handles import pin_here

        scene = self.scenario.scene
        self.posers = {
            actor.name: DefaultPoser(
                actor.figure,
                _database(actor.figure.name),
                actor=ActorInScene.in_scene(scene, actor.name),
            )
            for actor in scene.actors
        }
        self.held: dict[str, list[Pin]] = {}
        skeleton = scene.layout.skeleton
        for actor in scene.actors:
            root = actor.figure.skeleton.names[0]
            pins = [p for p in self.scenario.pins if p.joint.startswith(f"{actor.name}.")]
            if not self.scenario.root_free:
                full = f"{actor.name}.{root}"
                pins.append(pin_here(skeleton, self.scenario.start, full, orientation=True))
            self.held[actor.name] = [
                replace(p, joint=p.joint.removeprefix(f"{actor.name}.")) for p in pins
            ]
            self.posers[actor.name].set_relations(
                [t for t in self.scenario.relations if t.label.split()[1].startswith(actor.name)]
            )

    def step(
        self, q: Floats, targets: list[Target], objects: dict[str, Floats]
    ) -> tuple[Floats, float, float]:
        layout = self.scenario.scene.layout
        moved, spent = q.copy(), 0.0
        for name, pose in objects.items():
            moved[layout.object_q[name]] = pose
        for name, poser in self.posers.items():
            own = [
                replace(t, joint=t.joint.removeprefix(f"{name}."))
                for t in targets
                if t.joint.startswith(f"{name}.")
            ]
            poser.actor.state[:] = moved
            result = poser.step(moved[layout.actor_q[name]], own, self.held[name])
            moved[layout.actor_q[name]] = result.q
            spent += result.milliseconds
        return moved, spent, 0.0


def _database(figure_name: str) -> PostureDatabase | None:
    from writhe.postures.builtin import builtin_database

    return builtin_database("basic") if figure_name == "human" else None


def _with_objects(response: CollisionResponse, q: Floats, objects: dict[str, Floats]) -> Floats:
    out = q.copy()
    for name, pose in objects.items():
        out[response.layout.object_q[name]] = pose
    return out


def _frames(skeleton: Skeleton, q: Floats) -> tuple[Floats, Floats]:
    n = len(skeleton)
    positions, rotations = np.empty((n, 3)), np.empty((n, 3, 3))
    kinematics.forward(skeleton.tree, q, positions, rotations)
    return positions, rotations


def _aim(response: CollisionResponse, q: Floats) -> None:
    positions, rotations = _frames(response.skeleton, q)
    response.handle_terms.aim(positions, rotations, 1.0)


def _expire(response: CollisionResponse, lifetime: int) -> None:
    """Drop half-spaces older than `lifetime` frames and keep the others unconditionally."""
    spaces = response.objective.spaces
    count = int(spaces.used[0])
    spaces.age[:count] += 1
    kept = np.flatnonzero(spaces.age[:count] <= lifetime)
    for column in spaces[1:]:
        column[: len(kept)] = column[kept]
    spaces.used[0] = len(kept)


def _blended(skeleton: Skeleton, q_from: Floats, q_to: Floats) -> Floats:
    """Interpolate from the last pose to the new one by BLEND."""
    out = np.empty_like(q_to)
    kinematics.interpolate(skeleton.tree, q_from, q_to, BLEND, out)
    return out


def make_methods(scenario: Scenario, names: list[str]) -> dict[str, Method]:
    """The methods by name, fresh for this scenario."""
    ours, ungated = ResponseOptions(), ResponseOptions(gate=False)
    published = replace(ungated, solver="l-bfgs")
    known = {
        "half-space": lambda: HalfSpaceMethod(scenario, ours),
        "half-space-unblended": lambda: HalfSpaceMethod(scenario, replace(ours, blend=0.0)),
        "algorithm-1": lambda: Algorithm1Method(scenario, ungated),
        "algorithm-1-until-clear": lambda: Algorithm1Method(scenario, ungated, until_clear=True),
        "published": lambda: PublishedMethod(scenario, published),
        "published-unblended": lambda: PublishedMethod(scenario, replace(published, blend=0.0)),
        "penalty": lambda: PositionalMethod(scenario, replace(ungated, blend=0.0)),
        "penalty-blended": lambda: PositionalMethod(scenario, ungated),
        "default": lambda: DefaultMethod(scenario),
    }
    return {name: known[name]() for name in names}
