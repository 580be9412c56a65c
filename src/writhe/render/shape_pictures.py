"""Pictures of a figure's collision shapes over its skin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import Figure, forward

# direction to the camera, opacity of skin and shapes
_VIEWS = (((0.0, 0.1, 1.0), 1.0, 0.35), ((1.0, 0.1, 0.15), 1.0, 0.35), ((0.6, 0.2, 0.8), 0.25, 1.0))
_SKIN = "#d8c0a8"


def render_shapes(figure: Figure, path: str | Path, *, size: tuple[int, int] = (1500, 700)) -> Path:
    """Three views of the rest pose: from the front, from the side, and the shapes alone."""
    import pyvista as pv

    if not figure.capsules:
        raise WritheError(f"the figure {figure.name!r} has no collision shapes")
    skeleton = figure.skeleton
    rest = forward(skeleton, skeleton.rest_configuration)
    placed = [
        (
            rest.point(c.joint, c.start_in_joint),
            rest.point(c.joint, c.end_in_joint),
            c.radius_m,
            np.random.default_rng(skeleton.index(c.joint)).uniform(0.2, 0.9, 3),
        )
        for c in figure.capsules
    ]
    ends = np.array([end for a, b, _, _ in placed for end in (a, b)])
    middle, extent = 0.5 * (ends.min(axis=0) + ends.max(axis=0)), float(np.ptp(ends, axis=0).max())
    plotter = pv.Plotter(off_screen=True, shape=(1, 3), window_size=list(size), border=False)
    for column, (direction, skin_opacity, shape_opacity) in enumerate(_VIEWS):
        plotter.subplot(0, column)
        if figure.skin is not None:
            mesh = pv.PolyData.from_regular_faces(figure.skin.vertices, figure.skin.triangles)
            plotter.add_mesh(mesh, color=_SKIN, opacity=skin_opacity, smooth_shading=True)
        for a, b, radius, colour in placed:
            plotter.add_mesh(_capsule(pv, a, b, radius), color=colour, opacity=shape_opacity)
        camera: Any = plotter.camera
        camera.parallel_projection = True
        camera.focal_point = middle
        camera.position = middle + 2.0 * extent * np.array(direction)
        camera.up = (0.0, 1.0, 0.0)
        camera.parallel_scale = 0.6 * extent
    target = Path(path)
    plotter.screenshot(str(target))
    plotter.close()
    return target


def _capsule(pv: Any, a: Floats, b: Floats, radius: float) -> Any:
    ball = pv.Sphere(radius=radius, center=a, theta_resolution=20, phi_resolution=20)
    if float(np.linalg.norm(b - a)) < 1e-6:
        return ball
    other = pv.Sphere(radius=radius, center=b, theta_resolution=20, phi_resolution=20)
    return pv.Line(a, b).tube(radius=radius, n_sides=20).merge(ball).merge(other)
