"""An off-screen renderer of figures, objects and strands with one camera."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from writhe.arrays import Floats, Ints
from writhe.errors import MissingExtraError, WritheError
from writhe.render.capsule_mesh import capsule_mesh
from writhe.render.drawn_figure import highlighted_joints
from writhe.render.look import (
    BACKGROUND,
    BODIES,
    COLLIDING,
    HANDLE,
    LIGHTS,
    OBJECT,
    STRANDS,
    TARGET,
    Colour,
    ground_texture,
    light_directions,
    part_colours,
)
from writhe.skeleton import Figure, Frames

THREE_QUARTER = (0.62, 0.26, 1.0)
STANDING_M = 0.03  # soles below this height stand on the ground
_VIEW_ANGLE = 24.0
_SUPERSAMPLE = 2
HANDLE_M = 0.045  # radius of a dragged point: a little wider than a wrist
_CENTRINGS = 3  # rounds in which framed points are centred in the picture


def _pyvista() -> Any:
    try:
        import pyvista
    except ImportError:
        raise MissingExtraError("pictures", "render") from None
    pyvista.OFF_SCREEN = True
    # without a display VTK warns and then renders off-screen anyway
    logger: Any = importlib.import_module("vtkmodules.vtkCommonCore").vtkLogger
    logger.SetStderrVerbosity(logger.VERBOSITY_ERROR)
    return pyvista


class PictureStage:
    """Collects geometry and renders it.

    Everything added stays until `clear`; `image` renders the current content.
    """

    def __init__(self, size: tuple[int, int] = (900, 900), *, ground: bool = True) -> None:
        self.size = size
        self.ground = ground
        self._pv = _pyvista()
        self._meshes: list[tuple[Any, dict[str, Any]]] = []
        self._shadow: list[Floats] = []
        self._plotter: Any = None

    def clear(self) -> None:
        """Remove everything; the camera stays."""
        self._meshes.clear()
        self._shadow.clear()

    def close(self) -> None:
        """Free the render window."""
        if self._plotter is not None:
            self._plotter.close()
            self._plotter = None

    def __enter__(self) -> PictureStage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- geometry

    def add_figure(
        self,
        figure: Figure,
        frames: Frames,
        *,
        show: str = "skin",
        colour: Colour = BODIES[0],
        by_joint: Mapping[str, Colour] | None = None,
        highlight: Sequence[str] = (),
    ) -> None:
        """Add a figure at the frames of one pose.

        `show`: "skin" (capsules if there is none), "capsules" or "both" (a translucent skin);
        `by_joint`: colours of single joints, instead of `colour`; `highlight`: names of parts or
        joints to paint red.
        """
        if show not in ("skin", "capsules", "both"):
            raise WritheError(f"`show` must be 'skin', 'capsules' or 'both', not {show!r}")
        if figure.skin is None or show != "skin":
            self.add_capsules(figure, frames, colour=colour, by_joint=by_joint, highlight=highlight)
        if figure.skin is not None and show != "capsules":
            vertices = figure.skin.deform(figure.skeleton, frames.positions, frames.rotations)
            red = highlighted_joints(figure, highlight)
            given = by_joint or {}
            base = np.array([given.get(name, colour) for name in figure.skeleton.names])
            colours = part_colours(figure.skin.weights, figure.skin.joints, base, red)
            self.add_mesh(
                vertices,
                figure.skin.triangles,
                colours=colours,
                opacity=0.45 if show == "both" else 1.0,
            )

    def add_capsules(
        self,
        figure: Figure,
        frames: Frames,
        *,
        colour: Colour = BODIES[0],
        by_joint: Mapping[str, Colour] | None = None,
        highlight: Sequence[str] = (),
    ) -> None:
        """Add the collision capsules of a figure at the frames of one pose."""
        given = by_joint or {}
        for capsule in figure.capsules:
            red = capsule.part_name in highlight or capsule.joint in highlight
            self.add_capsule(
                frames.point(capsule.joint, capsule.start_in_joint),
                frames.point(capsule.joint, capsule.end_in_joint),
                capsule.radius_m,
                colour=COLLIDING if red else given.get(capsule.joint, colour),
            )

    def add_capsule(
        self, start: ArrayLike, end: ArrayLike, radius_m: float, *, colour: Colour = OBJECT
    ) -> None:
        """Add a capsule between two points; equal points give a sphere."""
        a, b = np.asarray(start, float), np.asarray(end, float)
        vertices, triangles = capsule_mesh(a, b, radius_m)
        self.add_mesh(vertices, triangles, colour=colour)

    def add_box(
        self,
        half_extents: ArrayLike,
        position: ArrayLike = (0, 0, 0),
        rotation: ArrayLike | None = None,
        *,
        colour: Colour = OBJECT,
    ) -> None:
        """Add a box of half-widths (3) at a world position and rotation (3, 3)."""
        x, y, z = np.asarray(half_extents, float)
        mesh = self._pv.Box(bounds=(-x, x, -y, y, -z, z), level=12).triangulate()
        self._add(
            mesh.transform(_pose(position, rotation), inplace=False), {"color": colour}, False
        )

    def add_sphere(self, centre: ArrayLike, radius_m: float, *, colour: Colour = OBJECT) -> None:
        """A ball."""
        self.add_capsule(centre, centre, radius_m, colour=colour)

    def add_handle(self, dragged: ArrayLike, target: ArrayLike, radius_m: float = HANDLE_M) -> None:
        """Add the point that a user drags, where it is dragged to, and a line between them."""
        self.add_sphere(dragged, radius_m, colour=HANDLE)
        self.add_capsule(dragged, target, 0.2 * radius_m, colour=TARGET)
        self.add_sphere(target, 0.8 * radius_m, colour=TARGET)

    def add_mesh(
        self,
        vertices: Floats,
        triangles: Ints,
        *,
        colour: Colour = OBJECT,
        colours: Any = None,
        opacity: float = 1.0,
        smooth: bool = True,
    ) -> None:
        """Add a triangle mesh in world coordinates; `colours` (v, 3) bytes are per vertex."""
        faces = np.column_stack([np.full(len(triangles), 3), triangles]).ravel()
        mesh = self._pv.PolyData(np.asarray(vertices, float), faces)
        options: dict[str, Any] = {"color": colour}
        if colours is not None:
            mesh["colours"] = colours
            options = {"scalars": "colours", "rgb": True}
        self._add(mesh, {**options, "opacity": opacity}, smooth)

    def add_strand(
        self, points: ArrayLike, radius_m: float = 0.008, *, colour: Colour = STRANDS[0]
    ) -> None:
        """Add a polyline as a tube."""
        line = self._pv.lines_from_points(np.asarray(points, float))
        self._add(line.tube(radius=radius_m, n_sides=16), {"color": colour})

    def _add(self, mesh: Any, options: dict[str, Any], smooth: bool = True) -> None:
        self._meshes.append((mesh, {"smooth_shading": smooth, **options}))
        self._shadow.append(np.asarray(mesh.points, dtype=np.float64))

    # --- camera and rendering

    def points(self) -> Floats:
        """(n, 3) the vertices of all geometry."""
        if not self._shadow:
            raise WritheError("nothing was added to the picture")
        return np.concatenate(self._shadow)

    def bounds(self) -> Floats:
        """(2, 3) lower and upper corner of all geometry."""
        points = self.points()
        return np.stack([points.min(axis=0), points.max(axis=0)])

    def image(
        self,
        *,
        around: Floats | None = None,
        view: ArrayLike = THREE_QUARTER,
        ground_height_m: float | None = None,
    ) -> Any:
        """The picture as bytes (height, width, 3).

        `around` is what the camera frames: a box (2, 3) or more points (n, 3), by default all
        geometry; `view` is the direction from it towards the camera. The ground is at height 0, or
        under the lowest point if that is above 1 m or below the floor, unless `ground_height_m` is
        given.
        """
        framed = self.bounds() if around is None else np.asarray(around, float)
        box = np.stack([framed.min(axis=0), framed.max(axis=0)])
        lowest = float(box[0, 1])
        if ground_height_m is None:
            ground_height_m = 0.0 if -0.02 <= lowest <= 1.0 else lowest
        plotter = self._fresh_plotter()
        for mesh, options in self._merged():
            plotter.add_mesh(
                mesh, ambient=0.28, diffuse=0.90, specular=0.14, specular_power=14, **options
            )
        direction = np.asarray(view, float) / np.linalg.norm(np.asarray(view, float))
        lights = light_directions(direction)
        plotter.remove_all_lights()
        for towards, (_, colour, strength) in zip(lights, LIGHTS, strict=True):
            light = self._pv.Light(
                position=towards, focal_point=(0, 0, 0), color=colour, intensity=strength
            )
            light.positional = False
            plotter.add_light(light)
        if self.ground:
            self._add_ground(plotter, box, ground_height_m, lights[0])
        centre, distance = _camera_to_fit(framed, direction, self.size)
        plotter.camera_position = [tuple(centre + distance * direction), tuple(centre), (0, 1, 0)]
        plotter.camera.view_angle = _VIEW_ANGLE
        plotter.camera.clipping_range = (0.05 * distance, 60.0 + 3 * distance)
        # the first rendering after a change of camera uses the transforms of the last (VTK 9.7)
        plotter.render_window.Render()
        picture = plotter.screenshot(return_img=True)
        return _shrink(picture, self.size)

    def save(self, path: str | Path, **options: Any) -> Path:
        """Render to a PNG or JPEG file; options as for `image`."""
        from PIL import Image

        target = Path(path)
        Image.fromarray(self.image(**options)).save(target, optimize=True)
        return target

    def _merged(self) -> list[tuple[Any, dict[str, Any]]]:
        """The geometry with meshes of equal material merged, since rendering cost is per mesh."""
        groups: dict[str, tuple[list[Any], dict[str, Any]]] = {}
        for number, (mesh, options) in enumerate(self._meshes):
            key = f"{number}" if "scalars" in options else repr(sorted(options.items()))
            groups.setdefault(key, ([], options))[0].append(mesh)
        return [
            (meshes[0] if len(meshes) == 1 else meshes[0].append_polydata(*meshes[1:]), options)
            for meshes, options in groups.values()
        ]

    def _fresh_plotter(self) -> Any:
        if self._plotter is None:
            width, height = self.size
            self._plotter = self._pv.Plotter(
                off_screen=True,
                window_size=(width * _SUPERSAMPLE, height * _SUPERSAMPLE),
                lighting="none",
            )
            self._plotter.set_background(BACKGROUND)
            self._plotter.enable_anti_aliasing("msaa", multi_samples=4)
        self._plotter.clear_actors()
        return self._plotter

    def _add_ground(self, plotter: Any, box: Floats, height_m: float, light: Floats) -> None:
        centre = box.mean(axis=0)
        radius = 2.2 * float(np.linalg.norm(box[1] - box[0]))
        plane = self._pv.Plane(
            center=(centre[0], height_m - 0.001, centre[2]),
            direction=(0, 1, 0),
            i_size=2 * radius,
            j_size=2 * radius,
        )
        scale = float(np.clip(np.linalg.norm(box[1] - box[0]) / 2.0, 0.05, 1.0))
        picture = ground_texture(
            np.concatenate(self._shadow), centre, radius, height_m, light, scale
        )
        offset = plane.points - np.array([centre[0], 0, centre[2]])
        plane.active_texture_coordinates = np.column_stack(
            [0.5 + offset[:, 0] / (2 * radius), 0.5 - offset[:, 2] / (2 * radius)]
        )
        texture = self._pv.Texture(picture)
        texture.mipmap = True
        texture.interpolate = True
        plotter.add_mesh(plane, texture=texture, lighting=False)


def _pose(position: ArrayLike, rotation: ArrayLike | None) -> Floats:
    matrix = np.eye(4)
    matrix[:3, 3] = position
    if rotation is not None:
        matrix[:3, :3] = rotation
    return matrix


def _camera_to_fit(
    framed: Floats, direction: Floats, size: tuple[int, int]
) -> tuple[Floats, float]:
    """Where the camera looks and from how far, so that a box or points fit, with a margin.

    It looks at the middle of a box; points are centred in the picture.
    """
    right = np.cross([0.0, 1.0, 0.0], direction)
    right = right / np.linalg.norm(right) if np.linalg.norm(right) > 1e-6 else np.array([1.0, 0, 0])
    axes = np.stack([right, np.cross(direction, right), direction])
    half_up = np.tan(np.radians(_VIEW_ANGLE / 2)) * 0.90
    half = np.array([half_up * size[0] / size[1], half_up])
    corners = np.array(np.meshgrid(*framed.T)).reshape(3, -1).T if len(framed) == 2 else framed
    seen = corners @ axes.T  # to the right, up, towards the camera
    target = (seen.min(axis=0) + seen.max(axis=0)) / 2
    for _ in range(0 if len(framed) == 2 else _CENTRINGS):
        away = seen - target
        distance = float((np.abs(away[:, :2]) / half + away[:, 2:]).max())
        shown = away[:, :2] / (distance - away[:, 2:])
        target[:2] += distance * (shown.min(axis=0) + shown.max(axis=0)) / 2
    away = seen - target
    distance = float((np.abs(away[:, :2]) / half + away[:, 2:]).max())
    return axes.T @ target, distance


def _shrink(picture: Any, size: tuple[int, int]) -> Any:
    from PIL import Image

    return np.asarray(Image.fromarray(picture[..., :3]).resize(size, Image.Resampling.LANCZOS))
