#!/usr/bin/env python
"""Draw a body that steps after a dragged hand: `draw_steps.py docs/images/steps.png`."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import writhe
from writhe.arrays import vector3
from writhe.postures.preset_poses import preset_pose
from writhe.render import film_strip
from writhe.skeleton.limbs import ANKLES
from writhe.solvers.posing import Controls, SteppingPoser

HAND = "left_wrist"
PLACES = ((0.5, 1.5, 0.7), (-0.1, 1.2, 1.8), (0.3, 0.3, 1.9))  # of the hand, one after the other
FRAMES, MOVING = 100, 60


def main() -> None:
    human = writhe.figure("human")
    database, number = preset_pose("basic", "stand")
    q = database.q[number]
    controls = Controls.for_drag(human, [HAND])
    poser = writhe.make_poser("default", human, database, controls=controls)
    feet = [writhe.pin_here(human.skeleton, q, ankle, orientation=True) for ankle in ANKLES]
    stepping, rows = SteppingPoser(poser, q, feet), [q]
    for place in PLACES:
        start = writhe.forward(human.skeleton, q).position(HAND).copy()
        for k in range(FRAMES):
            at = start + min(1.0, (k + 1) / MOVING) * (np.array(place) - start)
            q = stepping.step(q, [writhe.Target(HAND, vector3(at))], feet).q
            rows.append(q)
    motion = writhe.Motion(human.skeleton, np.array(rows), fps=60)
    print(writhe.certify(human, motion).verdict)
    shown = [0, 60, 135, 155, 175, 200, 260, 300]
    film_strip(human, motion, Path(sys.argv[1]), frames=shown, view=(1.0, 0.25, 0.45))


if __name__ == "__main__":
    main()
