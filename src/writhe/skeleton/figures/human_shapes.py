"""The shapes that the human's skin is blended from, in the rest pose (T-pose), in metres.

Girths aim at a lean adult within the ranges of Gordon et al. (2014), "2012 Anthropometric Survey
of U.S. Army Personnel" (ANSUR II); see `tests/skeleton/test_human_body.py`.
"""

from __future__ import annotations

from writhe.kernels.field import Blobs
from writhe.skeleton.modelling.blobs import Blob, Point, pack_blobs

_SIDE: Point = (1.0, 0.0, 0.0)
_HEIGHT: Point = (0.0, 1.0, 0.0)

_MIDDLE = (
    # pelvis, belly, waist, rib cage, upper chest
    Blob((0, 0.925, -0.008), (0, 0.985, -0.004), (0.160, 0.158), 0.66, blend_m=0.0),
    Blob((0, 1.03, 0.004), (0, 1.13, 0.004), (0.142, 0.134), 0.74, blend_m=0.06),
    Blob((0, 1.20, 0.000), (0, 1.31, -0.006), (0.143, 0.160), 0.70, blend_m=0.06),
    Blob((0, 1.33, -0.008), (0, 1.385, -0.018), (0.158, 0.140), 0.66, blend_m=0.05),
    # neck
    Blob((0, 1.43, -0.028), (0, 1.565, 0.002), (0.060, 0.054), blend_m=0.05),
    # cranium, face, chin, nose
    Blob((0, 1.652, -0.004), (0, 1.652, 0.010), (0.0945, 0.0945), 0.80, _SIDE, blend_m=0.03),
    Blob((0, 1.605, 0.040), (0, 1.575, 0.052), (0.056, 0.046), 0.95, _SIDE, blend_m=0.04),
    Blob((0, 1.551, 0.066), (0, 1.551, 0.066), (0.026, 0.026), blend_m=0.04),
    Blob((0, 1.634, 0.099), (0, 1.606, 0.112), (0.008, 0.013), blend_m=0.02),
)
_PAIRED = (
    # buttock, breast muscle, back muscle, trapezius, jaw corner, ear
    Blob((0.068, 0.915, -0.052), (0.072, 0.885, -0.046), (0.082, 0.078), blend_m=0.05),
    Blob((0.055, 1.325, 0.055), (0.120, 1.345, 0.040), (0.060, 0.052), 0.75, blend_m=0.05),
    Blob((0.075, 1.25, -0.040), (0.115, 1.375, -0.055), (0.060, 0.055), 0.8, blend_m=0.06),
    Blob((0.020, 1.475, -0.032), (0.150, 1.432, -0.026), (0.040, 0.045), blend_m=0.05),
    Blob((0.040, 1.578, 0.020), (0.040, 1.578, 0.020), (0.026, 0.026), blend_m=0.04),
    Blob((0.077, 1.640, -0.006), (0.075, 1.618, -0.002), (0.026, 0.016), 0.38, _SIDE, 0.012),
)
_ARM = (
    # deltoid, upper arm, biceps and triceps
    Blob((0.175, 1.424, -0.021), (0.235, 1.428, -0.021), (0.058, 0.052), blend_m=0.0),
    Blob((0.20, 1.430, -0.020), (0.455, 1.430, -0.020), (0.050, 0.0395), blend_m=0.03),
    Blob((0.28, 1.430, -0.014), (0.37, 1.430, -0.016), (0.046, 0.044), blend_m=0.03),
    # forearm, its muscles, wrist
    Blob((0.455, 1.430, -0.020), (0.735, 1.430, -0.020), (0.0385, 0.026), blend_m=0.02),
    Blob((0.495, 1.430, -0.018), (0.565, 1.430, -0.020), (0.042, 0.038), blend_m=0.03),
    Blob((0.700, 1.430, -0.020), (0.745, 1.430, -0.019), (0.031, 0.032), 0.76, _HEIGHT, 0.02),
    # palm, fingers as one, thumb
    Blob((0.768, 1.428, -0.017), (0.818, 1.428, -0.016), (0.040, 0.043), 0.36, _HEIGHT, 0.025),
    Blob((0.820, 1.428, -0.016), (0.884, 1.424, -0.016), (0.041, 0.033), 0.30, _HEIGHT, 0.015),
    Blob((0.752, 1.424, 0.008), (0.790, 1.418, 0.036), (0.020, 0.0145), blend_m=0.02),
    Blob((0.790, 1.418, 0.036), (0.826, 1.415, 0.050), (0.0135, 0.0105), blend_m=0.012),
)
_LEG = (
    # thigh, its muscles, knee
    Blob((0.098, 0.885, 0.002), (0.089, 0.53, 0.000), (0.083, 0.053), blend_m=0.0),
    Blob((0.100, 0.78, 0.014), (0.094, 0.66, 0.010), (0.074, 0.062), blend_m=0.04),
    Blob((0.088, 0.512, 0.006), (0.088, 0.485, 0.005), (0.053, 0.051), blend_m=0.03),
    # shank, calf, ankle
    Blob((0.088, 0.47, 0.000), (0.088, 0.10, -0.006), (0.048, 0.033), blend_m=0.03),
    Blob((0.090, 0.40, -0.018), (0.088, 0.30, -0.016), (0.052, 0.046), blend_m=0.05),
    Blob((0.088, 0.070, -0.008), (0.088, 0.066, -0.006), (0.036, 0.036), blend_m=0.03),
    # heel, instep, ball, toes
    Blob((0.088, 0.030, -0.026), (0.088, 0.030, -0.020), (0.034, 0.034), blend_m=0.03),
    Blob((0.088, 0.058, 0.015), (0.090, 0.024, 0.120), (0.037, 0.036), 0.85, _HEIGHT, 0.03),
    Blob((0.094, 0.018, 0.118), (0.092, 0.016, 0.163), (0.046, 0.040), 0.52, _HEIGHT, 0.02),
)
LEFT_ARM, RIGHT_ARM, LEFT_LEG, RIGHT_LEG = 1, 2, 3, 4


def human_blobs() -> Blobs:
    """All blobs of the human, ready for the field kernels."""
    from dataclasses import replace

    blobs = [*_MIDDLE]
    for blob in _PAIRED:
        blobs += [blob, blob.mirrored(0)]
    for limb, left, right in ((_ARM, LEFT_ARM, RIGHT_ARM), (_LEG, LEFT_LEG, RIGHT_LEG)):
        for blob in limb:
            blobs += [replace(blob, group=left), blob.mirrored(right)]
    return pack_blobs(blobs, (0.0, 0.06, 0.06, 0.045, 0.045), floor_m=0.0, floor_blend_m=0.012)
