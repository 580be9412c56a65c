"""The look of all pictures: colours, lights, and the ground with its soft shadow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import ndimage

from writhe.arrays import Floats
from writhe.easing import smoothstep

Colour = tuple[float, float, float]

BACKGROUND: Colour = (0.945, 0.930, 0.908)
GROUND: Colour = (0.885, 0.862, 0.830)
SHADOW: Colour = (0.42, 0.37, 0.34)
BODIES: tuple[Colour, ...] = (
    (0.760, 0.785, 0.805),
    (0.800, 0.670, 0.560),
    (0.640, 0.720, 0.620),
    (0.700, 0.640, 0.730),
)
LEFT: Colour = (0.880, 0.585, 0.360)  # limbs, where left and right must be told apart
RIGHT: Colour = (0.330, 0.545, 0.700)
SECOND_LEFT: Colour = (0.560, 0.310, 0.150)  # the same of a second body: darker
SECOND_RIGHT: Colour = (0.150, 0.270, 0.420)
OBJECT: Colour = (0.780, 0.735, 0.660)
HANDLE: Colour = (0.120, 0.330, 0.180)  # the point that a user drags
TARGET: Colour = (0.250, 0.620, 0.300)  # and where to
COLLIDING: Colour = (0.830, 0.210, 0.170)
STRANDS: tuple[Colour, ...] = (
    (0.25, 0.35, 0.45),
    (0.85, 0.50, 0.20),
    (0.20, 0.55, 0.50),
    (0.65, 0.30, 0.45),
    (0.45, 0.50, 0.20),
)

# direction towards the light, colour, strength
LIGHTS: tuple[tuple[tuple[float, float, float], Colour, float], ...] = (
    ((0.75, 1.8, 1.45), (1.0, 0.975, 0.94), 0.92),
    ((-1.7, 0.6, 0.9), (0.90, 0.94, 1.0), 0.26),
    ((-0.6, 1.1, -1.6), (1.0, 0.96, 0.92), 0.34),
    ((0.2, -1.0, 0.5), (1.0, 0.95, 0.90), 0.10),
)
_TEXELS = 512


def light_directions(view: Floats) -> Floats:
    """(lights, 3) directions towards the lights, rotated about the vertical with the view.

    The directions in LIGHTS are for a view from the front (+Z).
    """
    yaw = np.arctan2(view[0], view[2])
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    return np.array([direction for direction, _, _ in LIGHTS]) @ turn.T


def ground_texture(
    points: Floats,
    centre: Floats,
    radius_m: float,
    height_m: float,
    light: Floats,
    scale: float = 1.0,
) -> Any:
    """(n, n, 3) RGB texture of the ground, fading into the background, with shadows of `points`.

    Points (p, 3) cast a shadow away from the main `light` (3), softer and fainter with height.
    `scale` is the size of the subject relative to a person.
    """
    shade = np.zeros((_TEXELS, _TEXELS))
    above = (points[:, 1] - height_m) / scale
    for low, high, sigma_m, strength in (
        (-0.1, 0.03, 0.012, 0.70),  # where a sole touches the ground
        (-0.1, 0.12, 0.030, 0.85),
        (-0.1, 0.60, 0.085, 0.42),
        (-0.1, 2.50, 0.190, 0.50),
    ):
        chosen = points[(above > low) & (above < high)]
        if len(chosen) == 0:
            continue
        lean = 0.35 * (chosen[:, 1] - height_m)[:, None] / light[1]
        flat = chosen[:, [0, 2]] - lean * light[[0, 2]] - centre[[0, 2]]
        cell = 2 * radius_m / _TEXELS / scale
        at = np.clip(((flat + radius_m) / (cell * scale)).astype(int), 0, _TEXELS - 1)
        density = np.zeros_like(shade)
        np.add.at(density, (at[:, 1], at[:, 0]), 1.0)
        # fill between the vertices (a few centimetres apart), then blur
        spacing = max(0.018 / cell, 1.2)
        filled = 1 - np.exp(-ndimage.gaussian_filter(density, spacing) * (2.5 * spacing) ** 2)
        shade = 1 - (1 - shade) * (1 - strength * ndimage.gaussian_filter(filled, sigma_m / cell))
    axis = (np.arange(_TEXELS) + 0.5) / _TEXELS * 2 - 1
    distance = np.hypot(*np.meshgrid(axis, axis))
    fade = smoothstep((1 - distance) / 0.75)[..., None]
    ground = np.array(BACKGROUND) + fade * (np.array(GROUND) - np.array(BACKGROUND))
    dark = (shade * fade[..., 0])[..., None]
    colour = ground + dark * (np.array(SHADOW) - ground)
    return (255 * np.clip(colour, 0, 1) + 0.5).astype(np.uint8)


def part_colours(weights: Floats, joints: Any, by_joint: Floats, highlighted: Sequence[int]) -> Any:
    """(v, 3) bytes: colours (joints, 3) blended by skin weights, and to red on highlighted ones."""
    red = np.isin(joints, np.asarray(highlighted, dtype=np.int64)) * weights
    share = np.clip(red.sum(axis=1), 0, 1)[:, None]
    total = np.maximum(weights.sum(axis=1), 1e-9)[:, None]
    own = (weights[..., None] * by_joint[joints]).sum(axis=1) / total
    colours = own * (1 - share) + np.array(COLLIDING) * share
    return (255 * colours + 0.5).astype(np.uint8)
