"""Easing curves: ends, order, handles and names."""

from __future__ import annotations

import numpy as np
import pytest

from writhe.easing import EASES, bezier_progress, ease_handles, read_ease
from writhe.errors import WritheError


def test_progress_solves_the_curve_at_the_time(rng: np.random.Generator) -> None:
    for _ in range(50):
        x1, x2 = rng.uniform(0, 1, 2)
        y1, y2 = rng.uniform(-1, 2, 2)
        s = rng.uniform(0, 1, 20)
        on_curve = [
            3 * (1 - s) ** 2 * s * a + 3 * (1 - s) * s**2 * b + s**3
            for a, b in ((x1, x2), (y1, y2))
        ]
        found = bezier_progress(on_curve[0], (x1, y1, x2, y2))
        # where the curve is steep in time, progress is sensitive to rounding
        assert np.abs(found - on_curve[1]).max() < 1e-3


def test_named_easings_start_or_end_slowly() -> None:
    early, late = np.array([0.1]), np.array([0.9])
    slow_start = ease_handles("ease_in")
    slow_end = ease_handles("ease_out")
    assert slow_start is not None and slow_end is not None
    assert bezier_progress(early, slow_start)[0] < 0.05
    assert bezier_progress(late, slow_end)[0] > 0.95
    assert bezier_progress(early, slow_end)[0] > 0.1


def test_an_easing_is_read_from_names_numbers_and_text() -> None:
    assert all(read_ease(name) == name for name in EASES)
    assert read_ease([0.25, -0.5, 0.75, 1.5]) == read_ease("0.25 -0.5 0.75 1.5")
    assert ease_handles(read_ease((0.25, 0, 1, 1))) == (0.25, 0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        "bouncy",
        "0 0 1",
        [1.2, 0, 1, 1],
        [0, 0, 0.5, 9],
        [0, "a", 1, 1],
        None,
        [0, float("nan"), 1, 1],
    ],
)
def test_another_easing_is_refused_with_what_is_right(wrong: object) -> None:
    with pytest.raises(WritheError, match="ease_in_out"):
        read_ease(wrong)
