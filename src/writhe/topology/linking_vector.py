"""The linking vector of a posture: the linking of all pairs of a figure's strands."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from numpy.typing import ArrayLike

from writhe.arrays import Floats
from writhe.errors import WritheError
from writhe.skeleton import Figure, Motion, Skeleton
from writhe.topology.strand import Strand
from writhe.topology.strand_bundle import Bundle

_bundles: WeakKeyDictionary[Skeleton, dict[tuple[tuple[str, tuple[str, ...]], ...], Bundle]] = (
    WeakKeyDictionary()
)


def body_bundle(figure: Figure) -> Bundle:
    """The figure's strands, compiled and cached, with all pairs (0, 1), (0, 2) ... (1, 2) ...

    For the human: torso with left arm, right arm, left leg, right leg; left arm with right arm,
    left leg, right leg; right arm with left leg, right leg; left leg with right leg.
    """
    known = _bundles.setdefault(figure.skeleton, {})
    if figure.strands not in known:
        if len(figure.strands) < 2:
            raise WritheError(
                f"the figure {figure.name!r} has {len(figure.strands)} strands, but linking needs "
                "two: set Figure(strands=...)"
            )
        strands = [
            Strand.through(figure.skeleton, names, name=name) for name, names in figure.strands
        ]
        known[figure.strands] = Bundle.compile(figure.skeleton.tree, figure.skeleton.index, strands)
    return known[figure.strands]


def pair_names(figure: Figure) -> tuple[str, ...]:
    """Names of the entries of the figure's linking vector: "torso:left_arm" and so on."""
    return body_bundle(figure).pair_names


def linking_vector(figure: Figure, q: ArrayLike) -> Floats:
    """The linking (pairs) of the figure's strands at configuration q; 1 is one full link."""
    return body_bundle(figure).linking(q)


def linking_jacobian(figure: Figure, q: ArrayLike) -> tuple[Floats, Floats]:
    """The linking vector (pairs) and its Jacobian (pairs, nv) with respect to the tangent step."""
    return body_bundle(figure).linking_with_jacobian(q)


def linking_over_time(figure: Figure, motion: Motion) -> Floats:
    """The linking vectors (frames, pairs) of a motion of the figure's skeleton."""
    if motion.skeleton.names != figure.skeleton.names:
        raise WritheError(
            f"the skeleton of the motion {motion.name!r} is not that of the figure "
            f"{figure.name!r}: retarget the motion to the figure first"
        )
    if motion.skeleton is not figure.skeleton:
        # the same joints, but bone lengths may differ
        figure = Figure(figure.name, motion.skeleton, strands=figure.strands)
    return body_bundle(figure).linking(motion.q)
