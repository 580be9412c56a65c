"""Weights and bounds of the corrections of a window, and instants between its frames."""

from __future__ import annotations

from dataclasses import dataclass

from writhe.arrays import Floats

BETWEEN = (0.25, 0.5, 0.75)  # fractions of an interval at which contacts are added


@dataclass(frozen=True, slots=True)
class WindowOptions:
    """Weights and bounds of the corrections of a window. Lengths in metres, angles in radians.

    The weights of velocity and acceleration are those at 30 frames a second.
    """

    iterations: int = 6  # linearisations of a window
    iterations_again: int = 10  # linearisations when a window is solved again
    active_sets: int = 3  # solves per linearisation, to find the inequalities that are violated
    foot_weight: float = 4.0  # position weight of feet; other joints have 1
    hand_weight: float = 4.0  # position weight of a wrist with fingers
    planted_weight: float = 40.0  # of the change of the correction of feet that stand still
    height_weight: float = 12.0  # of the height of the correction of feet that stand still
    angle_weight: float = 0.15  # a: weight of joint angles, scaled to metres by M
    ankle_weight: float = 0.6  # a M of ankles and toes: a foot in the floor lifts the leg instead
    velocity_weight: float = 2.0  # s: of the change of a correction from frame to frame
    acceleration_weight: float = 4.0  # c: of the change of that change
    # lower bound of M in the terms of s and c: hands must not turn suddenly
    min_metres: float = 0.15
    penalty: float = 30.0  # weight of a violated inequality, relative to a joint position
    yield_m: float = 0.0027  # where contacts lack more of their margin than this, it grows
    max_yield_m: float = 0.003  # ... by this at most
    yields_from: int = 2  # ... after the first linearisations
    near_m: float = 0.04  # pairs nearer than this become inequalities
    max_move_m: float = 0.05  # farthest that a joint moves in the first linearisation
    shrink: float = 0.75  # factor of that bound from one linearisation to the next
    beside: int = 8  # frames solved on either side of those that still move
    min_correction_m: float = 0.01  # joints that the path corrects less stay as in the source
    damping: float = 1.0  # weight of the step itself, scaled to metres by M
    close_m: float = 1e-3  # a step that moves no joint farther than this ends the iteration
    local_speed_m_s: float = 1.0  # a joint may be this much faster than in the source at that time
    speed_m_s: float = 0.45  # ... and this much faster than its top speed in the whole source


@dataclass(frozen=True, eq=False)
class Instant:
    """A posture between two frames, at fraction u from `frame` to `frame + 1`.

    `q` is the posture there in the interpolation that is not certified.
    """

    frame: int
    u: float
    q: Floats
