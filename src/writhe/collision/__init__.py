"""Shapes and their gaps, the contact policy, and the certificate of steps and motions."""

from writhe.collision.certificate import Certificate, DeepOverlap, PairWorst
from writhe.collision.certify import INTERPOLATIONS, certify
from writhe.collision.collision_table import CollisionTable
from writhe.collision.contact_state import ContactState, ContactStatus, contact_status
from writhe.collision.curves import BezierCurve, JointCurves, certify_curves
from writhe.collision.folds import FoldedJoint
from writhe.collision.gate import Gate, GateResult
from writhe.collision.interpolated_motion import EulerChannels
from writhe.collision.mesh_pieces.convex_split import split_mesh
from writhe.collision.near_pairs import NearPairs, violating_parts
from writhe.collision.policy import ContactPolicy
from writhe.collision.shapes import Shape, ball, box, capsule, cylinder, half_space, hull
from writhe.collision.verdict import Verdict

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
