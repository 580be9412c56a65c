"""The result of one file: a flat row of the results table."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Row:
    """The result of one file. Values that an operation does not measure are None.

    `passes` says whether the result penetrates by no more than the tolerance, without
    pass-throughs and folded joints; for operations without a certificate, whether they succeeded.
    `seconds` is the time of the operation in its process, without waiting and copying.
    """

    file: str  # its name in the run
    source: str = ""  # its path or URL
    output: str | None = None
    operation: str = ""
    passes: bool = False
    verdict: str | None = None
    certified: bool | None = None
    frames: int | None = None
    frames_written: int | None = None  # by clean: more than `frames` where certifying needs them
    fps: float | None = None
    pass_throughs: int | None = None
    deep_overlaps: int | None = None
    folded_joints: int | None = None  # joints bent so far that the skin folds into itself
    penetration_mm: float | None = None  # upper bound
    tolerance_mm: float | None = None  # penetration up to which it passes
    penetration_before_mm: float | None = None
    pass_throughs_before: int | None = None
    mean_displacement_mm: float | None = None
    max_displacement_mm: float | None = None
    leap_mm: float | None = None
    foot_slide_mm: float | None = None  # clean: of planted feet in a frame, beyond the source's
    linking_max: float | None = None
    postures: int | None = None
    seconds: float = 0.0
    error: str | None = None
    error_kind: str | None = None  # input: the file cannot be used; internal: a defect; killed
    version: str = ""
    content: str = ""  # hash of the file that was read
    settings: str = ""  # hash of the settings
    worker: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Row:
        """The row of a journal; fields that this version does not know are ignored."""
        known = {f.name for f in fields(cls)}
        return cls(**{k: v for k, v in data.items() if k in known})
