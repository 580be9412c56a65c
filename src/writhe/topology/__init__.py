"""Strands, their linking (Gauss linking integral), writhe matrices, and the derivatives."""

from writhe.topology.body import (
    body_bundle,
    linking_jacobian,
    linking_over_time,
    linking_vector,
    pair_names,
    strand_matrix,
)
from writhe.topology.bundle import Bundle
from writhe.topology.measure import LinkingReport, PairSummary, measure_motion
from writhe.topology.polyline import (
    linking,
    linking_gradient,
    segment_linking,
    writhe_matrix,
    writhe_matrix_slopes,
)
from writhe.topology.strand import Strand

__all__ = [
    "Bundle",
    "LinkingReport",
    "PairSummary",
    "Strand",
    "body_bundle",
    "linking",
    "linking_gradient",
    "linking_jacobian",
    "linking_over_time",
    "linking_vector",
    "measure_motion",
    "pair_names",
    "segment_linking",
    "strand_matrix",
    "writhe_matrix",
    "writhe_matrix_slopes",
]
