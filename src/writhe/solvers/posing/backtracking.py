"""How a drag that is stuck goes back along its own path.

A drag can end in a local minimum, such as a spine at all its limits, from which no small step
brings the body nearer to its target, although the target can be met from where the drag began. The
path back is certified, since every step of the drag was. `shortened_path` skips the configurations
between which a straight motion is certified too and keeps the pins.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from writhe.arrays import Floats
from writhe.collision import Gate
from writhe.kernels.skeleton import kinematics
from writhe.skeleton import Skeleton, forward
from writhe.solvers.result import Status

if TYPE_CHECKING:
    from writhe.solvers.posing.actor_in_scene import ActorInScene
    from writhe.solvers.posing.frame_stepper import FrameStepper
    from writhe.solvers.posing.handle_rows import HandleRows
    from writhe.solvers.posing.options import DefaultPoserOptions

_MAX_CHECKS = 400  # of the gate, for one path
_MAX_FRAMES = 120  # of a path
_FRAME_M = 0.16  # farthest that a joint moves in a frame, on a body of human size
_SLOW = 2e-4  # the body hardly moves if a frame changes no entry of q by more than this
# frames that a drag must stay settled short of its target before the way back is searched
_STUCK_FRAMES = 4
_FAR = 4.0  # a target is missed by more than this, times the tolerance of targets
_PIN_ERROR = 3.0  # a pin may move by this on a shortened path, times the tolerance of targets
_MAX_VISITED = 1000  # frames of a drag that are remembered
_STEPS = 40  # frames from the start of the drag to a posture that meets the targets


class Backtracking:
    """The frames of the current drag, and the path on which it leaves a corner.

    Goals are the targets and pins, in a form that can be compared: while they stay the same, a path
    is searched for once, after the body has settled short of them.
    """

    def __init__(
        self, actor: ActorInScene, stepper: FrameStepper, options: DefaultPoserOptions
    ) -> None:
        self._actor, self._stepper, self._options = actor, stepper, options
        self._gate = Gate(actor.table)
        # met_m is a length that the options scale with the body
        self._frame_m = _FRAME_M * options.met_m / type(options)().met_m
        self._visited: deque[Floats] = deque(maxlen=_MAX_VISITED)  # q of this drag, oldest first
        self._path: list[Floats] = []  # frames to follow, whole configurations
        self._goals: object = None  # of the last frame
        self._searched_for: object = None
        self._stuck_frames = 0

    def begin(self, q: Floats) -> None:
        """A new drag, or a new set of handles, at q (nq) of the actor."""
        self._visited.clear()
        self._visited.append(q.copy())
        self._path.clear()
        self._searched_for, self._stuck_frames = None, 0

    def visit(self, q: Floats) -> None:
        """Remember a configuration (nq) of the actor."""
        self._visited.append(q.copy())

    def is_stuck(
        self, goals: object, status: Status, error_m: float, largest_change: float
    ) -> bool:
        """Whether the body has settled away from goals for which no path was searched yet.

        error_m: of the worst target; largest_change: of an entry of q in this frame.
        """
        settled = status is Status.SETTLED and goals == self._goals
        self._goals = goals
        far = error_m > _FAR * self._options.met_m
        self._stuck_frames = self._stuck_frames + 1 if settled and far else 0
        if goals == self._searched_for or not self._options.gate:
            return False
        return self._stuck_frames >= _STUCK_FRAMES or (
            self._stuck_frames > 0 and largest_change < _SLOW
        )

    def search(self, goals: object, rows: HandleRows, must_meet: Sequence[int]) -> bool:
        """Search a path to a posture that meets the targets, through the start of the drag.

        must_meet: numbers of the targets that must be met. False if they are not met from there.
        """
        self._searched_for = goals
        stepper, options, now = self._stepper, self._options, self._stepper.q.copy()
        if stepper.touches_objects(_FAR * options.met_m):
            return False  # the user chose on which side of the object the body passes; keep it
        nodes = [self._actor.full_configuration(q) for q in reversed(self._visited)]
        stepper.set_state(nodes[-1], force=True)
        met = False
        for _ in range(_STEPS):
            stepper.step()
            nodes.append(stepper.q.copy())
            errors = rows.point_errors()
            met = max((errors[i] for i in must_meet), default=0.0) <= options.met_m
            if met:
                break
        if met:
            self._path = self._shortened(rows, nodes)
        stepper.set_state(now, force=True)
        return bool(self._path)

    def next(self, goals: object, whole: Floats) -> Floats | None:
        """The next configuration of the path from `whole`; None if there is none or it is blocked.

        Other goals end the path.
        """
        if goals != self._searched_for:
            self._path.clear()
        if not self._path:
            return None
        ahead = whole.copy()
        ahead[self._actor.q] = self._path.pop(0)[self._actor.q]
        if self._gate.fraction(whole, ahead) < 1.0:
            self._path.clear()
            return None
        return ahead

    def warm_up(self, q: Floats) -> None:
        """Load or compile the kernels of a search at q (nq) of the whole model."""
        shortened_path(self._gate, self._actor.skeleton, [q, q.copy()], self._frame_m)

    def _shortened(self, rows: HandleRows, nodes: Sequence[Floats]) -> list[Floats]:
        def pin_error_m(q: Floats) -> float:
            self._stepper.set_state(q, force=True)
            return max(rows.point_errors()[rows.targets :], default=0.0)

        tolerance_m = max(pin_error_m(nodes[0]), _PIN_ERROR * self._options.met_m)
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
    that are not neighbours is acceptable.
    """
    frames: list[Floats] = []
    at, last, checks = 0, len(nodes) - 1, 0
    while at < last:
        ahead = last - at
        while True:
            certified = gate.fraction(nodes[at], nodes[at + ahead]) >= 1.0
            if certified:
                between = _frames_between(skeleton, nodes[at], nodes[at + ahead], frame_m)
                if ahead == 1 or all(keeps_pins(q) for q in between):
                    break
            checks += 1
            if (ahead == 1 and not certified) or checks > _MAX_CHECKS:
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
