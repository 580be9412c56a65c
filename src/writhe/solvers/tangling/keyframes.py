"""Keyframes in topology space, and the motion through them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from writhe.arguments import checked
from writhe.arrays import Bools, Floats
from writhe.collision import CollisionTable
from writhe.database.posture import joint_importance
from writhe.errors import WritheError
from writhe.progress import Progress
from writhe.skeleton import JointKind, Skeleton
from writhe.solvers.tangling.driven_motion import DrivenMotion
from writhe.solvers.tangling.goals import StrandGoal
from writhe.solvers.tangling.options import TangleOptions
from writhe.solvers.tangling.solve import SolveOptions, TangleResult, solve
from writhe.solvers.tangling.stepper import TangleStepper
from writhe.terms import Term

ROOT_SHIFT, ROOT_TURN = 12.0, 3.0  # entries of `motion_metric` for free joints


@dataclass(frozen=True)
class TangleSetup:
    """What all keyframes of a motion share: bodies, permanent constraints, options."""

    table: CollisionTable
    terms: tuple[Term, ...] = ()
    options: TangleOptions = field(default_factory=TangleOptions)
    variables: Bools | None = None
    metric: Floats | None = None

    def stepper(
        self,
        goals: Sequence[StrandGoal],
        terms: Sequence[Term] = (),
        *,
        variables: Bools | None = None,
        options: TangleOptions | None = None,
    ) -> TangleStepper:
        """A stepper for these goals; `variables` (nv) marks what may move."""
        return TangleStepper(
            self.table,
            goals,
            (*self.terms, *terms),
            options or self.options,
            variables=self.variables if variables is None else variables,
            metric=self.metric,
        )


@dataclass(frozen=True)
class TangleKeyframe:
    """The goals at a key: strand goals, kinematic terms, and a posture to approach.

    With `order` "together" all goals are pursued at once; with "given" they are added one after the
    other. `active` (nv) marks the degrees of freedom that may move towards this key (the active
    character); `solve` holds the stopping criteria.
    """

    name: str
    goals: tuple[StrandGoal, ...] = ()
    terms: tuple[Term, ...] = ()
    posture: Floats | None = None
    pull: float = 0.1
    order: str = "together"
    active: Bools | None = None
    solve: SolveOptions = field(default_factory=SolveOptions)

    def __post_init__(self) -> None:
        if self.order not in ("together", "given"):
            raise WritheError(
                f"the order of a key is 'together' or 'given', not {self.order!r};"
                " `order_automatically` finds one"
            )


@dataclass(frozen=True)
class TangleStage:
    """Frames `first` to `last` of a motion, and the goals pursued in them."""

    first: int
    last: int
    goals: tuple[StrandGoal, ...]


@dataclass(frozen=True)
class TangleMotion:
    """The motion (frames, nq) through the keyframes, with the result of each."""

    path: Floats
    keys: tuple[str, ...]
    key_frames: tuple[int, ...]  # the frame at which each key was reached or given up
    results: tuple[TangleResult, ...]
    seconds: float  # of solving, from the start to the last frame
    stages: tuple[TangleStage, ...] = ()

    @property
    def reached(self) -> bool:
        """Whether every key was reached."""
        return all(result.reached for result in self.results)

    @property
    def milliseconds(self) -> Floats:
        """(steps,) solving time of every step."""
        return np.concatenate([result.milliseconds for result in self.results])

    @property
    def problems(self) -> tuple[str, ...]:
        """One sentence for each key not reached, with the conflicts found."""
        out: list[str] = []
        for name, result in zip(self.keys, self.results, strict=True):
            if not result.reached:
                missing = ", ".join(result.unmet) or "nothing"
                why = "; ".join(result.conflicts) or "out of steps"
                out.append(f"{name}: {missing} not reached ({why})")
        return tuple(out)


@checked
def animate(
    setup: TangleSetup,
    q: Floats,
    keyframes: Sequence[TangleKeyframe],
    *,
    drive: DrivenMotion | None = None,
    progress: Progress | None = None,
) -> TangleMotion:
    """The motion from q through the keyframes; each starts at the last frame of the one before."""
    start = time.perf_counter()
    path = [q[None]]
    results: list[TangleResult] = []
    stages_done: list[TangleStage] = []
    ends: list[int] = []
    frames = 1
    for done, key in enumerate(keyframes):
        if progress is not None:
            progress(done / len(keyframes), key.name)
        parts: list[TangleResult] = []
        count = len(key.goals)
        stages = range(1, count + 1) if key.order == "given" and count else [count]
        for goal_count in stages:
            options = setup.options
            if key.posture is not None:
                options = replace(options, pull=key.pull)
            stepper = setup.stepper(
                key.goals[:goal_count], key.terms, variables=key.active, options=options
            )
            stepper.reference = key.posture
            result = solve(stepper, path[-1][-1], key.solve, drive=drive)
            path.append(result.path[1:])
            first, frames = frames - 1, frames + len(result.path) - 1
            stages_done.append(TangleStage(first, frames - 1, key.goals[:goal_count]))
            parts.append(result)
            if len(path[-1]) == 0:
                path.pop()
        results.append(_joined(parts))
        ends.append(frames - 1)
    return TangleMotion(
        np.concatenate(path),
        tuple(key.name for key in keyframes),
        tuple(ends),
        tuple(results),
        time.perf_counter() - start,
        tuple(stages_done),
    )


def _joined(parts: list[TangleResult]) -> TangleResult:
    """The stages of a key as one result, with the status of the last."""
    last = parts[-1]
    return replace(
        last,
        path=np.concatenate([parts[0].path, *(part.path[1:] for part in parts[1:])]),
        milliseconds=np.concatenate([part.milliseconds for part in parts]),
        shortened=sum(part.shortened for part in parts),
        refused=sum(part.refused for part in parts),
    )


def motion_metric(skeleton: Skeleton) -> Floats:
    """(nv,) diagonal metric for `TangleStepper`: larger for joints that move more of the body."""
    reach = joint_importance(skeleton)
    out = np.empty(skeleton.dof_count)
    for j, joint in enumerate(skeleton.joints):
        at = skeleton.v_slice(joint.name)
        out[at] = 0.05 + (reach[j] / 0.4) ** 2
        if joint.kind is JointKind.FREE:
            out[at.start : at.start + 3] = ROOT_SHIFT
            out[at.start + 3 : at.stop] = ROOT_TURN
    return out
