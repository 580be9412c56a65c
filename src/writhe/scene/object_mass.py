"""Mass and centre of mass of objects, from the volume of their shapes."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from writhe.arrays import Floats
from writhe.collision import Shape
from writhe.collision.mesh_pieces.surfaces import coarse_surface
from writhe.collision.shapes import Core

DENSITY_KG_M3 = 400.0  # of light wood, or of a filled box
HEAVIEST_KG = 20.0  # that an object weighs without being told: what a person carries


def usual_mass_kg(shapes: tuple[Shape, ...]) -> float:
    """The mass of an object of light wood, at most what a person carries (20 kg)."""
    return min(DENSITY_KG_M3 * volume_and_centre(shapes)[0], HEAVIEST_KG)


def volume_and_centre(shapes: tuple[Shape, ...]) -> tuple[float, Floats]:
    """The volume, m^3, and the centroid (3,) of solid shapes; overlaps count twice."""
    total, moment = 0.0, np.zeros(3)
    for shape in shapes:
        if shape.core is not Core.HALF_SPACE:
            volume, centre = _volume_and_centre(shape)
            total, moment = total + volume, moment + volume * centre
    return total, moment / total if total > 0.0 else moment


def _volume_and_centre(shape: Shape) -> tuple[float, Floats]:
    points, r = shape.points_in_joint, shape.radius_m
    if shape.core is Core.SEGMENT:
        length = float(np.linalg.norm(points[1] - points[0]))
        return np.pi * r**2 * (4.0 / 3.0 * r + length), points.mean(axis=0)
    vertices, _ = coarse_surface(shape)
    hull = ConvexHull(vertices)
    return float(hull.volume), _centroid(vertices, hull)


def _centroid(points: Floats, hull: ConvexHull) -> Floats:
    """(3,) the centroid of a convex hull: of the tetrahedra from a point inside to its faces."""
    inside = points.mean(axis=0)
    corners = points[hull.simplices] - inside
    volumes = np.abs(np.linalg.det(corners))
    return inside + (volumes[:, None] * corners.mean(axis=1) * 0.75).sum(axis=0) / volumes.sum()
