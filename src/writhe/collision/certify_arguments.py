"""The arguments of `certify`: a figure, a scene or a collision table; a motion or an array."""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

from numpy.typing import ArrayLike

from writhe.arrays import Floats, number
from writhe.collision.collision_table import CollisionTable
from writhe.errors import WritheError
from writhe.skeleton import Figure, Motion
from writhe.skeleton.configurations import configurations, same_joints


class HasTable(Protocol):
    """The part of a scene's layout that `certify` uses."""

    @cached_property
    def table(self) -> CollisionTable:
        """The shapes and pairs of the whole scene."""
        ...


class HasLayout(Protocol):
    """The part of a `Scene`, which is in a higher layer, that `certify` uses."""

    @cached_property
    def layout(self) -> HasTable:
        """The scene as one forest of joints."""
        ...


Subject = Figure | CollisionTable | HasLayout


def table_of(subject: Subject) -> CollisionTable:
    """The collision table of a figure or scene, with its default contact policy."""
    if isinstance(subject, CollisionTable):
        return subject
    if isinstance(subject, Figure):
        return CollisionTable.of_figure(subject)
    layout = getattr(subject, "layout", None)
    if layout is None:
        raise WritheError(
            f"expected a figure, a scene or a collision table, not {type(subject).__name__}"
        )
    return layout.table


def rows_and_rate(
    table: CollisionTable, motion: Motion | ArrayLike, fps: float | None
) -> tuple[Floats, float]:
    """The configurations (frames, nq) of a motion or an array, and the frames per second.

    A `Motion` carries its frame rate; an array needs `fps`.
    """
    if isinstance(motion, Motion):
        if fps is not None and fps != motion.fps:
            raise WritheError(
                f"the motion {motion.name!r} has {motion.fps:g} frames per second: leave out fps,"
                " or resample it first"
            )
        if not same_joints(motion.skeleton, table.skeleton, roots=False):
            raise WritheError(
                f"the motion {motion.name!r} belongs to another skeleton (joints, bones or rest"
                " pose differ): retarget it first (in a scene:"
                " scene.layout.motion({actor: motion}))"
            )
        return configurations(table.skeleton, motion.q, "the motion"), motion.fps
    if fps is None:
        raise WritheError("an array has no frame rate: give fps=, or a Motion")
    fps = number(fps, "frames per second", above=0.0)
    return configurations(table.skeleton, motion, "the motion"), fps
