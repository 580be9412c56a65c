"""The parameters of half-space inverse kinematics, each with its unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResponseOptions:
    """How a scene responds to what is moved. Lengths in metres, angles in radians, a step each."""

    solver: str = "gauss-newton"  # or "l-bfgs": the same objective, for the reproduction
    iterations: int = 6
    max_step_rad: float = 0.3  # per coordinate and iteration
    tolerance: float = 1e-5  # a solve ends when no coordinate moves farther

    target_weight: float = 20.0
    pin_weight: float = 300.0
    turn_weight: float = 6.0
    reach_m: float = 0.03  # how far a target may be ahead in one step
    space_weight: float = 300.0  # of half-spaces
    limit_weight: float = 100.0  # of joint limits, per radian and per share of a swing ellipse
    hard_weight: float = 3000.0  # of hard terms: relations

    near_m: float = 0.06  # pairs nearer than this, and than the objects travel, are half-spaces
    margin_m: float = 0.002
    approach: float = 0.6  # share of its clearance that a pair may lose in a step
    cushion: float = 0.25  # the same towards moving objects: less is softer
    recovery_m: float = 0.02  # how fast an overlap at the start is pushed out
    release_m: float = 0.12  # clearance beyond which a half-space is dropped
    lifetime: int = 2  # steps that a half-space outlives its last detection
    same_degrees: float = 8.0  # nearer normals of one pair are the same half-space
    same_m: float = 0.03  # and nearer witnesses
    rounds: int = 4  # of accumulating half-spaces and solving again, at most

    blend: float = 0.6  # share of the last step's movement that goes on
    clamp_rad: float = 0.25  # no coordinate is displaced farther
    comeback: float = 0.0  # share of the way back to the pose at the start, a step
    travel_m: float = 0.05  # objects that go farther in a step are followed in parts
    most_parts: int = 8
    escape: bool = True  # look for another pose when an object is stuck
    ahead_m: float = 0.15  # clear for where the object is this much later
    root_free: bool = False  # the paper keeps the root in place
    gate: bool = True  # certify every step; what is not certified is shortened
