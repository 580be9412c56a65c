"""Strands, their linking (Gauss linking integral), writhe matrices, and the derivatives.

Names are loaded when first used, so that a process loads only what it needs.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.topology.coordinates import (
        TopologyCoordinates,
        density_difference,
        matrix_coordinates,
        topology_coordinates,
    )
    from writhe.topology.linking_over_time import LinkingReport, PairSummary, measure_motion
    from writhe.topology.linking_vector import (
        body_bundle,
        linking_jacobian,
        linking_over_time,
        linking_vector,
        pair_names,
    )
    from writhe.topology.polyline import (
        linking,
        linking_gradient,
        segment_linking,
        writhe_matrix,
        writhe_matrix_gradients,
    )
    from writhe.topology.strand import Strand
    from writhe.topology.strand_bundle import Bundle
    from writhe.topology.target_matrix import (
        published_target_matrix,
        round_trip_error,
        target_matrix,
    )
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "Bundle": "writhe.topology.strand_bundle",
            **dict.fromkeys(
                (
                    "TopologyCoordinates",
                    "density_difference",
                    "matrix_coordinates",
                    "topology_coordinates",
                ),
                "writhe.topology.coordinates",
            ),
            **dict.fromkeys(
                ("LinkingReport", "PairSummary", "measure_motion"),
                "writhe.topology.linking_over_time",
            ),
            **dict.fromkeys(
                (
                    "body_bundle",
                    "linking_jacobian",
                    "linking_over_time",
                    "linking_vector",
                    "pair_names",
                ),
                "writhe.topology.linking_vector",
            ),
            **dict.fromkeys(
                (
                    "linking",
                    "linking_gradient",
                    "segment_linking",
                    "writhe_matrix",
                    "writhe_matrix_gradients",
                ),
                "writhe.topology.polyline",
            ),
            "Strand": "writhe.topology.strand",
            **dict.fromkeys(
                ("published_target_matrix", "round_trip_error", "target_matrix"),
                "writhe.topology.target_matrix",
            ),
        },
    )

__all__ = [
    "Bundle",
    "LinkingReport",
    "PairSummary",
    "Strand",
    "TopologyCoordinates",
    "body_bundle",
    "density_difference",
    "linking",
    "linking_gradient",
    "linking_jacobian",
    "linking_over_time",
    "linking_vector",
    "matrix_coordinates",
    "measure_motion",
    "pair_names",
    "published_target_matrix",
    "round_trip_error",
    "segment_linking",
    "target_matrix",
    "topology_coordinates",
    "writhe_matrix",
    "writhe_matrix_gradients",
]
