"""What the page is told about a figure."""

from __future__ import annotations

import numpy as np
import pytest

from writhe import figure_of
from writhe.research.evaluation.rigs import STYLES, build_rig
from writhe.skeleton import Motion
from writhe.skeleton.figures import figure
from writhe.studio.view.figure_mesh import figure_shape


def test_the_page_knows_where_a_person_faces():
    assert figure_shape(figure("human")).facing_rad == pytest.approx(0.0)
    assert figure_shape(figure("octopus")).facing_rad == 0.0
    skeleton = build_rig(STYLES["vroid"]).skeleton  # VRM 0 faces -Z
    body = figure_of(Motion(skeleton, skeleton.rest_configuration[None], 30.0))
    assert abs(figure_shape(body).facing_rad) == pytest.approx(np.pi)
