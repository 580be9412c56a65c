"""How a drag that is stuck goes back along its own path.

A drag can end in a local minimum, such as a spine at all its limits, from which no small step
brings the body nearer to its target, although the target can be met from where the drag began, or
from a posture soon after. The path back is certified, since every step of the drag was.
`shortened_path` skips the configurations between which a straight motion is certified too and keeps
the pins.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from writhe.arrays import Floats
from writhe.collision import Gate
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Skeleton, forward
from writhe.solvers.posing.handles import Handle

if TYPE_CHECKING:
    from writhe.solvers.posing.actor_in_scene import ActorInScene
    from writhe.solvers.posing.frame_stepper import FrameStepper
    from writhe.solvers.posing.handle_rows import HandleRows
    from writhe.solvers.posing.options import DefaultPoserOptions

_MAX_CHECKS = 400  # of the gate, for one path
_MAX_FRAMES = 120  # of a path
_FRAME_M = 0.16  # farthest that a joint moves in a frame, on a body of human size
_SLOW = 2e-4  # the body hardly moves if a frame changes no entry of q by more than this
# frames in which the body does not come nearer to its targets before a path back is searched: at
# rest, and while the posture prior moves it
_SETTLED_FRAMES, _STUCK_FRAMES = 4, 16
_NEARER = 0.98  # it comes nearer if the worst error is below this fraction of the smallest so far
_FAR = 4.0  # a target is missed by more than this, times the tolerance of targets
_SAME = 2.0  # targets that move by less are the same goals, times the tolerance of targets
_PIN_ERROR = 3.0  # a pin may move by this on a shortened path, times the tolerance of targets
_MAX_VISITED = 1000  # frames of a drag that are remembered
_STEPS = 40  # frames from a posture of the drag to one that meets the targets
_TRIED = (0.0, 0.1, 0.25, 0.5)  # postures tried, as shares of the frames of the drag
_MUCH_NEARER = 0.5  # a posture that does not meet the targets must reduce the error to this share


class Goals(NamedTuple):
    """What a drag is to meet. Orientations are left out: those of laid hands change every frame."""

    targets: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...]  # joint, point, position
    held: tuple[Handle, ...]

    def near(self, other: Goals | None, within_m: float) -> bool:
        """Whether the other goals differ at most by shifts of the targets by this distance."""
        return (
            other is not None
            and self.held == other.held
            and [t[:2] for t in self.targets] == [t[:2] for t in other.targets]
            and all(
                math.dist(mine[2], theirs[2]) <= within_m
                for mine, theirs in zip(self.targets, other.targets, strict=True)
            )
        )


class Retreat:
    """The frames of the current drag, and the path on which it leaves a local minimum.

    While the goals stay the same, a path is searched for once, after the body has stopped short of
    them. A pointer that trembles does not change them.
    """

    def __init__(
        self, actor: ActorInScene, stepper: FrameStepper, options: DefaultPoserOptions
    ) -> None:
        self._actor, self._stepper, self._options = actor, stepper, options
        self._gate = Gate(actor.table)
        # target_tolerance_m is a length that the options scale with the body
        self._frame_m = _FRAME_M * options.target_tolerance_m / type(options)().target_tolerance_m
        self._visited: deque[Floats] = deque(maxlen=_MAX_VISITED)  # q of this drag, oldest first
        self._path: list[Floats] = []  # frames to follow, whole configurations
        self._goals: Goals | None = None  # since the body came no nearer to them
        self._searched_for: Goals | None = None
        self._stuck_frames = self._settled_frames = 0
        self._nearest_m = np.inf  # smallest error of the worst target since the goals were set

    def begin(self, q: Floats) -> None:
        """A new drag, or a new set of handles, at q (nq) of the actor."""
        self._visited.clear()
        self._visited.append(q.copy())
        self._path.clear()
        self._searched_for = self._goals = None

    def visit(self, q: Floats) -> None:
        """Remember a configuration (nq) of the actor."""
        self._visited.append(q.copy())

    def is_stuck(self, goals: Goals, error_m: float, largest_change: float, *, led: bool) -> bool:
        """Whether the body stays away from goals for which no path was searched yet.

        error_m: of the worst target; largest_change: of an entry of q in this frame; led: whether
        the posture prior still moves the body, as it does while targets move or tremble. A body
        that swings to and fro between its targets comes nearer to them in some frames, so an error
        is compared with the smallest one since the goals were set.
        """
        far = error_m > _FAR * self._options.target_tolerance_m
        nearer = error_m < _NEARER * self._nearest_m
        if nearer or not far or not self._same(goals, self._goals):
            self._goals, self._nearest_m = goals, error_m
            self._stuck_frames = self._settled_frames = 0
        else:
            self._stuck_frames += 1
            self._settled_frames = 0 if led else self._settled_frames + 1
        if not self._options.gate or self._same(goals, self._searched_for):
            return False
        return (
            self._settled_frames >= _SETTLED_FRAMES
            or self._stuck_frames >= _STUCK_FRAMES
            or (self._settled_frames > 0 and largest_change < _SLOW)
        )

    def search(self, goals: Goals, rows: HandleRows, must_meet: Sequence[int]) -> bool:
        """Search a path to a posture that is nearer to the targets, back along the drag.

        must_meet: numbers of the targets that must be met. The postures of the drag are tried from
        the first one on, until the targets are met from one; otherwise the best one is taken, if it
        is much nearer to the targets. False if there is none.
        """
        self._searched_for = goals
        stepper, target_tolerance_m, now = (
            self._stepper,
            self._options.target_tolerance_m,
            self._stepper.q.copy(),
        )
        if stepper.touches_objects(_FAR * target_tolerance_m):
            return False  # the user chose on which side of the object the body passes; keep it
        errors = rows.point_errors()
        best_m = min(
            _FAR * target_tolerance_m,
            _MUCH_NEARER * max((errors[i] for i in must_meet), default=0.0),
        )
        visited = [self._actor.full_configuration(q) for q in self._visited]
        found: list[Floats] = []
        for share in _TRIED:
            back = visited[int(share * (len(visited) - 1)) :][::-1]
            ahead, error_m = self._steps_from(back[-1], rows, must_meet)
            if error_m < best_m:
                found, best_m = back + ahead, error_m
            if error_m <= target_tolerance_m:
                break
        if found:
            self._path = self._shortened(rows, found)
        stepper.set_state(now, force=True)
        return bool(self._path)

    def _steps_from(
        self, q: Floats, rows: HandleRows, must_meet: Sequence[int]
    ) -> tuple[list[Floats], float]:
        """The frames of a drag from q (nq) to the targets, and the worst error at the end."""
        self._stepper.set_state(q, force=True)
        frames: list[Floats] = []
        error_m = np.inf
        while len(frames) < _STEPS and error_m > self._options.target_tolerance_m:
            self._stepper.step()
            frames.append(self._stepper.q.copy())
            errors = rows.point_errors()
            error_m = max((errors[i] for i in must_meet), default=0.0)
        return frames, error_m

    def next(self, goals: Goals, whole: Floats) -> Floats | None:
        """The next configuration of the path from `whole`; None if there is none or it is blocked.

        Other goals end the path.
        """
        if self._path and not self._same(goals, self._searched_for):
            self._path.clear()
        if not self._path:
            return None
        ahead = whole.copy()
        ahead[self._actor.q] = self._path.pop(0)[self._actor.q]
        if self._gate.fraction(whole, ahead) < 1.0:
            self._path.clear()
            return None
        return ahead

    def _same(self, goals: Goals, before: Goals | None) -> bool:
        return goals.near(before, _SAME * self._options.target_tolerance_m)

    def warm_up(self, q: Floats) -> None:
        """Load or compile the kernels of a search at q (nq) of the whole model."""
        shortened_path(self._gate, self._actor.skeleton, [q, q.copy()], self._frame_m)

    def _shortened(self, rows: HandleRows, nodes: Sequence[Floats]) -> list[Floats]:
        def pin_error_m(q: Floats) -> float:
            self._stepper.set_state(q, force=True)
            return max(rows.point_errors()[rows.targets :], default=0.0)

        tolerance_m = max(pin_error_m(nodes[0]), _PIN_ERROR * self._options.target_tolerance_m)
        return shortened_path(
            self._gate,
            self._actor.skeleton,
            nodes,
            self._frame_m,
            keeps_pins=lambda q: pin_error_m(q) <= tolerance_m,
        )


def shortened_path(
    gate: Gate,
    skeleton: Skeleton,
    nodes: Sequence[Floats],
    frame_m: float = _FRAME_M,
    *,
    keeps_pins: Callable[[Floats], bool] = lambda _: True,
) -> list[Floats]:
    """Frames along straight certified motions between some of the nodes (each (nq,)).

    The first node is left out and the last is the last frame; empty if no such path is found with
    a reasonable number of checks and frames.

    frame_m: farthest that a joint moves in a frame. keeps_pins: whether a frame between two nodes
    is acceptable; between neighbours, which are frames of the drag, others are left out.
    """
    frames: list[Floats] = []
    at, last, checks = 0, len(nodes) - 1, 0
    while at < last:
        ahead = last - at
        while True:
            certified = gate.fraction(nodes[at], nodes[at + ahead]) >= 1.0
            if certified:
                between = _frames_between(skeleton, nodes[at], nodes[at + ahead], frame_m)
                if all(keeps_pins(q) for q in between):
                    break
                if ahead == 1:  # a frame of the drag, which kept the pins at its ends
                    between = [nodes[at + 1]]
                    break
            checks += 1
            if ahead == 1 or checks > _MAX_CHECKS:
                return []
            ahead = max(1, 2 * ahead // 3)
        frames += between
        at += ahead
        if len(frames) > _MAX_FRAMES:
            return []
    return frames


def _frames_between(skeleton: Skeleton, start: Floats, end: Floats, frame_m: float) -> list[Floats]:
    """The straight motion from start to end in steps of at most frame_m; without the start."""
    apart = forward(skeleton, end).positions - forward(skeleton, start).positions
    count = max(1, int(np.ceil(np.linalg.norm(apart, axis=1).max() / frame_m)))
    out: list[Floats] = []
    for i in range(1, count + 1):
        q = end.copy()
        kinematics.interpolate(skeleton.tree, start, end, i / count, q)
        out.append(q)
    return out
