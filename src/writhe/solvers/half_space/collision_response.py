"""Collision response (Algorithm 1): a scene in which objects are moved into characters.

A step follows the objects to where they are wanted. What is near becomes half-spaces; the pose goes
on as it moved (blending), held by the half-spaces and by what the user wants; the way there is
certified, and what stands in it becomes further half-spaces, until the way is clear. When it does
not become clear the objects are stopped where it ends.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from writhe.arrays import Bools, Floats, floats
from writhe.collision import Gate, NearPairs
from writhe.errors import UnknownNameError, WritheError
from writhe.kernels.skeleton import kinematics
from writhe.kernels.terms.half_space_rows import accumulate, release
from writhe.scene import ObjectKind, Scene
from writhe.solvers.half_space.escape import Escape
from writhe.solvers.half_space.handle_terms import ResponseWishes
from writhe.solvers.half_space.multistart import ClearPoseSearch
from writhe.solvers.half_space.objective import Objective
from writhe.solvers.half_space.options import ResponseOptions
from writhe.solvers.half_space.result import Effort, ResponseResult
from writhe.solvers.posing.handles import Pin, Target
from writhe.solvers.posing.poser import GateReport
from writhe.solvers.result import Status
from writhe.terms import Term

_LESS = 0.8  # of the way that was certified, tried by itself
_LEAST_SHARE = 0.05
_ROUNDS_AGAIN = 2
_MOVES = 0.2  # objects that go a smaller share of their way in a step are stuck
_HAPPENS_M = 1e-4  # objects that lag behind by less have arrived
_STILL = 1e-5  # a step that changes no coordinate by more has changed nothing


@dataclass(frozen=True)
class _Stuck:
    """A step that changed nothing: asked to go the same way again, the same comes of it."""

    q: Floats
    goal: Floats  # with the objects where the first part of the step should have taken them
    handles: tuple[Target | Pin, ...]
    fraction: float

    def again(self, q: Floats, goal: Floats, handles: tuple[Target | Pin, ...]) -> bool:
        same = np.array_equal(q, self.q) and float(np.abs(goal - self.goal).max()) < _STILL
        return same and handles == self.handles


class Response:
    """Moves a scene's characters out of the way of its objects. Not to be shared by threads.

    Configurations are those of the whole scene (`scene.layout`); joints are called "actor.joint".
    """

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
        self.wishes = ResponseWishes(self.skeleton, self.objective, self.options)
        self.gate = Gate(self.table)
        self.near = NearPairs(self.table)
        n, nv = len(self.skeleton), self.skeleton.dof_count
        self._positions, self._rotations = np.empty((n, 3)), np.empty((n, 3, 3))
        self._up_to = np.ones(n)  # right up to the surface
        self._approach = np.full(n, self.options.approach)
        for thing in scene.objects:
            if thing.kind is not ObjectKind.FIXED:
                self._approach[self.skeleton.index(thing.name)] = self.options.cushion
        self.velocity = np.zeros(nv)  # the last step's movement
        self.home: Floats | None = None
        self.escape: Escape | None = None
        self._stuck: _Stuck | None = None
        self._seconds = {"detect": 0.0, "solve": 0.0, "gate": 0.0}

    def keep(self, relations: Sequence[Term]) -> None:
        """Terms that hold from now on: relative positions, directions, distances, half-spaces."""
        self.wishes.keep(relations)
        self.escape = self._stuck = None

    def reset(self) -> None:
        """Forget movement and half-spaces, as after a jump to another pose."""
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
        """The scene a step later, with its moved objects at (or on the way to) `objects`.

        A pose is (7,): position and quaternion w, x, y, z; objects not named stay.
        """
        begun = time.perf_counter()
        options = self.options
        q = floats(q, (self.skeleton.configuration_size,), "the scene's configuration").copy()
        if self.home is None:
            self.home = q.copy()
        for name in self._seconds:
            self._seconds[name] = 0.0
        wanted, handles = self._wanted(q, objects or {}), (*targets, *pins)
        self.wishes.prepare(targets, pins)
        before = q.copy()
        travel = self._travel(q, wanted)
        parts = int(np.clip(np.ceil(travel / options.travel_m), 1, options.most_parts))
        reach = min(1.0, parts * options.travel_m / max(travel, 1e-12))
        rounds = iterations = 0
        fraction, first_error = 1.0, self._first_error(q)
        ahead, stuck = self._on_the_way(q, wanted, reach / parts), self._stuck
        if stuck is not None and stuck.again(q, ahead, handles):
            self._look_for_a_way_out(q, wanted, stuck.fraction)
            if self.escape is None or self.escape.goal is None:
                effort = self._effort(begun, 0, 0)
                return self._result(q, wanted, targets, pins, stuck.fraction, first_error, effort)
        pull = None if self.escape is None else self.escape.pull(q)
        if pull is not None:
            q, _, taken = self._advance(q, q, 1, pull)
            rounds, iterations = taken
        for part in range(parts):
            goal = self._on_the_way(q, wanted, reach / (1.0 - reach * part / parts) / parts)
            q, safe, taken = self._advance(q, goal, parts)
            fraction = min(fraction, safe)
            rounds, iterations = rounds + taken[0], iterations + taken[1]
            if safe < 1.0:
                break
        self._look_for_a_way_out(q, wanted, fraction)
        kinematics.difference(self.skeleton.tree, before, q, self.velocity)
        still = fraction < 1.0 and float(np.abs(self.velocity).max(initial=0.0)) < _STILL
        self.velocity[~self.free] = 0.0
        effort = self._effort(begun, rounds, iterations)
        self._stuck = _Stuck(q.copy(), ahead, handles, fraction) if still else None
        return self._result(q, wanted, targets, pins, fraction, first_error, effort)

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

    # --- Algorithm 1

    def _advance(
        self, q: Floats, goal: Floats, parts: int, pull: Floats | None = None
    ) -> tuple[Floats, float, tuple[int, int]]:
        """One part of a step: from q with the objects moving to where they are in `goal`.

        Where the whole way cannot be certified the objects go a part of it, or stay; the body then
        moves as suits that, not as it would have been squeezed.
        """
        options, objective = self.options, self.objective
        self._forward(q)
        self._release()
        self._detect(options.near_m + self._travel(q, goal), self._approach, options.recovery_m)
        self.wishes.aim(self._positions, self._rotations, 1.0 / parts)
        objective.wanted[:] = options.blend * self.velocity / parts
        if pull is not None:
            objective.wanted += (1.0 - options.blend) * pull
        elif options.comeback > 0.0 and self.home is not None:
            back = np.empty_like(objective.wanted)
            kinematics.difference(self.skeleton.tree, q, self.home, back)
            objective.wanted += options.comeback / parts * back
        tried, fraction, rounds, iterations = self._attempt(q, goal, options.rounds)
        if fraction >= 1.0:
            return tried, 1.0, (rounds, iterations)
        for share in (_LESS * fraction, 0.0):
            if 0.0 < share < _LEAST_SHARE:
                continue
            nearer = self._on_the_way(q, goal, share)
            tried, safe, more, taken = self._attempt(q, nearer, _ROUNDS_AGAIN)
            rounds, iterations = rounds + more, iterations + taken
            if safe >= 1.0:
                return tried, share, (rounds, iterations)
        stopped = np.empty_like(q)
        kinematics.interpolate(self.skeleton.tree, q, tried, safe, stopped)
        return stopped, 0.0, (rounds, iterations)

    def _attempt(self, q: Floats, goal: Floats, rounds: int) -> tuple[Floats, float, int, int]:
        """Solve, certify, accumulate what stands in the way, again; the best way and its share."""
        options = self.options
        best, best_fraction, iterations, turn = q, -1.0, 0, 0
        stopped = np.empty_like(q)
        for turn in range(rounds):
            clock = time.perf_counter()
            tried, taken = self.objective.solve(goal)
            tried = self.clamped(goal, tried)
            self._seconds["solve"] += time.perf_counter() - clock
            iterations += taken
            if not options.gate:
                return tried, 1.0, turn + 1, iterations
            clock = time.perf_counter()
            fraction = self.gate.fraction(q, tried)
            self._seconds["gate"] += time.perf_counter() - clock
            if fraction > best_fraction:
                best, best_fraction = tried, fraction
            if fraction >= 1.0:
                break
            # what stands in the way, seen where the way ends: planes move on with their objects
            kinematics.interpolate(self.skeleton.tree, q, tried, fraction, stopped)
            self._forward(stopped)
            fresh = self._detect(options.margin_m + 0.5 * options.near_m, self._up_to, 1.0)
            if fresh == 0 and turn > 0:
                break
        return best, best_fraction, turn + 1, iterations

    def _look_for_a_way_out(self, q: Floats, wanted: Floats, fraction: float) -> None:
        options = self.options
        if not options.escape or fraction > _MOVES or not options.gate:
            return
        if self.escape is None:
            search = ClearPoseSearch(self.table, self.free, self.wishes.lasting, options)
            self.escape = Escape(search)
        share = options.ahead_m / max(self._travel(q, wanted), options.ahead_m)
        clock = time.perf_counter()
        self.escape.look(self._on_the_way(q, wanted, share))
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
        """Near pairs at the frames that `_forward` left become half-spaces; how many are new."""
        options = self.options
        clock = time.perf_counter()
        self.near.find(self._positions, self._rotations, distance_m)
        fresh = accumulate(
            self.near.rows,
            self.near.count,
            self.table.shapes.radius,
            self._positions,
            self._rotations,
            options.margin_m,
            approach,
            recovery_m,
            float(np.cos(np.radians(options.same_degrees))),
            options.same_m,
            self.objective.spaces,
        )
        self._seconds["detect"] += time.perf_counter() - clock
        return int(fresh)

    def clamped(self, start: Floats, tried: Floats) -> Floats:
        """The displacement shortened so that no coordinate exceeds the clamp."""
        y = np.empty(self.skeleton.dof_count)
        kinematics.difference(self.skeleton.tree, start, tried, y)
        longest = float(np.abs(y).max(initial=0.0))
        if longest <= self.options.clamp_rad:
            return tried
        out = np.empty_like(tried)
        share = self.options.clamp_rad / longest
        kinematics.interpolate(self.skeleton.tree, start, tried, share, out)
        return out

    def gather_colliding(self, q: Floats) -> int:
        """What overlaps at q becomes half-spaces on the surface, as published; how many are new."""
        self._forward(q)
        return self._detect(0.0, self._up_to, 1.0)

    def _forward(self, q: Floats) -> None:
        kinematics.forward(self.skeleton.tree, q, self._positions, self._rotations)

    # --- objects

    def _free(self, actors: Sequence[str] | None) -> Bools:
        """The coordinates that may change: those of the actors, their roots if asked."""
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

    def _wanted(self, q: Floats, objects: Mapping[str, Floats]) -> Floats:
        """q with the objects where they are wanted."""
        out = q.copy()
        for name, pose in objects.items():
            if self.scene.object(name).kind is ObjectKind.FIXED:
                raise WritheError(f"the object {name!r} is fixed: make it moved or animated")
            own = floats(pose, (7,), f"the pose of {name!r}").copy()
            own[3:] /= np.linalg.norm(own[3:])
            out[self.layout.object_q[name]] = own
        return out

    def _travel(self, q: Floats, goal: Floats) -> float:
        """How far a point of an object goes at most on the way to `goal`."""
        most, step = 0.0, np.empty(self.skeleton.dof_count)
        kinematics.difference(self.skeleton.tree, q, goal, step)
        for name, at in self.layout.object_v.items():
            if at.stop == at.start:
                continue
            turn = float(np.linalg.norm(step[at.start + 3 : at.stop]))
            shift = float(np.linalg.norm(step[at.start : at.start + 3]))
            most = max(most, shift + turn * self._size_m(name))
        return most

    def _size_m(self, name: str) -> float:
        joint = self.skeleton.index(name)
        reach = self.table.bodies.reach[self.table.bodies.joint == joint]
        return float(reach.max(initial=0.0))

    def _on_the_way(self, q: Floats, wanted: Floats, share: float) -> Floats:
        """q with the objects a share of the way to where they are wanted."""
        out = np.empty_like(q)
        kinematics.interpolate(self.skeleton.tree, q, wanted, min(share, 1.0), out)
        for at in self.layout.actor_q.values():
            out[at] = q[at]
        return out

    # --- the answer

    def _first_error(self, q: Floats) -> float:
        self._forward(q)
        return self.wishes.error(self._positions, self._rotations)

    def _result(
        self,
        q: Floats,
        wanted: Floats,
        targets: Sequence[Target],
        pins: Sequence[Pin],
        fraction: float,
        first_error: float,
        effort: Effort,
    ) -> ResponseResult:
        self._forward(q)
        errors = self.wishes.errors(self._positions, self._rotations)
        self.near.find(self._positions, self._rotations, self.options.near_m)
        clearance = self.near.clearance
        late = {
            name: float(
                np.linalg.norm(q[at.start : at.start + 3] - wanted[at.start : at.start + 3])
            )
            for name, at in self.layout.object_q.items()
            if at.stop > at.start
        }
        blocked = tuple(n for n, metres in late.items() if metres > _HAPPENS_M and fraction < 1.0)
        worst = max(errors[: len(targets)], default=0.0)
        relations = self.wishes.relation_errors(q)
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
            max(late.values(), default=0.0),
            float(clearance.min()) if self.near.count else None,
            {t.joint: e for t, e in zip(targets, errors, strict=False)},
            {p.joint: e for p, e in zip(pins, errors[len(targets) :], strict=True)},
            relations,
            GateReport(self.options.gate, fraction, 0.0 < fraction < 1.0, fraction <= 0.0),
            effort,
        )
