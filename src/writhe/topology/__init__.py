"""Strands, their linking (Gauss linking integral), writhe matrices, and the derivatives."""

from writhe.topology.bundle import Bundle
from writhe.topology.coordinates import (
    TopologyCoordinates,
    coordinate_gradients,
    density_difference,
    matrix_coordinate_slopes,
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
    strand_matrix,
)
from writhe.topology.polyline import (
    linking,
    linking_gradient,
    segment_linking,
    writhe_matrix,
    writhe_matrix_slopes,
)
from writhe.topology.strand import Strand
from writhe.topology.target_matrix import (
    nearest_matrix,
    published_target_matrix,
    round_trip_error,
    target_matrix,
)

__all__ = [
    "Bundle",
    "LinkingReport",
    "PairSummary",
    "Strand",
    "TopologyCoordinates",
    "body_bundle",
    "coordinate_gradients",
    "density_difference",
    "linking",
    "linking_gradient",
    "linking_jacobian",
    "linking_over_time",
    "linking_vector",
    "matrix_coordinate_slopes",
    "matrix_coordinates",
    "measure_motion",
    "nearest_matrix",
    "pair_names",
    "published_target_matrix",
    "round_trip_error",
    "segment_linking",
    "strand_matrix",
    "target_matrix",
    "topology_coordinates",
    "writhe_matrix",
    "writhe_matrix_slopes",
]
