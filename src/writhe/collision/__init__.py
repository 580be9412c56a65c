"""Shapes and their gaps, the contact policy, and the certificate of steps and motions.

Names are loaded when first used, so that a process loads only what it needs.
"""

from typing import TYPE_CHECKING

from writhe.lazy import lazy_names

if TYPE_CHECKING:
    from writhe.collision.bezier_curve import BezierCurve
    from writhe.collision.certificate import Certificate, DeepOverlap, PairWorst
    from writhe.collision.certify import INTERPOLATIONS, certify
    from writhe.collision.collision_table import CollisionTable
    from writhe.collision.contact_policy import ContactPolicy
    from writhe.collision.contact_state import ContactState, ContactStatus, contact_status
    from writhe.collision.curve_certificate import JointCurves, certify_curves
    from writhe.collision.folds import FoldedJoint
    from writhe.collision.gate import Gate, GateResult
    from writhe.collision.interpolated_motion import EulerChannels
    from writhe.collision.mesh_pieces.convex_split import split_mesh
    from writhe.collision.near_pairs import NearPairs, violating_parts
    from writhe.collision.shapes import Shape, ball, box, capsule, cylinder, half_space, hull
    from writhe.collision.verdict import Verdict
else:
    __getattr__ = lazy_names(
        __name__,
        {
            **dict.fromkeys(
                ("Certificate", "DeepOverlap", "PairWorst"), "writhe.collision.certificate"
            ),
            **dict.fromkeys(("INTERPOLATIONS", "certify"), "writhe.collision.certify"),
            "CollisionTable": "writhe.collision.collision_table",
            **dict.fromkeys(
                ("ContactState", "ContactStatus", "contact_status"),
                "writhe.collision.contact_state",
            ),
            "BezierCurve": "writhe.collision.bezier_curve",
            **dict.fromkeys(
                ("JointCurves", "certify_curves"), "writhe.collision.curve_certificate"
            ),
            "FoldedJoint": "writhe.collision.folds",
            **dict.fromkeys(("Gate", "GateResult"), "writhe.collision.gate"),
            "EulerChannels": "writhe.collision.interpolated_motion",
            "split_mesh": "writhe.collision.mesh_pieces.convex_split",
            **dict.fromkeys(("NearPairs", "violating_parts"), "writhe.collision.near_pairs"),
            "ContactPolicy": "writhe.collision.contact_policy",
            **dict.fromkeys(
                ("Shape", "ball", "box", "capsule", "cylinder", "half_space", "hull"),
                "writhe.collision.shapes",
            ),
            "Verdict": "writhe.collision.verdict",
        },
    )

__all__ = [
    "INTERPOLATIONS",
    "BezierCurve",
    "Certificate",
    "CollisionTable",
    "ContactPolicy",
    "ContactState",
    "ContactStatus",
    "DeepOverlap",
    "EulerChannels",
    "FoldedJoint",
    "Gate",
    "GateResult",
    "JointCurves",
    "NearPairs",
    "PairWorst",
    "Shape",
    "Verdict",
    "ball",
    "box",
    "capsule",
    "certify",
    "certify_curves",
    "contact_status",
    "cylinder",
    "half_space",
    "hull",
    "split_mesh",
    "violating_parts",
]
