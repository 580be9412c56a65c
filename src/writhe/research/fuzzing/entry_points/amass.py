"""Entry point `writhe certify FILE.npz`: random AMASS poses."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import numpy as np

from writhe.research.evaluation.export_mechanism import export_mechanism
from writhe.research.evaluation.independent import SampledMotion
from writhe.research.evaluation.independent.rotations import of_vector
from writhe.research.fuzzing.case import Case
from writhe.research.fuzzing.entry_points.certify_file import certify_with_table

_JOINTS = 22


def amass_file(rng: np.random.Generator) -> Case:
    """Axis-angle poses of the 22 body joints; the pose of the root has no influence."""
    frames = int(rng.integers(1, 4))
    step = float(rng.choice([0.02, 0.15, 0.5]))
    poses = np.cumsum(rng.normal(0, step, (frames, _JOINTS, 3)), axis=0)
    if rng.random() < 0.2:  # rotation vectors longer than half a turn
        length = np.linalg.norm(poses, axis=-1, keepdims=True)
        poses = poses * (1 + 2 * np.pi / np.maximum(length, 1e-3))
    buffer = io.BytesIO()
    np.savez(buffer, poses=poses.reshape(frames, -1), trans=rng.normal(0, 1, (frames, 3)),
             mocap_framerate=60.0)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.npz"
        path.write_bytes(buffer.getvalue())
        answer, table = certify_with_table(path)
    # the reader orders joints depth-first; the file in SMPL's order
    turn = of_vector(poses)[:, [_SMPL.index(name) for name in table.skeleton.names]]
    motion = SampledMotion(np.zeros((frames, _JOINTS, 3)), turn)
    files = {"case.npz": buffer.getvalue()}
    return Case.of("amass", export_mechanism(table), (motion,), answer, "", files)


_SMPL: list[str] = [
    "pelvis",
    "left_hip",
    "right_hip",
    "spine1",
    "left_knee",
    "right_knee",
    "spine2",
    "left_ankle",
    "right_ankle",
    "spine3",
    "left_foot",
    "right_foot",
    "neck",
    "left_collar",
    "right_collar",
    "head",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
]
