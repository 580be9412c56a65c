"""Options that trim, stretch, loop, mirror and layer the motion of a command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from writhe.animation.clip_operations import layer, loop, stretch, trim
from writhe.animation.mirror import mirrored_clip
from writhe.errors import WritheError
from writhe.io import load
from writhe.io.figure_from_skeleton import figure_of
from writhe.retargeting.motion_on_figure import on_figure
from writhe.skeleton import Motion


@dataclass(frozen=True)
class ClipOptions:
    """What to do with a clip, in this order; None or empty for nothing."""

    trim: str | None = None  # "START:END" in seconds
    mirror: bool = False
    stretch_s: float | None = None
    loops: int | None = None
    layer: Path | None = None
    joints: tuple[str, ...] = ()  # of the layer

    def apply(self, motion: Motion) -> Motion:
        """The edited motion."""
        if self.trim is not None:
            motion = trim(motion, *_range(self.trim, motion.duration_s))
        if self.mirror:
            motion = mirrored_clip(figure_of(motion), motion)
        if self.stretch_s is not None:
            motion = stretch(motion, self.stretch_s)
        if self.loops is not None:
            motion = loop(motion, self.loops)
        if self.layer is not None:
            over = on_figure(load(self.layer), figure_of(motion))
            motion = layer(motion, over, joints=self.joints or None)
        elif self.joints:
            raise WritheError("--joints says which joints a --layer moves: give one")
        return motion


def _range(text: str, duration_s: float) -> tuple[float, float]:
    """Start and end in seconds of "START:END"; either may be left out."""
    start, colon, end = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return float(start or 0.0), float(end or duration_s)
    except ValueError:
        raise WritheError(
            f"--trim needs START:END in seconds, such as 0.5:2 or 1: (to the end), not {text!r}"
        ) from None
