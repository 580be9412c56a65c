"""Options of an animation."""

from __future__ import annotations

from dataclasses import dataclass

from writhe.arguments import check_fields
from writhe.arrays import number


@dataclass(frozen=True)
class AnimateOptions:
    """Options of `animate`. Lengths in metres, angles in radians.

    `plan`: where no correction of the blend is clear, search for a path around.
    """

    margin_m: float = 0.002  # clearance that is kept between frames' poses
    near_m: float = 0.03  # parts nearer than this are constrained
    fade_s: float = 0.25  # over which the correction of a pin fades beyond its range
    smooth_s: float = 0.08  # width of the smoothing of corrections where contacts push
    iterations: int = 12  # of one frame at most
    rounds: int = 5  # in which frames that are not clear are solved again with a wider margin
    raise_m: float = 0.001  # by which the margin is widened in each round
    max_speed_rad_s: float = 20.0  # of a joint; faster motion is reported
    plan: bool = True
    clear_keys: bool = False  # move keys that overlap something out of it, except the first one
    balance: bool = True  # keep the centre of mass over what the body stands, kneels or sits on

    def __post_init__(self) -> None:
        check_fields(self)
        number(self.margin_m, "margin_m", minimum=0.0, maximum=0.1)
        number(self.near_m, "near_m", above=0.0, maximum=0.5)
        number(self.fade_s, "fade_s", minimum=0.0, maximum=60.0)
        number(self.smooth_s, "smooth_s", minimum=0.0, maximum=10.0)
        number(self.max_speed_rad_s, "max_speed_rad_s", above=0.0)
