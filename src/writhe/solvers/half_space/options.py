"""Options of half-space inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass

from writhe.arguments import check_fields


@dataclass(frozen=True, slots=True)
class ResponseOptions:
    """Options of a collision response. Lengths in metres, angles in radians, per step."""

    solver: str = "gauss-newton"  # or "l-bfgs": the same objective, for the reproduction
    iterations: int = 6
    max_step_rad: float = 0.3  # per coordinate and iteration
    tolerance: float = 1e-5  # a solve ends when no coordinate changes by more

    target_weight: float = 20.0
    pin_weight: float = 300.0
    turn_weight: float = 6.0
    reach_m: float = 0.03  # the part of a target's distance that one step aims for at most
    half_space_weight: float = 300.0
    limit_weight: float = 100.0  # of joint limits, per radian and per unit of a swing ellipse
    hard_weight: float = 3000.0  # of hard terms: relations

    near_m: float = 0.06  # pairs nearer than this plus the objects' travel become half-spaces
    margin_m: float = 0.002  # clearance that half-spaces aim to keep
    approach: float = 0.6  # fraction of its clearance that a pair may lose in a step
    approach_moving: float = 0.25  # the same towards moving objects: less is softer
    recovery_m: float = 0.02  # how far one step pushes out an initial overlap at most
    release_m: float = 0.12  # clearance beyond which a half-space is dropped
    lifetime: int = 2  # steps that a half-space is kept after its last detection
    merge_degrees: float = 8.0  # half-spaces of one pair with closer normals
    merge_m: float = 0.03  # and closer witness points are merged
    rounds: int = 4  # of accumulating half-spaces and solving again, at most

    blend: float = 0.6  # fraction of the last step's movement that is predicted to continue
    max_displacement_rad: float = 0.25  # largest change of any coordinate
    return_fraction: float = 0.0  # fraction of the difference to the initial pose added per step
    substep_travel_m: float = 0.05  # objects that move farther are followed in substeps
    max_substeps: int = 8
    escape: bool = True  # search another pose when an object is blocked
    lookahead_m: float = 0.15  # the pose is clear for objects moved on by this distance
    root_free: bool = False  # the paper keeps the root fixed
    gate: bool = True  # certify every step and shorten it to its certified part

    def __post_init__(self) -> None:
        check_fields(self)
