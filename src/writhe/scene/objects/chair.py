"""A chair of tubes and boards: ten strands along its frame."""

from __future__ import annotations

import numpy as np

from writhe.arrays import Floats
from writhe.collision import Shape, box, capsule

SEAT_HEIGHT_M, BACK_HEIGHT_M = 0.45, 0.90
HALF_WIDTH_M, HALF_DEPTH_M = 0.22, 0.21
TUBE_RADIUS_M, BOARD_M = 0.018, 0.036


def chair() -> tuple[tuple[Shape, ...], dict[str, Floats]]:
    """Shapes and strands of the chair; someone sitting on it faces +Z.

    The strands are the four legs, the two uprights and the top of the back, and the sides and
    front of the seat.
    """
    w, d = HALF_WIDTH_M, HALF_DEPTH_M
    seat, top = SEAT_HEIGHT_M - 0.5 * BOARD_M, BACK_HEIGHT_M
    foot = TUBE_RADIUS_M
    lines = {
        "left_front_leg": [(w, foot, d), (w, seat, d)],
        "right_front_leg": [(-w, foot, d), (-w, seat, d)],
        "left_back_leg": [(w, foot, -d), (w, seat, -d)],
        "right_back_leg": [(-w, foot, -d), (-w, seat, -d)],
        "left_upright": [(w, seat, -d), (w, top, -d)],
        "right_upright": [(-w, seat, -d), (-w, top, -d)],
        "back_top": [(w, top, -d), (-w, top, -d)],
        "left_seat_edge": [(w, seat, -d), (w, seat, d)],
        "right_seat_edge": [(-w, seat, -d), (-w, seat, d)],
        "front_seat_edge": [(w, seat, d), (-w, seat, d)],
    }
    strands = {name: np.array(points) for name, points in lines.items()}
    tubes = [capsule(p[0], p[1], TUBE_RADIUS_M) for p in strands.values()]
    boards = [
        box((0, seat, 0), (2 * w, BOARD_M, 2 * d)),
        box((0, 0.5 * (SEAT_HEIGHT_M + 0.15 + top), -d), (2 * w, top - SEAT_HEIGHT_M - 0.15, 0.03)),
    ]
    return (*tubes, *boards), strands
