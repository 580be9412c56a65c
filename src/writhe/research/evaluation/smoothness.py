"""Smoothness of a motion: mean squared jerk and spectral arc length."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats


def mean_squared_jerk(positions: Floats, fps: float) -> float:
    """The mean over frames and joints of |d³x/dt³|², in (m/s³)²; positions (frames, joints, 3)."""
    if len(positions) < 4:
        return 0.0
    jerk = np.diff(positions, n=3, axis=0) * fps**3
    return float((jerk**2).sum(axis=-1).mean())


def spectral_arc_length(speed: Floats, fps: float, highest_hz: float = 20.0) -> float:
    """The (negative) arc length of a speed profile's normalised spectrum; nearer to 0 is smoother.

    S. Balasubramanian, A. Melendez-Calderon, A. Roby-Brami, E. Burdet (2015), On the analysis of
    movement smoothness: padded to four times its length, cut where the spectrum stays below 0.05.
    """
    if len(speed) < 4 or not speed.any():
        return 0.0
    padded = 1 << (int(np.ceil(np.log2(len(speed)))) + 2)
    spectrum = np.abs(np.fft.rfft(speed, padded))
    frequency = np.fft.rfftfreq(padded, 1.0 / fps)
    spectrum = spectrum / spectrum.max()
    within = frequency <= highest_hz
    frequency, spectrum = frequency[within], spectrum[within]
    last = int(np.flatnonzero(spectrum >= 0.05)[-1]) + 1
    if last < 2:
        return 0.0
    across = np.diff(frequency[:last]) / (frequency[last - 1] - frequency[0])
    return float(-np.hypot(across, np.diff(spectrum[:last])).sum())
