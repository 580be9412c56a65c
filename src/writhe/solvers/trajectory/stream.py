"""Streaming: the four passes for live targets, with a bounded delay.

The filters look a few frames ahead, so each frame is returned with that delay; the output is
bitwise equal to that of `solve_trajectory` on the whole trajectory.
"""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats, floats
from writhe.errors import WritheError
from writhe.kernels.trajectory import passes as kernels
from writhe.kernels.trajectory.passes import OctreeCells
from writhe.solvers.trajectory.chain import Chain
from writhe.solvers.trajectory.passes import PassOptions, bounds, wider_limits


class TrajectoryStream:
    """Takes one target per frame and returns postures `look_ahead` frames later."""

    def __init__(
        self, chain: Chain, cells: OctreeCells, fps: float, options: PassOptions | None = None
    ) -> None:
        self.chain = chain
        self._cells = cells
        self._options = options or PassOptions()
        self._window = self._options.alignment_frames(fps)
        self._fade = self._options.correction_frames(fps)
        self._half = int(np.ceil(self._fade)) - 1
        self._wider = wider_limits(cells)
        self._ended = False
        self._targets: list[Floats] = []
        self._crude: list[tuple[Floats, ...]] = []  # theta, lower, upper, give
        self._retargeted: list[tuple[Floats, float]] = []
        # number of frames already dropped from the head of each list
        self._dropped = self._dropped_retargeted = 0
        self._done = 0

    @property
    def look_ahead(self) -> int:
        """Delay of the output in frames."""
        return self._window + self._half

    def push(self, target_in_root: Floats) -> Floats:
        """Append the target (E, 3) of the next frame; returns completed postures (0 or 1, n)."""
        if self._ended:
            raise WritheError("the stream has ended; make a new one for the next trajectory")
        given = np.asarray(target_in_root, dtype=np.float64)
        given = given[None] if given.ndim == 1 else given
        target = floats(given, (len(self.chain.effectors), 3), "a target")[None]
        rows = [np.empty((1, len(self.chain))) for _ in range(4)]
        options = self._options
        kernels.crude_pass(
            self.chain.limb, self._cells, target, options.tolerance_m, options.iterations, *rows
        )
        self._targets.append(target)
        self._crude.append(tuple(rows))
        return self._advance(final=False)

    def finish(self) -> Floats:
        """End the stream; returns the remaining postures."""
        self._ended = True
        return self._advance(final=True)

    def _advance(self, *, final: bool) -> Floats:
        known = self._dropped + len(self._crude)
        while (f := self._dropped_retargeted + len(self._retargeted)) < known and (
            final or f + self._window < known
        ):
            self._retargeted.append(self._retarget(f, known))
        retargeted = self._dropped_retargeted + len(self._retargeted)
        out: list[Floats] = []
        while self._done < retargeted and (final or self._done + self._half < retargeted):
            out.append(self._correct(self._done, retargeted))
            self._done += 1
        self._forget()
        return np.concatenate(out) if out else np.empty((0, len(self.chain)))

    def _retarget(self, f: int, known: int) -> tuple[Floats, float]:
        start, stop = max(self._dropped, f - self._window), min(known, f + self._window + 1)
        near = self._crude[start - self._dropped : stop - self._dropped]
        theta, lower, upper = (np.concatenate([row[i] for row in near]) for i in range(3))
        first, last = bounds(len(theta), (0,))
        made = [np.empty_like(theta) for _ in range(3)]
        kernels.alignment_pass(theta, lower, upper, first, last, self._window, *made)
        at = slice(f - start, f - start + 1)
        aligned, lower, upper = (np.ascontiguousarray(rows[at]) for rows in made)
        out, distance = np.empty((1, len(self.chain))), np.empty(1)
        kernels.retargeting_pass(
            self.chain.limb,
            aligned,
            self._targets[f - self._dropped],
            lower,
            upper,
            self._crude[f - self._dropped][3],
            self._wider,
            self._options.tolerance_m,
            self._options.iterations,
            out,
            distance,
        )
        return out, float(distance[0])

    def _correct(self, f: int, known: int) -> Floats:
        start, stop = max(0, f - self._half), min(known, f + self._half + 1)
        near = self._retargeted[start - self._dropped_retargeted : stop - self._dropped_retargeted]
        theta = np.concatenate([row for row, _ in near])
        distance = np.array([d for _, d in near])
        first, last = bounds(len(theta), (0,))
        out = np.empty_like(theta)
        kernels.correction_pass(
            theta, distance, first, last, self._fade, self._options.reach_m, out
        )
        return out[f - start : f - start + 1]

    def _forget(self) -> None:
        """Drop the frames that no later frame reads."""
        retargeted = self._dropped_retargeted + len(self._retargeted)
        old = retargeted - self._window - self._dropped
        if old > 0:
            del self._crude[:old], self._targets[:old]
            self._dropped += old
        old = self._done - self._half - self._dropped_retargeted
        if old > 0:
            del self._retargeted[:old]
            self._dropped_retargeted += old
