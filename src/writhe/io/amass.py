"""Reads AMASS and SMPL(-H, -X) motions (.npz).

Only the 22 body joints are read, not fingers, jaw and eyes. AMASS is Z up and is converted to
Y up. The rest skeleton comes from a model file that the user supplies, or is `MEAN_REST_M`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from writhe.arrays import Floats
from writhe.errors import FileFormatError
from writhe.io.file_size_limits import check_numbers
from writhe.io.safe_npz import read_npz
from writhe.kernels.skeleton.euler_channels import align_hemispheres
from writhe.skeleton import Joint, JointKind, Motion, Skeleton, Tip, quaternions

# name, parent, position in the rest pose (m; Y up, facing +Z, left is +X; pelvis at the origin).
# Approximate adult proportions, rounded to a centimetre and symmetric: enough to view or retarget a
# motion, but not to reconstruct a subject, which needs a model file.
MEAN_REST_M: tuple[tuple[str, int, tuple[float, float, float]], ...] = (
    ("pelvis", -1, (0.0, 0.0, 0.0)),
    ("left_hip", 0, (0.06, -0.09, -0.015)),
    ("right_hip", 0, (-0.06, -0.09, -0.015)),
    ("spine1", 0, (0.0, 0.12, -0.04)),
    ("left_knee", 1, (0.10, -0.47, -0.01)),
    ("right_knee", 2, (-0.10, -0.47, -0.01)),
    ("spine2", 3, (0.0, 0.26, -0.01)),
    ("left_ankle", 4, (0.09, -0.89, -0.05)),
    ("right_ankle", 5, (-0.09, -0.89, -0.05)),
    ("spine3", 6, (0.0, 0.32, -0.01)),
    ("left_foot", 7, (0.12, -0.95, 0.08)),
    ("right_foot", 8, (-0.12, -0.95, 0.08)),
    ("neck", 9, (0.0, 0.53, -0.04)),
    ("left_collar", 9, (0.08, 0.43, -0.03)),
    ("right_collar", 9, (-0.08, 0.43, -0.03)),
    ("head", 12, (0.0, 0.62, 0.01)),
    ("left_shoulder", 13, (0.20, 0.48, -0.04)),
    ("right_shoulder", 14, (-0.20, 0.48, -0.04)),
    ("left_elbow", 16, (0.46, 0.46, -0.07)),
    ("right_elbow", 17, (-0.46, 0.46, -0.07)),
    ("left_wrist", 18, (0.72, 0.47, -0.07)),
    ("right_wrist", 19, (-0.72, 0.47, -0.07)),
)
PELVIS_IN_MODEL_M = (0.0, -0.24, 0.03)  # SMPL's template has its origin in the chest
_TIPS = (
    ("head_top", "head", (0.0, 0.19, 0.0)),
    ("left_hand_tip", "left_wrist", (0.18, 0.0, 0.0)),
    ("right_hand_tip", "right_wrist", (-0.18, 0.0, 0.0)),
    ("left_toe_tip", "left_foot", (0.01, 0.0, 0.07)),
    ("right_toe_tip", "right_foot", (-0.01, 0.0, 0.07)),
)
BODY_JOINTS = len(MEAN_REST_M)
_Z_UP_TO_Y_UP = np.array([np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0])
_RATES = ("mocap_framerate", "mocap_frame_rate")
MAX_ANGLE_RAD = 1e4


def load_amass(path: Path, *, model: Path | None = None) -> Motion:
    """Read an AMASS file; see `writhe.io.load`."""
    data = read_npz(path, {"poses", "trans", "betas", *_RATES})
    poses = _floats(path, data, "poses", MAX_ANGLE_RAD)
    if poses.ndim != 2 or len(poses) == 0 or poses.shape[1] < 3 * BODY_JOINTS:
        raise FileFormatError(
            path,
            f"'poses' has the shape {poses.shape}, not frames x {3 * BODY_JOINTS} or more",
            remedy="is it an AMASS or SMPL motion?",
        )
    count = len(poses)
    check_numbers(path, count, 4 * BODY_JOINTS + 3)
    trans = _floats(path, data, "trans", 1e6) if "trans" in data else np.zeros((count, 3))
    if trans.shape != (count, 3):
        raise FileFormatError(path, f"'trans' has the shape {trans.shape}, not ({count}, 3)")
    fps = _rate(path, data)
    if model is None:
        rest, pelvis = np.array([p for _, _, p in MEAN_REST_M]), np.array(PELVIS_IN_MODEL_M)
        origin = "the documented mean skeleton (approximate)"
    else:
        betas = _floats(path, data, "betas", 1e3).reshape(-1) if "betas" in data else np.zeros(0)
        joints = rest_joints(model, betas)
        rest, pelvis = joints - joints[0], joints[0]
        origin = f"the model file {model.name}"
    skeleton = smpl_skeleton(rest)
    rotations = quaternions.from_rotation_vectors(
        poses[:, : 3 * BODY_JOINTS].reshape(count, BODY_JOINTS, 3)
    )
    q = np.empty((count, skeleton.configuration_size))
    q[:, :3] = quaternions.rotate(_Z_UP_TO_Y_UP, pelvis + trans)
    q[:, 3:7] = quaternions.multiply(_Z_UP_TO_Y_UP, rotations[:, 0])
    for j, (name, _, _) in enumerate(MEAN_REST_M[1:], 1):
        q[:, skeleton.q_slice(name)] = rotations[:, j]
    align_hemispheres(skeleton.tree.kind, skeleton.tree.q_start, q)
    source = {
        "format": "amass",
        "metres_per_unit": 1.0,
        "unit_from": "AMASS is in metres",
        "rest_from": origin,
    }
    return Motion(skeleton, q, fps, path.stem, source)


def smpl_skeleton(rest_m: Floats) -> Skeleton:
    """The 22 body joints of SMPL with these rest positions (22, 3), the pelvis free."""
    names = [n for n, _, _ in MEAN_REST_M]
    joints = [
        Joint(
            name,
            None if parent < 0 else names[parent],
            JointKind.FREE if parent < 0 else JointKind.BALL,
            rest_m[j] - rest_m[parent] if parent >= 0 else np.zeros(3),
        )
        for j, (name, parent, _) in enumerate(MEAN_REST_M)
    ]
    return Skeleton(joints, [Tip(n, j, np.array(at)) for n, j, at in _TIPS])


def rest_joints(model: Path, betas: Floats) -> Floats:
    """(22, 3) rest positions of the body joints of an SMPL model (.npz) for shape `betas`.

    Reads J_regressor and v_template (and shapedirs if betas are given), or J alone.
    """
    if model.suffix.lower() != ".npz":
        raise FileFormatError(
            model,
            "SMPL models are read from .npz files only: pickles can run code",
            remedy="convert it with a script you trust",
        )
    keys = {"J", "J_regressor", "v_template", "shapedirs", "kintree_table"}
    data = read_npz(model, keys)
    if "J_regressor" in data and "v_template" in data:
        regressor = _floats(model, data, "J_regressor", 1e6)
        vertices = _floats(model, data, "v_template", 1e6)
        if vertices.ndim != 2 or vertices.shape[1] != 3:
            raise FileFormatError(model, f"'v_template' has the shape {vertices.shape}")
        if "shapedirs" in data and len(betas):
            directions = _floats(model, data, "shapedirs", 1e6)
            if directions.ndim != 3 or directions.shape[:2] != vertices.shape:
                raise FileFormatError(model, f"'shapedirs' has the shape {directions.shape}")
            used = min(len(betas), directions.shape[2])
            vertices = vertices + directions[:, :, :used] @ betas[:used]
        if regressor.ndim != 2 or regressor.shape[1] != len(vertices):
            raise FileFormatError(model, f"'J_regressor' has the shape {regressor.shape}")
        joints = regressor @ vertices
    elif "J" in data:
        joints = _floats(model, data, "J", 1e6)
    else:
        raise FileFormatError(
            model, "has neither 'J' nor 'J_regressor' with 'v_template'", remedy="an SMPL model?"
        )
    if joints.ndim != 2 or joints.shape[0] < BODY_JOINTS or joints.shape[1] != 3:
        raise FileFormatError(model, f"gives joints of shape {joints.shape}")
    if "kintree_table" in data:
        _check_tree(model, data["kintree_table"])
    return np.ascontiguousarray(joints[:BODY_JOINTS])


def _check_tree(model: Path, table: np.ndarray) -> None:
    parents = [p for _, p, _ in MEAN_REST_M[1:]]
    given = table[0, 1:BODY_JOINTS] if table.ndim == 2 and len(table) else np.zeros(0)
    if given.dtype.kind not in "iuf" or given.tolist() != parents:
        raise FileFormatError(model, "'kintree_table' is not that of SMPL's body")


def _floats(path: Path, data: dict[str, np.ndarray], name: str, largest: float) -> Floats:
    if name not in data:
        raise FileFormatError(
            path, f"has no array {name!r}", remedy="is it an AMASS or SMPL motion?"
        )
    array = data[name]
    if array.dtype.kind not in "fiu":
        raise FileFormatError(path, f"{name!r} does not contain numbers")
    values = array.astype(np.float64)
    if not (np.abs(values) <= largest).all():
        raise FileFormatError(path, f"{name!r} has values that are not finite or out of bounds")
    return values


def _rate(path: Path, data: dict[str, np.ndarray]) -> float:
    for name in _RATES:
        if name in data:
            values = _floats(path, data, name, 1e5).reshape(-1)
            if len(values) == 1 and values[0] > 0.01:
                return float(values[0])
            raise FileFormatError(path, f"{name!r} is not a frame rate")
    raise FileFormatError(path, "has no frame rate", remedy="add 'mocap_framerate' to the archive")
