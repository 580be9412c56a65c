"""Collision response: a scene in which objects are moved into characters.

Algorithm 1 of the paper on half-space constraints (docs/half-space-ik.md), with certified steps.

A step moves the objects towards their goals. Near pairs become half-spaces; the pose continues its
last movement (blending), subject to the half-spaces and the handles. The step is then certified:
pairs that obstruct it become further half-spaces and it is solved again, until it is clear. If it
does not become clear, the objects stop after its certified part.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from writhe.arguments import check, checked
from writhe.arrays import Bools, Floats
from writhe.collision import Gate, NearPairs
from writhe.errors import UnknownNameError
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.half_space_rows import PlaneSettings, accumulate, release
from writhe.scene import ObjectKind, Scene
from writhe.skeleton.configurations import configuration
from writhe.solvers.half_space.escape import Escape
from writhe.solvers.half_space.handle_terms import HandleTerms
from writhe.solvers.half_space.multistart import ClearPoseSearch
from writhe.solvers.half_space.objective import Objective
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.half_space.result import Effort, ResponseResult
from writhe.solvers.half_space.scene_objects import SceneObjects
from writhe.solvers.posing.handles import Pin, Target, check_handles
from writhe.solvers.posing.poser import GateReport
from writhe.solvers.result import Status
from writhe.terms import Term

_RETRY_SHARE = 0.8  # fraction of the certified part that is tried again
_MIN_SHARE = 0.05  # smaller fractions are not tried
_RETRY_ROUNDS = 2
_STUCK_SHARE = 0.2  # below this fraction of its step an object counts as blocked
_ARRIVED_M = 1e-4  # objects closer than this to their goal have arrived
_STILL = 1e-5  # changes of all coordinates below this count as no motion


@dataclass(frozen=True)
class _Stuck:
    """The input of a step that changed nothing, so that an identical one need not be solved."""

    q: Floats
    goal: Floats  # q with the objects after the first substep
    handles: tuple[Target | Pin, ...]
    fraction: float

    def matches(self, q: Floats, goal: Floats, handles: tuple[Target | Pin, ...]) -> bool:
        """Whether a step from q has the same input."""
        same = np.array_equal(q, self.q) and float(np.abs(goal - self.goal).max()) < _STILL
        return same and handles == self.handles


class CollisionResponse:
    """Moves a scene's characters out of the way of its objects. Not thread-safe.

    Configurations are those of the whole scene (`scene.layout`); joint names are "actor.joint".
    """

    @checked
    def __init__(
        self,
        scene: Scene,
        options: ResponseOptions | None = None,
        *,
        actors: Sequence[str] | None = None,
    ) -> None:
        self.scene = scene
        self.layout = scene.layout
        self.options = options or ResponseOptions()
        self.skeleton = self.layout.skeleton
        self.table = self.layout.table
        self.free = self._free(actors)
        self.objective = Objective(self.skeleton, self.free, self.options)
        self.handle_terms = HandleTerms(self.skeleton, self.objective, self.options)
        self.objects = SceneObjects(scene)
        self.gate = Gate(self.table)
        self.near = NearPairs(self.table)
        n, nv = len(self.skeleton), self.skeleton.dof_count
        self._positions, self._rotations = np.empty((n, 3)), np.empty((n, 3, 3))
        self._full_approach = np.ones(n)  # up to contact
        self._approach = np.full(n, self.options.approach)
        for scene_object in scene.objects:
            if scene_object.kind is not ObjectKind.FIXED:
                self._approach[self.skeleton.index(scene_object.name)] = (
                    self.options.approach_moving
                )
        self.velocity = np.zeros(nv)  # the last step's movement
        # where the first step since the last reset began; the scene returns to it
        self.home: Floats | None = None
        self.escape: Escape | None = None
        self._stuck: _Stuck | None = None
        self._seconds = {"detect": 0.0, "solve": 0.0, "gate": 0.0}

    def set_relations(self, relations: Sequence[Term]) -> None:
        """Replace the relations: relative positions, directions, distances, half-spaces."""
        self.handle_terms.set_relations(relations)
        self.escape = self._stuck = None

    def reset(self) -> None:
        """Discard velocity and half-spaces; call it after setting another pose."""
        self.velocity[:] = 0.0
        self.objective.spaces.used[0] = 0
        self.home = None
        self.escape = self._stuck = None

    def step(
        self,
        q: Floats,
        targets: Sequence[Target] = (),
        pins: Sequence[Pin] = (),
        objects: Mapping[str, Floats] | None = None,
    ) -> ResponseResult:
        """The scene after one step towards the object poses `objects` and the handles.

        A pose is (7,): position and quaternion w, x, y, z; objects not named stay.
        """
        begun = time.perf_counter()
        options = self.options
        check_handles(targets, pins)
        check(objects, Mapping[str, ArrayLike] | None, "the poses of objects")
        q = configuration(self.skeleton, q, "the scene's configuration").copy()
        if self.home is None:
            self.home = q.copy()
        for name in self._seconds:
            self._seconds[name] = 0.0
        object_goals, handles = self.objects.placed(q, objects or {}), (*targets, *pins)
        self.handle_terms.prepare(targets, pins)
        before = q.copy()
        travel = self.objects.travel_m(q, object_goals)
        substeps = int(np.clip(np.ceil(travel / options.substep_travel_m), 1, options.max_substeps))
        reach = min(1.0, substeps * options.substep_travel_m / max(travel, 1e-12))
        rounds = iterations = 0
        fraction, first_error = 1.0, self._first_error(q)
        ahead, stuck = self.objects.moved(q, object_goals, reach / substeps), self._stuck
        if stuck is not None and stuck.matches(q, ahead, handles):
            self._search_escape(q, object_goals, stuck.fraction)
            if self.escape is None or self.escape.goal is None:
                effort = self._effort(begun, 0, 0)
                return self._result(
                    q, object_goals, targets, pins, stuck.fraction, first_error, effort
                )
        pull = None if self.escape is None else self.escape.pull(q)
        if pull is not None:
            q, _, taken = self._advance(q, q, 1, pull)
            rounds, iterations = taken
        for substep in range(substeps):
            goal = self.objects.moved(
                q, object_goals, reach / (1.0 - reach * substep / substeps) / substeps
            )
            q, safe, taken = self._advance(q, goal, substeps)
            fraction = min(fraction, safe)
            rounds, iterations = rounds + taken[0], iterations + taken[1]
            if safe < 1.0:
                break
        self._search_escape(q, object_goals, fraction)
        kinematics.difference(self.skeleton.tree, before, q, self.velocity)
        still = fraction < 1.0 and float(np.abs(self.velocity).max(initial=0.0)) < _STILL
        self.velocity[~self.free] = 0.0
        effort = self._effort(begun, rounds, iterations)
        self._stuck = _Stuck(q.copy(), ahead, handles, fraction) if still else None
        return self._result(q, object_goals, targets, pins, fraction, first_error, effort)

    def _effort(self, begun: float, rounds: int, iterations: int) -> Effort:
        return Effort(
            1e3 * (time.perf_counter() - begun),
            1e3 * self._seconds["detect"],
            1e3 * self._seconds["solve"],
            1e3 * self._seconds["gate"],
            int(self.objective.spaces.used[0]),
            rounds,
            iterations,
        )

    # --- Algorithm 1 of the paper

    def _advance(
        self, q: Floats, goal: Floats, substeps: int, pull: Floats | None = None
    ) -> tuple[Floats, float, tuple[int, int]]:
        """One substep: from q with the objects moving to their poses in `goal`.

        If it cannot be certified, it is solved again with the objects moving a fraction of it, or
        not at all. Returns the configuration, the fraction of the objects' motion, and the numbers
        of rounds and iterations.
        """
        options, objective = self.options, self.objective
        self._forward(q)
        self._release()
        self._detect(
            options.near_m + self.objects.travel_m(q, goal), self._approach, options.recovery_m
        )
        self.handle_terms.aim(self._positions, self._rotations, 1.0 / substeps)
        objective.predicted_step[:] = options.blend * self.velocity / substeps
        if pull is not None:
            objective.predicted_step += (1.0 - options.blend) * pull
        elif options.return_fraction > 0.0 and self.home is not None:
            back = np.empty_like(objective.predicted_step)
            kinematics.difference(self.skeleton.tree, q, self.home, back)
            objective.predicted_step += options.return_fraction / substeps * back
        tried, fraction, rounds, iterations = self._attempt(q, goal, options.rounds)
        if fraction >= 1.0:
            return tried, 1.0, (rounds, iterations)
        for share in (_RETRY_SHARE * fraction, 0.0):
            if 0.0 < share < _MIN_SHARE:
                continue
            nearer = self.objects.moved(q, goal, share)
            tried, safe, more, taken = self._attempt(q, nearer, _RETRY_ROUNDS)
            rounds, iterations = rounds + more, iterations + taken
            if safe >= 1.0:
                return tried, share, (rounds, iterations)
        stopped = np.empty_like(q)
        kinematics.interpolate(self.skeleton.tree, q, tried, safe, stopped)
        return stopped, 0.0, (rounds, iterations)

    def _attempt(self, q: Floats, goal: Floats, rounds: int) -> tuple[Floats, float, int, int]:
        """Solve, certify and accumulate obstructing half-spaces for up to `rounds` rounds.

        Returns the best configuration, its certified fraction, and the rounds and iterations used.
        """
        options = self.options
        best, best_fraction, iterations, round_number = q, -1.0, 0, 0
        stopped = np.empty_like(q)
        for round_number in range(rounds):
            clock = time.perf_counter()
            tried, taken = self.objective.solve(goal)
            tried = self.clamp_displacement(goal, tried)
            self._seconds["solve"] += time.perf_counter() - clock
            iterations += taken
            if not options.gate:
                return tried, 1.0, round_number + 1, iterations
            clock = time.perf_counter()
            fraction = self.gate.fraction(q, tried)
            self._seconds["gate"] += time.perf_counter() - clock
            if fraction > best_fraction:
                best, best_fraction = tried, fraction
            if fraction >= 1.0:
                break
            # half-spaces from the pose where the step was stopped: they move with their objects
            kinematics.interpolate(self.skeleton.tree, q, tried, fraction, stopped)
            self._forward(stopped)
            fresh = self._detect(options.margin_m + 0.5 * options.near_m, self._full_approach, 1.0)
            if fresh == 0 and round_number > 0:
                break
        return best, best_fraction, round_number + 1, iterations

    def _search_escape(self, q: Floats, object_goals: Floats, fraction: float) -> None:
        options = self.options
        if not options.escape or fraction > _STUCK_SHARE or not options.gate:
            return
        if self.escape is None:
            search = ClearPoseSearch(
                self.table, self.free, self.handle_terms.permanent_terms, options
            )
            self.escape = Escape(search)
        share = options.lookahead_m / max(
            self.objects.travel_m(q, object_goals), options.lookahead_m
        )
        clock = time.perf_counter()
        self.escape.look(self.objects.moved(q, object_goals, share))
        self._seconds["solve"] += time.perf_counter() - clock

    def _release(self) -> None:
        options = self.options
        release(
            self.objective.spaces,
            self._positions,
            self._rotations,
            options.margin_m,
            self._approach,
            options.release_m,
            options.lifetime,
        )

    def _detect(self, distance_m: float, approach: Floats, recovery_m: float) -> int:
        """Turn the near pairs of the last `_forward` into half-spaces; returns how many are new."""
        options = self.options
        clock = time.perf_counter()
        self.near.find(self._positions, self._rotations, distance_m)
        fresh = accumulate(
            self.near.rows,
            self.near.count,
            self.table.shapes.radius,
            self._positions,
            self._rotations,
            approach,
            PlaneSettings(
                options.margin_m,
                recovery_m,
                float(np.cos(np.radians(options.merge_degrees))),
                options.merge_m,
            ),
            self.objective.spaces,
        )
        self._seconds["detect"] += time.perf_counter() - clock
        return int(fresh)

    def clamp_displacement(self, start: Floats, tried: Floats) -> Floats:
        """`tried` moved back towards `start` so that no coordinate exceeds max_displacement_rad."""
        y = np.empty(self.skeleton.dof_count)
        kinematics.difference(self.skeleton.tree, start, tried, y)
        longest = float(np.abs(y).max(initial=0.0))
        if longest <= self.options.max_displacement_rad:
            return tried
        out = np.empty_like(tried)
        share = self.options.max_displacement_rad / longest
        kinematics.interpolate(self.skeleton.tree, start, tried, share, out)
        return out

    def add_colliding_half_spaces(self, q: Floats) -> int:
        """Turn overlaps at q into half-spaces at the surface, as published; returns how many."""
        self._forward(q)
        return self._detect(0.0, self._full_approach, 1.0)

    def _forward(self, q: Floats) -> None:
        kinematics.forward(self.skeleton.tree, q, self._positions, self._rotations)

    def _free(self, actors: Sequence[str] | None) -> Bools:
        """(nv,) mask of the actors' degrees of freedom, without their roots unless `root_free`."""
        names = [a.name for a in self.scene.actors if not a.driven] if actors is None else actors
        free = np.zeros(self.skeleton.dof_count, dtype=np.bool_)
        for name in names:
            if name not in self.layout.actor_v:
                raise UnknownNameError("actor", name, list(self.layout.actor_v))
            at = self.layout.actor_v[name]
            free[at] = True
            if not self.options.root_free:
                free[at.start : at.start + 6] = False
        return free

    # --- result

    def _first_error(self, q: Floats) -> float:
        self._forward(q)
        return self.handle_terms.error(self._positions, self._rotations)

    def _result(
        self,
        q: Floats,
        object_goals: Floats,
        targets: Sequence[Target],
        pins: Sequence[Pin],
        fraction: float,
        first_error: float,
        effort: Effort,
    ) -> ResponseResult:
        self._forward(q)
        errors = self.handle_terms.errors(self._positions, self._rotations)
        self.near.find(self._positions, self._rotations, self.options.near_m)
        clearance = self.near.clearance
        lag = {
            name: float(
                np.linalg.norm(q[at.start : at.start + 3] - object_goals[at.start : at.start + 3])
            )
            for name, at in self.layout.object_q.items()
            if at.stop > at.start
        }
        blocked = tuple(n for n, metres in lag.items() if metres > _ARRIVED_M and fraction < 1.0)
        worst = max(errors[: len(targets)], default=0.0)
        relations = self.handle_terms.relation_errors(q)
        if worst <= 0.005 and max(relations.values(), default=0.0) <= 0.001 and not blocked:
            status = Status.REACHED
        elif worst < 0.98 * first_error:
            status = Status.APPROACHING
        else:
            status = Status.SETTLED
        return ResponseResult(
            q,
            status,
            blocked,
            max(lag.values(), default=0.0),
            float(clearance.min()) if self.near.count else None,
            {t.joint: e for t, e in zip(targets, errors, strict=False)},
            {p.joint: e for p, e in zip(pins, errors[len(targets) :], strict=True)},
            relations,
            GateReport(self.options.gate, fraction, 0.0 < fraction < 1.0, fraction <= 0.0),
            effort,
        )
