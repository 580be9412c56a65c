"""The result of a scene: motion, claims about its topology, timings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.collision import Certificate, certify
from writhe.errors import MissingExtraError
from writhe.progress import Progress
from writhe.render.look import Colour
from writhe.research.evaluation.metrics import penetrating_frames
from writhe.research.experiments.topology_coordinates.checks.line_crossings import (
    LineCrossings,
    line_crossings,
)
from writhe.research.experiments.topology_coordinates.joint_keyframes import keys_between
from writhe.scene import Layout
from writhe.solvers.tangling import TangleMotion, TangleStage

FPS = 30.0
_MOVIE_SIZE = (300, 360)


@dataclass(frozen=True)
class Claim:
    """One assertion about the topology of a scene, with the measured value."""

    what: str
    value: float
    holds: bool

    @classmethod
    def at_least(cls, what: str, value: float, minimum: float) -> Claim:
        """The claim that the value is at least `minimum`."""
        return cls(f"{what} ≥ {minimum:g}", float(value), bool(value >= minimum))

    @classmethod
    def at_most(cls, what: str, value: float, maximum: float) -> Claim:
        """The claim that the value is at most `maximum`."""
        return cls(f"{what} ≤ {maximum:g}", float(value), bool(value <= maximum))

    @classmethod
    def equal(cls, what: str, value: float, required: float) -> Claim:
        """The claim that an integer value equals the required one."""
        return cls(f"{what} = {required:g}", float(value), bool(round(value) == required))


@dataclass
class SceneResult:
    """The result of `play()` of a scene."""

    layout: Layout
    path: Floats  # (frames, nq)
    reached: bool
    claims: Sequence[Claim]
    milliseconds: Floats  # of every step
    seconds: float  # of solving, from the start to the last frame
    notes: Sequence[str] = ()
    figures: dict[str, Any] = field(default_factory=dict[str, Any])
    view: ArrayLike = (0.62, 0.26, 1.0)
    around: ArrayLike | None = None
    frames: Sequence[int] | None = None
    colours: Mapping[str, Colour] | None = None
    sides: bool = False  # left and right limbs in two colours
    postures: Sequence[int] = ()  # frames of the postures that joint-angle keys would hold
    more: Sequence[tuple[int, ArrayLike]] = ()  # frames shown from another direction as well
    columns: int | None = None  # frames in a row of the strip; all if None
    hidden: Sequence[str] = ("floor",)
    size: tuple[int, int] = (300, 400)
    ground: bool = True
    extra: Callable[[Any, Floats], None] | None = None
    stages: Sequence[TangleStage] = ()
    keys_reached: int = 0
    keys: int = 0
    seen: Sequence[Claim] = ()  # what a viewer would call success, as geometry
    contrast: Sequence[Claim] = ()  # what joint-angle interpolation does; says nothing of `path`

    @classmethod
    def of(
        cls,
        layout: Layout,
        motion: TangleMotion,
        claims: Sequence[Claim],
        notes: Sequence[str] = (),
        figures: dict[str, Any] | None = None,
        **look: Any,
    ) -> SceneResult:
        """The result of a motion through keyframes; unreached keys are added to the notes."""
        return cls(
            layout,
            motion.path,
            motion.reached,
            claims,
            motion.milliseconds,
            motion.seconds,
            (*motion.problems, *notes),
            figures or {},
            stages=motion.stages,
            keys_reached=sum(result.reached for result in motion.results),
            keys=len(motion.keys),
            **look,
        )

    @property
    def topology_ok(self) -> bool:
        """Whether all claims hold."""
        return all(claim.holds for claim in self.claims)

    @property
    def geometry_ok(self) -> bool | None:
        """Whether everything that a viewer would call success holds; None if nothing is stated."""
        return all(claim.holds for claim in self.seen) if self.seen else None

    @property
    def shows_it(self) -> bool:
        """Whether the scene shows what it is named after: linking and geometry together."""
        return self.topology_ok and self.geometry_ok is True

    @property
    def failed(self) -> list[Claim]:
        """The claims on linking and geometry that do not hold."""
        return [claim for claim in (*self.claims, *self.seen) if not claim.holds]

    def certificate(self) -> Certificate:
        """The certificate of the whole motion, between frames too."""
        return certify(self.layout.table, self.path, FPS)

    def line_crossings(self) -> LineCrossings:
        """How often centre lines of a pair of bones in the goals pass through each other."""
        return line_crossings(self.layout.skeleton, self.path, self.stages)

    def joint_keys(self) -> int:
        """How many keys joint-angle interpolation needs between `postures` to be certified."""
        return keys_between(self.layout.table, self.path, list(self.postures))

    def draw(self, target: Path, progress: Progress) -> Path | None:
        """Draw a film strip and a GIF; None if rendering is not available."""
        look: dict[str, Any] = {
            "view": self.view,
            "around": self.around,
            "colours": self.colours,
            "sides": self.sides,
            "hidden": self.hidden,
            "ground": self.ground,
            "extra": self.extra,
            "hands": "closed",
        }
        try:
            from writhe.render.scenes import scene_movie, scene_strip

            progress(None, f"drawing {target.name}")
            scene = self.layout.scene
            scene_movie(
                scene, self.path, target.with_suffix(".gif"), fps=FPS, size=_MOVIE_SIZE, **look
            )
            return scene_strip(
                scene,
                self.path,
                target,
                count=2 * self.columns if self.columns else 7,
                frames=self.frames,
                columns=self.columns,
                more=self.more,
                size=self.size,
                **look,
            )
        except MissingExtraError:
            return None

    def published_summary(self, certificate: Certificate) -> dict[str, Any]:
        """The figures by which the published variant is compared."""
        crossings = self.line_crossings()
        return self._outcome(certificate) | {
            "keys_reached": self.keys_reached,
            "keys": self.keys,
            "checks": len(self.claims) + len(self.seen),
            "failed": {claim.what: claim.value for claim in self.failed},
            "penetrating_frames": int(penetrating_frames(self.layout.table, self.path).sum()),
            "penetration_m": certificate.penetration_witnessed_m,
            "line_crossings": crossings.total,
            "line_crossings_bounded": crossings.bounded,
        }

    def _outcome(self, certificate: Certificate) -> dict[str, Any]:
        return {
            "reached": bool(self.reached),
            "topology_ok": self.topology_ok,
            "geometry_ok": self.geometry_ok,
            "certified": certificate.certified,
            "pass_throughs": len(certificate.pass_throughs),
            "frames": len(self.path),
            "step_ms_median": float(np.median(self.milliseconds)),
        }

    def summary(self, certificate: Certificate) -> dict[str, Any]:
        """The results as plain data."""
        return self._outcome(certificate) | {
            "shows_it": self.shows_it,
            "penetration_m": certificate.penetration_upper_bound_m,
            "steps": len(self.milliseconds),
            "seconds": self.seconds,
            "claims": {claim.what: claim.value for claim in self.claims},
            "failed_claims": [claim.what for claim in self.claims if not claim.holds],
            "seen": {claim.what: claim.value for claim in self.seen},
            "failed_seen": [claim.what for claim in self.seen if not claim.holds],
            "contrast": {claim.what: claim.value for claim in self.contrast},
            "failed_contrast": [claim.what for claim in self.contrast if not claim.holds],
            "notes": list(self.notes),
            **self.figures,
        }
