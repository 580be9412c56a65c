"""The methods of the paper: Algorithm 1 in its readings, and the penalty method it compares with.

What the text leaves open, and how it is read here:
- the plane of Eq. 3 is given by its normal and the colliding point, so it stays in the world; with
  `Reading.on_object` it moves with the object. Planes between two parts of a body, which the
  algorithm does not have, move with the other part;
- no rule says when a constraint ends: C is kept for ever, emptied in a frame without collision
  (`until_clear`), or emptied in every frame and filled in repeated passes (`passes`);
- the share alpha of the new pose in line 7 has no printed value: one half;
- Eq. 5 keeps the difference of two joints' positions in the world (`world_vector`); otherwise a
  relation is that of writhe, a place in the other joint's turning frame.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from writhe.arrays import Floats
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.half_space_rows import HalfSpaces
from writhe.quantities import Point
from writhe.research.experiments.half_space_ik.half_space_method import HalfSpaceMethod
from writhe.research.experiments.half_space_ik.scenario import Scenario
from writhe.skeleton import Skeleton, forward
from writhe.solvers.half_space import CollisionResponse, ResponseOptions
from writhe.solvers.half_space.objective import empty_half_spaces
from writhe.solvers.posing.handles import Target
from writhe.terms import Term

BLEND = 0.5  # share of the new pose in the blending (Algorithm 1, line 7); not printed
_RELATION_WEIGHT = 20.0  # of Eq. 5 as a soft term: that of a dragged point
_MIDPOINT_ROUNDS = 8  # solves in which the joints of a relation approach each other's place


@dataclass(frozen=True)
class Reading:
    """How Algorithm 1 is read where its text leaves something open."""

    on_object: bool = False  # planes move with what they were found on
    until_clear: bool = False  # C is emptied in a frame without collision
    passes: int = 1  # above 1: C is emptied in every frame and filled in up to so many passes
    blend: float = BLEND  # alpha, the share of the new pose
    world_vector: bool = False  # relations of positions as in Eq. 5


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
    """Algorithm 1 read as intended: all constraints of a frame are solved together.

    Half-spaces as equalities (Eq. 3) from collisions, without the gate; L-BFGS with bounds, the
    last motion as a prediction inside the objective, clamped, then blended with the last pose.
    `Algorithm1Method` follows the printed loop instead.
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
            _fix_in_world(objective.spaces, response.skeleton, moved)
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
    move the body. A `Reading` decides what the text leaves open. IK is solved by Gauss-Newton,
    which has the same minimum as L-BFGS and costs less for hundreds of solves a frame.
    """

    def __init__(
        self, scenario: Scenario, options: ResponseOptions, reading: Reading | None = None
    ) -> None:
        self.reading = reading or Reading()
        self._vectors: list[WorldVector] = []
        if self.reading.world_vector:
            scenario, self._vectors = _with_world_vectors(scenario)
        super().__init__(scenario, options)
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
        again = self.reading.passes > 1
        clock = time.perf_counter()
        if again or (self.reading.until_clear and not self._collides(here)):
            self._all.used[0] = 0
        self._detect(here)  # lines 1 and 2
        detect, clock = time.perf_counter() - clock, time.perf_counter()
        new = here
        if self._all.used[0]:  # line 3
            predicted = np.empty_like(here)
            kinematics.integrate(response.skeleton.tree, here, response.velocity, predicted)
            new = self._one_by_one(predicted, predicted, here)
        elif targets:
            self._one.used[0] = 0
            objective.spaces = self._one
            new = response.clamp_displacement(here, self._solved(here))
        for _ in range(self.reading.passes - 1):
            if not self._collides(new):
                break
            self._detect(new)
            new = self._one_by_one(new, here, new)
        kinematics.difference(response.skeleton.tree, here, new, response.velocity)
        self.errors.append(self._relation_error(new))
        return new, 1e3 * (time.perf_counter() - clock), 1e3 * detect

    def _one_by_one(self, start: Floats, base: Floats, last: Floats) -> Floats:
        """Lines 4 to 8 from `start`: clamped about `base`, blended with `last`."""
        response, solved = self.response, start
        for row in range(int(self._all.used[0])):
            self._select(row)
            solved = response.clamp_displacement(base, self._solved(solved))
            solved = _blended(response.skeleton, last, solved, self.reading.blend)
        return solved

    def _solved(self, start: Floats) -> Floats:
        """IK from `start` for the selected constraint."""
        if not self._vectors:
            return self.response.objective.solve(start)[0]
        solved = start
        for _ in range(_MIDPOINT_ROUNDS):
            frames = forward(self.response.skeleton, solved)
            terms = self.response.objective.terms
            for vector in self._vectors:
                a = frames.point(vector.joint, vector.point_in_joint)
                middle = 0.5 * (a + frames.position(vector.other))
                for name, sign in zip(vector.names, (0.5, -0.5), strict=True):
                    at = terms.slice_of(name)
                    terms.lower[at] = terms.upper[at] = middle + sign * vector.difference
            solved = self.response.objective.solve(solved)[0]
        return solved

    def _relation_error(self, q: Floats) -> float:
        """The largest violation of a relation, metres (or the sine of an angle)."""
        found = self.response.handle_terms.relation_errors(q)
        frames = forward(self.response.skeleton, q)
        for vector in self._vectors:
            for name in vector.names:
                found.pop(name)
            apart = frames.point(vector.joint, vector.point_in_joint) - frames.position(
                vector.other
            )
            found[vector.joint] = float(np.linalg.norm(apart - vector.difference))
        return max(found.values(), default=0.0)

    def _detect(self, q: Floats) -> None:
        self.response.objective.spaces = self._all
        self.response.add_colliding_half_spaces(q)
        if not self.reading.on_object:
            _fix_in_world(self._all, self.response.skeleton, q)

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


@dataclass(frozen=True)
class WorldVector:
    """The relation of Eq. 5: x_k - x_l keeps its value d of the start, in the world.

    With m the midpoint of the two joints, 2 (|x_k - m - d/2|^2 + |x_l - m + d/2|^2) is at least
    |x_k - x_l - d|^2, and equal to it where m was taken: two soft terms, solved and moved in turn,
    minimise the latter.
    """

    joint: str
    point_in_joint: Floats
    other: str
    difference: Floats

    @property
    def names(self) -> tuple[str, str]:
        """Labels of the two terms."""
        return f"relation {self.joint}", f"relation {self.other}"

    def terms(self) -> list[Term]:
        """The two terms; their targets are set before every solve."""
        x, y, z = (float(c) for c in self.point_in_joint)
        points = Point(self.joint, (x, y, z)), Point(self.other)
        weight = _RELATION_WEIGHT * np.sqrt(2.0)
        return [
            Term(point, np.zeros(3), np.zeros(3), weight, label=name)
            for point, name in zip(points, self.names, strict=True)
        ]


def _with_world_vectors(scenario: Scenario) -> tuple[Scenario, list[WorldVector]]:
    """The scenario with relations of positions as in Eq. 5, and these."""
    at = forward(scenario.scene.layout.skeleton, scenario.start)
    vectors: list[WorldVector] = []
    kept: list[Term] = []
    for term in scenario.relations:
        quantity = term.quantity
        if not isinstance(quantity, Point) or quantity.seen_from is None:
            kept.append(term)
            continue
        local = np.array(quantity.point_in_joint)
        apart = at.point(quantity.joint, local) - at.position(quantity.seen_from)
        vectors.append(WorldVector(quantity.joint, local, quantity.seen_from, apart))
    kept += [term for vector in vectors for term in vector.terms()]
    return replace(scenario, relations=tuple(kept)), vectors


def _fix_in_world(spaces: HalfSpaces, skeleton: Skeleton, q: Floats) -> None:
    """Keep the planes that were found on objects where they are in the world at q.

    Those on other parts of a body move with them: the paper's algorithm has objects only.
    """
    positions, rotations = _frames(skeleton, q)
    for row in range(int(spaces.used[0])):
        joint = int(spaces.joints[row, 1])
        if joint < 0 or "." in skeleton.names[joint]:  # in the world already, or of an actor
            continue
        spaces.normal[row] = rotations[joint] @ spaces.normal[row]
        spaces.offset[row] += spaces.normal[row] @ positions[joint]
        spaces.joints[row, 1] = -1


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


def _blended(skeleton: Skeleton, q_from: Floats, q_to: Floats, share: float = BLEND) -> Floats:
    """Interpolate from one pose to another."""
    out = np.empty_like(q_to)
    kinematics.interpolate(skeleton.tree, q_from, q_to, share, out)
    return out
