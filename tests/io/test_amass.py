"""AMASS files: axis-angle poses, Z up, models supplied by the user, no pickle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from writhe import figure_of, load
from writhe.errors import FileFormatError
from writhe.io.amass import BODY_JOINTS, MEAN_REST_M, PELVIS_IN_MODEL_M

FRAMES = 5


def archive(tmp_path, **changes):
    rng = np.random.default_rng(0)
    data = {
        "poses": rng.normal(0, 0.4, (FRAMES, 156)),
        "trans": rng.normal(0, 1, (FRAMES, 3)),
        "mocap_framerate": np.array(120.0),
        "betas": rng.normal(0, 1, 16),
    } | changes
    path = tmp_path / "amass.npz"
    stored: dict[str, Any] = {k: v for k, v in data.items() if v is not None}
    np.savez_compressed(path, **stored)
    return path, data


def smpl_positions(poses, trans, joints) -> np.ndarray:
    """The textbook forward kinematics of SMPL, in its own Z-up world."""
    places = np.zeros((len(poses), BODY_JOINTS, 3))
    for f, (pose, shift) in enumerate(zip(poses, trans, strict=True)):
        turns = []
        for j, (_, parent, _) in enumerate(MEAN_REST_M):
            local = Rotation.from_rotvec(pose[3 * j : 3 * j + 3])
            if parent < 0:
                turns.append(local)
                places[f, j] = joints[0] + shift
            else:
                turns.append(turns[parent] * local)
                places[f, j] = places[f, parent] + turns[parent].apply(joints[j] - joints[parent])
    return places


def y_up(points):
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


def by_name(motion):
    order = [motion.skeleton.index(name) for name, _, _ in MEAN_REST_M]
    return motion.frames().positions[:, order]


def test_the_mean_skeleton_moves_as_smpl_says(tmp_path):
    path, data = archive(tmp_path)
    motion = load(path)
    assert motion.fps == 120.0
    joints = np.array([p for _, _, p in MEAN_REST_M]) + PELVIS_IN_MODEL_M
    expected = y_up(smpl_positions(data["poses"], data["trans"], joints))
    np.testing.assert_allclose(by_name(motion), expected, atol=1e-9)
    assert "approximate" in motion.source["rest_from"]
    assert dict(figure_of(motion).roles)["left_toe"] == "left_foot"


def test_a_model_file_gives_the_rest_pose_with_the_shape_of_the_subject(tmp_path, rng):
    path, data = archive(tmp_path, mocap_framerate=None, mocap_frame_rate=np.array(60.0))
    template, shapes = rng.normal(0, 1, (40, 3)), rng.normal(0, 0.1, (40, 3, 10))
    regressor = rng.dirichlet(np.ones(40), 24)
    parents = [p for _, p, _ in MEAN_REST_M] + [20, 21]
    table = np.array([parents, range(24)])
    model = tmp_path / "model.npz"
    np.savez(
        model, J_regressor=regressor, v_template=template, shapedirs=shapes, kintree_table=table
    )
    joints = regressor @ (template + shapes @ data["betas"][:10])
    motion = load(path, model=model)
    assert motion.fps == 60.0
    expected = y_up(smpl_positions(data["poses"], data["trans"], joints))
    np.testing.assert_allclose(by_name(motion), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"poses": None}, "no array 'poses'"),
        ({"poses": np.zeros((5, 60))}, "shape"),
        ({"poses": np.full((5, 156), np.nan)}, "not finite"),
        ({"poses": np.array([object()] * 3)}, "Python objects"),
        ({"trans": np.zeros((4, 3))}, "shape"),
        ({"mocap_framerate": None}, "frame rate"),
        ({"mocap_framerate": np.array(0.0)}, "frame rate"),
        ({"mocap_framerate": np.array("fast")}, "numbers"),
    ],
)
def test_unreadable_files_are_explained(tmp_path, changes, says):
    with pytest.raises(FileFormatError, match=says):
        load(archive(tmp_path, **changes)[0])


def test_pickled_models_are_refused(tmp_path):
    model = tmp_path / "model.pkl"
    model.write_bytes(b"")
    with pytest.raises(FileFormatError, match="pickles can run code"):
        load(archive(tmp_path)[0], model=model)
